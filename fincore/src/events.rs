//! What was published: the change log as events.
//!
//! An [`Event`] says that a rate, a decision on the Selic, a quote, a company or a filing is new or has changed. [`list`] reads the events
//! after a [`Cursor`], oldest first; each answer has the cursor to go on with. [`latest_cursor`] is where a client starts
//! that only wants future events. The log keeps 90 days. What was published long before it came in is no event: an
//! [`EventWindow`] says how long.
//!
//! ```
//! use fincore::{Import, events::{self, EventWindow, EventsQuery}};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
//! let mut import = Import::begin(&catalogue, "2026-11-15T12:00:00Z".parse().unwrap())?;
//! import.file("bcdata.sgs.433.json", br#"[{"data":"01/10/2026","valor":"-0.11"}]"#)?;
//! import.commit()?;
//!
//! let snapshot = catalogue.snapshot("2026-11-15".parse()?)?;
//! let news = events::list(&snapshot, EventWindow::default(), EventsQuery::default())?;
//! assert_eq!(news.data[0].kind, "rate.published");
//! assert_eq!(
//!     news.data[0].data.get(),
//!     r#"{"series":"ipca","number":433,"date":"2026-10-01","value":-0.11,"unit":"percent per month","change":"added"}"#
//! );
//!
//! let query = EventsQuery { since: Some(news.next), ..Default::default() };
//! assert!(events::list(&snapshot, EventWindow::default(), query)?.data.is_empty());
//! # Ok::<(), fincore::Error>(())
//! ```
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{catalogue::Snapshot, error::Result, types::Limit};

pub(crate) mod change_log;
pub(crate) mod cursor;
mod event_type;
mod event_window;
pub(crate) mod payload;

use change_log::BatchBounds;
pub use cursor::Cursor;
use cursor::LogPosition;
pub use event_type::EventType;
pub use event_window::EventWindow;

/// How many entries of the change log are read for each event of the limit.
const ENTRIES_AN_EVENT: usize = 20;

/// A query for events; by default the oldest hundred.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventsQuery {
    /// Only events after this cursor; by default all that the change log has.
    #[serde(default)]
    pub since: Option<Cursor>,
    /// The most events to return, 100 by default.
    #[serde(default = "hundred")]
    pub limit: Limit<1000>,
}

impl Default for EventsQuery {
    fn default() -> EventsQuery {
        EventsQuery { since: None, limit: hundred() }
    }
}

fn hundred() -> Limit<1000> {
    Limit::new(100).expect("100 is less than 1000")
}

/// Something that was published.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Event {
    /// Its id, which is also the cursor after it.
    pub id: Cursor,
    /// Its type, as text: `filing.published`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// When it came in.
    pub timestamp: DateTime<Utc>,
    /// What was published, as JSON with all published digits.
    pub data: Box<RawValue>,
}

/// Events, oldest first.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Events {
    /// The events.
    pub data: Vec<Event>,
    /// The cursor after them: the next `since`.
    pub next: Cursor,
    /// Whether there are more after these already. There may be, even if `data` is empty: one call reads a bounded part
    /// of the log, and not every change is an event.
    #[serde(skip)]
    pub more: bool,
}

/// Events of a window after a cursor, oldest first. Each has the present data, also for days after the snapshot's date; what was
/// removed meanwhile is left out.
///
/// Fails if the change log does not reach back to the cursor.
pub fn list(snapshot: &Snapshot, window: EventWindow, query: EventsQuery) -> Result<Events> {
    let after = match query.since {
        Some(cursor) => cursor.position(snapshot)?,
        None => LogPosition::oldest(snapshot)?,
    };
    let limit = query.limit.get() as usize;
    let bounds = BatchBounds { events: limit, entries: limit * ENTRIES_AN_EVENT };
    let batch = change_log::read_batch(snapshot, after, bounds, (window, |_| true))?;
    let catalogue = snapshot.catalogue_id()?;
    let data = batch.events.into_iter().map(|event| Event {
        id: Cursor::new(&catalogue, event.position),
        kind: event.kind.as_str(),
        timestamp: event.time,
        data: event.payload.data,
    });
    Ok(Events {
        data: data.collect(),
        next: Cursor::new(&catalogue, batch.position),
        more: batch.more,
    })
}

/// The cursor after the newest event, for clients that only want future events.
pub fn latest_cursor(snapshot: &Snapshot) -> Result<Cursor> {
    Ok(Cursor::new(&snapshot.catalogue_id()?, LogPosition::newest(snapshot)?))
}

#[cfg(test)]
#[cfg(feature = "import")]
pub(crate) mod tests;
