//! Why a subscription or a call to a webhook is refused, as values.
use chrono::{DateTime, Utc};

/// What is wrong with a subscription, or with a call that was received.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WebhookFault {
    /// A filter fits none of the event types.
    #[error("the filter {filter} applies to none of the types in events; it applies to {about}")]
    IdleFilter {
        /// The filter.
        filter: &'static str,
        /// The event types that it applies to.
        about: &'static str,
    },

    /// No event type is named.
    #[error("events is empty; name at least one type of event")]
    NoEvents,

    /// An event type is named twice.
    #[error("events has {event} twice")]
    EventTwice {
        /// The event type.
        event: &'static str,
    },

    /// A series is one side of an exchange rate, which has events of its own.
    #[error("{series:?} is one side of an exchange rate: subscribe to fx.published instead")]
    SideOfExchangeRate {
        /// The series as given, truncated.
        series: String,
    },

    /// The key has as many subscriptions as it may.
    #[error("a key has at most {most} webhooks; delete one first")]
    TooMany {
        /// The most subscriptions of a key.
        most: i64,
    },

    /// The address is too long.
    #[error("the address of a webhook has at most {most} characters")]
    LongAddress {
        /// The most characters.
        most: usize,
    },

    /// The address holds a user name or a password. It is not repeated.
    #[error("the address of a webhook has no user or password")]
    Credentials,

    /// The address holds a key, a token or the secret of a webhook. It is not repeated.
    #[error(
        "the address of a webhook has a key, a token or a secret of this service in it; its receiver would learn it"
    )]
    SecretInAddress,

    /// The address has a port that is not called.
    #[error("webhooks do not call port {port}; use 443, 8443 or a port above 1023")]
    Port {
        /// The port.
        port: u16,
    },

    /// The subscription is disabled.
    #[error("the webhook {id} is disabled ({reason}); delete it and create a new one")]
    Disabled {
        /// Its id.
        id: String,
        /// Why it was disabled.
        reason: String,
    },

    /// A call was signed too long ago, or in the future.
    #[error("the call was signed at {sent}, which is more than five minutes from now ({now})")]
    WrongTime {
        /// When it was signed.
        sent: DateTime<Utc>,
        /// When it was verified.
        now: DateTime<Utc>,
    },

    /// No signature of a call fits.
    #[error(
        "no v1 signature matches this call: the secret is a different one, or the call was changed"
    )]
    WrongSignature,
}
