//! The derivation of a factor.
use fincore::{
    Date, Limit,
    calc::{Derivation, DerivationStep},
    market::Rate,
};
use maud::{Markup, html};

use crate::pages::{chart::Period, view::View};

/// The most steps of a table.
pub(super) fn most_steps() -> Limit<1000> {
    Limit::new(400).unwrap_or_default()
}

/// The factor, the number of periods, the first and the last observation, and the steps. `more` leads to them in the API; `id`
/// tells derivations of a page apart.
pub(super) fn derivation(view: &View, id: &str, of: &Derivation, more: &str) -> Markup {
    let (language, period) = (view.language, period(of));
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let observed = |rate: &Rate| {
        html! { time datetime=(rate.date) { (period.of(rate.date, language)) } ": " (language.number(rate.value)) }
    };
    html! {
        dl.about.derivation id=(id) {
            dt { (say("Series", "Série")) }
            dd { a href=(view.link(&format!("/market/{}", of.series))) { (of.series) } " (SGS " (of.number) ")" }
            dt { (say("Period", "Período")) }
            dd { (days(view, of, " – ")) }
            dt { (say("Factor", "Fator")) } dd { data value=(of.factor) { (language.written(&of.factor)) } }
            dt { (say("Accumulated", "Acumulado")) } dd { data value=(of.accumulated) { (language.written(&of.accumulated)) } " %" }
            dt { (say("Periods", "Períodos")) } dd { (language.written(&of.periods)) " (" (word(of, view)) ")" }
            @if let Some(first) = &of.first { dt { (say("First observation", "Primeira observação")) } dd { (observed(first)) } }
            @if let Some(last) = &of.last { dt { (say("Last observation", "Última observação")) } dd { (observed(last)) } }
            @if let Some(published) = &of.published {
                dt { (say("Published figure", "Número publicado")) }
                dd { data value=(published.value) { (language.number(published.value)) } " % (" a href=(view.link(&format!("/market/{}", published.series))) { "SGS " (published.number) } ")" }
            }
        }
        @if let Some(steps) = of.steps.as_deref().filter(|steps| !steps.is_empty()) {
            (table(view, &format!("{}, {}", say("Steps", "Passos"), of.series), steps, of, more))
        }
    }
}

/// The first and the last day, or the months of which all days count.
pub(super) fn days(view: &View, of: &Derivation, between: &str) -> Markup {
    let day = |day: Date| html! { time datetime=(day) { (period(of).of(day, view.language)) } };
    html! { (day(of.from)) (between) (day(of.to)) }
}

fn table(
    view: &View,
    label: &str,
    steps: &[DerivationStep],
    of: &Derivation,
    more: &str,
) -> Markup {
    let (language, period) = (view.language, period(of));
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let (shown, total) = (language.written(&steps.len()), language.written(&of.periods));
    html! {
        details.steps {
            summary { (say("Every step", "Cada passo")) " (" (total) ")" }
            @if steps.len() < of.periods {
                p.note {
                    (language.pick(format!("The first {shown} of {total} steps. "), format!("Os primeiros {shown} de {total} passos. ")))
                    a href=(more) { (say("More of them as JSON", "Mais passos em JSON")) }
                }
            }
            div.scroll tabindex="0" role="region" aria-label=(label) {
                table {
                    thead { tr {
                        th scope="col" { (say("Date", "Data")) }
                        th.count scope="col" { (say("Value", "Valor")) }
                        th.count scope="col" { (say("Factor", "Fator")) }
                        th.count scope="col" { (say("Product", "Produto")) }
                    } }
                    tbody { @for step in steps {
                        tr {
                            th scope="row" { (period.of(step.date, language)) }
                            td.count { (language.number(step.value)) }
                            td.count { (language.written(&step.factor)) }
                            td.count { (language.written(&step.product)) }
                        }
                    } }
                }
            }
        }
    }
}

/// The length of one observation.
fn word(of: &Derivation, view: &View) -> &'static str {
    let portuguese = match of.period {
        "business day" => "dias úteis",
        "month" => "meses",
        "month from day to day" => "meses de dia a dia",
        _ => "observações",
    };
    let english = match of.period {
        "business day" => "business days",
        "month" => "months",
        "month from day to day" => "months from day to day",
        _ => "observations",
    };
    view.language.pick(english, portuguese)
}

fn period(of: &Derivation) -> Period {
    if of.period == "month" { Period::Month } else { Period::Day }
}
