//! What was published: the change log as events.
use std::{fmt, str::FromStr};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    catalogue::Snapshot,
    error::{Error, Result},
    types::Limit,
};

/// The type of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventType {
    /// `rate.published`
    RatePublished,
    /// `fx.published`
    FxPublished,
    /// `company.created`
    CompanyCreated,
    /// `company.updated`
    CompanyUpdated,
    /// `filing.published`
    FilingPublished,
    /// `webhook.test`
    WebhookTest,
}

/// A place in the stream of events, and the id of the event just before it: opaque text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(String);

impl FromStr for Cursor {
    type Err = Error;

    fn from_str(_text: &str) -> Result<Cursor> {
        unimplemented!()
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Serialize for Cursor {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Cursor {
    fn deserialize<D: serde::Deserializer<'de>>(_deserializer: D) -> Result<Cursor, D::Error> {
        unimplemented!()
    }
}

/// A query for events.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventsQuery {
    /// Only events after this place; by default all that the change log has.
    pub since: Option<Cursor>,
    /// The most events to return.
    #[serde(default)]
    pub limit: Limit<1000>,
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
    /// What was published.
    pub data: serde_json::Value,
}

/// Events, oldest first.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Events {
    /// The events.
    pub data: Vec<Event>,
    /// The place after them: the next `since`.
    pub next: Cursor,
    /// Whether there are more after these already.
    #[serde(skip)]
    pub more: bool,
}

/// Events after a place, oldest first.
pub fn since(_snapshot: &Snapshot, _query: EventsQuery) -> Result<Events> {
    unimplemented!()
}

/// The place after the newest event: for those who only want to know what comes next.
pub fn now(_snapshot: &Snapshot) -> Result<Cursor> {
    unimplemented!()
}
