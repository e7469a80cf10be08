//! `/calc/accumulated`: what a series accumulated.
use fincore::{
    Result, Snapshot,
    calc::{self, Accumulated, Steps},
};
use maud::html;

use super::{
    Answer, Calculator,
    choices::{self, Takes},
    derivation::derivation,
    form::{Field, Kind},
    input::Reader,
    pair,
};
use crate::pages::{language::Language, view::View};

pub(super) fn fields(snapshot: &Snapshot, language: Language) -> Result<Vec<Field>> {
    let say = |english, portuguese| language.pick(english, portuguese);
    Ok(vec![
        Field {
            name: "series",
            label: say("Series", "Série"),
            hint: "",
            kind: Kind::Choice(choices::series(snapshot, language, Takes::Any)?),
            start: "ipca".into(),
        },
        Field {
            name: "from",
            label: say("From", "De"),
            hint: say(
                "Of a monthly series the whole month counts.",
                "De uma série mensal conta o mês inteiro.",
            ),
            kind: Kind::Day,
            start: "2025-01-01".into(),
        },
        Field {
            name: "to",
            label: say("To", "Até"),
            hint: say(
                "This day counts too. Empty: up to the newest figure.",
                "Este dia também conta. Vazio: até o dado mais recente.",
            ),
            kind: Kind::Day,
            start: String::new(),
        },
    ])
}

pub(super) fn answer(
    snapshot: &Snapshot,
    view: &View,
    reader: &mut Reader<'_>,
) -> Result<Option<Answer>> {
    ["series", "from"].into_iter().for_each(|name| reader.require(name));
    let (series, from, to) = (reader.choice("series"), reader.day("from"), reader.day("to"));
    let (Some(series), Some(from), true) = (series, from, reader.wrongs.is_empty()) else {
        return Ok(None);
    };
    let query = Accumulated { to, steps: Steps::Listed, ..Accumulated::of(series, from) };
    let series = query.series.to_string();
    let growth = calc::accumulated(snapshot, query)?;
    let state: Vec<_> =
        [Some(("series", series)), Some(("from", from.to_string())), pair("to", to)]
            .into_iter()
            .flatten()
            .collect();
    let mut all = state.clone();
    all.push(("steps", "true".into()));
    let (language, derived) = (view.language, &growth.derivation);
    let content = html! {
        p.figure { data value=(derived.accumulated) { (language.written(&derived.accumulated)) } " %" }
        p.rule { (language.pick(growth.rule, growth.rule_pt)) " " (language.pick(
            "The rate is rounded half up to 8 decimals, the factor to 16.",
            "A taxa é arredondada para 8 casas decimais, e o fator para 16, meio para cima.",
        )) }
        (derivation(view, "derivation", derived, &Calculator::Accumulated.endpoint(&all).plain_link(view)))
    };
    Ok(Some(Answer { state, content, meta: growth.meta, is_open: to.is_none() }))
}
