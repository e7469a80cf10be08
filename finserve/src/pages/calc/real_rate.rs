//! `/calc/real-rate`: what interest left after inflation.
use fincore::{
    Result, Snapshot,
    calc::{self, Real, RealRate, Steps},
};
use maud::{Markup, html};

use super::{
    Answer, Calculator,
    choices::{self, Takes},
    derivation::derivation,
    form::{Field, Kind},
    input::{Reader, plain},
    pair,
};
use crate::pages::{language::Language, view::View};

pub(super) fn fields(snapshot: &Snapshot, language: Language) -> Result<Vec<Field>> {
    let say = |english, portuguese| language.pick(english, portuguese);
    Ok(vec![
        Field {
            name: "interest",
            label: say("Interest", "Juros"),
            hint: "",
            kind: Kind::Choice(choices::series(snapshot, language, Takes::Interest)?),
            start: "selic".into(),
        },
        Field {
            name: "inflation",
            label: say("Inflation", "Inflação"),
            hint: "",
            kind: Kind::Choice(choices::series(snapshot, language, Takes::Inflation)?),
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
            hint: say("Empty: the newest that both have.", "Vazio: o mais recente dos dois."),
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
    let usual = RealRate::since(from);
    let interest = interest.unwrap_or_else(|| usual.interest.clone());
    let inflation = inflation.unwrap_or_else(|| usual.inflation.clone());
    let query = RealRate { to, interest, inflation, percent, steps: Steps::Listed, ..usual };
    let [interest, inflation] = [&query.interest, &query.inflation].map(ToString::to_string);
    let real = calc::real_rate(snapshot, query)?;
    let state: Vec<_> = [
        Some(("from", from.to_string())),
        pair("to", to),
        Some(("interest", interest)),
        Some(("inflation", inflation)),
        percent.map(|percent| ("percent", plain(&percent))),
    ]
    .into_iter()
    .flatten()
    .collect();
    let content = show(view, &real, &state);
    Ok(Some(Answer { state, content, meta: real.meta, is_open: to.is_none() }))
}

fn show(view: &View, of: &Real, state: &[(&'static str, String)]) -> Markup {
    let language = view.language;
    let say = |english, portuguese| language.pick(english, portuguese);
    let mut all = state.to_vec();
    all.push(("steps", "true".into()));
    let all = Calculator::RealRate.endpoint(&all).plain_link(view);
    html! {
        div.newest {
            p.figure {
                data value=(of.real) { (language.written(&of.real)) } " %"
                span.unit { (say("in the period", "no período")) }
            }
            p.figure {
                data value=(of.per_year) { (language.written(&of.per_year)) } " %"
                span.unit { (say("per year", "ao ano")) }
            }
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
