//! The API reference, drawn by a script from `openapi.yaml`.
use maud::{DOCTYPE, Markup, html};

use super::{assets, layout, view::View};

/// `/docs`: the interactive reference, drawn by Scalar from our own `openapi.yaml`. Its styles carry the nonce.
pub(crate) fn docs(view: &View, nonce: &str) -> Markup {
    let title = view.language.pick("API reference", "Referência da API");
    html! {
        (DOCTYPE)
        html lang=(view.language.tag()) {
            head {
                (layout::head(view, "/docs", title))
                meta property="csp-nonce" content=(nonce);
                link rel="stylesheet" href=(view.path(assets::REFERENCE_STYLE.path()));
            }
            body {
                (layout::header(view, "/docs"))
                main id="reference" data-description=(view.path("/docs/openapi.yaml")) {}
                noscript { p { (view.language.pick(
                    "The interactive reference needs JavaScript. You can also read it as a file: ",
                    "A referência interativa precisa de JavaScript. Ela também está disponível em arquivo: ",
                )) a href=(view.path("/docs/openapi.yaml")) { "openapi.yaml" } } }
                // Ours first: it decides where the reference may store keys.
                script src=(view.path(assets::REFERENCE.path())) {}
                script src=(view.path(assets::SCALAR.path())) {}
            }
        }
    }
}
