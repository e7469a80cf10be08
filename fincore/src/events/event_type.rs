//! The types of events.
use std::{fmt, str::FromStr};

use crate::{
    error::{Error, Result, Wanted},
    types::{deserialize_from_str, serialize_as_str},
};

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

    /// The type as text: `filing.published`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            EventType::RatePublished => "rate.published",
            EventType::SelicDecided => "selic.decided",
            EventType::FxPublished => "fx.published",
            EventType::CompanyCreated => "company.created",
            EventType::CompanyUpdated => "company.updated",
            EventType::FilingPublished => "filing.published",
            EventType::FilingWithdrawn => "filing.withdrawn",
            EventType::StatementPublished => "statement.published",
            EventType::WebhookTest => "webhook.test",
        }
    }

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

impl FromStr for EventType {
    type Err = Error;

    fn from_str(text: &str) -> Result<EventType> {
        let found = EventType::ALL.into_iter().find(|kind| kind.as_str() == text);
        let known = || EventType::ALL.map(EventType::as_str).to_vec();
        found.ok_or_else(|| Error::invalid(text, Wanted::EventType { known: known() }))
    }
}

impl fmt::Display for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

serialize_as_str!(EventType);
deserialize_from_str!(EventType);
