//! `/calc/accumulated`: what a series accumulated.
use fincore::{
    Result, Snapshot,
    calc::{self, Accumulation, Months, Steps},
};
use maud::html;

use super::{
    Answer, Calculator,
    derivation::{derivation, most_steps},
    figure,
    form::{Field, Kind},
    form_choices::{self, Takes},
    pair, state,
    typed_input::Reader,
};
use crate::pages::{language::Language, view::View};

pub(super) fn fields(snapshot: &Snapshot, language: Language) -> Result<Vec<Field>> {
    let say = |english, portuguese| language.pick(english, portuguese);
    Ok(vec![
        Field {
            name: "series",
            label: say("Series", "Série"),
            hint: "",
            kind: Kind::Choice(form_choices::series(snapshot, language, Takes::Any)?),
            start: "ipca".into(),
        },
        Field {
            name: "from",
            label: say("From", "De"),
            hint: say(
                "For a monthly series, the whole month counts.",
                "Em séries mensais, conta o mês inteiro.",
            ),
            kind: Kind::Day,
            start: "2025-01-01".into(),
        },
        Field {
            name: "to",
            label: say("To", "Até"),
            hint: say(
                "It counts too, unless months count as in a contract. Empty: up to the newest figure.",
                "Também conta, salvo se os meses contam como em contrato. Vazio: até o dado mais recente.",
            ),
            kind: Kind::Day,
            start: String::new(),
        },
        Field {
            name: "months",
            label: say("Months of an index", "Meses de um índice"),
            hint: say(
                "Rents and contracts leave the last month out: from May to May are 12 months.",
                "Aluguéis e contratos deixam o último mês de fora: de maio a maio são 12 meses.",
            ),
            kind: Kind::Choice(form_choices::months(language)),
            start: "inclusive".into(),
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
    let months = reader.choice("months").unwrap_or_default();
    let (Some(series), Some(from), true) = (series, from, reader.wrongs.is_empty()) else {
        return Ok(None);
    };
    let (steps, limit) = (Steps::Listed, most_steps());
    let query = Accumulation { to, months, steps, limit, ..Accumulation::new(series, from) };
    let series = query.series.to_string();
    let growth = calc::accumulate(snapshot, query)?;
    let state = state([
        pair("series", Some(series)),
        pair("from", Some(from)),
        pair("to", to),
        pair("months", (months == Months::Contract).then_some("contract")),
    ]);
    let (language, derived) = (view.language, &growth.derivation);
    let content = html! {
        (figure(language, &derived.accumulated, "%"))
        p.rule { (language.pick(&growth.rule, &growth.rule_pt)) " " (language.pick(
            "The rate is rounded half up to 8 decimals, the factor to 16.",
            "A taxa é arredondada para 8 casas decimais, e o fator para 16, meio para cima.",
        )) }
        (derivation(view, "derivation", derived, &Calculator::Accumulated.steps_link(&state, view)))
    };
    Ok(Some(Answer { state, content, meta: Some(growth.meta), is_open: to.is_none() }))
}
