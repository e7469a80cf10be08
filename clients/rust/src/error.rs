//! Why a query has no answer, in the same kinds whether a server or a catalogue was asked.
use std::time::Duration;

use fincore::ErrorKind;

use crate::answers::plans::Upgrade;

/// The result type of this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a query has no answer. The message is a sentence for people.
///
/// The first kinds are those of [`fincore::Error`], so that a program reacts to them in one way, whichever source it asks.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The question is wrong: [`fincore::Error::Invalid`], status 400.
    #[error("{message}")]
    Invalid {
        /// The parameter that cannot be read, if it is one.
        parameter: Option<String>,
        /// The given text, and the expected one.
        message: String,
    },

    /// The question is well formed, but the data has nothing under it: [`fincore::Error::NotFound`], status 404.
    #[error("{message}")]
    NotFound {
        /// Names the missing item.
        message: String,
    },

    /// The key is unknown or revoked, or there is none where one is needed: [`fincore::Error::InvalidKey`], status 401.
    #[error("{message}")]
    InvalidKey {
        /// The fault of the key. It never repeats the key.
        message: String,
    },

    /// The plan does not include what was asked for: [`fincore::Error::PlanRequired`], status 403.
    #[error("{}", .upgrade.message)]
    PlanRequired {
        /// The feature, the plan of the key, and the smallest plan that includes it.
        upgrade: Box<Upgrade>,
        /// Where the plans are, if the server says so.
        plans_url: Option<String>,
    },

    /// The limit of the plan is used up: status 429.
    #[error("{message}")]
    RateLimited {
        /// Names the limit.
        message: String,
        /// When the next request is admitted.
        retry_after: Duration,
    },

    /// The data cannot be read at the moment: [`fincore::Error::Busy`], [`fincore::Error::Unavailable`] and their like,
    /// status 503. Asking later helps.
    #[error("{message}")]
    Unavailable {
        /// The reason.
        message: String,
        /// When to ask again, if that is known.
        retry_after: Option<Duration>,
    },

    /// Something failed that should not: [`fincore::Error::Storage`], status 500. Asking again does not help.
    #[error("{message}")]
    Failed {
        /// The operation that failed.
        message: String,
    },

    /// The server did not answer: no connection, no answer in time, or one that broke off.
    #[error("{address}: {reason}")]
    Unreachable {
        /// The base address of the server.
        address: String,
        /// Why, in words.
        reason: String,
        /// The error of the connection, if there was one.
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },

    /// The answer is not one that this version of finserve gives: the address is another service's, it has moved, or a proxy
    /// answers in its place.
    #[error("{message}")]
    Unexpected {
        /// The unexpected answer.
        message: String,
    },

    /// The client cannot be set up so: an address that is none, or a proxy of a kind that is not supported.
    #[error("{message}")]
    Setup {
        /// The given text, and the expected one.
        message: String,
    },
}

impl From<fincore::Error> for Error {
    fn from(err: fincore::Error) -> Error {
        let message = err.to_string();
        match err.kind() {
            ErrorKind::Invalid(invalid) => {
                Error::Invalid { parameter: invalid.parameter().map(str::to_owned), message }
            }
            ErrorKind::NotFound(..) => Error::NotFound { message },
            ErrorKind::InvalidKey => Error::InvalidKey { message },
            ErrorKind::PlanRequired(upgrade) => {
                Error::PlanRequired { upgrade: Box::new(upgrade.into()), plans_url: None }
            }
            ErrorKind::Busy
            | ErrorKind::Unavailable
            | ErrorKind::Outdated
            | ErrorKind::Newer
            | ErrorKind::NotPermitted => Error::Unavailable { message, retry_after: None },
            ErrorKind::Refused | ErrorKind::Storage => Error::Failed { message },
        }
    }
}
