//! The change log as events.
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
use std::{fmt, str::FromStr};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{
    publish::events::payload::BatchBounds,
    store::{LogPosition, Snapshot},
    values::{Date, Error, Invalid, Limit, Result, Wanted, as_text},
};

pub(crate) mod payload;

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
    /// The published record, as JSON with all published digits.
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
    let batch = payload::read_batch(snapshot, after, bounds, window, |_| true)?;
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

/// The type of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventType {
    /// `rate.published`: an observation of a series is new or has another value.
    RatePublished,
    /// `selic.decided`: the monetary policy committee has decided on the Selic target.
    SelicDecided,
    /// `fx.published`: a closing quote is new or has other values.
    FxPublished,
    /// `company.created`: a company is new in the registry.
    CompanyCreated,
    /// `company.updated`: what the registry says of a company changed.
    CompanyUpdated,
    /// `filing.published`: a filing is new.
    FilingPublished,
    /// `filing.withdrawn`: CVM no longer lists a filing.
    FilingWithdrawn,
    /// `statement.published`: a version of a form with financial statements is new.
    StatementPublished,
    /// `webhook.test`: the owner of a webhook asked for a test call. It is not in the stream of events.
    WebhookTest,
}

impl EventType {
    /// All types.
    pub const ALL: [EventType; 9] = [
        EventType::RatePublished,
        EventType::SelicDecided,
        EventType::FxPublished,
        EventType::CompanyCreated,
        EventType::CompanyUpdated,
        EventType::FilingPublished,
        EventType::FilingWithdrawn,
        EventType::StatementPublished,
        EventType::WebhookTest,
    ];

    /// Whether events of this type are about a company.
    #[cfg(feature = "webhooks")]
    pub(crate) fn has_company(self) -> bool {
        match self {
            EventType::CompanyCreated
            | EventType::CompanyUpdated
            | EventType::FilingPublished
            | EventType::FilingWithdrawn
            | EventType::StatementPublished => true,
            EventType::RatePublished
            | EventType::SelicDecided
            | EventType::FxPublished
            | EventType::WebhookTest => false,
        }
    }
}

as_text!(EventType::as_str, Wanted::EventType { known: EventType::ALL.map(EventType::as_str).to_vec() },
    "rate.published" => RatePublished, "selic.decided" => SelicDecided, "fx.published" => FxPublished,
    "company.created" => CompanyCreated, "company.updated" => CompanyUpdated,
    "filing.published" => FilingPublished, "filing.withdrawn" => FilingWithdrawn,
    "statement.published" => StatementPublished, "webhook.test" => WebhookTest);

/// How a cursor starts, so that it can be recognised in a log.
const MARK: &str = "evt_";

/// Longer than any cursor: dataset and key are short.
const MAX_LENGTH: usize = 400;

/// Stands between the parts of a cursor. No dataset or key has one.
const SEPARATOR: char = '\n';

/// A position in the stream of events, which is also the id of the event just before it: opaque text.
///
/// A cursor is valid for the catalogue that it came from, for as long as its change log reaches back to it.
///
/// ```
/// use fincore::events::Cursor;
///
/// assert!("evt_somewhere".parse::<Cursor>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    catalogue: String,
    position: LogPosition,
}

impl Cursor {
    pub(crate) fn new(catalogue: &str, position: LogPosition) -> Cursor {
        Cursor { catalogue: catalogue.to_owned(), position }
    }

    /// The position in this snapshot. Fails if the log does not have it: the changes after it were deleted, or the
    /// cursor comes from other data.
    pub(crate) fn position(self, snapshot: &Snapshot) -> Result<LogPosition> {
        let known = self.catalogue == snapshot.catalogue_id()?
            && self.position >= LogPosition::oldest(snapshot)?
            && self.position <= LogPosition::newest(snapshot)?;
        if known {
            return Ok(self.position);
        }
        Err(Invalid::ExpiredCursor.into())
    }

    /// The parts of a cursor's text.
    fn decode(text: &str) -> Option<Cursor> {
        let text = text.strip_prefix(MARK).filter(|text| text.len() <= MAX_LENGTH)?;
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        let mut parts = text.split(SEPARATOR).map(str::to_owned);
        let (catalogue, version) = (parts.next()?, parts.next()?.parse().ok()?);
        let (dataset, key) = (parts.next()?, parts.next()?);
        let complete = parts.next().is_none();
        complete.then_some(Cursor { catalogue, position: LogPosition { version, dataset, key } })
    }
}

impl FromStr for Cursor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Cursor> {
        let cursor = Cursor::decode(text).filter(|cursor| cursor.to_string() == text);
        cursor.ok_or_else(|| Error::invalid(text, Wanted::Cursor))
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cursor { catalogue, position: LogPosition { version, dataset, key } } = self;
        let text = format!("{catalogue}{SEPARATOR}{version}{SEPARATOR}{dataset}{SEPARATOR}{key}");
        let text = URL_SAFE_NO_PAD.encode(text);
        f.pad(&format!("{MARK}{text}"))
    }
}

as_text!(Cursor);

/// For how many days after its publication something that comes in makes an event. What is older when it comes in, such as
/// the filings of 2010, is in the data and in the change log, but makes no event.
///
/// The publication is compared with the time at which a change came in, not with the time at which its event is read: so an
/// event does not vanish while clients read the log. Figures and filings that are new are published on the day that their
/// source names, or by which it should have published them; companies, and figures that changed, when they come in.
///
/// ```
/// use fincore::events::EventWindow;
///
/// assert_eq!(EventWindow::default(), EventWindow::days(30));
/// assert_eq!(EventWindow::days(0), EventWindow::ALL);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventWindow {
    days: u32,
}

impl EventWindow {
    /// Everything that comes in is an event, however old it is.
    pub const ALL: EventWindow = EventWindow { days: 0 };

    /// This many days; 0 for [`EventWindow::ALL`].
    #[must_use]
    pub const fn days(days: u32) -> EventWindow {
        EventWindow { days }
    }

    /// Whether what was published on this day is an event if it came in at this time.
    pub(crate) fn includes(self, published: Date, came_in: DateTime<Utc>) -> bool {
        self == EventWindow::ALL || published >= Date::in_brasilia(came_in).days_before(self.days)
    }
}

impl Default for EventWindow {
    /// 30 days.
    fn default() -> EventWindow {
        EventWindow::days(30)
    }
}

impl std::fmt::Display for EventWindow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.days)
    }
}

#[cfg(test)]
pub(crate) mod tests;

#[cfg(test)]
mod cursor_tests {
    use super::*;

    #[test]
    fn a_cursor_reads_what_it_writes_and_nothing_else() {
        let position =
            LogPosition { version: 7, dataset: "fx".into(), key: "USD/BRL 2026-09-04".into() };
        for position in [position, LogPosition::after(0), LogPosition::after(u64::MAX)] {
            let cursor = Cursor::new("0123456789abcdef", position);
            let text = cursor.to_string();
            assert!(
                text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)),
                "{text}"
            );
            assert_eq!(text.parse::<Cursor>().unwrap(), cursor);
            for wrong in [&text[..text.len() - 1], &text[4..], &format!("{text}=")] {
                assert!(wrong.parse::<Cursor>().is_err(), "{wrong}");
            }
        }
        let message = "7".parse::<Cursor>().unwrap_err().to_string();
        assert_eq!(message, "\"7\" is not a cursor as an earlier answer gave it");
    }
}
