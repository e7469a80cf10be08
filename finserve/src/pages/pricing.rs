//! `/pricing`: a free key on the spot, the plans, and what each includes.
use fincore::plans::{Feature, Plan};
use maud::{Markup, html};

use super::{Visit, language::Language, layout};

/// What the form for a free key shows.
#[derive(Debug)]
pub(crate) enum KeyForm {
    /// Nothing has been sent.
    Empty,
    /// What was sent cannot be taken; it is shown again with the reason beside the field.
    Wrong { name: String, email: String, field: Field, reason: String },
    /// The key, shown this once.
    Issued(String),
}

/// What a reason is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Name,
    Email,
    Whole,
}

/// The pricing page.
pub(crate) fn pricing(visit: &Visit, form: &KeyForm) -> Markup {
    let say = |english, portuguese| visit.language.pick(english, portuguese);
    let content = html! {
        h1 { (say("Plans", "Planos")) }
        p.lead { (say(
            "Start without a key, or with a free one. Larger plans include more data and allow more requests per minute; limits are exact.",
            "Comece sem chave ou com uma chave grátis. Planos maiores incluem mais dados e permitem mais requisições por minuto; os limites são exatos.",
        )) }
        section.get-key id="key" aria-live="polite" { (key_section(visit, form)) }
        section aria-labelledby="plans" {
            h2 id="plans" { (say("The four plans", "Os quatro planos")) }
            div.plans { @for plan in Plan::ALL { (card(plan, visit.language)) } }
        }
        section aria-labelledby="comparison" {
            h2 id="comparison" { (say("What each plan includes", "O que cada plano inclui")) }
            (comparison(visit.language))
            p.note { (say(
                "Coming: planned, not available yet on any plan.",
                "Em breve: planejado, ainda não disponível em nenhum plano.",
            )) }
        }
    };
    layout::page(visit, "/pricing", say("Plans", "Planos"), &content)
}

/// Whether the service has the feature today.
fn is_available(feature: Feature) -> bool {
    match feature {
        Feature::BulkExport | Feature::Csv | Feature::Webhooks => false,
        Feature::Plans
        | Feature::Market
        | Feature::Companies
        | Feature::HistoricalData
        | Feature::Filings
        | Feature::PrioritySupport => true,
    }
}

fn card(plan: Plan, language: Language) -> Markup {
    let say = |english, portuguese| language.pick(english, portuguese);
    let (with, without): (Vec<_>, Vec<_>) =
        Feature::ALL.into_iter().partition(|feature| plan.reaches(*feature));
    let (available, coming): (Vec<_>, Vec<_>) =
        with.into_iter().partition(|feature| is_available(*feature));
    html! {
        article.card.plan {
            h3 { (plan.name()) }
            p.price { "US$ " (plan.price()) " " small { (say("per month", "por mês")) } }
            p.note { (plan.limit()) " " (say("requests per minute", "requisições por minuto")) }
            ul { @for feature in available { li { (name(feature, language)) } } }
            @if !coming.is_empty() {
                p.note { (say("Coming, not available yet:", "Em breve, ainda não disponível:")) }
                ul.coming { @for feature in coming { li { (name(feature, language)) } } }
            }
            @if !without.is_empty() {
                p.note { (say("Not included:", "Não inclui:")) }
                ul.without { @for feature in without { li {
                    (name(feature, language))
                    @if !is_available(feature) { " (" (say("coming", "em breve")) ")" }
                } } }
            }
            @if plan == Plan::Free {
                p.more { a.button.primary href="#key" { (say("Get a key", "Obter uma chave")) } }
            } @else {
                p.more { (say(
                    "To switch, ask the operator of this service to move your key to this plan.",
                    "Para mudar, peça ao operador deste serviço que passe sua chave para este plano.",
                )) }
            }
        }
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
                        @if !plan.reaches(feature) {
                            td.no data-plan=(plan.name()) { span aria-hidden="true" { "–" } span.unseen { (say("no", "não")) } }
                        } @else if is_available(feature) {
                            td.tick data-plan=(plan.name()) { span aria-hidden="true" { "✓" } span.unseen { (say("yes", "sim")) } }
                        } @else {
                            td.coming data-plan=(plan.name()) { (say("coming", "em breve")) }
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
        Feature::BulkExport => ("Bulk export (NDJSON)", "Exportação completa (NDJSON)"),
        Feature::Csv => ("Lists as CSV", "Listas em CSV"),
        Feature::Webhooks => ("Webhooks", "Webhooks"),
        Feature::PrioritySupport => ("Priority support", "Suporte prioritário"),
    };
    language.pick(english, portuguese)
}

fn key_section(visit: &Visit, form: &KeyForm) -> Markup {
    let say = |english, portuguese| visit.language.pick(english, portuguese);
    match form {
        KeyForm::Issued(key) => html! {
                h2 { (say("Your key", "Sua chave")) }
                p.key { code id="issued" { (key) } (layout::copy_button(visit, "issued")) }
                p { (say(
                    "It is shown only once: keep it somewhere safe. Try it:",
                    "Ela é mostrada uma única vez: guarde-a em lugar seguro. Experimente:",
                )) }
                (layout::command(visit, "first-call", &format!(
                    "curl -H 'X-API-Key: {key}' {}/api/v1/market/overview", visit.origin
                )))
        },
        form => html! {
            h2 { (say("Get a free key", "Obtenha uma chave grátis")) }
            (key_form(visit, form))
        },
    }
}

fn key_form(visit: &Visit, form: &KeyForm) -> Markup {
    let say = |english, portuguese| visit.language.pick(english, portuguese);
    let (name, email, wrong) = match form {
        KeyForm::Wrong { name, email, field, reason } => {
            (name.as_str(), email.as_str(), Some((*field, reason)))
        }
        _ => ("", "", None),
    };
    let reason = |field: Field| wrong.filter(|(at, _)| *at == field).map(|(_, reason)| reason);
    let invalid = |field: Field| reason(field).map(|_| "true");
    html! {
        form method="post" action=(format!("{}#key", visit.link("/pricing"))) data-replace="#key" data-failed=(say("That did not work. Please try again in a moment.", "Algo deu errado. Tente de novo em instantes.")) {
            @if let Some(reason) = reason(Field::Whole) { p.wrong role="alert" { (reason) } }
            label {
                (say("Name", "Nome"))
                input name="name" value=(name) required maxlength="100" autocomplete="name"
                    aria-invalid=[invalid(Field::Name)] aria-describedby="wrong-name";
                span.wrong id="wrong-name" { @if let Some(reason) = reason(Field::Name) { (reason) } }
            }
            label {
                "E-mail"
                input name="email" type="email" value=(email) required maxlength="254" autocomplete="email"
                    aria-invalid=[invalid(Field::Email)] aria-describedby="wrong-email";
                span.wrong id="wrong-email" { @if let Some(reason) = reason(Field::Email) { (reason) } }
            }
            button.primary { (say("Get my key", "Obter minha chave")) }
        }
    }
}
