//! `/pricing`: the plans, what each reaches, and a free key on the spot.
use fincore::{
    Email, Key, Name,
    plans::{Feature, Plan},
};
use maud::{Markup, html};

use super::{language::Language, layout, view::View};

/// What the form for a free key shows.
pub(crate) enum KeyForm {
    /// Nothing has been sent.
    Empty,
    /// What was sent cannot be taken; it is shown again with the reason beside the field.
    Wrong { name: String, email: String, field: Field },
    /// The key, shown only once.
    Issued(Key),
}

/// What a reason is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Name,
    Email,
    Whole,
}

impl Field {
    /// What is wrong with it.
    fn reason(self, language: Language) -> String {
        let (names, addresses) = (Name::MAX_CHARACTERS, "ana@example.com");
        match self {
            Field::Name => language.pick(
                format!("Please enter a name of at most {names} characters, without line breaks."),
                format!("Informe um nome de até {names} caracteres, sem quebras de linha."),
            ),
            Field::Email => language.pick(
                format!("Please enter one e-mail address, like {addresses}."),
                format!("Informe um endereço de e-mail, como {addresses}."),
            ),
            Field::Whole => language.pick(
                "Too many keys were registered from your address this hour. Please try again later."
                    .to_owned(),
                "Muitas chaves foram registradas do seu endereço nesta hora. Tente de novo mais tarde."
                    .to_owned(),
            ),
        }
    }
}

/// The pricing page.
pub(crate) fn pricing(view: &View, form: &KeyForm) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let content = html! {
        h1 { (say("Plans", "Planos")) }
        p.lead { (say(
            "Start without a key, or with a free one. A larger plan reaches more and asks more often; the limits are exact to the request.",
            "Comece sem chave, ou com uma grátis. Um plano maior alcança mais e consulta mais vezes; os limites são exatos por requisição.",
        )) }
        section.plans aria-label=(say("The four plans", "Os quatro planos")) {
            @for plan in Plan::ALL { (card(plan, view.language)) }
        }
        section id="key" aria-live="polite" { (key_section(view, form)) }
        section {
            h2 { (say("What each plan reaches", "O que cada plano alcança")) }
            div.scroll tabindex="0" { (comparison(view.language)) }
        }
    };
    layout::page(view, "/pricing", say("Plans", "Planos"), &content)
}

fn card(plan: Plan, language: Language) -> Markup {
    let say = |english, portuguese| language.pick(english, portuguese);
    let (with, without): (Vec<_>, Vec<_>) =
        Feature::ALL.into_iter().partition(|feature| plan.includes(*feature));
    html! {
        article.card.plan {
            h3 { (plan.name()) }
            p.price { "US$ " (plan.price()) " " small { (say("a month", "por mês")) } }
            p.note { (plan.limit()) " " (say("requests a minute", "requisições por minuto")) }
            ul { @for feature in with { li { (name(feature, language)) } } }
            @if !without.is_empty() {
                p.note { (say("Not included:", "Não inclui:")) }
                ul.without { @for feature in without { li { (name(feature, language)) } } }
            }
            @if plan == Plan::Free {
                p.more { a.button.primary href="#key" { (say("Get a key", "Obter uma chave")) } }
            } @else {
                p.more { (say(
                    "The operator of this service moves your key to this plan.",
                    "O operador deste serviço passa sua chave para este plano.",
                )) }
            }
        }
    }
}

fn comparison(language: Language) -> Markup {
    let say = |english, portuguese| language.pick(english, portuguese);
    html! {
        table {
            thead { tr {
                th scope="col" { (say("Feature", "Recurso")) }
                @for plan in Plan::ALL { th scope="col" { (plan.name()) } }
            } }
            tbody {
                tr {
                    th scope="row" { (say("Requests a minute", "Requisições por minuto")) }
                    @for plan in Plan::ALL { td { (plan.limit()) } }
                }
                @for feature in Feature::ALL { tr {
                    th scope="row" { (name(feature, language)) }
                    @for plan in Plan::ALL {
                        @if plan.includes(feature) {
                            td.tick { "✓" span.unseen { (say("yes", "sim")) } }
                        } @else {
                            td { span.unseen { (say("no", "não")) } }
                        }
                    }
                } }
            }
        }
    }
}

/// A feature in a few words.
fn name(feature: Feature, language: Language) -> &'static str {
    let (english, portuguese) = match feature {
        Feature::Plans => ("Usage statistics", "Estatísticas de uso"),
        Feature::Market => {
            ("Market data: now and the last 12 months", "Mercado: agora e últimos 12 meses")
        }
        Feature::Companies => ("Companies and search", "Companhias e busca"),
        Feature::HistoricalData => ("Market history since 1980", "Histórico de mercado desde 1980"),
        Feature::Filings => ("Filings of companies", "Documentos das companhias"),
        Feature::BulkExport => ("Bulk export (NDJSON)", "Exportação completa (NDJSON)"),
        Feature::Csv => ("CSV on every list", "CSV em todas as listas"),
        Feature::Webhooks => ("Webhooks", "Webhooks"),
        Feature::PrioritySupport => ("Priority support", "Suporte prioritário"),
    };
    language.pick(english, portuguese)
}

fn key_section(view: &View, form: &KeyForm) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    match form {
        KeyForm::Issued(key) => {
            let key = key.reveal();
            html! {
                div.result {
                    h2 { (say("Your key", "Sua chave")) }
                    p.key {
                        code id="issued" { (key) }
                        button type="button" hidden data-copy="issued" data-done=(say("Copied", "Copiada")) { (say("Copy", "Copiar")) }
                    }
                    p { (say(
                        "It is shown this once: keep it somewhere safe. Try it:",
                        "Ela é mostrada só desta vez: guarde-a em lugar seguro. Experimente:",
                    )) }
                    pre.command tabindex="0" { code {
                        "curl -H 'X-API-Key: " (key) "' " (view.origin) "/api/v1/market/overview"
                    } }
                }
            }
        }
        form => html! {
            h2 { (say("A free key, right now", "Uma chave grátis, agora mesmo")) }
            (key_form(view, form))
        },
    }
}

fn key_form(view: &View, form: &KeyForm) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let (name, email, wrong) = match form {
        KeyForm::Wrong { name, email, field } => {
            (name.as_str(), email.as_str(), Some((*field, field.reason(view.language))))
        }
        _ => ("", "", None),
    };
    let reason =
        |field: Field| wrong.as_ref().filter(|(at, _)| *at == field).map(|(_, reason)| reason);
    let invalid = |field: Field| reason(field).map(|_| "true");
    html! {
        form method="post" action=(format!("{}#key", view.link("/pricing"))) data-replace="#key" data-failed=(say("That did not work. Please try again in a moment.", "Não funcionou. Tente de novo em instantes.")) {
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
        }
    }
}
