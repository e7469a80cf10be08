//! The central bank's files: SGS series, PTAX quotes and the meetings of Copom, recognised by content and name.
use std::{collections::HashMap, hash::Hash};

use serde_json::Value;

use crate::{
    import::{
        ParsedFile, Refusal,
        report::{INTRADAY, OLD_CURRENCIES, OTHER_PERIODS},
        row_store::ParsedRows,
    },
    market::{Quote, Rate},
    values::{Currency, Date, Decimal, Error, day_of, truncate},
};

mod copom;
mod ptax;
mod sgs;

/// Parses a file of the central bank; `None` if it is not one.
pub(crate) fn parse(name: &str, text: &str) -> Result<Option<ParsedFile>, Refusal> {
    let start = text.trim_start();
    if sgs::recognises(start) {
        return parse_sgs(name, text).map(Some);
    }
    if start.starts_with('{') && is_empty_answer(text)? {
        return Ok(Some(empty_answer(sgs::series_of(name))));
    }
    if ptax::recognises_olinda(start) {
        return parse_olinda(name, text).map(Some);
    }
    if ptax::recognises_csv(start) {
        return parse_ptax_csv(text).map(Some);
    }
    if let Some(meetings) = copom::parse(name, start)? {
        let rows = ParsedRows::Meetings(meetings);
        return Ok(Some(ParsedFile::new("calendar of Copom meetings", rows)));
    }
    Ok(None)
}

fn parse_sgs(name: &str, text: &str) -> Result<ParsedFile, Refusal> {
    let number = sgs::series_of(name);
    // The rules for values depend on the series; without a number, only an empty answer is accepted.
    let sgs::Parsed { rows, other_periods } = sgs::parse(number.unwrap_or_default(), text)?;
    match number {
        _ if rows.is_empty() => Ok(empty_answer(number)),
        Some(series) => {
            let mut file = series_file(series, rows);
            file.leave_out(other_periods, OTHER_PERIODS);
            Ok(file)
        }
        None => Err(Refusal::whole(
            "the series number is missing: name the file bcdata.sgs.NUMBER.json (or .csv)",
        )),
    }
}

fn parse_olinda(name: &str, text: &str) -> Result<ParsedFile, Refusal> {
    if ptax::is_empty(text) {
        return Ok(ParsedFile::new("PTAX, an answer without quotes", ParsedRows::Nothing));
    }
    let service = ptax::Service::of(name, text)?;
    let ptax::Parsed { quotes, intraday, unknown } = ptax::parse_olinda(service, text)?;
    let mut file = quotes_file(format!("PTAX {}", service.currency()), quotes);
    file.leave_out(intraday, INTRADAY);
    for (kind, rows) in unknown {
        file.leave_out(rows, format!("bulletins of an unknown type ({kind:?})"));
    }
    Ok(file)
}

fn parse_ptax_csv(text: &str) -> Result<ParsedFile, Refusal> {
    let (quotes, unknown) = ptax::parse_csv(text)?;
    let mut file = quotes_file("PTAX closing quotes".into(), quotes);
    file.leave_out(unknown, "rows of an unknown type of currency");
    Ok(file)
}

fn empty_answer(series: Option<u32>) -> ParsedFile {
    let what = match series {
        Some(series) => format!("SGS {series}, an answer without observations"),
        None => "SGS, an answer without observations".into(),
    };
    ParsedFile::new(what, ParsedRows::Nothing)
}

fn series_file(series: u32, rows: Vec<Rate>) -> ParsedFile {
    let what = format!("SGS {series}");
    match sgs::quotes(series, &rows) {
        Some(quotes) => quotes_file(what, quotes),
        None => ParsedFile::new(what, ParsedRows::Rates(series, rows)),
    }
}

fn quotes_file(what: String, mut quotes: Vec<Quote>) -> ParsedFile {
    let all = quotes.len();
    quotes.retain(|quote| quote.date >= FIRST_DAY_OF_THE_REAL);
    let older = all - quotes.len();
    let mut file = ParsedFile::new(what, ParsedRows::Quotes(quotes));
    file.leave_out(older, OLD_CURRENCIES);
    file
}

/// In an answer with status 404, which is normal for holidays.
const NOT_FOUND: &str = "Value(s) not found";

/// An answer that is longer has data.
const MAX_LENGTH: usize = 64 << 10;

/// Whether the answer says that the requested period has no values. Fails with the bank's own words if it is another
/// error.
fn is_empty_answer(text: &str) -> Result<bool, Refusal> {
    if text.len() > MAX_LENGTH {
        return Ok(false);
    }
    let Ok(Value::Object(answer)) = serde_json::from_str(text) else { return Ok(false) };
    let mut words = Vec::new();
    collect_texts(&Value::Object(answer.clone()), &mut words);
    if words.iter().any(|word| word.contains(NOT_FOUND)) {
        return Ok(true);
    }
    if !["erro", "error"].iter().any(|name| answer.contains_key(*name)) {
        return Ok(false);
    }
    // If it has no text, the whole answer is shown.
    let said = if words.is_empty() { text.trim().to_owned() } else { words.join(": ") };
    let said = said.replace(char::is_control, " ");
    Err(Refusal::whole(format!("the central bank answered: {:?}", truncate(&said))))
}

/// All texts of an answer, at any depth, in order.
fn collect_texts(value: &Value, words: &mut Vec<String>) {
    match value {
        Value::String(text) => words.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| collect_texts(value, words)),
        Value::Object(members) => members.values().for_each(|value| collect_texts(value, words)),
        Value::Null | Value::Bool(_) | Value::Number(_) => (),
    }
}

/// Before it, the dollar was quoted in cruzeiros, cruzados and their successors.
const FIRST_DAY_OF_THE_REAL: Date = Date::new(1994, 7, 1).expect("a day of July");

/// `DD/MM/YYYY`, or `DDMMYYYY` as in PTAX period files.
pub(crate) fn date(text: &str) -> Result<Date, Error> {
    let parts = || match text.as_bytes() {
        [_, _, b'/', _, _, b'/', _, _, _, _] => {
            day_of(text.get(6..)?, text.get(3..5)?, text.get(..2)?)
        }
        [_, _, _, _, _, _, _, _] => day_of(text.get(4..)?, text.get(2..4)?, text.get(..2)?),
        _ => None,
    };
    parts().ok_or_else(|| Error::in_file(text, "a date (DD/MM/YYYY)"))
}

/// Parses both sides of a closing quote. Prices are above zero, and buy is not above sell.
pub(crate) fn quote(
    currency: Currency,
    date: Date,
    buy: &str,
    sell: &str,
    mark: char,
) -> Result<Quote, Error> {
    if currency == Currency::BRL {
        return Err(Error::in_file("BRL", "a currency that is quoted in reais"));
    }
    let price = |text: &str| {
        let price = Decimal::parse_with(text, mark)?;
        if price.is_positive() {
            Ok(price)
        } else {
            Err(Error::in_file(text, "a price above zero"))
        }
    };
    let (bought, sold) = (price(buy)?, price(sell)?);
    if bought > sold {
        return Err(Error::in_file(
            buy,
            format_args!("a buying price up to the selling price, {sell}"),
        ));
    }
    Ok(Quote { currency, date, buy: Some(bought), sell: Some(sold) })
}

/// Remembers the value of each key, so that a file that contradicts itself is refused.
pub(crate) struct ConsistentValues<K, V>(HashMap<K, V>);

impl<K: Eq + Hash, V: PartialEq> ConsistentValues<K, V> {
    pub(crate) fn new() -> ConsistentValues<K, V> {
        ConsistentValues(HashMap::new())
    }

    /// Fails if `key` already has another value.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Result<(), &'static str> {
        match self.0.get(&key) {
            Some(known) if *known != value => {
                Err("the same day appears twice with different figures")
            }
            Some(_) => Ok(()),
            None => {
                self.0.insert(key, value);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod error_response_tests {
    use super::*;

    #[test]
    fn knows_an_empty_answer_however_deep_it_says_so() {
        for text in [
            r#"{"erro":{"statusCode":404,"detail":"Value(s) not found"}}"#,
            r#"{"error":"Value(s) not found","message":"x"}"#,
            r#"{"error":[{"detail":["Value(s) not found."]}]}"#,
        ] {
            assert_eq!(is_empty_answer(text), Ok(true), "{text}");
        }
        for text in ["{}", "[]", "x", r#"{"value":[{"tipoBoletim":"x"}]}"#] {
            assert_eq!(is_empty_answer(text), Ok(false), "{text}");
        }
    }

    #[test]
    fn shows_any_other_answer_in_the_words_of_the_bank() {
        let said = |text: &str| is_empty_answer(text).unwrap_err().reason;
        assert_eq!(
            said(r#"{"erro":{"detail":"Sistema\u001b[31m indisponível"}}"#),
            "the central bank answered: \"Sistema [31m indisponível\""
        );
        assert_eq!(said(r#"{"erro":1}"#), r#"the central bank answered: "{\"erro\":1}""#);
        let long = said(&format!(r#"{{"error":"{}"}}"#, "x".repeat(5000)));
        assert_eq!(long.chars().count(), "the central bank answered: \"…\"".chars().count() + 60);
    }
}
