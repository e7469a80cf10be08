//! The form for a free key, and the key that it yields.
use fincore::{Email, Key, Name};
use maud::{Markup, html};

use crate::{
    pages::{language::Language, layout, view::View},
    site::api_key_header::x_api_key,
};

/// The states of the form for a free key.
pub(crate) enum KeyForm {
    /// Nothing has been sent.
    Empty,
    /// The input cannot be taken; it is shown again with the reason beside the field.
    Wrong { name: String, email: String, field: Field, fault: FieldFault },
    /// The key, shown this once.
    Issued(Key),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Name,
    Email,
    Whole,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldFault {
    /// It has a key in it, which must not be stored there.
    LooksLikeKey,
    /// Anything else.
    Unusable,
}

impl Field {
    /// The fault as a sentence.
    fn reason(self, fault: FieldFault, language: Language) -> String {
        if fault == FieldFault::LooksLikeKey {
            let words = language.pick(
                "This looks like a key. A key is a secret: to use it, sign in with it.",
                "Isto parece uma chave. A chave é um segredo: para usá-la, entre com ela.",
            );
            return words.to_owned();
        }
        let (longest, example) = (Name::MAX_CHARACTERS, "ana@example.com");
        match self {
            Field::Name => language.pick(
                format!("Please enter a name of at most {longest} characters, without line breaks."),
                format!("Informe um nome de até {longest} caracteres, sem quebras de linha."),
            ),
            Field::Email => language.pick(
                format!("Please enter one e-mail address, like {example}."),
                format!("Informe um endereço de e-mail, como {example}."),
            ),
            Field::Whole => language.pick(
                "Too many keys were registered from your address in the last hour. Please try again later."
                    .to_owned(),
                "Muitas chaves foram registradas do seu endereço na última hora. Tente de novo mais tarde."
                    .to_owned(),
            ),
        }
    }
}

/// The part of the page with the form, or with the key.
pub(super) fn key_section(view: &View, form: &KeyForm) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    match (form, &view.visitor) {
        (KeyForm::Issued(key), _) => issued(view, key),
        (KeyForm::Empty, Some(holder)) => html! {
            section.get-key id="key" aria-live="polite" {
                h2 { (say("Your key", "Sua chave")) }
                p {
                    (say("You are signed in with ", "Você entrou com ")) code { (holder.key) "…" }
                    (say(", on the plan ", ", no plano ")) strong { (holder.caller.plan.name()) } ". "
                    a href=(view.link("/usage")) { (say("Usage, rotation and revocation", "Uso, troca e revogação")) }
                }
                details {
                    summary { (say("Get another free key", "Obter outra chave grátis")) }
                    (key_form(view, form))
                }
            }
        },
        (KeyForm::Empty | KeyForm::Wrong { .. }, _) => html! {
            section.get-key id="key" aria-live="polite" {
                h2 { (say("Get a free key", "Obtenha uma chave grátis")) }
                (key_form(view, form))
            }
        },
    }
}

/// A key that has just been issued, and what can be done with it at once. Browsers focus what an address leads to, and the
/// script focuses and selects the key.
fn issued(view: &View, key: &Key) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    html! {
        section.get-key id="key" tabindex="-1" aria-labelledby="your-key" {
            h2 id="your-key" { (say("Your key", "Sua chave")) }
            (shown_once(view, key))
            (first_steps(view, key))
        }
    }
}

/// A key, shown this once, with the first call that it allows.
pub(crate) fn shown_once(view: &View, key: &Key) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let key = key.reveal();
    html! {
        p.key { code id="issued" tabindex="0" data-select { (key) } (layout::copy_button(view, "issued")) }
        p { (say(
            "It is shown only once: keep it somewhere safe. In a terminal:",
            "Ela é mostrada uma única vez: guarde-a em lugar seguro. Em um terminal:",
        )) }
        (layout::command(view, "first-call", &format!(
            concat!("curl -H '", x_api_key!(), ": {}' {}"), key, view.url("/api/v1/market/overview")
        )))
    }
}

/// The ways on with a new key: each signs in with it, by the form, so that it is in no address.
fn first_steps(view: &View, key: &Key) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    html! {
        form.first-steps method="post" action=(view.link("/sign-in")) {
            input type="hidden" name="key" value=(key.reveal());
            p.actions {
                button.primary name="next" value=(view.kept_link("/usage")) { (say("Sign in with this key", "Entrar com esta chave")) }
                button name="next" value=(view.kept_link("/docs/try")) { (say("Try it in the reference", "Experimentar na referência")) }
            }
        }
        p.note { (say(
            "Both sign you in on this browser for 30 days; the browser keeps a session, never the key.",
            "Os dois conectam este navegador por 30 dias; ele guarda uma sessão, nunca a chave.",
        )) }
    }
}

fn key_form(view: &View, form: &KeyForm) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let (name, email, wrong) = match form {
        KeyForm::Wrong { name, email, field, fault } => {
            (name.as_str(), email.as_str(), Some((*field, field.reason(*fault, view.language))))
        }
        KeyForm::Empty | KeyForm::Issued(_) => ("", "", None),
    };
    let reason =
        |field: Field| wrong.as_ref().filter(|(at, _)| *at == field).map(|(_, reason)| reason);
    let invalid = |field: Field| reason(field).map(|_| "true");
    html! {
        form method="post" action=(format!("{}#key", view.link("/pricing"))) data-replace="#key" data-failed=(say("Something went wrong. Please try again in a moment.", "Algo deu errado. Tente de novo em instantes.")) {
            @if let Some(reason) = reason(Field::Whole) { p.wrong role="alert" { (reason) } }
            label {
                (say("Name", "Nome"))
                input name="name" value=(name) required maxlength=(Name::MAX_CHARACTERS) autocomplete="name"
                    aria-invalid=[invalid(Field::Name)] aria-describedby="wrong-name";
                span.wrong id="wrong-name" { @if let Some(reason) = reason(Field::Name) { (reason) } }
            }
            label {
                "E-mail"
                input name="email" type="email" value=(email) required maxlength=(Email::MAX_LENGTH) autocomplete="email"
                    aria-invalid=[invalid(Field::Email)] aria-describedby="wrong-email";
                span.wrong id="wrong-email" { @if let Some(reason) = reason(Field::Email) { (reason) } }
            }
            button.primary { (say("Get my key", "Obter minha chave")) }
            p.note.consent {
                (say("What is stored of this, and on what terms: ", "O que fica guardado e em que condições: "))
                a href=(view.legal()) { (say("privacy and terms", "privacidade e termos")) } "."
            }
        }
    }
}
