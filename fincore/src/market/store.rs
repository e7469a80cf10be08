//! Writes market data from an import or the bundle.
use std::collections::BTreeSet;

use rusqlite::OptionalExtension;

use crate::{
    market::{
        Rate, Rhythm, SeriesDefinition, Side,
        freshness::schedule,
        rows::CARRIED,
        series_definitions::{DEFINITIONS, annualised_series_of, dataset, definition},
    },
    store::{Change, OnConflict, Tally, Writer, writer::timestamp},
    values::{Currency, Date, Decimal, Pair, Result},
};

pub(crate) use crate::market::freshness::FX;

/// The quote of a currency on a date; `None` for a side that the source does not have.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Quote {
    pub(crate) currency: Currency,
    pub(crate) date: Date,
    pub(crate) buy: Option<Decimal>,
    pub(crate) sell: Option<Decimal>,
}

/// Stores observations of an SGS series. Those of a rate per day also fill gaps in the same rate per year.
pub(crate) fn write_rates(
    writer: &Writer,
    series: u32,
    rows: &[Rate],
    on_conflict: OnConflict,
) -> Result<Tally> {
    let per_year = annualised_series_of(series);
    let mut tally = Tally::default();
    for row in rows {
        let stored = write_published(writer, series, row, on_conflict)?;
        if let (Some(per_year), Some(_)) = (per_year, stored.change()) {
            write_computed(writer, per_year, row.date, annualise(row.value))?;
        }
        tally += stored;
    }
    Ok(tally)
}

fn write_published(
    writer: &Writer,
    series: u32,
    row: &Rate,
    on_conflict: OnConflict,
) -> Result<Tally> {
    const FIND: &str = "SELECT computed, value FROM rate WHERE series = ?1 AND date = ?2";
    const WRITE: &str = "INSERT OR REPLACE INTO rate (series, date, value, known_from)
        VALUES (?1, ?2, ?3, ?4)";
    // A stored value that cannot be read is replaced, whatever the conflict rule is.
    let found: Option<(bool, Option<Decimal>)> = writer
        .prepare(FIND)?
        .query_row((series, row.date), |row| Ok((row.get(0)?, row.get(1).ok())))
        .optional()?;
    let tally = match found {
        Some((false, Some(there))) if there == row.value || on_conflict == OnConflict::Keep => {
            return Ok(Tally::UNCHANGED);
        }
        Some((false, _)) => Tally::CHANGED,
        Some((true, _)) | None => Tally::NEW,
    };
    if let Some((_, Some(_))) = found {
        writer.keep_rate(series, row.date)?;
    }
    let known_from = writer.known_from();
    writer.prepare(WRITE)?.execute((series, row.date, row.value, known_from))?;
    let change = if found.is_some() { Change::Changed } else { Change::Added };
    writer.log(&dataset(series), row.date, change)?;
    Ok(tally)
}

/// A computed value never replaces a published one.
pub(crate) fn write_computed(
    writer: &Writer,
    series: u32,
    date: Date,
    value: Option<Decimal>,
) -> Result<()> {
    const SQL: &str = "INSERT OR REPLACE INTO rate (series, date, value, computed, known_from) VALUES (?1, ?2, ?3, 1, ?4)";
    const FIND: &str = "SELECT computed, value FROM rate WHERE series = ?1 AND date = ?2";
    let Some(value) = value else { return Ok(()) };
    let found: Option<(i64, String)> = writer
        .prepare(FIND)?
        .query_row((series, date), |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let change = match found {
        None => Change::Added,
        Some((1, there)) if there != value.to_string() => Change::Changed,
        Some(_) => return Ok(()),
    };
    if change == Change::Changed {
        writer.keep_rate(series, date)?;
    }
    writer.prepare(SQL)?.execute((series, date, value, writer.known_from()))?;
    writer.log(&dataset(series), date, change)
}

/// Stores the figure of the day before for a day without a published one. A published figure is kept, unless it comes from
/// an older bundle, which did not tell them apart: then no import or sync has changed the series since.
pub(crate) fn write_carried(writer: &Writer, series: u32, row: &Rate) -> Result<Tally> {
    const FIND: &str = "SELECT computed, value FROM rate WHERE series = ?1 AND date = ?2";
    const WRITE: &str = "INSERT OR REPLACE INTO rate (series, date, value, computed, known_from) VALUES (?1, ?2, ?3, ?4, ?5)";
    let found: Option<(i64, String)> = writer
        .prepare(FIND)?
        .query_row((series, row.date), |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let tally = match found {
        Some((0, value)) if value == row.value.to_string() && is_as_bundled(writer, series)? => {
            Tally::CHANGED
        }
        Some(_) => return Ok(Tally::UNCHANGED),
        None => Tally::NEW,
    };
    // The figure of an older bundle is the same, and has no beginning.
    let known_from = if tally == Tally::NEW { writer.known_from() } else { None };
    writer.prepare(WRITE)?.execute((series, row.date, row.value, CARRIED, known_from))?;
    let change = tally.change().unwrap_or(Change::Changed);
    writer.log(&dataset(series), row.date, change)?;
    Ok(tally)
}

/// Replaces a figure of an older bundle that its publisher has corrected since. A figure that an import brought is kept, and
/// so is any other value: it is newer than that bundle.
pub(crate) fn write_corrected(
    writer: &Writer,
    series: u32,
    before: Decimal,
    row: &Rate,
) -> Result<Tally> {
    // Only imports have a time.
    const FIND: &str = "SELECT value FROM rate WHERE series = ?1 AND date = ?2 AND computed = 0
        AND NOT EXISTS (SELECT 1 FROM import_time WHERE version = rate.known_from)";
    let stored: Option<Option<Decimal>> = writer
        .prepare(FIND)?
        .query_row((series, row.date), |row| Ok(row.get(0).ok()))
        .optional()?;
    if stored.flatten() != Some(before) {
        return Ok(Tally::UNCHANGED);
    }
    write_rates(writer, series, std::slice::from_ref(row), OnConflict::Replace)
}

/// Whether nothing but the bundle has changed a series, as far as is known.
fn is_as_bundled(writer: &Writer, series: u32) -> Result<bool> {
    const SQL: &str = "SELECT 1 FROM dataset
        WHERE name = ?1 AND updated_at = ?2 AND succeeded_at IS NULL";
    let bundled = timestamp(writer.now());
    Ok(writer.prepare(SQL)?.exists((dataset(series), bundled))?)
}

/// Converts percent per day to percent per year of 252 business days, with two decimals as B3 publishes
/// it.
///
/// Uses integers only, so that every machine rounds alike. `None` for a loss of 100 % a day or more, and
/// above 1.7 million percent per year, which overflows: twice the highest rate ever.
pub(crate) fn annualise(daily: Decimal) -> Option<Decimal> {
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

/// Stores closing quotes; a missing side leaves the stored one alone.
pub(crate) fn write_quotes(
    writer: &Writer,
    rows: &[Quote],
    on_conflict: OnConflict,
) -> Result<Tally> {
    rows.iter().try_fold(Tally::default(), |mut tally, row| {
        tally += write_quote(writer, row, on_conflict)?;
        Ok(tally)
    })
}

fn write_quote(writer: &Writer, row: &Quote, on_conflict: OnConflict) -> Result<Tally> {
    const WRITE: &str = "INSERT OR REPLACE INTO fx (currency, date, buy, sell, known_from) VALUES (?1, ?2, ?3, ?4, ?5)";
    let found = sides(writer, row.currency, row.date)?;
    let (buy, sell) = found.unwrap_or((None, None));
    let (buy, sell) =
        (MergedSide::new(buy, row.buy, on_conflict), MergedSide::new(sell, row.sell, on_conflict));
    let tally = match (found, buy, sell) {
        (Some(_), MergedSide::Same(_), MergedSide::Same(_)) => return Ok(Tally::UNCHANGED),
        (Some(_), MergedSide::Changed(_), _) | (Some(_), _, MergedSide::Changed(_)) => {
            Tally::CHANGED
        }
        _ => Tally::NEW,
    };
    // A quote is served once it has both sides.
    let change = match found {
        Some((Some(_), Some(_))) => Change::Changed,
        Some(_) | None => Change::Added,
    };
    log_quote(writer, row, change, [(Side::Buy, buy), (Side::Sell, sell)])?;
    if found.is_some() {
        writer.keep_quote(row.currency, row.date)?;
    }
    let known_from = writer.known_from();
    let quote = (row.currency, row.date, buy.figure(), sell.figure(), known_from);
    writer.prepare(WRITE)?.execute(quote)?;
    Ok(tally)
}

/// A day on which a currency is bought dearer than it is sold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CrossedQuote {
    pub(crate) currency: Currency,
    pub(crate) date: Date,
    pub(crate) buy: Decimal,
    pub(crate) sell: Decimal,
}

/// The days on which these quotes contradict the other side, which is stored already.
pub(crate) fn find_crossed(writer: &Writer, rows: &[Quote]) -> Result<Vec<CrossedQuote>> {
    let mut days = Vec::new();
    for row in rows.iter().filter(|row| row.buy.is_none() || row.sell.is_none()) {
        let (buy, sell) = sides(writer, row.currency, row.date)?.unwrap_or((None, None));
        // A side that is stored already was compared when it came.
        let is_new = row.buy.is_some_and(|new| buy != Some(new))
            || row.sell.is_some_and(|new| sell != Some(new));
        if let (Some(buy), Some(sell)) = (row.buy.or(buy), row.sell.or(sell))
            && (is_new && buy > sell)
        {
            days.push(CrossedQuote { currency: row.currency, date: row.date, buy, sell });
        }
    }
    Ok(days)
}

/// The stored quote of a day, if it is crossed.
pub(crate) fn find_still_crossed(
    writer: &Writer,
    day: CrossedQuote,
) -> Result<Option<CrossedQuote>> {
    match sides(writer, day.currency, day.date)? {
        Some((Some(buy), Some(sell))) if buy > sell => Ok(Some(CrossedQuote { buy, sell, ..day })),
        _ => Ok(None),
    }
}

/// How many of these days have only one side, once the quotes are stored.
pub(crate) fn count_one_sided(writer: &Writer, rows: &[Quote]) -> Result<usize> {
    let mut days = 0;
    for row in rows.iter().filter(|row| row.buy.is_none() || row.sell.is_none()) {
        days += usize::from(!matches!(
            sides(writer, row.currency, row.date)?,
            Some((Some(_), Some(_)))
        ));
    }
    Ok(days)
}

/// Both sides of a quote.
type Sides = (Option<Decimal>, Option<Decimal>);

/// The stored sides of a quote.
fn sides(writer: &Writer, currency: Currency, date: Date) -> Result<Option<Sides>> {
    const SQL: &str = "SELECT buy, sell FROM fx WHERE currency = ?1 AND date = ?2";
    // A side that cannot be read counts as missing.
    let side = |row: &rusqlite::Row<'_>, column| row.get(column).unwrap_or_default();
    let read = |row: &rusqlite::Row<'_>| Ok((side(row, 0), side(row, 1)));
    Ok(writer.prepare(SQL)?.query_row((currency, date), read).optional()?)
}

/// Logs each side that changed under its series, and the change of the quote once it has both sides.
fn log_quote(
    writer: &Writer,
    row: &Quote,
    quote_change: Change,
    sides: [(Side, MergedSide); 2],
) -> Result<()> {
    for (side, merged) in sides {
        let change = match merged {
            MergedSide::Same(_) => continue,
            MergedSide::New(_) => Change::Added,
            MergedSide::Changed(_) => Change::Changed,
        };
        let series = DEFINITIONS.iter().find(|series| series.quote == Some((row.currency, side)));
        if let Some(series) = series {
            writer.log(series.name, row.date, change)?;
        }
    }
    if sides.iter().all(|(_, merged)| merged.figure().is_some()) {
        let pair = Pair::in_reais(row.currency);
        writer.log(FX, format_args!("{pair} {}", row.date), quote_change)?;
    }
    Ok(())
}

/// One side of a quote: the stored figure merged with the new one.
#[derive(Clone, Copy)]
enum MergedSide {
    Same(Option<Decimal>),
    New(Decimal),
    Changed(Decimal),
}

impl MergedSide {
    /// Figures that differ only in trailing zeros (5.1005 and 5.10050000) are the same.
    fn new(there: Option<Decimal>, given: Option<Decimal>, on_conflict: OnConflict) -> MergedSide {
        match (there, given) {
            (None, Some(given)) => MergedSide::New(given),
            (Some(there), Some(given)) if on_conflict == OnConflict::Replace && there != given => {
                MergedSide::Changed(given)
            }
            (there, _) => MergedSide::Same(there),
        }
    }

    fn figure(self) -> Option<Decimal> {
        match self {
            MergedSide::Same(figure) => figure,
            MergedSide::New(figure) | MergedSide::Changed(figure) => Some(figure),
        }
    }
}

/// An answer to a request for a period.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer<'a> {
    pub(crate) series: u32,
    /// The first and last day that were asked for.
    pub(crate) asked: (Date, Date),
    /// Its figures, oldest first.
    pub(crate) rows: &'a [Rate],
}

/// Stored figures that an answer lacks, by how they were treated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MissingDays {
    pub(crate) removed: Vec<Date>,
    pub(crate) kept: Vec<Date>,
}

/// An answer may lack a few figures between others: so many, or so many hundredths of the stored ones. One that lacks more
/// was cut short.
const FEW: usize = 2;
const FEW_PERCENT: usize = 2;

impl Answer<'_> {
    /// Finds the stored figures that the answer lacks, and which of them were withdrawn.
    pub(crate) fn missing_days(&self, writer: &Writer, today: Date) -> Result<MissingDays> {
        let (Some(oldest), Some(newest)) = (self.rows.first(), self.rows.last()) else {
            return Ok(MissingDays::default());
        };
        let (oldest, newest) = (oldest.date, newest.date);
        let given: BTreeSet<Date> = self.rows.iter().map(|row| row.date).collect();
        let stored = self.stored(writer, today)?;
        let missing = stored.iter().copied().filter(|day| !given.contains(day));
        let (before, rest): (Vec<Date>, Vec<Date>) = missing.partition(|day| *day < oldest);
        let (inside, after): (Vec<Date>, Vec<Date>) =
            rest.into_iter().partition(|day| *day < newest);
        let is_few = inside.len() <= FEW.max(stored.len() * FEW_PERCENT / 100);
        let mut days = MissingDays { removed: Vec::new(), kept: before };
        if is_few { &mut days.removed } else { &mut days.kept }.extend(inside);
        for day in after {
            let withdrawn = self.is_published_too_early(day, newest, today);
            if withdrawn { &mut days.removed } else { &mut days.kept }.push(day);
        }
        Ok(days)
    }

    /// Whether the figure of a day after all of the answer was published by mistake: its day or month has not ended, and the
    /// answer reaches as far as it must. An answer that was cut short lacks the last figures, too.
    fn is_published_too_early(&self, day: Date, newest: Date, today: Date) -> bool {
        let expected = schedule(self.series).map(|schedule| schedule.newest_expected(today));
        let is_monthly =
            definition(self.series).is_some_and(|definition| definition.rhythm == Rhythm::Monthly);
        let is_whole = expected.is_some_and(|expected| newest >= expected.min(today));
        is_whole && (day > today || (is_monthly && expected.is_some_and(|due| day > due)))
    }

    /// The days with a published figure that the answer should have. Only what is set in advance has figures of the
    /// future; those of other series are not asked for, and must not be there.
    fn stored(&self, writer: &Writer, today: Date) -> Result<Vec<Date>> {
        const SQL: &str = "SELECT date FROM rate
            WHERE series = ?1 AND date BETWEEN ?2 AND ?3 AND computed = 0 ORDER BY date";
        let (first, last) = self.asked;
        let is_set_ahead =
            definition(self.series).is_none_or(SeriesDefinition::holds_until_changed);
        let last = if last >= today && !is_set_ahead { Date::MAX } else { last };
        let mut statement = writer.prepare(SQL)?;
        let days = statement.query_map((self.series, first, last), |row| row.get(0))?;
        // A day that cannot be read is left to `finserve check`.
        Ok(days.filter_map(std::result::Result::ok).collect())
    }
}

/// Removes the published figures of these days, and what was computed from them.
pub(crate) fn remove(writer: &Writer, series: u32, days: &[Date]) -> Result<Tally> {
    const REMOVE: &str = "DELETE FROM rate WHERE series = ?1 AND date = ?2";
    const IS_COMPUTED: &str = "SELECT 1 FROM rate WHERE series = ?1 AND date = ?2 AND computed = 1";
    const DAILY: &str = "SELECT value FROM rate WHERE series = ?1 AND date = ?2";
    let mut tally = Tally::default();
    for day in days {
        writer.keep_rate(series, *day)?;
        writer.prepare(REMOVE)?.execute((series, day))?;
        writer.log(&dataset(series), day, Change::Removed)?;
        tally += Tally::REMOVED;
        if let Some(annual) = annualised_series_of(series)
            && writer.prepare(IS_COMPUTED)?.exists((annual, day))?
        {
            writer.keep_rate(annual, *day)?;
            writer.prepare(REMOVE)?.execute((annual, day))?;
            writer.log(&dataset(annual), day, Change::Removed)?;
        }
        // A published annual rate has hidden the one that the daily rate gives.
        if let Some(daily) = definition(series).and_then(|definition| definition.computed_from) {
            let mut statement = writer.prepare(DAILY)?;
            let mut rows = statement.query((daily, day))?;
            let value = rows.next()?.and_then(|row| row.get::<_, Decimal>(0).ok());
            write_computed(writer, series, *day, value.and_then(annualise))?;
        }
    }
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annualises_as_the_central_bank_does() {
        // Daily and annual Selic (SGS 11 and 1178) of the same days, then the limits of the range.
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
            let ours = annualise(daily.parse().unwrap()).map(|rate| rate.to_string());
            assert_eq!(ours.as_deref(), yearly, "{daily}");
        }
    }
}
