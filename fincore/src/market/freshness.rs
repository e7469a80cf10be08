//! How fresh each series is.
use rusqlite::Row;

use super::{
    known::{self, CDI, CDI_DAILY, IPCA, Rhythm, SELIC},
    priced,
};
use crate::{
    answers::Meta,
    catalogue::Snapshot,
    error::Result,
    freshness::{Due, note},
    types::{Date, Pair},
};

/// The dataset of all exchange rates.
pub(crate) const FX: &str = "fx";

/// How many of the newest observations tell the rhythm of a series that is not known.
const OBSERVED: u32 = 13;

/// By when the central bank has the figures of a series; `None` for one that is not known.
fn due(number: u32) -> Option<Due> {
    let known = known::known(number)?;
    Some(match number {
        SELIC => Due::Ahead,
        CDI | CDI_DAILY => Due::NextDay,
        // IBGE publishes both consumer price indices of a month from the 8th to the 12th of the next.
        IPCA | 188 => Due::Monthly(15),
        // FGV publishes the IGP-M in the last days of its own month, the IGP-DI from the 5th to the 10th of the next.
        189 => Due::Monthly(5),
        190 => Due::Monthly(13),
        // The central bank publishes its activity index IBC-Br in the middle of the second month after, the stock of
        // credit at the end of the first.
        24363 | 24364 => Due::LateMonthly(22),
        20539 => Due::LateMonthly(3),
        195 => Due::NextDayTo28,
        _ => match known.rhythm {
            Rhythm::Daily => Due::NextDay,
            Rhythm::BusinessDays if known.quote.is_some() => Due::SameDay,
            Rhythm::BusinessDays => Due::NextDay,
            // Rates of a month, known once it has ended: monthly Selic and CDI, savings, TJLP.
            Rhythm::Monthly => Due::Monthly(5),
        },
    })
}

/// The newest observation of a series that its source must have published; `None` where too little is known.
pub(crate) fn expected(snapshot: &Snapshot, number: u32) -> Result<Option<Date>> {
    let due = match due(number) {
        Some(due) => Some(due),
        None => usual_gap(snapshot, number)?.map(Due::Gaps),
    };
    Ok(due.map(|due| due.expected(snapshot.today())))
}

/// The newest exchange rate that the central bank must have published.
pub(crate) fn expected_quote(today: Date) -> Date {
    Due::SameDay.expected(today)
}

/// The median of the days between the newest observations; `None` if there are only a few.
fn usual_gap(snapshot: &Snapshot, number: u32) -> Result<Option<u32>> {
    const SQL: &str = "SELECT date FROM rate WHERE series = ?1 AND date <= ?2
        ORDER BY date DESC LIMIT ?3";
    let today = snapshot.today().to_string();
    let days: Vec<Option<Date>> =
        snapshot.rows(SQL, (number, today, OBSERVED), |row| read_day(row, 0))?;
    let days: Vec<i32> = days.into_iter().flatten().map(Date::day_number).collect();
    let mut gaps: Vec<u32> = days.windows(2).map(|pair| pair[0].abs_diff(pair[1])).collect();
    gaps.sort_unstable();
    Ok(if gaps.len() < 3 { None } else { Some(gaps[gaps.len() / 2]) })
}

/// The source of a series, with what is known of its freshness. It is that of the whole series, whichever part of
/// it is asked for.
pub(super) fn of_series(
    snapshot: &Snapshot,
    number: u32,
    newest: Option<Date>,
    meta: Meta,
) -> Result<Meta> {
    let expected = expected(snapshot, number)?;
    let updated_at = note(snapshot, &known::dataset(number))?.updated_at;
    Ok(Meta { updated_at, stale: Some(is_stale(newest, expected)), ..meta })
}

/// The source of exchange rates, with what is known of the freshness of a pair.
pub(super) fn of_pair(snapshot: &Snapshot, pair: Pair, meta: Meta) -> Result<Meta> {
    let (newest, expected) = (newest_quote(snapshot, pair)?, expected_quote(snapshot.today()));
    let updated_at = note(snapshot, FX)?.updated_at;
    Ok(Meta { updated_at, stale: Some(is_stale(newest, Some(expected))), ..meta })
}

/// Whether there should be newer data.
pub(crate) fn is_stale(newest: Option<Date>, expected: Option<Date>) -> bool {
    expected.is_some_and(|expected| newest.is_none_or(|newest| newest < expected))
}

/// The newest day on which a pair has both sides.
pub(crate) fn newest_quote(snapshot: &Snapshot, pair: Pair) -> Result<Option<Date>> {
    const SQL: &str = "SELECT date FROM fx WHERE currency = ?1 AND date <= ?2
        AND buy IS NOT NULL AND sell IS NOT NULL ORDER BY date DESC LIMIT 1";
    let today = snapshot.today().to_string();
    day(snapshot, SQL, (priced(pair), today))
}

/// The day that a query gives.
fn day(snapshot: &Snapshot, sql: &str, params: impl rusqlite::Params) -> Result<Option<Date>> {
    Ok(snapshot.rows(sql, params, |row| read_day(row, 0))?.into_iter().flatten().next())
}

/// A day that cannot be read is as good as none: it must not keep an answer from its reader.
fn read_day(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Date>> {
    Ok(row.get::<_, Option<String>>(column)?.and_then(|text| text.parse().ok()))
}

/// What the catalogue holds of a series, up to the snapshot's date.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) number: u32,
    pub(crate) rows: u64,
    pub(crate) newest: Option<Date>,
    /// Where the newest observation comes from.
    pub(crate) source: String,
}

/// Every series that has observations, by number. Series that are exchange rates are held as quotes.
pub(crate) fn held(snapshot: &Snapshot) -> Result<Vec<Held>> {
    // The third column is that of the newest row.
    const SQL: &str = "SELECT series, COUNT(*), computed, MAX(date) FROM rate WHERE date <= ?1
        GROUP BY series ORDER BY series";
    snapshot.rows(SQL, [snapshot.today().to_string()], |row| {
        let (number, computed): (u32, bool) = (row.get(0)?, row.get(2)?);
        let computed_from = known::known(number).and_then(|series| series.computed_from);
        Ok(Held {
            number,
            rows: row.get::<_, i64>(1)?.unsigned_abs(),
            newest: read_day(row, 3)?,
            source: format!("BCB SGS {}", computed_from.filter(|_| computed).unwrap_or(number)),
        })
    })
}
