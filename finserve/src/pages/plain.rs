//! The API reference, and the pages for unknown addresses and for what is refused.
use fincore::Plan;
use maud::{DOCTYPE, Markup, html};

use super::{assets, layout, refusal::told, view::View};

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

/// Why a page is not shown.
pub(crate) enum Notice {
    /// It needs this plan.
    Upgrade(Plan),
    /// The limit is used up for so many seconds.
    TooMany(u64),
    /// The service cannot answer now.
    Later,
    /// What was asked for is wrong, as this says.
    Wrong(String),
    /// What was asked for does not exist, as this says.
    Missing(String),
}

/// What a browser is shown instead of a page that is refused.
pub(crate) fn refused(view: &View, notice: &Notice) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let title = match notice {
        Notice::Upgrade(_) => say("A larger plan is needed", "É preciso um plano maior"),
        Notice::TooMany(_) => say("Too many requests", "Requisições demais"),
        Notice::Later => say("Not possible right now", "Não é possível agora"),
        Notice::Wrong(_) => say("This address is wrong", "Este endereço está errado"),
        Notice::Missing(_) => say("Not found", "Não encontrado"),
    };
    let content = html! {
        h1 { (title) }
        @match notice {
            Notice::Upgrade(plan) => {
                p.lead { (say("This page needs the plan ", "Esta página precisa do plano ")) (plan.name()) "." }
                (upgrade(view))
            }
            Notice::TooMany(seconds) => {
                p.lead { (view.language.pick(
                    format!("The limit is used up. Please try again in {seconds} s, or get a larger plan."),
                    format!("O limite foi atingido. Tente de novo em {seconds} s, ou passe para um plano maior."),
                )) }
                (upgrade(view))
            }
            Notice::Later => { p.lead { (say("Please try again in a moment.", "Tente de novo em instantes.")) } }
            Notice::Wrong(message) | Notice::Missing(message) => {
                @let told = told(message, view.language);
                p.lead lang=[told.lang] { (told.text) }
                p.actions { a.button.primary href=(view.link("/")) { (say("Home", "Início")) } }
            }
        }
    };
    layout::page(view, "", title, &content)
}

/// Where to get a larger plan, and to sign in with a key that has one.
pub(crate) fn upgrade(view: &View) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    html! {
        p.actions {
            @match view.offer.upgrade() {
                Some(address) => { a.button.primary href=(address.url()) { (say("Get a larger plan", "Passar para um plano maior")) } }
                None => { a.button.primary href=(view.link("/pricing")) { (say("See the plans", "Ver os planos")) } }
            }
            @if view.visitor.is_none() { a.button href=(view.sign_in()) { (say("Sign in", "Entrar")) } }
        }
        @if let Some(contact) = view.offer.contact() {
            p.note { (say("Questions: ", "Dúvidas: ")) a href=(contact.url()) { (contact.shown()) } }
        }
    }
}
