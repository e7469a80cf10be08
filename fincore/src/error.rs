//! The one error type: a variant for each thing a caller can do differently.
use std::fmt::Display;

use crate::{Feature, Plan};

/// What every function of the library returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call gave no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input is wrong; the text says what was given and what is wanted.
    #[error("{0}")]
    Invalid(String),

    /// The input is well formed, but there is nothing under it.
    #[error("{0}")]
    NotFound(String),

    /// Nothing is quoted for a well-formed pair; [`fx_pairs`](crate::market::fx_pairs) lists what is.
    #[error("no quotes of {0} are known")]
    UnknownPair(crate::Pair),

    /// The API key is malformed, unknown or revoked. It is never repeated.
    #[error("the API key is malformed, unknown or revoked")]
    InvalidKey,

    /// What is asked for belongs to a key, and none is given.
    #[error("an API key is required")]
    KeyRequired,

    /// The plan's requests are used up; trying again helps after that many seconds.
    #[error("too many requests: {limit} {per} are allowed; one passes in {retry_after} s")]
    RateLimited {
        /// How many are allowed.
        limit: u32,
        /// In what time, and whose: `a minute on the Free plan`.
        per: String,
        /// Whole seconds after which one passes for certain.
        retry_after: u64,
    },

    /// The caller's plan does not include what is asked for; [`Plan::upgrade`] tells which one does.
    #[error("{}", .current.upgrade(*.feature).message)]
    PlanRequired {
        /// What is asked for.
        feature: Feature,
        /// The plan of the caller.
        current: Plan,
    },

    /// A file was not imported; nothing of its command was.
    #[error("{file}{}: {reason}", .line.map(|n| format!(", line {n}")).unwrap_or_default())]
    Refused {
        /// The name of the file as it was given.
        file: String,
        /// The line at fault, counted from 1, where there is one.
        line: Option<usize>,
        /// What is wrong with it.
        reason: String,
    },

    /// The data is in use by another program for longer than we wait; trying again helps.
    #[error("the data is busy: {0}")]
    Busy(String),

    /// The data cannot be read or written; only the operator can help.
    #[error("{context}: {source}")]
    Storage {
        /// What was being done.
        context: String,
        /// What the file system or the database said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Error {
    /// `given` is not what is `wanted`; a long value is cut, so that a message stays a sentence.
    pub(crate) fn invalid(given: &str, wanted: impl Display) -> Error {
        Error::Invalid(format!("{:?} is not {wanted}", cut(given)))
    }

    /// There is no `what` under `id`.
    pub(crate) fn unknown(what: &str, id: &str) -> Error {
        Error::NotFound(format!("no {what} {:?} is known", cut(id)))
    }

    pub(crate) fn storage(
        context: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Error {
        Error::Storage { context: context.into(), source: source.into() }
    }
}

fn cut(given: &str) -> String {
    const SHOWN: usize = 60;
    let cut: String = given.chars().take(SHOWN).collect();
    let more = if cut.len() < given.len() { "…" } else { "" };
    cut + more
}

impl From<rusqlite::Error> for Error {
    fn from(err: rusqlite::Error) -> Error {
        use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};
        match err.sqlite_error_code() {
            Some(DatabaseBusy | DatabaseLocked) => Error::Busy(err.to_string()),
            _ => Error::storage("the database failed", err),
        }
    }
}

impl From<r2d2::Error> for Error {
    fn from(err: r2d2::Error) -> Error {
        Error::Busy(format!("no free connection ({err})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_file_and_line() {
        let refused = |line| Error::Refused {
            file: "a.csv".into(),
            line,
            reason: "it holds no observation".into(),
        };
        assert_eq!(refused(Some(3)).to_string(), "a.csv, line 3: it holds no observation");
        assert_eq!(refused(None).to_string(), "a.csv: it holds no observation");
    }

    #[test]
    fn cuts_a_long_value() {
        let message = Error::invalid(&"é".repeat(5000), "a date").to_string();
        assert_eq!(message, format!("\"{}…\" is not a date", "é".repeat(60)));
    }
}
