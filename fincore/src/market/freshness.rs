//! How fresh each series is.
use rusqlite::Row;

use super::{
    meetings::Meetings,
    series_definitions::{
        self, CDI, CDI_DAILY, IGP_M, IGP_M_UNROUNDED, IPCA, IPCA_12_MONTHS, OLD_SAVINGS, Rhythm,
        SAVINGS, SELIC,
    },
};
use crate::{
    answers::Meta,
    catalogue::{Knowledge, Snapshot},
    error::Result,
    freshness::{PublicationSchedule, sync_record},
    types::Date,
};

/// The dataset of all exchange rates.
pub(crate) const FX: &str = "fx";

/// How many of the newest observations show the rhythm of a series without a definition.
const NEWEST_OBSERVATIONS: u32 = 13;

/// When the central bank publishes the figures of a series; `None` for one without a definition, and for one that is brought
/// on demand: its own rhythm shows it.
pub(super) fn schedule(number: u32) -> Option<PublicationSchedule> {
    let definition = series_definitions::definition(number).filter(|series| !series.on_demand)?;
    Some(match number {
        SELIC => PublicationSchedule::Ahead,
        CDI | CDI_DAILY => PublicationSchedule::NextDay,
        // IBGE publishes both consumer price indices of a month from the 8th to the 12th of the next.
        IPCA | IPCA_12_MONTHS | 188 => PublicationSchedule::Monthly(15),
        // FGV publishes the IGP-M in the last days of its own month, the IGP-DI from the 5th to the 10th of the next.
        IGP_M | IGP_M_UNROUNDED => PublicationSchedule::Monthly(5),
        190 => PublicationSchedule::Monthly(13),
        // The central bank publishes its activity index IBC-Br in the middle of the second month after, the stock of
        // credit at the end of the first.
        24363 | 24364 => PublicationSchedule::LateMonthly(22),
        20539 => PublicationSchedule::LateMonthly(3),
        SAVINGS | OLD_SAVINGS => PublicationSchedule::NextDayTo28,
        _ => match definition.rhythm {
            Rhythm::Daily => PublicationSchedule::NextDay,
            Rhythm::BusinessDays if definition.quote.is_some() => PublicationSchedule::SameDay,
            Rhythm::BusinessDays => PublicationSchedule::NextDay,
            // Rates of a month, known once it has ended: monthly Selic and CDI, savings, TJLP.
            Rhythm::Monthly => PublicationSchedule::Monthly(5),
        },
    })
}

/// The same for the figure of one day, which may be the first after a meeting.
pub(super) fn schedule_of_day(
    snapshot: &Snapshot,
    number: u32,
    day: Date,
) -> Result<Option<PublicationSchedule>> {
    Ok(match schedule(number) {
        Some(PublicationSchedule::Ahead)
            if Meetings::of(snapshot)?.decide_on(day.days_before(1)) =>
        {
            Some(PublicationSchedule::AheadButFor(day))
        }
        other => other,
    })
}

/// The newest observation of a series that its source must have published; `None` where too little is known.
pub(crate) fn newest_expected(snapshot: &Snapshot, number: u32) -> Result<Option<Date>> {
    let schedule = match schedule_of_day(snapshot, number, snapshot.today())? {
        Some(schedule) => Some(schedule),
        None => usual_gap(snapshot, number)?.map(PublicationSchedule::Gaps),
    };
    Ok(schedule.map(|schedule| schedule.newest_expected(snapshot.today())))
}

/// The newest exchange rate that the central bank must have published.
pub(crate) fn expected_quote(today: Date) -> Date {
    PublicationSchedule::SameDay.newest_expected(today)
}

/// The median of the days between the newest observations; `None` if there are only a few.
pub(super) fn usual_gap(snapshot: &Snapshot, number: u32) -> Result<Option<u32>> {
    const SQL: &str = "SELECT date FROM rate WHERE series = ?1 AND date <= ?2
        ORDER BY date DESC LIMIT ?3";
    let today = snapshot.today().to_string();
    let days: Vec<Option<Date>> =
        snapshot.rows(SQL, (number, today, NEWEST_OBSERVATIONS), |row| read_day(row, 0))?;
    let days: Vec<i32> = days.into_iter().flatten().map(Date::day_number).collect();
    let mut gaps: Vec<u32> = days.windows(2).map(|pair| pair[0].abs_diff(pair[1])).collect();
    gaps.sort_unstable();
    Ok(if gaps.len() < 3 { None } else { Some(gaps[gaps.len() / 2]) })
}

/// The source of a series, with its freshness. That is the freshness of the whole series, whichever part of it is
/// queried.
pub(super) fn of_series(
    snapshot: &Snapshot,
    number: u32,
    newest: Option<Date>,
    meta: Meta,
) -> Result<Meta> {
    let meta = with_knowledge(snapshot, meta);
    if meta.as_of.is_some() {
        return Ok(meta);
    }
    let expected = newest_expected(snapshot, number)?;
    let updated_at = sync_record(snapshot, &series_definitions::dataset(number))?.updated_at;
    Ok(Meta { updated_at, stale: Some(is_stale(newest, expected)), ..meta })
}

/// The source of exchange rates, with the freshness of a pair whose newest quote this is.
pub(super) fn of_pair(snapshot: &Snapshot, newest: Option<Date>, meta: Meta) -> Result<Meta> {
    let meta = with_knowledge(snapshot, meta);
    if meta.as_of.is_some() {
        return Ok(meta);
    }
    let expected = expected_quote(snapshot.today());
    let updated_at = sync_record(snapshot, FX)?.updated_at;
    Ok(Meta { updated_at, stale: Some(is_stale(newest, Some(expected))), ..meta })
}

/// The source of what a snapshot knows. Whether the past was fresh is not told.
fn with_knowledge(snapshot: &Snapshot, meta: Meta) -> Meta {
    match snapshot.knowledge() {
        Knowledge::Present => meta,
        Knowledge::AsOf(day) => Meta { as_of: Some(day), ..meta },
        Knowledge::FirstRelease => Meta { first_release: true, ..meta },
    }
}

/// Whether there should be newer data.
pub(crate) fn is_stale(newest: Option<Date>, expected: Option<Date>) -> bool {
    expected.is_some_and(|expected| newest.is_none_or(|newest| newest < expected))
}

/// A day that cannot be read counts as missing: it must not make an answer fail.
pub(super) fn read_day(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Date>> {
    Ok(row.get::<_, Option<String>>(column)?.and_then(|text| text.parse().ok()))
}

/// A series in the catalogue, up to the snapshot's date.
#[derive(Debug)]
pub(crate) struct StoredSeries {
    pub(crate) number: u32,
    pub(crate) rows: u64,
    pub(crate) first: Option<Date>,
    pub(crate) newest: Option<Date>,
    /// Where the newest observation comes from.
    pub(crate) source: String,
}

/// Every series that has observations, by number. Series that are exchange rates are stored as quotes.
pub(crate) fn stored_series(snapshot: &Snapshot) -> Result<Vec<StoredSeries>> {
    // The third column is that of the newest row.
    const SQL: &str = "SELECT series, COUNT(*), computed, MAX(date),
            (SELECT date FROM rate AS first WHERE first.series = rate.series ORDER BY date LIMIT 1)
        FROM rate WHERE date <= ?1 GROUP BY series ORDER BY series";
    snapshot.rows(SQL, [snapshot.today().to_string()], |row| {
        let (number, computed): (u32, bool) = (row.get(0)?, row.get(2)?);
        let computed_from =
            series_definitions::definition(number).and_then(|series| series.computed_from);
        Ok(StoredSeries {
            number,
            rows: row.get::<_, i64>(1)?.unsigned_abs(),
            first: read_day(row, 4)?,
            newest: read_day(row, 3)?,
            source: format!("BCB SGS {}", computed_from.filter(|_| computed).unwrap_or(number)),
        })
    })
}
