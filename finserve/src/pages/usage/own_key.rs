//! Actions of a key's holder: a larger plan, an exchange, a revocation.
use fincore::{Key, KeyPrefix, Plan};
use maud::{Markup, html};

use crate::pages::{layout, pricing::key_form::shown_once, view::View};

/// The part of the usage page for a key that is signed in. What cannot be undone is opened first and confirmed then.
pub(super) fn own_key(view: &View, plan: Plan) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    html! {
        section id="own-key" {
            h3 { (say("Change this key", "Mudar esta chave")) }
            @if plan < Plan::Platinum { (larger_plan(view)) }
            (confirmed(view, "/usage/rotate", &Change {
                summary: say("Exchange this key for a new one", "Trocar esta chave por uma nova"),
                about: say(
                    "The new key has the same plan, usage, webhooks and links. The old one stops working at once, and whoever is signed in with it is signed out.",
                    "A chave nova tem o mesmo plano, uso, webhooks e links. A antiga deixa de funcionar na hora, e quem entrou com ela é desconectado.",
                ),
                sure: say("Everything that uses the old key will get the new one.", "Tudo o que usa a chave antiga vai receber a nova."),
                button: say("Exchange the key", "Trocar a chave"),
            }))
            (confirmed(view, "/usage/revoke", &Change {
                summary: say("Revoke this key", "Revogar esta chave"),
                about: say(
                    "It stops working at once and for good, and its webhooks and links end. A new key starts on the Free plan.",
                    "Ela deixa de funcionar na hora e para sempre, e seus webhooks e links terminam. Uma chave nova começa no plano Free.",
                ),
                sure: say("This cannot be undone.", "Isso não pode ser desfeito."),
                button: say("Revoke the key", "Revogar a chave"),
            }))
        }
    }
}

/// Where a larger plan is had.
fn larger_plan(view: &View) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let address = view.upgrade_contact.upgrade().map_or_else(
        || format!("{}#plans", view.link("/pricing")),
        |address| address.url().to_owned(),
    );
    html! {
        p { a.button.primary href=(address) { (say("Get a larger plan", "Passar para um plano maior")) } }
    }
}

/// The words of a change that is confirmed.
struct Change {
    summary: &'static str,
    about: &'static str,
    sure: &'static str,
    button: &'static str,
}

fn confirmed(view: &View, path: &str, change: &Change) -> Markup {
    html! {
        details.change-key {
            summary { (change.summary) }
            p { (change.about) }
            form method="post" action=(view.link(path)) {
                label.sure { input type="checkbox" name="confirm" value="yes" required; " " span { (change.sure) } }
                button { (change.button) }
            }
        }
    }
}

/// The page after an exchange, which shows the new key this once.
pub(crate) fn exchanged(view: &View, old: &KeyPrefix, key: &Key) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let title = say("Your new key", "Sua nova chave");
    let content = html! {
        h1 { (title) }
        section.get-key id="key" aria-label=(title) {
            (shown_once(view, key))
            p {
                (say("The key ", "A chave ")) code { (old) "…" }
                (say(
                    " has stopped working. Plan, usage, webhooks and links are those of the new key, and you are signed in with it.",
                    " deixou de funcionar. Plano, uso, webhooks e links passaram para a chave nova, e você está conectado com ela.",
                ))
            }
            p.actions {
                a.button href=(view.link("/usage")) { (say("Back to its usage", "Voltar ao uso")) }
                a.button href=(view.link("/docs/try")) { (say("Try it in the reference", "Experimentar na referência")) }
            }
        }
    };
    layout::page(view, "", title, &content)
}

/// The page after a key was revoked.
pub(crate) fn revoked(view: &View, old: &KeyPrefix) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let title = say("The key is revoked", "A chave foi revogada");
    let content = html! {
        h1 { (title) }
        p.lead {
            code { (old) "…" }
            (say(" has stopped working for good, and you are signed out.", " deixou de funcionar para sempre, e você foi desconectado."))
        }
        p.actions {
            a.button.primary href=(view.link("/")) { (say("Home", "Início")) }
            a.button href=(format!("{}#key", view.link("/pricing"))) { (say("Get another key", "Obter outra chave")) }
        }
    };
    layout::page(view, "", title, &content)
}

/// The page where a change was not confirmed.
pub(crate) fn unconfirmed(view: &View) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let title = say("Nothing was changed", "Nada foi alterado");
    let content = html! {
        h1 { (title) }
        p.lead { (say("Tick the box beside the button to confirm the change.", "Marque a caixa ao lado do botão para confirmar a mudança.")) }
        p.actions { a.button.primary href=(format!("{}#own-key", view.link("/usage"))) { (say("Back", "Voltar")) } }
    };
    layout::page(view, "", title, &content)
}
