//! `/pricing`: a free key on the spot, the plans, and what each includes.
pub(crate) mod key_form;

use fincore::plans::{Feature, Plan};
use maud::{Markup, html};

use self::key_form::{KeyForm, key_section};
use super::{language::Language, layout, view::View};

/// The pricing page.
pub(crate) fn pricing(view: &View, form: &KeyForm) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let content = html! {
        h1 { (say("Plans", "Planos")) }
        p.lead { (say(
            "Start without a key, or with a free one. Larger plans include more data and allow more requests per minute; limits are exact.",
            "Comece sem chave ou com uma chave grátis. Planos maiores incluem mais dados e permitem mais requisições por minuto; os limites são exatos.",
        )) }
        (key_section(view, form))
        section aria-labelledby="plans" {
            h2 id="plans" { (say("The four plans", "Os quatro planos")) }
            div.plans { @for plan in Plan::ALL { (card(view, plan)) } }
            (how_to_switch(view))
        }
        section aria-labelledby="comparison" {
            h2 id="comparison" { (say("What each plan includes", "O que cada plano inclui")) }
            (comparison(view))
        }
    };
    let about = say(
        "The plans of finserve, from free to US$ 299 a month: which data each includes, how many requests per minute, and a free key on the spot.",
        "Os planos do finserve, de grátis a US$ 299 por mês: que dados cada um inclui, quantas requisições por minuto, e uma chave grátis na hora.",
    );
    layout::described_page(view, "/pricing", (say("Plans", "Planos"), about), &content)
}

/// A plan: what it costs, how many requests it allows, for whom it is, and how to get it. What it includes is in the table.
fn card(view: &View, plan: Plan) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let is_own = own_plan(view) == Some(plan);
    html! {
        article.card.plan.own[is_own] {
            h3 { (plan.name()) @if is_own { " " span.badge { (say("Your plan", "Seu plano")) } } }
            p.price { "US$ " (plan.price()) " " small { (say("per month", "por mês")) } }
            p.note { (plan.limit()) " " (say("requests per minute", "requisições por minuto")) }
            p { (purpose(plan, view.language)) }
            (next_step(view, plan))
        }
    }
}

/// The plan of a visitor who is signed in.
fn own_plan(view: &View) -> Option<Plan> {
    view.visitor.as_ref().map(|holder| holder.caller.plan)
}

/// For whom a plan is.
fn purpose(plan: Plan, language: Language) -> &'static str {
    let (english, portuguese) = match plan {
        Plan::Free => (
            "To try the API, and for scripts that need the last 12 months.",
            "Para experimentar a API e para scripts que usam os últimos 12 meses.",
        ),
        Plan::Bronze => (
            "For applications that look up companies.",
            "Para aplicações que consultam companhias.",
        ),
        Plan::Gold => (
            "For analyses of the whole history and of filings.",
            "Para análises de todo o histórico e dos documentos.",
        ),
        Plan::Platinum => (
            "For products that work with whole tables, or must know of news at once.",
            "Para produtos que usam tabelas inteiras ou precisam saber das novidades na hora.",
        ),
    };
    language.pick(english, portuguese)
}

/// The link that leads to a plan, where it is not the visitor's own or a smaller one.
fn next_step(view: &View, plan: Plan) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let own = own_plan(view);
    if own.is_some_and(|own| own >= plan) {
        return html! {};
    }
    let contact = view.upgrade_contact;
    let named = |english: &'static str, portuguese: &'static str| {
        format!("{} {}", say(english, portuguese), plan.name())
    };
    match (plan, contact.upgrade(), contact.contact()) {
        (Plan::Free, _, _) => html! {
            p.more { a.button.primary href="#key" { (say("Get a key", "Obter uma chave")) } }
        },
        (_, Some(address), _) => html! {
            p.more { a.button.primary href=(address.url()) { (named("Get", "Obter o")) } }
        },
        (_, None, Some(address)) => html! {
            p.more { a.button.primary href=(address.url()) { (named("Ask for", "Pedir o")) } }
        },
        (_, None, None) => html! {},
    }
}

/// The currency of the prices, and the contact. Without one, the page says how to set it: to the operator on their own
/// machine only.
fn how_to_switch(view: &View) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let contact = view.upgrade_contact;
    html! {
        p.note {
            (say("Prices are in US dollars. ", "Os preços são em dólares americanos. "))
            @match (contact.upgrade(), contact.contact()) {
                (_, Some(address)) => {
                    (say("Questions about plans: ", "Dúvidas sobre os planos: "))
                    a href=(address.url()) { (address.shown()) }
                }
                (Some(_), None) => {}
                (None, None) => { (say(
                    "To switch, ask the operator of this service to move your key to another plan.",
                    "Para mudar, peça ao operador deste serviço que passe sua chave para outro plano.",
                )) }
            }
        }
        @if view.is_local && contact.upgrade().is_none() && contact.contact().is_none() {
            p.note id="operator" {
                (say("For the operator, on this machine only: start the server with ", "Para o operador, só nesta máquina: inicie o servidor com "))
                code { "--contact sales@example.com" }
                (say(
                    ", and each plan gets a link to ask for it. A key moves to another plan with ",
                    ", e cada plano ganha um link para pedi-lo. Uma chave muda de plano com ",
                ))
                code { "finserve keys set-plan" } ": "
                a href=(view.link("/docs/guide/plans-and-limits")) { (say("plans and limits", "planos e limites")) } "."
            }
        }
    }
}

/// A comparison of the plans; narrow screens show the name of the plan in each cell.
fn comparison(view: &View) -> Markup {
    let language = view.language;
    let say = |english, portuguese| language.pick(english, portuguese);
    let own = own_plan(view);
    html! {
        table.comparison {
            thead { tr {
                th scope="col" { (say("Feature", "Recurso")) }
                @for plan in Plan::ALL {
                    th scope="col" { (plan.name()) @if own == Some(plan) { " " small { (say("your plan", "seu plano")) } } }
                }
            } }
            tbody {
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
        Feature::Calculators => (
            "Calculators over the whole history, with every step",
            "Calculadoras com todo o histórico, passo a passo",
        ),
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
