//! Writing market data: what an import or the bundle brings, row by row.
use rusqlite::OptionalExtension;

use super::{CDI, CDI_DAILY, Rate};
use crate::{
    Currency, Date, Decimal, Result,
    catalogue::{Tally, Writer},
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
pub(crate) fn rates(writer: &Writer, series: u32, rows: &[Rate]) -> Result<Tally> {
    let mut tally = Tally::default();
    for row in rows {
        tally += published(writer, series, row)?;
        if series == CDI_DAILY {
            computed(writer, CDI, &Rate { date: row.date, value: annual(row.value) })?;
        }
    }
    Ok(tally)
}

fn published(writer: &Writer, series: u32, row: &Rate) -> Result<Tally> {
    const FIND: &str = "SELECT computed, CAST(value AS REAL) = CAST(?3 AS REAL)
        FROM rate WHERE series = ?1 AND date = ?2";
    const WRITE: &str = "INSERT OR REPLACE INTO rate (series, date, value) VALUES (?1, ?2, ?3)";
    let (date, value) = (row.date.to_string(), row.value.to_string());
    let known = writer
        .prepare(FIND)?
        .query_row((series, &date, &value), |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let tally = match known {
        Some((false, true)) => return Ok(Tally::UNCHANGED),
        Some((false, false)) => Tally::CHANGED,
        Some((true, _)) | None => Tally::NEW,
    };
    writer.prepare(WRITE)?.execute((series, &date, &value))?;
    Ok(tally)
}

/// A value of our own working out never takes the place of a published one.
fn computed(writer: &Writer, series: u32, row: &Rate) -> Result<()> {
    const SQL: &str = "INSERT INTO rate (series, date, value, computed) VALUES (?1, ?2, ?3, 1)
        ON CONFLICT DO UPDATE SET value = excluded.value WHERE computed = 1";
    writer.prepare(SQL)?.execute((series, row.date.to_string(), row.value.to_string()))?;
    Ok(())
}

/// Percent a day as percent a year of 252 business days, to two decimals, as B3 publishes it.
///
/// Worked out in whole numbers, so that every machine rounds alike.
pub(crate) fn annual(daily: Decimal) -> Decimal {
    const ONE: i128 = 10_i128.pow(17);
    let (digits, decimals) = daily.parts();
    let per_day = i128::from(digits) * ONE / 10_i128.pow(u32::from(decimals)) / 100;
    // Saturates far beyond any rate there ever was: 1.0 % a day is 1,127 % a year.
    let (mut factor, mut power) = (ONE, ONE + per_day);
    for bit in 0..8 {
        if 252 >> bit & 1 == 1 {
            factor = factor.saturating_mul(power) / ONE;
        }
        power = power.saturating_mul(power) / ONE;
    }
    let cents = (factor - ONE + ONE / 20_000) / (ONE / 10_000);
    Decimal::from_parts(i64::try_from(cents).unwrap_or(i64::MAX), 2)
}

/// Stores closing quotes; a side that is not given leaves what is known.
pub(crate) fn quotes(writer: &Writer, rows: &[Quote]) -> Result<Tally> {
    rows.iter().try_fold(Tally::default(), |mut tally, row| {
        tally += quote(writer, row)?;
        Ok(tally)
    })
}

fn quote(writer: &Writer, row: &Quote) -> Result<Tally> {
    // A figure that only has other trailing zeros (5.1005 and 5.10050000) is the same figure.
    const FIND: &str = "SELECT
            (?3 IS NULL OR COALESCE(CAST(buy AS REAL) = CAST(?3 AS REAL), 0))
            AND (?4 IS NULL OR COALESCE(CAST(sell AS REAL) = CAST(?4 AS REAL), 0)),
            (?3 IS NULL OR buy IS NULL) AND (?4 IS NULL OR sell IS NULL)
        FROM fx WHERE currency = ?1 AND date = ?2";
    const WRITE: &str = "INSERT INTO fx (currency, date, buy, sell) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT DO UPDATE SET buy = COALESCE(excluded.buy, buy), sell = COALESCE(excluded.sell, sell)";
    let text = |side: Option<Decimal>| side.map(|figure| figure.to_string());
    let (currency, date) = (row.currency.to_string(), row.date.to_string());
    let (buy, sell) = (text(row.buy), text(row.sell));
    let known = writer
        .prepare(FIND)?
        .query_row((&currency, &date, &buy, &sell), |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let tally = match known {
        Some((true, _)) => return Ok(Tally::UNCHANGED),
        Some((false, true)) | None => Tally::NEW,
        Some((false, false)) => Tally::CHANGED,
    };
    writer.prepare(WRITE)?.execute((&currency, &date, &buy, &sell))?;
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annualises_as_the_central_bank_does() {
        // Daily and annual Selic (SGS 11 and 1178) of the same days.
        let days = [("0.050788", "13.65"), ("0.045513", "12.15"), ("0.007469", "1.90")];
        for (daily, yearly) in days {
            assert_eq!(annual(daily.parse().unwrap()).to_string(), yearly);
        }
    }

    #[test]
    fn annualises_any_number_without_overflow() {
        for text in
            ["0", "-0.5", "-99.9", "-300", "0.4", "99", "999999999999999999", "-999999999999999999"]
        {
            annual(text.parse().unwrap());
        }
    }
}
