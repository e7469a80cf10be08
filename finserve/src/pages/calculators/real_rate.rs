//! `/calc/real-rate`: what interest left after inflation.
use fincore::{
    Result, Snapshot,
    calc::{self, RealRate, RealReturn, Steps},
};
use maud::{Markup, html};

use super::{
    Answer, Calculator, State,
    derivation::{derivation, most_steps},
    figure,
    form::{Field, Kind},
    form_choices::{self, Takes},
    pair, state,
    typed_input::{Reader, plain},
};
use crate::pages::{language::Language, view::View};

pub(super) fn fields(snapshot: &Snapshot, language: Language) -> Result<Vec<Field>> {
    let say = |english, portuguese| language.pick(english, portuguese);
    Ok(vec![
        Field {
            name: "interest",
            label: say("Interest", "Juros"),
            hint: "",
            kind: Kind::Choice(form_choices::series(snapshot, language, Takes::Interest)?),
            start: "selic".into(),
        },
        Field {
            name: "inflation",
            label: say("Inflation", "Inflação"),
            hint: "",
            kind: Kind::Choice(form_choices::series(snapshot, language, Takes::Inflation)?),
            start: "ipca".into(),
        },
        Field {
            name: "from",
            label: say("First month", "Primeiro mês"),
            hint: say("Whole months count.", "Contam meses inteiros."),
            kind: Kind::Month,
            start: "2025-01".into(),
        },
        Field {
            name: "to",
            label: say("Last month", "Último mês"),
            hint: say(
                "Empty: the last month that both have.",
                "Vazio: o último mês que ambas têm.",
            ),
            kind: Kind::Month,
            start: String::new(),
        },
        Field {
            name: "percent",
            label: say("Percent of the interest", "Percentual dos juros"),
            hint: say("Such as 110. Empty: 100.", "Por exemplo 110. Vazio: 100."),
            kind: Kind::Number,
            start: String::new(),
        },
    ])
}

pub(super) fn answer(
    snapshot: &Snapshot,
    view: &View,
    reader: &mut Reader<'_>,
) -> Result<Option<Answer>> {
    reader.require("from");
    let (from, to) = (reader.day("from"), reader.day("to"));
    let (interest, inflation) = (reader.choice("interest"), reader.choice("inflation"));
    let percent = reader.number("percent");
    let (Some(from), true) = (from, reader.wrongs.is_empty()) else { return Ok(None) };
    let usual = RealRate::new(from);
    let interest = interest.unwrap_or_else(|| usual.interest.clone());
    let inflation = inflation.unwrap_or_else(|| usual.inflation.clone());
    let (steps, limit) = (Steps::Listed, most_steps());
    let query = RealRate { to, interest, inflation, percent, steps, limit, ..usual };
    let [interest, inflation] = [&query.interest, &query.inflation].map(ToString::to_string);
    let real = calc::real_rate(snapshot, query)?;
    let state = state([
        pair("from", Some(from)),
        pair("to", to),
        pair("interest", Some(interest)),
        pair("inflation", Some(inflation)),
        pair("percent", percent.as_ref().map(plain)),
    ]);
    let content = show(view, &real, &state);
    Ok(Some(Answer { state, content, meta: Some(real.meta), is_open: to.is_none() }))
}

fn show(view: &View, of: &RealReturn, state: &State) -> Markup {
    let language = view.language;
    let say = |english, portuguese| language.pick(english, portuguese);
    let all = Calculator::RealRate.steps_link(state, view);
    html! {
        div.newest {
            (figure(language, &of.real, percent(say("in the period", "no período"))))
            (figure(language, &of.per_year, percent(say("per year", "ao ano"))))
        }
        p.lead {
            time datetime=(of.from) { (language.month(of.from)) } " – " time datetime=(of.to) { (language.month(of.to)) }
            ", " (language.written(&of.months)) " " @if of.months == 1 { (say("month", "mês")) } @else { (say("months", "meses")) }
        }
        p.rule { (language.pick(of.rule, of.rule_pt)) " " (say(
            "Rates are rounded half up to 8 decimals, factors to 16.",
            "As taxas são arredondadas para 8 casas decimais, e os fatores para 16, meio para cima.",
        )) }
        @if let Some(percent) = &of.percent {
            p { (say("Counted: ", "Considerado: ")) (language.written(percent)) " % " (say("of each rate of interest.", "de cada taxa de juros.")) }
        }
        p { (say("Factor", "Fator")) ": " data value=(of.factor) { (language.written(&of.factor)) } }
        h3 { (say("Interest", "Juros")) }
        (derivation(view, "interest", &of.interest, &all))
        h3 { (say("Inflation", "Inflação")) }
        (derivation(view, "inflation", &of.inflation, &all))
    }
}

/// A percent sign, and of what.
fn percent(unit: &str) -> Markup {
    html! { "%" span.unit { (unit) } }
}
