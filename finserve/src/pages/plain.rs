//! The reference page, and the page for addresses that are none.
use maud::{DOCTYPE, Markup, html};

use super::{Visit, assets, layout};

/// `/docs`: the interactive reference, drawn by Scalar from our own `openapi.yaml`.
pub(crate) fn docs(visit: &Visit) -> Markup {
    let title = visit.language.pick("API reference", "Referência da API");
    html! {
        (DOCTYPE)
        html lang=(visit.language.tag()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " · finserve" }
                link rel="icon" href=(assets::ICON.path()) type="image/svg+xml";
                link rel="stylesheet" href=(assets::REFERENCE_STYLE.path());
            }
            body {
                nav.home aria-label=(visit.language.pick("Main", "Principal")) {
                    a href=(visit.link("/")) { "▞ finserve" }
                    a href=(visit.link("/pricing")) { (visit.language.pick("Pricing", "Planos")) }
                    a href=(visit.link("/usage")) { (visit.language.pick("Usage", "Uso")) }
                }
                main id="reference" {}
                noscript { (visit.language.pick(
                    "The interactive reference needs JavaScript; ",
                    "A referência interativa precisa de JavaScript; ",
                )) a href="/docs/openapi.yaml" { "openapi.yaml" } }
                script src=(assets::SCALAR.path()) {}
                script src=(assets::REFERENCE.path()) {}
            }
        }
    }
}

/// What a browser is shown at an address that is none.
pub(crate) fn not_found(visit: &Visit, path: &str) -> Markup {
    let say = |english, portuguese| visit.language.pick(english, portuguese);
    let content = html! {
        h1 { (say("There is nothing here", "Não há nada aqui")) }
        p.lead { code { (path) } " " (say("is not a page of this service.", "não é uma página deste serviço.")) }
        p.actions {
            a.button.primary href=(visit.link("/")) { (say("Home", "Início")) }
            a.button href=(visit.link("/docs")) { (say("API reference", "Referência da API")) }
        }
    };
    layout::page(visit, "/", say("Not found", "Não encontrado"), &content)
}
