//! Writing market data: what an import or the bundle brings, row by row.
use rusqlite::OptionalExtension;

use super::{CDI, CDI_DAILY, Rate};
use crate::{
    Currency, Date, Decimal, Result,
    catalogue::{Known, Tally, Writer},
    sqlite::parsed,
};

/// One day of a currency; a side that its source does not give stays open.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Quote {
    pub(crate) currency: Currency,
    pub(crate) date: Date,
    pub(crate) buy: Option<Decimal>,
    pub(crate) sell: Option<Decimal>,
}

/// Stores observations of an SGS series. The daily CDI also fills the annual one where that is not
/// published.
pub(crate) fn rates(writer: &Writer, series: u32, rows: &[Rate], known: Known) -> Result<Tally> {
    let mut tally = Tally::default();
    for row in rows {
        let stored = published(writer, series, row, known)?;
        if series == CDI_DAILY && stored != Tally::UNCHANGED {
            computed(writer, CDI, row.date, annual(row.value))?;
        }
        tally += stored;
    }
    Ok(tally)
}

fn published(writer: &Writer, series: u32, row: &Rate, known: Known) -> Result<Tally> {
    const FIND: &str = "SELECT computed, value FROM rate WHERE series = ?1 AND date = ?2";
    const WRITE: &str = "INSERT OR REPLACE INTO rate (series, date, value) VALUES (?1, ?2, ?3)";
    let date = row.date.to_string();
    let found: Option<(bool, Decimal)> = writer
        .prepare(FIND)?
        .query_row((series, &date), |row| Ok((row.get(0)?, parsed(row, 1)?)))
        .optional()?;
    let tally = match found {
        Some((false, there)) if there == row.value || known == Known::Keep => {
            return Ok(Tally::UNCHANGED);
        }
        Some((false, _)) => Tally::CHANGED,
        Some((true, _)) | None => Tally::NEW,
    };
    writer.prepare(WRITE)?.execute((series, &date, row.value.to_string()))?;
    Ok(tally)
}

/// A value of our own working out never takes the place of a published one.
fn computed(writer: &Writer, series: u32, date: Date, value: Option<Decimal>) -> Result<()> {
    const SQL: &str = "INSERT INTO rate (series, date, value, computed) VALUES (?1, ?2, ?3, 1)
        ON CONFLICT DO UPDATE SET value = excluded.value WHERE computed = 1";
    if let Some(value) = value {
        writer.prepare(SQL)?.execute((series, date.to_string(), value.to_string()))?;
    }
    Ok(())
}

/// Percent a day as percent a year of 252 business days, to two decimals, as B3 publishes it.
///
/// Worked out in whole numbers, so that every machine rounds alike. Nothing comes of what loses all in
/// a day, or gains more than the 1.7 million percent a year that the numbers hold: twice the highest
/// rate there ever was.
pub(crate) fn annual(daily: Decimal) -> Option<Decimal> {
    const ONE: i128 = 10_i128.pow(17);
    let (digits, decimals) = daily.parts();
    let per_day = i128::from(digits) * ONE / 10_i128.pow(u32::from(decimals)) / 100;
    let (mut factor, mut power) = (ONE, ONE + per_day);
    if power <= 0 {
        return None;
    }
    for bit in 0..8 {
        if bit > 0 {
            power = power.checked_mul(power)? / ONE;
        }
        if 252 >> bit & 1 == 1 {
            factor = factor.checked_mul(power)? / ONE;
        }
    }
    let gain = factor - ONE;
    let cents = (gain + gain.signum() * ONE / 20_000) / (ONE / 10_000);
    Some(Decimal::from_parts(i64::try_from(cents).ok()?, 2))
}

/// Stores closing quotes; a side that is not given leaves what is known.
pub(crate) fn quotes(writer: &Writer, rows: &[Quote], known: Known) -> Result<Tally> {
    rows.iter().try_fold(Tally::default(), |mut tally, row| {
        tally += quote(writer, row, known)?;
        Ok(tally)
    })
}

fn quote(writer: &Writer, row: &Quote, known: Known) -> Result<Tally> {
    const FIND: &str = "SELECT buy, sell FROM fx WHERE currency = ?1 AND date = ?2";
    const WRITE: &str =
        "INSERT OR REPLACE INTO fx (currency, date, buy, sell) VALUES (?1, ?2, ?3, ?4)";
    let (currency, date) = (row.currency.to_string(), row.date.to_string());
    let read = |row: &rusqlite::Row<'_>| Ok((parsed_or_null(row, 0)?, parsed_or_null(row, 1)?));
    let found = writer.prepare(FIND)?.query_row((&currency, &date), read).optional()?;
    let (buy, sell) = found.unwrap_or((None, None));
    let (buy, sell) = (Side::of(buy, row.buy, known), Side::of(sell, row.sell, known));
    let tally = match (found, buy, sell) {
        (Some(_), Side::Same(_), Side::Same(_)) => return Ok(Tally::UNCHANGED),
        (Some(_), Side::Changed(_), _) | (Some(_), _, Side::Changed(_)) => Tally::CHANGED,
        _ => Tally::NEW,
    };
    let text = |side: Side| side.figure().map(|figure| figure.to_string());
    writer.prepare(WRITE)?.execute((&currency, &date, text(buy), text(sell)))?;
    Ok(tally)
}

/// A side of a quote, after what was there and what is given have met.
#[derive(Clone, Copy)]
enum Side {
    Same(Option<Decimal>),
    New(Decimal),
    Changed(Decimal),
}

impl Side {
    /// A figure that only has other trailing zeros (5.1005 and 5.10050000) is the same figure.
    fn of(there: Option<Decimal>, given: Option<Decimal>, known: Known) -> Side {
        match (there, given) {
            (None, Some(given)) => Side::New(given),
            (Some(there), Some(given)) if known == Known::Replace && there != given => {
                Side::Changed(given)
            }
            (there, _) => Side::Same(there),
        }
    }

    fn figure(self) -> Option<Decimal> {
        match self {
            Side::Same(figure) => figure,
            Side::New(figure) | Side::Changed(figure) => Some(figure),
        }
    }
}

fn parsed_or_null(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<Option<Decimal>> {
    match row.get_ref(column)? {
        rusqlite::types::ValueRef::Null => Ok(None),
        _ => parsed(row, column).map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annualises_as_the_central_bank_does() {
        // Daily and annual Selic (SGS 11 and 1178) of the same days, then the ends of what is possible.
        let days = [
            ("0.050788", Some("13.65")),
            ("0.045513", Some("12.15")),
            ("0.007469", Some("1.90")),
            ("0", Some("0.00")),
            ("-0.05", Some("-11.84")),
            ("3.6", Some("742334.87")),
            ("-99.9", Some("-100.00")),
            ("-100", None),
            ("-300", None),
            ("99", None),
            ("999999999999999999", None),
            ("-999999999999999999", None),
        ];
        for (daily, yearly) in days {
            let ours = annual(daily.parse().unwrap()).map(|rate| rate.to_string());
            assert_eq!(ours.as_deref(), yearly, "{daily}");
        }
    }
}
