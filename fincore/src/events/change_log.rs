//! Reads events from the change log, in batches of bounded size.
use chrono::{DateTime, Utc};
use rusqlite::Row;

use super::{
    cursor::LogPosition,
    event_type::EventType,
    event_window::EventWindow,
    payload::{self, EventPayload},
};
use crate::{
    catalogue::{Change, Snapshot},
    error::Result,
};

/// How many entries are read from the log at a time.
const BATCH: usize = 128;

/// An event, and its position in the log.
#[derive(Debug)]
pub(crate) struct LoggedEvent {
    pub(crate) position: LogPosition,
    pub(crate) kind: EventType,
    pub(crate) time: DateTime<Utc>,
    pub(crate) payload: EventPayload,
}

/// The most that one batch reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchBounds {
    pub(crate) events: usize,
    /// Entries of the log, of which not all are events.
    pub(crate) entries: usize,
}

/// The events of one batch.
#[derive(Debug)]
pub(crate) struct EventBatch {
    pub(crate) events: Vec<LoggedEvent>,
    /// The position after the last entry that was read.
    pub(crate) position: LogPosition,
    /// Whether there is more after it already.
    pub(crate) more: bool,
    /// How many changes were published too long before they came in to be events.
    pub(crate) left_out: u64,
}

/// Reads the events of a window after a position whose types are `wanted`, oldest first.
pub(crate) fn read_batch(
    snapshot: &Snapshot,
    after: LogPosition,
    bounds: BatchBounds,
    (window, wanted): (EventWindow, impl Fn(EventType) -> bool),
) -> Result<EventBatch> {
    let mut batch = EventBatch { events: Vec::new(), position: after, more: true, left_out: 0 };
    let mut left = bounds.entries;
    while left > 0 && batch.events.len() < bounds.events {
        let entries = read_entries(snapshot, &batch.position, left.min(BATCH))?;
        if entries.is_empty() {
            break;
        }
        for entry in entries {
            left -= 1;
            batch.position = entry.position.clone();
            let Some(event) = entry.into_event(snapshot, &wanted)? else { continue };
            match event.payload.published {
                Some(day) if !window.includes(day, event.time) => batch.left_out += 1,
                Some(_) | None => batch.events.push(event),
            }
            if batch.events.len() == bounds.events {
                break;
            }
        }
    }
    batch.more = !read_entries(snapshot, &batch.position, 1)?.is_empty();
    if !batch.more {
        batch.position = LogPosition::newest(snapshot)?.max(batch.position);
    }
    Ok(batch)
}

/// An entry of the log. Time and change are missing where they cannot be read.
struct Entry {
    position: LogPosition,
    time: Option<DateTime<Utc>>,
    change: Option<Change>,
}

impl Entry {
    /// The event of this entry, if it is one of a wanted type.
    fn into_event(
        self,
        snapshot: &Snapshot,
        wanted: impl Fn(EventType) -> bool,
    ) -> Result<Option<LoggedEvent>> {
        let (Some(time), Some(change)) = (self.time, self.change) else { return Ok(None) };
        let kind = payload::event_type(&self.position.dataset, change);
        let Some(kind) = kind.filter(|kind| wanted(*kind)) else { return Ok(None) };
        let payload = payload::load(snapshot, kind, &self.position, change)?;
        Ok(payload.map(|payload| LoggedEvent { position: self.position, kind, time, payload }))
    }
}

/// The entries after a position, in the order of the log.
fn read_entries(snapshot: &Snapshot, after: &LogPosition, limit: usize) -> Result<Vec<Entry>> {
    const SQL: &str = "SELECT change.version, dataset, key, kind, time
        FROM change LEFT JOIN revision ON revision.version = change.version
        WHERE (change.version, dataset, key) > (?1, ?2, ?3)
        ORDER BY change.version, dataset, key LIMIT ?4";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    snapshot.rows(SQL, (after.sql_version(), &after.dataset, &after.key, limit), read_entry)
}

fn read_entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let version = row.get::<_, i64>(0)?.unsigned_abs();
    let time: Option<String> = row.get(4)?;
    Ok(Entry {
        position: LogPosition { version, dataset: row.get(1)?, key: row.get(2)? },
        time: time.and_then(|time| time.parse().ok()),
        change: Change::of_code(row.get(3)?),
    })
}
