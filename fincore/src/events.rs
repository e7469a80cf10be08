//! What was published: the change log as events.
//!
//! An [`Event`] says that a rate, a quote, a company or a filing is new or has changed. [`since`] reads the events
//! after a [`Cursor`], oldest first; each answer has the cursor to go on with. [`now`] is the place to start from for
//! those who only want to know what comes next. The log forgets what is older than 90 days.
//!
//! ```
//! use fincore::{Import, events::{self, EventsQuery}};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
//! let mut import = Import::begin(&catalogue, "2026-11-15T12:00:00Z".parse().unwrap())?;
//! import.file("bcdata.sgs.433.json", br#"[{"data":"01/08/2026","valor":"-0.11"}]"#)?;
//! import.commit()?;
//!
//! let snapshot = catalogue.snapshot("2026-11-15".parse()?)?;
//! let news = events::since(&snapshot, EventsQuery::default())?;
//! assert_eq!(news.data[0].kind, "rate.published");
//! assert_eq!(
//!     news.data[0].data.get(),
//!     r#"{"series":"ipca","number":433,"date":"2026-08-01","value":-0.11,"unit":"percent per month","change":"added"}"#
//! );
//!
//! let query = EventsQuery { since: Some(news.next), ..Default::default() };
//! assert!(events::since(&snapshot, query)?.data.is_empty());
//! # Ok::<(), fincore::Error>(())
//! ```
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{catalogue::Snapshot, error::Result, types::Limit};

pub(crate) mod content;
pub(crate) mod cursor;
mod kind;
pub(crate) mod log;

pub use cursor::Cursor;
use cursor::Place;
pub use kind::EventType;
use log::Bounds;

/// How many entries of the change log are looked at for one event that is asked for.
const ENTRIES_AN_EVENT: usize = 20;

/// A query for events; by default the oldest hundred.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventsQuery {
    /// Only events after this place; by default all that the change log has.
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
    /// Its id, which is also its place.
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
    /// The place after them: the next `since`.
    pub next: Cursor,
    /// Whether there are more after these already. There may be, even if `data` is empty: a step is bounded, and
    /// not every change is an event.
    #[serde(skip)]
    pub more: bool,
}

/// Events after a place, oldest first. What they say is what the data has now, also for days after the snapshot's
/// date; what is gone by now is left out.
///
/// Fails if the events after the place are not known any more.
pub fn since(snapshot: &Snapshot, query: EventsQuery) -> Result<Events> {
    let after = match query.since {
        Some(cursor) => cursor.place(snapshot)?,
        None => Place::oldest(snapshot)?,
    };
    let limit = query.limit.get() as usize;
    let bounds = Bounds { events: limit, entries: limit * ENTRIES_AN_EVENT };
    let step = log::read(snapshot, after, bounds, |_| true)?;
    let catalogue = snapshot.catalogue_id()?;
    let data = step.events.into_iter().map(|found| Event {
        id: Cursor::new(&catalogue, found.place),
        kind: found.kind.as_str(),
        timestamp: found.time,
        data: found.content.data,
    });
    Ok(Events { data: data.collect(), next: Cursor::new(&catalogue, step.place), more: step.more })
}

/// The place after the newest event: for those who only want to know what comes next.
pub fn now(snapshot: &Snapshot) -> Result<Cursor> {
    Ok(Cursor::new(&snapshot.catalogue_id()?, Place::newest(snapshot)?))
}

#[cfg(test)]
#[cfg(feature = "import")]
pub(crate) mod tests;
