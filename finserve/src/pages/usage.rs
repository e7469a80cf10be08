//! `/usage`: the requests of a key, by day and by endpoint.
pub(crate) mod links;
pub(crate) mod own_key;
pub(crate) mod webhook_list;

use std::{cmp::Reverse, collections::BTreeMap};

use fincore::{Decimal, limits::Standing, links::Link, usage::Report};
use maud::{Markup, html};

use self::{
    links::own_links,
    own_key::own_key,
    webhook_list::{Subscription, subscriptions},
};
use super::{
    chart::{Chart, Period, Shape, Size},
    layout,
    view::View,
};

/// The states of the page.
#[derive(Debug)]
pub(crate) enum UsageForm {
    /// Nothing has been sent.
    Empty,
    /// The key is not one.
    Wrong,
    /// The details of the key.
    Known(Box<KnownKey>),
    /// The details of the key that the visitor has signed in with, and its links.
    Own(Box<KnownKey>, Vec<Link>),
}

#[derive(Debug)]
pub(crate) struct KnownKey {
    /// Its requests.
    pub(crate) report: Report,
    /// The rest of its limit now.
    pub(crate) standing: Standing,
    /// Its webhooks, if its plan includes them.
    pub(crate) subscriptions: Option<Vec<Subscription>>,
}

/// The usage page.
pub(crate) fn usage(view: &View, form: &UsageForm) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let wrong = match form {
        UsageForm::Wrong => Some(say(
            "We don't recognise this key. Check that you copied all of it.",
            "Não reconhecemos esta chave. Confira se você copiou a chave inteira.",
        )),
        UsageForm::Empty | UsageForm::Known(_) | UsageForm::Own(..) => None,
    };
    let content = html! {
        h1 { (say("API key usage", "Uso da chave da API")) }
        @if let UsageForm::Own(..) = form {
            p.lead { (say(
                "Your key's plan, how many requests it has left right now, its requests in the last 30 days, its webhooks, and its links.",
                "O plano da sua chave, quantas requisições restam agora, as requisições dos últimos 30 dias, seus webhooks e seus links.",
            )) }
        } @else {
            p.lead { (say(
                "Enter your key to see its plan, how many requests it has left right now, its requests in the last 30 days, and its webhooks. The key is sent only to this service, and never in a URL.",
                "Informe sua chave para ver o plano, quantas requisições restam agora, as requisições dos últimos 30 dias e seus webhooks. A chave é enviada somente a este serviço, e nunca em uma URL.",
            )) }
        }
        section id="usage" aria-live="polite" {
            @if let UsageForm::Own(key, links) = form {
                (known(view, key))
                (own_links(view, links))
                (own_key(view, key.report.plan))
                h2 { (say("Another key", "Outra chave")) }
            }
            form method="post" action=(format!("{}#usage", view.link("/usage"))) data-replace="#usage" data-failed=(say("Something went wrong. Please try again in a moment.", "Algo deu errado. Tente de novo em instantes.")) {
                label {
                    (say("API key", "Chave da API"))
                    input name="key" type="password" required autocomplete="off" spellcheck="false"
                        aria-invalid=[wrong.map(|_| "true")] aria-describedby="wrong-key";
                    span.wrong id="wrong-key" { @if let Some(reason) = wrong { (reason) } }
                }
                button.primary { (say("Show usage", "Mostrar uso")) }
            }
            @if let UsageForm::Known(key) = form { (known(view, key)) }
        }
    };
    let about = say(
        "The requests of an API key by day and endpoint, what is left of its limit, and its webhooks.",
        "As requisições de uma chave da API por dia e endpoint, o que resta do limite e seus webhooks.",
    );
    layout::described_page(view, "/usage", (say("Usage", "Uso"), about), &content)
}

fn known(view: &View, KnownKey { report, standing, subscriptions: webhooks }: &KnownKey) -> Markup {
    let language = view.language;
    let say = |english, portuguese| language.pick(english, portuguese);
    let [from, to] = [report.from, report.to].map(|day| language.date(day));
    let title = language.pick(
        format!("Requests per day, {from} to {to}"),
        format!("Requisições por dia, de {from} a {to}"),
    );
    let chart = Chart {
        id: "requests-per-day",
        title: &title,
        unit: say("requests", "requisições"),
        points: &points(report),
        shape: Shape::Bars,
        period: Period::Day,
        size: Size::Card,
    };
    html! {
        h2 { code { (report.key) } }
        dl.facts {
            div { dt { (say("Plan", "Plano")) } dd { (report.plan.name()) } }
            div { dt { (say("Limit", "Limite")) } dd { (report.rate_limit) " " (say("per minute", "por minuto")) } }
            div { dt { (say("Left right now", "Restam agora")) } dd id="remaining" { (standing.remaining) } }
            div { dt { (say("Requests", "Requisições")) } dd id="requests" { (report.total.requests) } }
            @if report.total.by_links > 0 {
                div { dt { (say("By links", "Por links")) } dd id="by-links" { (report.total.by_links) } }
            }
            div { dt { (say("Errors", "Erros")) } dd { (report.total.errors) } }
            div { dt { (say("Rate limited", "Recusadas pelo limite")) } dd { (report.total.rate_limited) } }
        }
        div.columns {
            section {
                h3 { (say("Over time", "Ao longo do tempo")) }
                (chart.picture(language))
            }
            section {
                h3 { (say("By endpoint", "Por endpoint")) }
                (by_endpoint(view, report))
            }
        }
        section {
            h3 { (say("By day", "Por dia")) }
            (by_day(view, report))
        }
        @if let Some(webhooks) = webhooks { (subscriptions(view, webhooks)) }
    }
}

/// Requests by endpoint over all days, the most used first.
fn by_endpoint(view: &View, report: &Report) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for (endpoint, count) in report.data.iter().flat_map(|day| &day.endpoints) {
        *sums.entry(endpoint).or_default() += count;
    }
    let mut sums: Vec<(&str, u64)> = sums.into_iter().collect();
    sums.sort_by_key(|(_, count)| Reverse(*count));
    html! {
        table id="by-endpoint" {
            thead { tr {
                th scope="col" { "Endpoint" }
                th.count scope="col" { (say("Requests", "Requisições")) }
            } }
            tbody {
                @for (endpoint, count) in &sums { tr {
                    th scope="row" { code { (endpoint) } }
                    td.count { (count) }
                } }
                @if sums.is_empty() { tr { td colspan="2" { (none(view)) } } }
            }
        }
    }
}

/// Requests on each day that had some, the newest first.
fn by_day(view: &View, report: &Report) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    html! {
        div.scroll tabindex="0" { table id="by-day" {
            thead { tr {
                th scope="col" { (say("Day (UTC)", "Dia (UTC)")) }
                th.count scope="col" { (say("Requests", "Requisições")) }
                th.count scope="col" { (say("Errors", "Erros")) }
                th.count scope="col" { (say("Rate limited", "Recusadas pelo limite")) }
            } }
            tbody {
                @for day in &report.data { tr {
                    th scope="row" { (view.language.date(day.date)) }
                    td.count { (day.counts.requests) }
                    td.count { (day.counts.errors) }
                    td.count { (day.counts.rate_limited) }
                } }
                @if report.data.is_empty() { tr { td colspan="4" { (none(view)) } } }
            }
        } }
    }
}

fn none(view: &View) -> &'static str {
    view.language.pick("No requests yet.", "Nenhuma requisição ainda.")
}

/// Every day of the report, oldest first; those without requests are zero.
fn points(report: &Report) -> Vec<(fincore::Date, Decimal)> {
    let count = |day| {
        report.data.iter().find(|known| known.date == day).map_or(0, |known| known.counts.requests)
    };
    let mut points = Vec::new();
    let mut day = report.to;
    while day >= report.from {
        points.push((day, Decimal::from(u32::try_from(count(day)).unwrap_or(u32::MAX))));
        if day == fincore::Date::MIN {
            break;
        }
        day = day.days_before(1);
    }
    points.reverse();
    points
}
