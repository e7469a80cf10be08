//! `/docs/try`: the interactive reference, drawn by a script from `openapi.yaml`.
use maud::{DOCTYPE, Markup, html};

use crate::pages::{assets, layout, view::View};

/// The interactive reference, drawn by Scalar from our own `openapi.yaml`. Its styles carry the nonce.
pub(crate) fn interactive(view: &View, nonce: &str) -> Markup {
    let title = view.language.pick("Interactive reference", "Referência interativa");
    html! {
        (DOCTYPE)
        html lang=(view.language.tag()) {
            head {
                (layout::head(view, "/docs/try", title))
                meta property="csp-nonce" content=(nonce);
                link rel="stylesheet" href=(view.path(assets::REFERENCE_STYLE.path()));
            }
            body {
                (layout::header(view, "/docs/try"))
                // The script draws the `main` of this page.
                div id="reference" data-description=(view.path("/docs/openapi.json")) data-signed-in[view.visitor.is_some()] {}
                noscript { p { (view.language.pick(
                    "The interactive reference needs JavaScript. This one does not: ",
                    "A referência interativa precisa de JavaScript. Esta não: ",
                )) a href=(view.link("/docs")) { (view.language.pick("API reference", "referência da API")) } "." } }
                // Ours first: it decides where the reference may store keys.
                script src=(view.path(assets::REFERENCE.path())) {}
                script src=(view.path(assets::SCALAR.path())) {}
            }
        }
    }
}
