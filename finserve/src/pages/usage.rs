//! `/usage`: what a key has asked for, day by day.
use fincore::{Decimal, limits::Standing, usage::Report};
use maud::{Markup, html};

use super::{
    chart::{Chart, Shape},
    layout,
    view::View,
};

/// What the page shows.
#[derive(Debug)]
pub(crate) enum UsageForm {
    /// Nothing has been sent.
    Empty,
    /// The key is not valid.
    Wrong,
    /// What the key has asked for, and how it stands now.
    Known(Box<Report>, Standing),
}

/// The usage page.
pub(crate) fn usage(view: &View, form: &UsageForm) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let wrong = match form {
        UsageForm::Wrong => {
            Some(say("This is not a key of this service.", "Esta não é uma chave deste serviço."))
        }
        UsageForm::Empty | UsageForm::Known(..) => None,
    };
    let content = html! {
        h1 { (say("Usage of a key", "Uso de uma chave")) }
        p.lead { (say(
            "Enter your key to see its plan, what is left of its limit now, and its requests of the last 30 days. The key is sent to this service only, never as part of an address.",
            "Informe sua chave para ver o plano, o que resta do limite agora e as requisições dos últimos 30 dias. A chave é enviada só a este serviço, nunca como parte de um endereço.",
        )) }
        section id="usage" aria-live="polite" {
            form method="post" action=(format!("{}#usage", view.link("/usage"))) data-replace="#usage" data-failed=(say("That did not work. Please try again in a moment.", "Não funcionou. Tente de novo em instantes.")) {
                label {
                    (say("API key", "Chave da API"))
                    input name="key" type="password" required autocomplete="off" spellcheck="false"
                        aria-invalid=[wrong.map(|_| "true")] aria-describedby="wrong-key";
                    span.wrong id="wrong-key" { @if let Some(reason) = wrong { (reason) } }
                }
                button.primary { (say("Show usage", "Mostrar uso")) }
            }
            @if let UsageForm::Known(report, standing) = form { (known(view, report, *standing)) }
        }
    };
    layout::page(view, "/usage", say("Usage", "Uso"), &content)
}

fn known(view: &View, report: &Report, standing: Standing) -> Markup {
    let language = view.language;
    let say = |english, portuguese| language.pick(english, portuguese);
    let title = say("Requests per day", "Requisições por dia");
    html! {
        h2 { code { (report.key) } }
        dl.facts {
            div { dt { (say("Plan", "Plano")) } dd { (report.plan.name()) } }
            div { dt { (say("Limit", "Limite")) } dd { (report.rate_limit) " " (say("a minute", "por minuto")) } }
            div { dt { (say("Left now", "Resta agora")) } dd id="remaining" { (standing.remaining) } }
            div { dt { (say("Requests", "Requisições")) } dd id="requests" { (report.total.requests) } }
            div { dt { (say("Errors", "Erros")) } dd { (report.total.errors) } }
            div { dt { (say("Over the limit", "Acima do limite")) } dd { (report.total.rate_limited) } }
        }
        h3 { (title) }
        (Chart { id: "requests-per-day", title, points: &points(report), shape: Shape::Bars }.picture(language))
        div.scroll tabindex="0" { table {
            thead { tr {
                th scope="col" { (say("Day (UTC)", "Dia (UTC)")) }
                th scope="col" { (say("Requests", "Requisições")) }
                th scope="col" { (say("Errors", "Erros")) }
                th scope="col" { (say("Over the limit", "Acima do limite")) }
            } }
            tbody {
                @for day in &report.data { tr {
                    th scope="row" { (language.date(day.date)) }
                    td { (day.counts.requests) }
                    td { (day.counts.errors) }
                    td { (day.counts.rate_limited) }
                } }
                @if report.data.is_empty() { tr { td colspan="4" { (say("No requests yet.", "Nenhuma requisição ainda.")) } } }
            }
        } }
    }
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
