//! How fresh each series is.
use std::sync::Arc;

use rusqlite::{Connection, Row};
use serde::Serialize;

use crate::{
    answers::Meta,
    calendar::{PublicationSchedule, freshness::sync_record},
    market::{
        Rhythm,
        series_definitions::{
            self, CDI, CDI_DAILY, IGP_M, IGP_M_UNROUNDED, IPCA, IPCA_12_MONTHS, OLD_SAVINGS,
            SAVINGS, SELIC,
        },
    },
    store::{Knowledge, Snapshot, Tally, Writer},
    values::{Currency, Date, Result},
};

/// The dataset of all exchange rates.
pub(crate) const FX: &str = "fx";

/// How many of the newest observations show the rhythm of a series without a definition.
const NEWEST_OBSERVATIONS: u32 = 13;

/// When the central bank publishes the figures of a series; `None` for one without a definition, and for one that is brought
/// on demand: its own rhythm shows it.
pub(crate) fn schedule(number: u32) -> Option<PublicationSchedule> {
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

/// The schedule for the figure of one day, which may be the first after a meeting.
pub(crate) fn schedule_of_day(
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
pub(crate) fn usual_gap(snapshot: &Snapshot, number: u32) -> Result<Option<u32>> {
    const SQL: &str = "SELECT date FROM rate WHERE series = ?1 AND date <= ?2
        ORDER BY date DESC LIMIT ?3";
    let today = snapshot.today();
    let days: Vec<Option<Date>> =
        snapshot.rows(SQL, (number, today, NEWEST_OBSERVATIONS), |row| read_day(row, 0))?;
    let days: Vec<i32> = days.into_iter().flatten().map(Date::day_number).collect();
    let mut gaps: Vec<u32> = days.windows(2).map(|pair| pair[0].abs_diff(pair[1])).collect();
    gaps.sort_unstable();
    Ok(if gaps.len() < 3 { None } else { Some(gaps[gaps.len() / 2]) })
}

/// The source of a series, with its freshness. That is the freshness of the whole series, whichever part of it is
/// queried.
pub(crate) fn of_series(
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
pub(crate) fn of_pair(snapshot: &Snapshot, newest: Option<Date>, meta: Meta) -> Result<Meta> {
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

pub(crate) fn is_stale(newest: Option<Date>, expected: Option<Date>) -> bool {
    expected.is_some_and(|expected| newest.is_none_or(|newest| newest < expected))
}

/// A day that cannot be read counts as missing: it must not make an answer fail.
pub(crate) fn read_day(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Date>> {
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
    snapshot.rows(SQL, [snapshot.today()], |row| {
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

/// The days with closing quotes of at least this many currencies, newest first.
pub fn days_with_currencies(snapshot: &Snapshot, at_least: u32) -> Result<Vec<Date>> {
    const SQL: &str =
        "SELECT date FROM fx WHERE date <= ?1 AND buy IS NOT NULL AND sell IS NOT NULL
        GROUP BY date HAVING COUNT(*) >= ?2 ORDER BY date DESC";
    snapshot.rows(SQL, (snapshot.today(), at_least), |row| row.get(0))
}

/// The years in which a currency has closing quotes with both sides, in order.
pub fn years_with_quotes(snapshot: &Snapshot, currency: Currency) -> Result<Vec<u16>> {
    const SQL: &str = "SELECT DISTINCT CAST(substr(date, 1, 4) AS INTEGER) FROM fx
        WHERE currency = ?1 AND date <= ?2 AND buy IS NOT NULL AND sell IS NOT NULL ORDER BY 1";
    let today = snapshot.today();
    snapshot.rows(SQL, (currency, today), |row| row.get(0))
}

/// The dataset of the meetings.
pub(crate) const COPOM: &str = "copom";

/// A meeting of the monetary policy committee (Copom), which takes two days.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct Meeting {
    /// The first day.
    pub first_day: Date,
    /// The second day, in whose evening the decision is published.
    pub second_day: Date,
}

impl Meeting {
    /// The day from which its decision is in force.
    pub(crate) fn effective_from(self) -> Date {
        day_after(self.second_day)
    }
}

/// The day after this one, but not after [`Date::MAX`].
pub(crate) fn day_after(day: Date) -> Date {
    Date::from_day_number(day.day_number() + 1).unwrap_or(Date::MAX)
}

/// All meetings that are known, the oldest first.
pub(crate) struct Meetings(pub(crate) Vec<Meeting>);

impl Meetings {
    /// Those of the calendar, which are read once.
    pub(crate) fn of(snapshot: &Snapshot) -> Result<Arc<Meetings>> {
        snapshot.memo(Meetings::read)
    }

    /// A meeting that cannot be read is left to a check of the file.
    pub(crate) fn read(connection: &Connection) -> Result<Meetings> {
        const SQL: &str = "SELECT first_day, second_day FROM copom_meeting ORDER BY second_day";
        let mut statement = connection.prepare_cached(SQL)?;
        let read = statement.query_map([], |row| {
            Ok((row.get::<_, Date>(0).ok()).zip(row.get::<_, Date>(1).ok()))
        })?;
        let days = read.collect::<rusqlite::Result<Vec<_>>>()?.into_iter().flatten();
        let meeting = |(first_day, second_day)| Meeting { first_day, second_day };
        Ok(Meetings(days.map(meeting).collect()))
    }

    fn decide_on(&self, day: Date) -> bool {
        self.0.binary_search_by_key(&day, |meeting| meeting.second_day).is_ok()
    }
}

/// Stores a calendar. It replaces the meetings of its years, but for those that took place before its first one: a calendar
/// may begin within a year.
pub(crate) fn replace(writer: &Writer, meetings: &[Meeting], today: Date) -> Result<Tally> {
    let years: Vec<u16> = meetings.iter().map(|meeting| meeting.second_day.year()).collect();
    let first = meetings.iter().map(|meeting| meeting.first_day).min().unwrap_or(Date::MAX);
    let mut tally = Tally::default();
    for stored in Meetings::read(writer.connection())?.0 {
        let is_given = meetings.iter().any(|meeting| meeting.second_day == stored.second_day);
        let took_place = stored.second_day < first.min(today);
        if years.contains(&stored.second_day.year()) && !is_given && !took_place {
            const REMOVE: &str = "DELETE FROM copom_meeting WHERE second_day = ?1";
            writer.prepare(REMOVE)?.execute([stored.second_day])?;
            tally += Tally::REMOVED;
        }
    }
    for meeting in meetings {
        tally += write(writer, *meeting)?;
    }
    if tally.is_change() {
        writer.touch(COPOM);
    }
    Ok(tally)
}

/// Stores the bundled calendar: the meetings of years of which none is known. A newer calendar may have moved the others.
pub(crate) fn fill(writer: &Writer, meetings: &[Meeting]) -> Result<Tally> {
    let known = Meetings::read(writer.connection())?.0;
    let mut tally = Tally::default();
    for meeting in meetings {
        let is_same_year = |known: &Meeting| known.second_day.year() == meeting.second_day.year();
        tally += if known.iter().any(is_same_year) {
            Tally::UNCHANGED
        } else {
            write(writer, *meeting)?
        };
    }
    if tally.is_change() {
        writer.touch(COPOM);
    }
    Ok(tally)
}

fn write(writer: &Writer, meeting: Meeting) -> Result<Tally> {
    const FIND: &str = "SELECT first_day FROM copom_meeting WHERE second_day = ?1";
    const WRITE: &str =
        "INSERT OR REPLACE INTO copom_meeting (second_day, first_day) VALUES (?1, ?2)";
    let mut find = writer.prepare(FIND)?;
    let mut rows = find.query([meeting.second_day])?;
    let tally = match rows.next()? {
        Some(row) if row.get(0).ok() == Some(meeting.first_day) => return Ok(Tally::UNCHANGED),
        Some(_) => Tally::CHANGED,
        None => Tally::NEW,
    };
    writer.prepare(WRITE)?.execute([meeting.second_day, meeting.first_day])?;
    Ok(tally)
}

#[cfg(test)]
mod coverage_tests {
    use crate::import::bundle;

    use super::*;

    #[test]
    fn tells_how_far_the_bundled_data_reaches() {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = bundle::filled_copy(dir.path()).unwrap();
        let snapshot = catalogue.snapshot("2026-09-30".parse().unwrap()).unwrap();
        let newest = |number| {
            crate::market::newest_day(&snapshot, number).unwrap().map(|day| day.to_string())
        };
        // The Selic also has days after that one; series 4389 has computed values only.
        assert_eq!(newest(432).as_deref(), Some("2026-09-30"));
        assert_eq!(newest(4389), None);
        assert_eq!(newest(10813).as_deref(), Some("2026-09-04"));
        assert_eq!(newest(99_999), None);
        let days = days_with_currencies(&snapshot, 20).unwrap();
        assert_eq!(days[0].to_string(), "2026-07-31");
        assert!(days.is_sorted_by(|newer, older| newer > older));
        let years = |code: &str| years_with_quotes(&snapshot, code.parse().unwrap()).unwrap();
        assert_eq!((years("ARS"), years("CHF")), (vec![2013, 2026], vec![2013, 2026]));
        assert_eq!((years("EUR"), years("XXX")), (vec![2013, 2025, 2026], vec![]));
    }
}
