//! `/pricing`: a free key on the spot, the plans, and what each includes.
use fincore::{
    Email, Key, Name,
    plans::{Feature, Plan},
};
use maud::{Markup, html};

use super::{language::Language, layout, view::View};
use crate::site::api_key_header::x_api_key;

/// What the form for a free key shows.
pub(crate) enum KeyForm {
    /// Nothing has been sent.
    Empty,
    /// What was sent cannot be taken; it is shown again with the reason beside the field.
    Wrong { name: String, email: String, field: Field },
    /// The key, shown this once.
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

/// The pricing page.
pub(crate) fn pricing(view: &View, form: &KeyForm) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let content = html! {
        h1 { (say("Plans", "Planos")) }
        p.lead { (say(
            "Start without a key, or with a free one. Larger plans include more data and allow more requests per minute; limits are exact.",
            "Comece sem chave ou com uma chave grátis. Planos maiores incluem mais dados e permitem mais requisições por minuto; os limites são exatos.",
        )) }
        section.get-key id="key" aria-live="polite" { (key_section(view, form)) }
        section aria-labelledby="plans" {
            h2 id="plans" { (say("The four plans", "Os quatro planos")) }
            div.plans { @for plan in Plan::ALL { (card(view, plan)) } }
            @if let Some(contact) = view.upgrade_contact.contact() {
                p.note { (say("Questions about plans: ", "Dúvidas sobre os planos: ")) a href=(contact.url()) { (contact.shown()) } }
            }
        }
        section aria-labelledby="comparison" {
            h2 id="comparison" { (say("What each plan includes", "O que cada plano inclui")) }
            (comparison(view.language))
        }
    };
    layout::page(view, "/pricing", say("Plans", "Planos"), &content)
}

fn card(view: &View, plan: Plan) -> Markup {
    let language = view.language;
    let say = |english, portuguese| language.pick(english, portuguese);
    let (with, without): (Vec<_>, Vec<_>) =
        Feature::ALL.into_iter().partition(|feature| plan.includes(*feature));
    html! {
        article.card.plan {
            h3 { (plan.name()) }
            p.price { "US$ " (plan.price()) " " small { (say("per month", "por mês")) } }
            p.note { (plan.limit()) " " (say("requests per minute", "requisições por minuto")) }
            ul { @for feature in with { li { (name(feature, language)) } } }
            @if !without.is_empty() {
                p.note { (say("Not included:", "Não inclui:")) }
                ul.without { @for feature in without { li { (name(feature, language)) } } }
            }
            @if plan == Plan::Free {
                p.more { a.button.primary href="#key" { (say("Get a key", "Obter uma chave")) } }
            } @else {
                p.more { (switch(view)) }
            }
        }
    }
}

/// How to get a plan that costs something.
fn switch(view: &View) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    match (view.upgrade_contact.upgrade(), view.upgrade_contact.contact()) {
        (Some(address), _) => html! {
            a.button.primary href=(address.url()) { (say("Get this plan", "Obter este plano")) }
        },
        (None, Some(contact)) => html! {
            (say("To switch, ask: ", "Para mudar, peça: "))
            a href=(contact.url()) { (contact.shown()) }
        },
        (None, None) => html! { (say(
            "To switch, ask the operator of this service to move your key to this plan.",
            "Para mudar, peça ao operador deste serviço que passe sua chave para este plano.",
        )) },
    }
}

/// The same as a table; narrow screens show the name of the plan in each cell.
fn comparison(language: Language) -> Markup {
    let say = |english, portuguese| language.pick(english, portuguese);
    html! {
        table.comparison {
            thead { tr {
                th scope="col" { (say("Feature", "Recurso")) }
                @for plan in Plan::ALL { th scope="col" { (plan.name()) } }
            } }
            tbody {
                tr {
                    th scope="row" { (say("Price per month", "Preço por mês")) }
                    @for plan in Plan::ALL { td data-plan=(plan.name()) { "US$ " (plan.price()) } }
                }
                tr {
                    th scope="row" { (say("Requests per minute", "Requisições por minuto")) }
                    @for plan in Plan::ALL { td data-plan=(plan.name()) { (plan.limit()) } }
                }
                @for feature in Feature::ALL { tr {
                    th scope="row" { (name(feature, language)) }
                    @for plan in Plan::ALL {
                        @if plan.includes(feature) {
                            td.tick data-plan=(plan.name()) { span aria-hidden="true" { "✓" } span.unseen { (say("yes", "sim")) } }
                        } @else {
                            td.no data-plan=(plan.name()) { span aria-hidden="true" { "–" } span.unseen { (say("no", "não")) } }
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
            ("Market data: the last 12 months", "Dados de mercado: últimos 12 meses")
        }
        Feature::Companies => ("Companies and search", "Companhias e busca"),
        Feature::HistoricalData => ("Full market history", "Histórico completo de mercado"),
        Feature::Filings => ("Company filings", "Documentos das companhias"),
        Feature::BulkExport => {
            ("Bulk export of whole datasets (NDJSON)", "Exportação de bases completas (NDJSON)")
        }
        Feature::Csv => (
            "Lists as CSV, bulk export as CSV and Parquet",
            "Listas em CSV, exportação completa em CSV e Parquet",
        ),
        Feature::Webhooks => ("Webhooks and event stream", "Webhooks e fluxo de eventos"),
        Feature::PrioritySupport => ("Priority support", "Suporte prioritário"),
    };
    language.pick(english, portuguese)
}

fn key_section(view: &View, form: &KeyForm) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    match form {
        KeyForm::Issued(key) => html! {
                @let key = key.reveal();
                h2 { (say("Your key", "Sua chave")) }
                p.key { code id="issued" { (key) } (layout::copy_button(view, "issued")) }
                p { (say(
                    "It is shown only once: keep it somewhere safe. Try it:",
                    "Ela é mostrada uma única vez: guarde-a em lugar seguro. Experimente:",
                )) }
                (layout::command(view, "first-call", &format!(
                    concat!("curl -H '", x_api_key!(), ": {}' {}"), key, view.url("/api/v1/market/overview")
                )))
        },
        form => html! {
            h2 { (say("Get a free key", "Obtenha uma chave grátis")) }
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
        }
    }
}
