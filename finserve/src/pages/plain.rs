//! The API reference, and the page for unknown addresses.
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
                (layout::header(visit, "/docs"))
                main id="reference" {}
                noscript { p { (visit.language.pick(
                    "The interactive reference needs JavaScript. The same description as a file: ",
                    "A referência interativa precisa de JavaScript. A mesma descrição em arquivo: ",
                )) a href="/docs/openapi.yaml" { "openapi.yaml" } } }
                // Ours first: it decides where the reference may store keys.
                script src=(assets::REFERENCE.path()) {}
                script src=(assets::SCALAR.path()) {}
            }
        }
    }
}

/// What a browser is shown at an unknown address.
pub(crate) fn not_found(visit: &Visit, path: &str) -> Markup {
    let say = |english, portuguese| visit.language.pick(english, portuguese);
    let content = html! {
        h1 { (say("Page not found", "Página não encontrada")) }
        p.lead { code { (path) } " " (say("does not exist on this service.", "não existe neste serviço.")) }
        p.actions {
            a.button.primary href=(visit.link("/")) { (say("Home", "Início")) }
            a.button href=(visit.link("/docs")) { (say("API reference", "Referência da API")) }
        }
    };
    layout::page(visit, "/", say("Page not found", "Página não encontrada"), &content)
}
