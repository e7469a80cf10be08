//! `/calc/correction`: an amount of one day on another.
use fincore::{
    Date, Result, Snapshot,
    calc::{self, CorrectedAmount, Correction, Months, Steps},
};
use maud::{Markup, html};

use super::{
    Answer, Calculator, State,
    derivation::{days, derivation, most_steps},
    form::{Field, Kind},
    form_choices::{self, Takes},
    pair, state,
    typed_input::{Reader, plain},
};
use crate::pages::{language::Language, view::View};

/// The first day of the real.
const REAL: Date = Date::new(1994, 7, 1).expect("a day of the calendar");

pub(super) fn fields(snapshot: &Snapshot, language: Language) -> Result<Vec<Field>> {
    let say = |english, portuguese| language.pick(english, portuguese);
    let index = form_choices::series(snapshot, language, Takes::Any)?;
    Ok(vec![
        Field {
            name: "amount",
            label: say("Amount", "Valor"),
            hint: say("Such as 1000.50.", "Por exemplo 1.000,50."),
            kind: Kind::Number,
            start: "1000".into(),
        },
        Field {
            name: "index",
            label: say("Index", "Índice"),
            hint: say(
                "Price indexes count whole months; Selic and CDI count business days; savings count months from the day of the deposit.",
                "Índices de preços contam meses inteiros; Selic e CDI contam dias úteis; a poupança conta meses a partir do dia do depósito.",
            ),
            kind: Kind::Choice(index),
            start: "ipca".into(),
        },
        Field {
            name: "from",
            label: say("From", "De"),
            hint: say("The day of the amount.", "A data do valor."),
            kind: Kind::Day,
            start: "2020-01-01".into(),
        },
        Field {
            name: "to",
            label: say("To", "Até"),
            hint: say("Empty: up to the newest figure.", "Vazio: até o dado mais recente."),
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
        Field {
            name: "percent",
            label: say("Percent of the index", "Percentual do índice"),
            hint: say(
                "Such as 110 for 110 % of the CDI. Empty: 100.",
                "Por exemplo 110 para 110 % do CDI. Vazio: 100.",
            ),
            kind: Kind::Number,
            start: String::new(),
        },
        Field {
            name: "spread",
            label: say("Spread, percent per year", "Spread, por cento ao ano"),
            hint: say(
                "Added to the index, on 252 business days a year.",
                "Somado ao índice, na base de 252 dias úteis.",
            ),
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
    ["amount", "index", "from"].into_iter().for_each(|name| reader.require(name));
    let (amount, index) = (reader.number("amount"), reader.choice("index"));
    let (from, to) = (reader.day("from"), reader.day("to"));
    let months = reader.choice("months").unwrap_or_default();
    let (percent, spread) = (reader.number("percent"), reader.number("spread"));
    let (Some(amount), Some(index), Some(from), true) =
        (amount, index, from, reader.wrongs.is_empty())
    else {
        return Ok(None);
    };
    let query = Correction {
        to,
        months,
        percent,
        spread,
        steps: Steps::Listed,
        limit: most_steps(),
        ..Correction::new(amount, from, index)
    };
    let index = query.index.to_string();
    let corrected = calc::correction(snapshot, query)?;
    let state = state([
        pair("amount", Some(plain(&amount))),
        pair("index", Some(index)),
        pair("from", Some(from)),
        pair("to", to),
        pair("months", (months == Months::Contract).then_some("contract")),
        pair("percent", percent.as_ref().map(plain)),
        pair("spread", spread.as_ref().map(plain)),
    ]);
    let content = show(view, &corrected, &state);
    Ok(Some(Answer { state, content, meta: Some(corrected.meta), is_open: to.is_none() }))
}

fn show(view: &View, of: &CorrectedAmount, state: &State) -> Markup {
    let language = view.language;
    let say = |english, portuguese| language.pick(english, portuguese);
    // Amounts of the time before the real are not in reais.
    let sign = |day: Date| if day >= REAL { "R$ " } else { "" };
    let derived = &of.derivation;
    html! {
        @match &of.reais {
            Some(reais) => { p.figure { data value=(reais.result) { (language.money(&reais.result)) } " " span.unit { (reais.into) } } }
            None => { p.figure { (sign(derived.to)) data value=(of.result) { (language.money(&of.result)) } } }
        }
        p.lead {
            (sign(derived.from)) (language.money(&of.amount)) ", "
            (days(view, derived, " → "))
        }
        @if let Some(reais) = &of.reais {
            p { (language.money(&of.result)) " " (reais.currency) " ÷ " (language.written(&reais.divisor)) " = " (language.money(&reais.result)) " " (reais.into) }
        }
        p.rule { (language.pick(&of.rule, &of.rule_pt)) }
        @if let Some(percent) = &of.percent {
            p { (say("Counted: ", "Considerado: ")) (language.written(percent)) " % " (say("of each rate.", "de cada taxa.")) }
        }
        @if let Some(spread) = &of.spread {
            p { "Spread: " (language.written(&spread.per_year)) (say(" % per year, ", " % ao ano, ")) (language.written(&spread.business_days)) (say(" business days, factor ", " dias úteis, fator ")) (language.written(&spread.factor)) "; " (say("index alone: ", "só o índice: ")) (language.written(&spread.index_factor)) }
        }
        (derivation(view, "derivation", derived, &Calculator::Correction.steps_link(state, view)))
    }
}
