//! The API reference, and the page for unknown addresses.
use maud::{DOCTYPE, Markup, html};

use super::{assets, layout, view::View};

/// `/docs`: the interactive reference, drawn by Scalar from our own `openapi.yaml`. Its styles carry the nonce.
pub(crate) fn docs(view: &View, nonce: &str) -> Markup {
    let title = view.language.pick("API reference", "Referência da API");
    html! {
        (DOCTYPE)
        html lang=(view.language.tag()) {
            head {
                (layout::head(view, title))
                meta property="csp-nonce" content=(nonce);
                link rel="stylesheet" href=(view.path(assets::REFERENCE_STYLE.path()));
            }
            body {
                (layout::header(view, "/docs"))
                main id="reference" data-description=(view.path("/docs/openapi.yaml")) {}
                noscript { p { (view.language.pick(
                    "The interactive reference needs JavaScript. The same description as a file: ",
                    "A referência interativa precisa de JavaScript. A mesma descrição em arquivo: ",
                )) a href=(view.path("/docs/openapi.yaml")) { "openapi.yaml" } } }
                // Ours first: it decides where the reference may store keys.
                script src=(view.path(assets::REFERENCE.path())) {}
                script src=(view.path(assets::SCALAR.path())) {}
            }
        }
    }
}

/// What a browser is shown at an unknown address.
pub(crate) fn not_found(view: &View, path: &str) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let content = html! {
        h1 { (say("Page not found", "Página não encontrada")) }
        p.lead { code { (path) } " " (say("does not exist on this service.", "não existe neste serviço.")) }
        p.actions {
            a.button.primary href=(view.link("/")) { (say("Home", "Início")) }
            a.button href=(view.link("/docs")) { (say("API reference", "Referência da API")) }
        }
    };
    layout::page(view, "/", say("Page not found", "Página não encontrada"), &content)
}
