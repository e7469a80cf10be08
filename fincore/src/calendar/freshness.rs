//! How new data should be: when each source publishes, and when each dataset was last synchronised.
//!
//! The rules are here; which series follows which is in `market/freshness.rs`. They go by days, not by hours, so that an answer cannot become stale
//! within a day: the tag of an answer stays true. Each allows the source its usual delay and a little more,
//! because a dataset that is called stale every other morning is soon ignored.
use std::collections::HashMap;

use chrono::{DateTime, Utc};
use rusqlite::Row;

use crate::{
    calendar,
    store::Snapshot,
    values::{Date, Result},
};

/// When a source publishes its figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PublicationSchedule {
    /// The figure of a day is published before it begins: the Selic target, up to the next meeting of Copom.
    Ahead,
    /// As [`Ahead`](Self::Ahead), but this day is the first one after a meeting: its figure is published in the evening
    /// before, about 18:30, so it must be there once the day has ended.
    AheadButFor(Date),
    /// The figure of a business day is published in its afternoon: the PTAX closing bulletin. So that of the last
    /// business day before today is there.
    SameDay,
    /// The figure of a business day is published in the morning of the next one: Selic and CDI. So on any day
    /// that of the second last business day is there, however early it is.
    NextDay,
    /// As [`PublicationSchedule::NextDay`], but the last days of a month have no figure: savings accounts opened on the 29th, 30th
    /// or 31st count as opened on the 1st.
    NextDayTo28,
    /// The figure of a month is published by this day of the next month. Some days of grace are in it, because
    /// publication moves with weekends and holidays.
    Monthly(u8),
    /// The figure of a month is published by this day of the month after the next.
    LateMonthly(u8),
    /// A source whose schedule is unknown, with figures that have been this many days apart. It is stale once three of
    /// them are missing, and a week has passed for weekends and holidays.
    Gaps(u32),
    /// CVM rebuilds the filings of the year every Sunday, and companies file on every business day. So those of
    /// the last business day that is at least ten days ago are there.
    Weekly,
}

/// How many figures in a row may be missing if the schedule is unknown.
const MISSING_FIGURES: u32 = 3;

impl PublicationSchedule {
    /// The newest day or month for which there must be a figure.
    pub(crate) fn newest_expected(self, today: Date) -> Date {
        let before = |day| calendar::previous(day).unwrap_or(Date::MIN);
        match self {
            PublicationSchedule::AheadButFor(day) if day == today => today.days_before(1),
            PublicationSchedule::Ahead | PublicationSchedule::AheadButFor(_) => today,
            PublicationSchedule::SameDay => before(today),
            PublicationSchedule::NextDay => before(before(today)),
            PublicationSchedule::NextDayTo28 => {
                let day = before(before(today));
                Date::new(day.year(), day.month(), day.day().min(28)).unwrap_or(day)
            }
            PublicationSchedule::Monthly(due) => {
                months_before(today, if today.day() >= due { 1 } else { 2 })
            }
            PublicationSchedule::LateMonthly(due) => {
                months_before(today, if today.day() >= due { 2 } else { 3 })
            }
            PublicationSchedule::Gaps(gap) => {
                today.days_before(gap.saturating_mul(MISSING_FIGURES).saturating_add(7))
            }
            PublicationSchedule::Weekly => before(today.days_before(9)),
        }
    }

    /// The first day on which a newer figure than this one must be there.
    pub(crate) fn due_after(self, newest: Date) -> Option<Date> {
        let days = newest.day_number()..newest.day_number() + LONGEST_WAIT;
        days.filter_map(Date::from_day_number).find(|day| self.newest_expected(*day) > newest)
    }
}

/// The longest time that a schedule leaves between two figures, in days, and more.
const LONGEST_WAIT: i32 = 120;

/// The first day of the month `months` before that of a day.
fn months_before(day: Date, months: u32) -> Date {
    (0..months).fold(day.first_of_month(), |month, _| month.days_before(1).first_of_month())
}

/// The newest event that the registry of companies must have.
///
/// CVM publishes it every day, but weeks may pass without an event: up to 40 days since 2018. So the registry is current if
/// it was compared with its source in the last seven days, unless its newest event is older than 45 days. Otherwise an event
/// of the last seven days is expected.
pub(crate) fn expected_event(today: Date, newest: Option<Date>, looked: Option<Date>) -> Date {
    let (week, quiet) = (today.days_before(7), today.days_before(45));
    match (newest, looked) {
        (Some(newest), Some(looked)) if looked >= week => newest.clamp(quiet, week),
        _ => week,
    }
}

/// When a dataset last changed, and how synchronising it went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SyncRecord {
    /// When its rows last changed.
    pub(crate) updated_at: Option<DateTime<Utc>>,
    /// When it was last synchronised with its source.
    pub(crate) succeeded_at: Option<DateTime<Utc>>,
    /// When that was last attempted.
    pub(crate) tried_at: Option<DateTime<Utc>>,
    /// The error of the last attempt.
    pub(crate) error: Option<String>,
    /// Notes on its files, the newest first.
    pub(crate) notes: Vec<String>,
    /// How many rows of them were left out.
    pub(crate) left_out: u64,
}

impl SyncRecord {
    /// The last day, in Brasília, on which the dataset was known to agree with its source.
    pub(crate) fn last_checked_on(&self) -> Option<Date> {
        self.succeeded_at.max(self.updated_at).map(Date::in_brasilia)
    }
}

/// The records of all datasets, by name.
struct SyncRecords(HashMap<String, SyncRecord>);

/// The record of the dataset with this name.
pub(crate) fn sync_record(snapshot: &Snapshot, dataset: &str) -> Result<SyncRecord> {
    let SyncRecords(records) = &*snapshot.memo(|_| records(snapshot))?;
    Ok(records.get(dataset).cloned().unwrap_or_default())
}

fn records(snapshot: &Snapshot) -> Result<SyncRecords> {
    const SQL: &str = "SELECT name, updated_at, succeeded_at, tried_at, error FROM dataset";
    let read = |row: &Row<'_>| {
        let record = SyncRecord {
            updated_at: time(row, 1)?,
            succeeded_at: time(row, 2)?,
            tried_at: time(row, 3)?,
            error: row.get(4)?,
            ..SyncRecord::default()
        };
        Ok((row.get(0)?, record))
    };
    let mut records: HashMap<String, SyncRecord> =
        snapshot.rows(SQL, [], read)?.into_iter().collect();
    add_notes(snapshot, &mut records)?;
    Ok(SyncRecords(records))
}

/// Adds the notes on files, each with the name of its file.
fn add_notes(snapshot: &Snapshot, records: &mut HashMap<String, SyncRecord>) -> Result<()> {
    const SQL: &str = "SELECT dataset, file, left_out, notes FROM import_note
        ORDER BY dataset, time DESC, file";
    let read = |row: &Row<'_>| {
        let (file, notes): (String, String) = (row.get(1)?, row.get(3)?);
        let notes: Vec<String> = notes.lines().map(|note| format!("{file}: {note}")).collect();
        Ok((row.get::<_, String>(0)?, row.get::<_, i64>(2)?.unsigned_abs(), notes))
    };
    for (dataset, left_out, notes) in snapshot.rows(SQL, [], read)? {
        let record = records.entry(dataset).or_default();
        record.left_out = record.left_out.saturating_add(left_out);
        record.notes.extend(notes);
    }
    Ok(())
}

/// A time that cannot be read counts as missing.
fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<DateTime<Utc>>> {
    let text: Option<String> = row.get(column)?;
    Ok(text.and_then(|text| text.parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Date {
        text.parse().unwrap()
    }

    #[test]
    fn says_when_the_next_figure_is_due() {
        let cases = [
            // A Friday: that of Monday is certain on Tuesday, and published in the morning after on Wednesday.
            (PublicationSchedule::SameDay, "2026-11-13", Some("2026-11-17")),
            (PublicationSchedule::NextDay, "2026-11-13", Some("2026-11-18")),
            (PublicationSchedule::Ahead, "2026-11-13", Some("2026-11-14")),
            // The meeting of 4 November: the target of the 5th must be there on the 6th.
            (PublicationSchedule::AheadButFor(day("2026-11-05")), "2026-11-04", Some("2026-11-06")),
            (PublicationSchedule::AheadButFor(day("2026-11-05")), "2026-11-03", Some("2026-11-04")),
            (PublicationSchedule::AheadButFor(day("2026-11-05")), "2026-11-05", Some("2026-11-06")),
            (PublicationSchedule::Monthly(15), "2026-08-01", Some("2026-10-15")),
            (PublicationSchedule::LateMonthly(22), "2026-08-01", Some("2026-11-22")),
            (PublicationSchedule::SameDay, "9999-12-31", None),
        ];
        for (schedule, newest, due) in cases {
            assert_eq!(schedule.due_after(day(newest)), due.map(day), "{schedule:?} {newest}");
        }
    }

    #[test]
    fn expects_what_sources_have_published() {
        let cases = [
            // A Sunday that is a holiday, the Monday after it, and the Tuesday.
            (PublicationSchedule::Ahead, "2026-11-15", "2026-11-15"),
            (PublicationSchedule::AheadButFor(day("2026-11-05")), "2026-11-04", "2026-11-04"),
            (PublicationSchedule::AheadButFor(day("2026-11-05")), "2026-11-05", "2026-11-04"),
            (PublicationSchedule::AheadButFor(day("2026-11-05")), "2026-11-06", "2026-11-06"),
            (PublicationSchedule::SameDay, "2026-11-15", "2026-11-13"),
            (PublicationSchedule::SameDay, "2026-11-16", "2026-11-13"),
            (PublicationSchedule::SameDay, "2026-11-17", "2026-11-16"),
            (PublicationSchedule::NextDay, "2026-11-15", "2026-11-12"),
            (PublicationSchedule::NextDay, "2026-11-16", "2026-11-12"),
            (PublicationSchedule::NextDay, "2026-11-17", "2026-11-13"),
            // Ash Wednesday, after Carnival.
            (PublicationSchedule::SameDay, "2026-02-18", "2026-02-13"),
            (PublicationSchedule::NextDay, "2026-02-18", "2026-02-12"),
            (PublicationSchedule::NextDayTo28, "2026-11-03", "2026-10-28"),
            (PublicationSchedule::NextDayTo28, "2026-11-17", "2026-11-13"),
            (PublicationSchedule::Monthly(15), "2026-11-14", "2026-09-01"),
            (PublicationSchedule::Monthly(15), "2026-11-15", "2026-10-01"),
            (PublicationSchedule::Monthly(15), "2027-01-14", "2026-11-01"),
            (PublicationSchedule::Monthly(15), "2027-01-15", "2026-12-01"),
            (PublicationSchedule::LateMonthly(22), "2026-11-21", "2026-08-01"),
            (PublicationSchedule::LateMonthly(22), "2026-11-22", "2026-09-01"),
            (PublicationSchedule::LateMonthly(3), "2027-01-03", "2026-11-01"),
            (PublicationSchedule::Gaps(1), "2026-11-15", "2026-11-05"),
            (PublicationSchedule::Gaps(31), "2026-11-15", "2026-08-07"),
            (PublicationSchedule::Weekly, "2026-11-15", "2026-11-05"),
        ];
        for (schedule, today, expected) in cases {
            assert_eq!(
                schedule.newest_expected(day(today)),
                day(expected),
                "{schedule:?} on {today}"
            );
        }
        for schedule in [
            PublicationSchedule::NextDay,
            PublicationSchedule::Monthly(15),
            PublicationSchedule::LateMonthly(15),
            PublicationSchedule::Gaps(u32::MAX),
            PublicationSchedule::Weekly,
        ] {
            assert_eq!(schedule.newest_expected(Date::MIN), Date::MIN, "{schedule:?}");
        }
    }

    #[test]
    fn a_registry_that_was_looked_at_is_current_unless_it_is_very_old() {
        let cases = [
            // Newest event, last look, expected.
            (Some("2026-11-10"), None, "2026-11-08"),
            (Some("2026-10-20"), None, "2026-11-08"),
            (Some("2026-10-20"), Some("2026-11-07"), "2026-11-08"),
            (Some("2026-10-20"), Some("2026-11-08"), "2026-10-20"),
            (Some("2026-05-19"), Some("2026-11-15"), "2026-10-01"),
            (None, Some("2026-11-15"), "2026-11-08"),
        ];
        for (newest, looked, expected) in cases {
            let wanted = expected_event(day("2026-11-15"), newest.map(day), looked.map(day));
            assert_eq!(wanted, day(expected), "{newest:?} {looked:?}");
        }
    }
}
