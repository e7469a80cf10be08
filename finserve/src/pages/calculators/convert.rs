//! `/calc/convert`: an amount in another currency.
use fincore::{
    Currency, Date, Result, Snapshot,
    calc::{self, Conversion, ConvertedAmount, Side},
    market::{self, NewerSide},
};
use maud::{Markup, html};

use super::{
    Answer,
    form::{Field, Kind},
    form_choices, pair, state,
    typed_input::{Reader, plain},
};
use crate::pages::{
    language::Language,
    market::{newer_side_notes, slug},
    view::View,
};

pub(super) fn fields(snapshot: &Snapshot, language: Language) -> Result<Vec<Field>> {
    let say = |english, portuguese| language.pick(english, portuguese);
    let currencies = form_choices::currencies(snapshot)?;
    let sides = [("sell", say("Sell", "Venda")), ("buy", say("Buy", "Compra"))];
    let sides = sides.map(|(side, name)| (side.to_owned(), name.to_owned())).into();
    Ok(vec![
        Field {
            name: "amount",
            label: say("Amount", "Valor"),
            hint: say("Such as 1000.50.", "Por exemplo 1.000,50."),
            kind: Kind::Number,
            start: "100".into(),
        },
        Field {
            name: "from",
            label: say("From", "De"),
            hint: "",
            kind: Kind::Choice(currencies.clone()),
            start: "USD".into(),
        },
        Field {
            name: "to",
            label: say("To", "Para"),
            hint: "",
            kind: Kind::Choice(currencies),
            start: "BRL".into(),
        },
        Field {
            name: "date",
            label: say("Date", "Data"),
            hint: say(
                "Empty: the newest closing rate. A day without one uses the one before.",
                "Vazio: o fechamento mais recente. Um dia sem fechamento usa o anterior.",
            ),
            kind: Kind::Day,
            start: String::new(),
        },
        Field {
            name: "side",
            label: say("Side", "Lado"),
            hint: say("Most contracts use the sell side.", "A maioria dos contratos usa a venda."),
            kind: Kind::Choice(sides),
            start: "sell".into(),
        },
    ])
}

pub(super) fn answer(
    snapshot: &Snapshot,
    view: &View,
    reader: &mut Reader<'_>,
) -> Result<Option<Answer>> {
    ["amount", "from", "to"].into_iter().for_each(|name| reader.require(name));
    let amount = reader.number("amount");
    let (from, to): (Option<Currency>, Option<Currency>) =
        (reader.choice("from"), reader.choice("to"));
    let (date, side) = (reader.day("date"), reader.choice("side").unwrap_or(Side::Sell));
    let (Some(amount), Some(from), Some(to), true) = (amount, from, to, reader.wrongs.is_empty())
    else {
        return Ok(None);
    };
    let query = Conversion { amount, date, side, ..Conversion::new(from, to) };
    let converted = calc::convert(snapshot, query)?;
    let state = state([
        pair("amount", Some(plain(&amount))),
        pair("from", Some(from)),
        pair("to", Some(to)),
        pair("date", date),
        pair("side", (side == Side::Buy).then_some("buy")),
    ]);
    let mut newer = Vec::new();
    for leg in converted.quotes.iter().filter(|_| date.is_none()) {
        newer.extend(market::newer_sides(snapshot, leg.pair)?);
    }
    let content = show(view, &converted, &newer);
    Ok(Some(Answer { state, content, meta: Some(converted.meta), is_open: date.is_none() }))
}

fn show(view: &View, of: &ConvertedAmount, newer: &[NewerSide]) -> Markup {
    let language = view.language;
    let say = |english, portuguese| language.pick(english, portuguese);
    let side = match of.side {
        Side::Buy => say("buy", "compra"),
        Side::Sell => say("sell", "venda"),
    };
    // The rule names days as programs write them.
    let written = |rule: String, day: Option<Date>| match day {
        Some(day) => rule.replace(&day.to_string(), &language.date(day)),
        None => rule,
    };
    let rule = language.pick(&of.rule, &of.rule_pt).clone();
    let rule = written(written(rule, of.asked), of.date);
    html! {
        p.figure { data value=(of.result) { (language.money(&of.result)) } " " (of.to.as_str()) }
        p.lead { (language.money(&of.amount)) " " (of.from) }
        p.rule { (rule) " " (say(
            "The result is rounded half up to 8 decimals.",
            "O resultado é arredondado para 8 casas decimais, meio para cima.",
        )) }
        @if !newer.is_empty() { p.note { (newer_side_notes(view, newer)) } }
        dl.about.derivation {
            dt { (say("Rate", "Taxa")) } dd { "1 " (of.from) " = " data value=(of.rate) { (language.written(&of.rate)) } " " (of.to) }
            dt { (say("Side", "Lado")) } dd { (side) }
            @if let Some(date) = of.date {
                dt { (say("Bulletin of", "Boletim de")) } dd { time datetime=(date) { (language.date(date)) } }
            }
            @for leg in &of.quotes {
                dt { a href=(view.link(&format!("/market/fx/{}", slug(leg.pair)))) { (leg.pair) } }
                dd { (language.number(leg.value)) }
            }
        }
    }
}
