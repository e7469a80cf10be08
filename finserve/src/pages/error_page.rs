//! Error pages for browsers: unknown addresses and refusals.
use fincore::Plan;
use maud::{Markup, html};

use super::{errors::ErrorMessage, layout, view::View};
use crate::errors::{BadRequest, NotFound};

/// The page for an unknown address.
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
pub(crate) enum Notice<'r> {
    /// It needs this plan.
    Upgrade(Plan),
    /// The limit is used up for so many seconds.
    TooMany(u64),
    /// The service cannot answer now.
    Later,
    /// The request is wrong.
    Wrong(&'r BadRequest),
    /// The address has more bytes than this.
    LongAddress {
        most: usize,
    },
    Missing(&'r NotFound),
}

/// The page for a refusal.
pub(crate) fn refused(view: &View, notice: &Notice<'_>) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let title = match notice {
        Notice::Upgrade(_) => say("You need a larger plan", "É preciso um plano maior"),
        Notice::TooMany(_) => say("Too many requests", "Requisições demais"),
        Notice::Later => say("The service is unavailable", "O serviço está indisponível"),
        Notice::Wrong(_) | Notice::LongAddress { .. } => {
            say("This address is not valid", "Este endereço não é válido")
        }
        Notice::Missing(_) => say("Not found", "Não encontrado"),
    };
    let content = html! {
        h1 { (title) }
        @match notice {
            Notice::Upgrade(plan) => {
                p.lead { (say("This page needs the plan ", "Esta página exige o plano ")) (plan.name()) "." }
                (upgrade(view))
            }
            Notice::TooMany(seconds) => {
                p.lead { (view.language.pick(
                    format!("You have reached your limit. Please try again in {seconds} s, or get a larger plan."),
                    format!("Você atingiu o limite. Tente de novo em {seconds} s, ou passe para um plano maior."),
                )) }
                (upgrade(view))
            }
            Notice::Later => { p.lead { (say("Please try again in a moment.", "Tente de novo em instantes.")) } }
            Notice::Wrong(wrong) => { (explained(view, &ErrorMessage::bad_request(wrong, view.language))) }
            Notice::LongAddress { most } => { (explained(view, &ErrorMessage::long_address(*most, view.language))) }
            Notice::Missing(missing) => { (explained(view, &ErrorMessage::not_found(missing, view.language))) }
        }
    };
    layout::page(view, "", title, &content)
}

/// The fault of an address, and the way to one that is right.
fn explained(view: &View, message: &ErrorMessage) -> Markup {
    html! {
        p.lead lang=[message.lang] { (message.text) }
        p.actions { a.button.primary href=(view.link("/")) { (view.language.pick("Home", "Início")) } }
    }
}

/// Where to get a larger plan, and to sign in with a key that has one.
pub(crate) fn upgrade(view: &View) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    html! {
        p.actions {
            @match view.upgrade_contact.upgrade() {
                Some(address) => { a.button.primary href=(address.url()) { (say("Get a larger plan", "Passar para um plano maior")) } }
                None => { a.button.primary href=(view.link("/pricing")) { (say("See the plans", "Ver os planos")) } }
            }
            @if view.visitor.is_none() { a.button href=(view.sign_in()) { (say("Sign in", "Entrar")) } }
        }
        @if let Some(contact) = view.upgrade_contact.contact() {
            p.note { (say("Questions: ", "Dúvidas: ")) a href=(contact.url()) { (contact.shown()) } }
        }
    }
}
