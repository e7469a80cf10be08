//! Shared by the official text files: lines, Brazilian dates and numbers, refusals.
use std::{collections::HashMap, fmt::Debug, hash::Hash};

use crate::{
    error::Error,
    market::store::Quote,
    types::{Currency, Date, Decimal, day_of},
};

/// Before it, the dollar was quoted in cruzeiros, cruzados and their successors.
pub(super) const FIRST_DAY_OF_THE_REAL: Date = Date::new(1994, 7, 1).expect("a day of July");

/// Why a file is refused; the caller adds its name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) line: Option<usize>,
    pub(super) reason: String,
}

impl Refusal {
    /// For the file as a whole.
    pub(super) fn whole(reason: impl Into<String>) -> Refusal {
        Refusal { line: None, reason: reason.into() }
    }

    pub(super) fn at(line: usize, reason: impl ToString) -> Refusal {
        Refusal { line: Some(line), reason: reason.to_string() }
    }

    /// Finds the line of `part`, which must be a slice of `text`.
    pub(super) fn inside(text: &str, part: &str, reason: impl ToString) -> Refusal {
        let offset = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        let before = &text.as_bytes()[..offset.min(text.len())];
        Refusal::at(1 + before.iter().filter(|byte| **byte == b'\n').count(), reason)
    }
}

impl From<serde_json::Error> for Refusal {
    fn from(err: serde_json::Error) -> Refusal {
        let line = Some(err.line()).filter(|line| *line > 0);
        Refusal { line, reason: format!("not the published JSON format: {err}") }
    }
}

/// The text of a file, without a byte order mark.
pub(super) fn decode(bytes: &[u8]) -> Result<&str, Refusal> {
    let text = str::from_utf8(bytes).map_err(|err| {
        let line = 1 + bytes[..err.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        Refusal::at(line, "not UTF-8, as files of the central bank are, and not a table of CVM")
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// The lines of a table with their numbers; CRLF or LF. Blank lines at the end are nothing. A last line without a
/// line break means that the file is truncated.
pub(super) fn lines(text: &str) -> Result<impl Iterator<Item = (usize, &str)>, Refusal> {
    let content = text.trim_end();
    if !text[content.len()..].contains('\n') {
        let last = content.lines().count();
        return Err(Refusal::at(last, "the line does not end: the file is truncated"));
    }
    Ok(content.lines().enumerate().map(|(index, line)| (index + 1, line)))
}

/// `DD/MM/YYYY`, or `DDMMYYYY` as in PTAX period files.
pub(super) fn date(text: &str) -> Result<Date, Error> {
    let parts = || match text.as_bytes() {
        [_, _, b'/', _, _, b'/', _, _, _, _] => {
            day_of(text.get(6..)?, text.get(3..5)?, text.get(..2)?)
        }
        [_, _, _, _, _, _, _, _] => day_of(text.get(4..)?, text.get(2..4)?, text.get(..2)?),
        _ => None,
    };
    parts().ok_or_else(|| Error::invalid(text, "a date (DD/MM/YYYY)"))
}

/// Parses both sides of a closing quote. Prices are above zero, and buy is not above sell.
pub(super) fn quote(
    currency: Currency,
    date: Date,
    (buy, sell): (&str, &str),
    mark: char,
) -> Result<Quote, Error> {
    if currency == Currency::BRL {
        return Err(Error::invalid("BRL", "a currency that is quoted in reais"));
    }
    let price = |text: &str| {
        let price = Decimal::parse_with(text, mark)?;
        if price.is_positive() {
            Ok(price)
        } else {
            Err(Error::invalid(text, "a price above zero"))
        }
    };
    let (bought, sold) = (price(buy)?, price(sell)?);
    if bought > sold {
        return Err(Error::invalid(
            buy,
            format_args!("a buying price up to the selling price, {sell}"),
        ));
    }
    Ok(Quote { currency, date, buy: Some(bought), sell: Some(sold) })
}

/// Remembers the value of each key, to catch a file that contradicts itself.
pub(super) struct Once<K, V>(HashMap<K, V>);

impl<K: Eq + Hash, V: PartialEq> Once<K, V> {
    pub(super) fn new() -> Once<K, V> {
        Once(HashMap::new())
    }

    /// Fails if `key` already has another value.
    pub(super) fn insert(&mut self, key: K, value: V) -> Result<(), &'static str> {
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
