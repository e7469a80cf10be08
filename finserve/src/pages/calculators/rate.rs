//! `/calc/rate`: an interest rate for another period.
use fincore::{
    Result,
    calc::{self, Convention, ConvertedRate, RateConversion},
};
use maud::{Markup, html};

use super::{
    Answer, figure,
    form::{Field, Kind},
    pair, state,
    typed_input::{Reader, plain},
};
use crate::pages::{language::Language, view::View};

pub(super) fn fields(language: Language) -> Vec<Field> {
    let say = |english, portuguese| language.pick(english, portuguese);
    let periods = Convention::ALL
        .map(|convention| (convention.to_string(), period(convention, language).to_owned()));
    vec![
        Field {
            name: "value",
            label: say("Rate, in percent", "Taxa, em por cento"),
            hint: say("Such as 13.75.", "Por exemplo 13,75."),
            kind: Kind::Number,
            start: language.written(&"13.75"),
        },
        Field {
            name: "from",
            label: say("The rate is", "A taxa é"),
            hint: "",
            kind: Kind::Choice(periods.clone().into()),
            start: Convention::Year252.to_string(),
        },
        Field {
            name: "to",
            label: say("Convert to", "Converter para"),
            hint: say(
                "A month counts as 21 business days or 30 calendar days.",
                "Um mês conta como 21 dias úteis ou 30 dias corridos.",
            ),
            kind: Kind::Choice(periods.into()),
            start: Convention::Month.to_string(),
        },
    ]
}

pub(super) fn answer(view: &View, reader: &mut Reader<'_>) -> Result<Option<Answer>> {
    ["value", "from", "to"].into_iter().for_each(|name| reader.require(name));
    let (value, from, to) = (reader.number("value"), reader.choice("from"), reader.choice("to"));
    let (Some(value), Some(from), Some(to)) = (value, from, to) else { return Ok(None) };
    let converted = calc::convert_rate(&RateConversion { value, from, to })?;
    let state =
        state([pair("value", Some(plain(&value))), pair("from", Some(from)), pair("to", Some(to))]);
    let content = show(view, &converted);
    Ok(Some(Answer { state, content, meta: None, is_open: false }))
}

fn show(view: &View, of: &ConvertedRate) -> Markup {
    let language = view.language;
    let say = |english, portuguese| language.pick(english, portuguese);
    html! {
        (figure(language, &of.result, html! { "%" span.unit { (period(of.to, language)) } }))
        p.lead { (language.written(&of.value)) " % " (period(of.from, language)) }
        p.rule { (language.pick(&of.rule, &of.rule_pt)) }
        dl.about.derivation {
            dt { (say("Factor", "Fator")) } dd { data value=(of.factor) { (language.written(&of.factor)) } }
            dt { (say("Exponent", "Expoente")) } dd { (of.exponent) }
        }
    }
}

/// The period of a rate, after its percent sign.
fn period(convention: Convention, language: Language) -> &'static str {
    let say = |english, portuguese| language.pick(english, portuguese);
    match convention {
        Convention::Day => say("per business day", "ao dia útil"),
        Convention::Month => say("per month", "ao mês"),
        Convention::Year252 => say("per year of 252 business days", "ao ano, base 252 dias úteis"),
        Convention::Year360 => say("per year of 360 days", "ao ano, base 360 dias"),
        Convention::Year365 => say("per year of 365 days", "ao ano, base 365 dias"),
    }
}
