//! Reads the change log from a place on, in steps of bounded size.
use chrono::{DateTime, Utc};
use rusqlite::Row;

use super::{
    EventType,
    content::{self, Content},
    cursor::Place,
};
use crate::{
    catalogue::{Change, Snapshot},
    error::Result,
};

/// How many entries are read from the log at a time.
const BATCH: usize = 128;

/// An event, and where it stands in the log.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) place: Place,
    pub(crate) kind: EventType,
    pub(crate) time: DateTime<Utc>,
    pub(crate) content: Content,
}

/// How much one step reads at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) events: usize,
    /// Entries of the log, most of which may be no events.
    pub(crate) entries: usize,
}

/// What one step has read.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) events: Vec<Found>,
    /// The place after all that was looked at.
    pub(crate) place: Place,
    /// Whether there is more after it already.
    pub(crate) more: bool,
}

/// Reads on after a place: the events of the types that are `wanted`, oldest first.
pub(crate) fn read(
    snapshot: &Snapshot,
    after: Place,
    bounds: Bounds,
    wanted: impl Fn(EventType) -> bool,
) -> Result<Step> {
    let mut step = Step { events: Vec::new(), place: after, more: true };
    let mut left = bounds.entries;
    while left > 0 && step.events.len() < bounds.events {
        let entries = entries(snapshot, &step.place, left.min(BATCH))?;
        if entries.is_empty() {
            break;
        }
        for entry in entries {
            left -= 1;
            step.place = entry.place.clone();
            step.events.extend(entry.event(snapshot, &wanted)?);
            if step.events.len() == bounds.events {
                break;
            }
        }
    }
    step.more = !entries(snapshot, &step.place, 1)?.is_empty();
    if !step.more {
        step.place = Place::newest(snapshot)?.max(step.place);
    }
    Ok(step)
}

/// An entry of the log. Time and change are missing where they cannot be read.
struct Entry {
    place: Place,
    time: Option<DateTime<Utc>>,
    change: Option<Change>,
}

impl Entry {
    /// The event that it is, if it is one.
    fn event(
        self,
        snapshot: &Snapshot,
        wanted: impl Fn(EventType) -> bool,
    ) -> Result<Option<Found>> {
        let (Some(time), Some(change)) = (self.time, self.change) else { return Ok(None) };
        let kind = content::kind(&self.place.dataset, change);
        let Some(kind) = kind.filter(|kind| wanted(*kind)) else { return Ok(None) };
        let content = content::content(snapshot, kind, &self.place, change)?;
        Ok(content.map(|content| Found { place: self.place, kind, time, content }))
    }
}

/// The entries after a place, in the order of the log.
fn entries(snapshot: &Snapshot, after: &Place, limit: usize) -> Result<Vec<Entry>> {
    const SQL: &str = "SELECT change.version, dataset, key, kind, time
        FROM change LEFT JOIN revision ON revision.version = change.version
        WHERE (change.version, dataset, key) > (?1, ?2, ?3)
        ORDER BY change.version, dataset, key LIMIT ?4";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    snapshot.rows(SQL, (after.sql_version(), &after.dataset, &after.key, limit), entry)
}

fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let version = row.get::<_, i64>(0)?.unsigned_abs();
    let time: Option<String> = row.get(4)?;
    Ok(Entry {
        place: Place { version, dataset: row.get(1)?, key: row.get(2)? },
        time: time.and_then(|time| time.parse().ok()),
        change: Change::of_code(row.get(3)?),
    })
}
