//! The calendar of the monetary policy committee (Copom): its meetings, past and announced.
use std::sync::Arc;

use rusqlite::Connection;
use serde::Serialize;

#[cfg(any(feature = "bundle", feature = "import"))]
use crate::catalogue::{Tally, Writer};
use crate::{catalogue::Snapshot, error::Result, sqlite::parsed, types::Date};

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
pub(super) fn day_after(day: Date) -> Date {
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
    pub(super) fn read(connection: &Connection) -> Result<Meetings> {
        const SQL: &str = "SELECT first_day, second_day FROM copom_meeting ORDER BY second_day";
        let mut statement = connection.prepare_cached(SQL)?;
        let read = statement.query_map([], |row| {
            Ok((parsed::<Date>(row, 0).ok()).zip(parsed::<Date>(row, 1).ok()))
        })?;
        let days = read.collect::<rusqlite::Result<Vec<_>>>()?.into_iter().flatten();
        let meeting = |(first_day, second_day)| Meeting { first_day, second_day };
        Ok(Meetings(days.map(meeting).collect()))
    }

    /// Whether a meeting decides on this day.
    pub(super) fn decide_on(&self, day: Date) -> bool {
        self.0.binary_search_by_key(&day, |meeting| meeting.second_day).is_ok()
    }
}

/// Stores a calendar. It replaces the meetings of its years, but for those that took place before its first one: a calendar
/// may begin within a year.
#[cfg(feature = "import")]
pub(crate) fn replace(writer: &Writer, meetings: &[Meeting], today: Date) -> Result<Tally> {
    let years: Vec<u16> = meetings.iter().map(|meeting| meeting.second_day.year()).collect();
    let first = meetings.iter().map(|meeting| meeting.first_day).min().unwrap_or(Date::MAX);
    let mut tally = Tally::default();
    for stored in Meetings::read(writer.connection())?.0 {
        let is_given = meetings.iter().any(|meeting| meeting.second_day == stored.second_day);
        let took_place = stored.second_day < first.min(today);
        if years.contains(&stored.second_day.year()) && !is_given && !took_place {
            const REMOVE: &str = "DELETE FROM copom_meeting WHERE second_day = ?1";
            writer.prepare(REMOVE)?.execute([stored.second_day.to_string()])?;
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
#[cfg(feature = "bundle")]
pub(crate) fn fill(writer: &Writer, meetings: &[Meeting]) -> Result<Tally> {
    let known = Meetings::read(writer.connection())?.0;
    let mut tally = Tally::default();
    for meeting in meetings {
        let is_same_year = |known: &Meeting| known.second_day.year() == meeting.second_day.year();
        tally += match known.iter().any(is_same_year) {
            true => Tally::UNCHANGED,
            false => write(writer, *meeting)?,
        };
    }
    if tally.is_change() {
        writer.touch(COPOM);
    }
    Ok(tally)
}

#[cfg(any(feature = "bundle", feature = "import"))]
fn write(writer: &Writer, meeting: Meeting) -> Result<Tally> {
    const FIND: &str = "SELECT first_day FROM copom_meeting WHERE second_day = ?1";
    const WRITE: &str =
        "INSERT OR REPLACE INTO copom_meeting (second_day, first_day) VALUES (?1, ?2)";
    let [first, second] = [meeting.first_day, meeting.second_day].map(|day| day.to_string());
    let mut find = writer.prepare(FIND)?;
    let mut rows = find.query([&second])?;
    let tally = match rows.next()? {
        Some(row) if row.get_ref(0)?.as_str() == Ok(&first) => return Ok(Tally::UNCHANGED),
        Some(_) => Tally::CHANGED,
        None => Tally::NEW,
    };
    writer.prepare(WRITE)?.execute([&second, &first])?;
    Ok(tally)
}
