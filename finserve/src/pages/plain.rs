//! The reference page, and the page for addresses that are none.
use maud::{DOCTYPE, Markup, html};

use super::{assets, layout, view::View};

/// `/docs`: the interactive reference, drawn by Scalar from our own `openapi.yaml`.
pub(crate) fn docs(view: &View) -> Markup {
    let title = view.language.pick("API reference", "Referência da API");
    html! {
        (DOCTYPE)
        html lang=(view.language.tag()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " · finserve" }
                link rel="icon" href=(assets::ICON.path()) type="image/svg+xml";
                link rel="stylesheet" href=(assets::REFERENCE_STYLE.path());
            }
            body {
                nav.home aria-label=(view.language.pick("Main", "Principal")) {
                    a href=(view.link("/")) { "▞ finserve" }
                    a href=(view.link("/pricing")) { (view.language.pick("Pricing", "Planos")) }
                    a href=(view.link("/usage")) { (view.language.pick("Usage", "Uso")) }
                }
                main id="reference" {}
                noscript { (view.language.pick(
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
pub(crate) fn not_found(view: &View, path: &str) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let content = html! {
        h1 { (say("There is nothing here", "Não há nada aqui")) }
        p.lead { code { (path) } " " (say("is not a page of this service.", "não é uma página deste serviço.")) }
        p.actions {
            a.button.primary href=(view.link("/")) { (say("Home", "Início")) }
            a.button href=(view.link("/docs")) { (say("API reference", "Referência da API")) }
        }
    };
    layout::page(view, "/", say("Not found", "Não encontrado"), &content)
}
