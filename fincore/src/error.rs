//! The one error type: a variant for each thing that a caller can do differently.
use std::fmt::{self, Display};

use crate::{
    excerpt::excerpt,
    plans::{UnknownPlan, Upgrade},
};

/// What every function of the library returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call gave no answer.
///
/// The variants may grow. Code that has to decide about every kind of error, such as a server that
/// gives each one a status, matches on [`Error::kind`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input is wrong; the text says what was given and what is wanted.
    #[error("{0}")]
    Invalid(String),

    /// The input is well formed, but nothing is known under it.
    #[error("{what} {id}{}", .what.end())]
    NotFound {
        /// What was looked for.
        what: Noun,
        /// What it was looked for by.
        id: String,
    },

    /// The API key is malformed, unknown or revoked. The message never repeats the key.
    #[error("the API key is malformed, unknown or revoked")]
    InvalidKey,

    /// The plan does not include what was asked for.
    #[error("{}", .0.message)]
    PlanRequired(Box<Upgrade>),

    /// A file was refused, and nothing of its import was stored.
    #[error("{file}{}: {reason}", .line.map(|n| format!(", line {n}")).unwrap_or_default())]
    Refused {
        /// The name of the file as it was given.
        file: String,
        /// The line at fault, counted from 1, where there is one.
        line: Option<usize>,
        /// What is wrong with it.
        reason: String,
        /// Whether a forced import accepts the file.
        can_be_forced: bool,
    },

    /// The data is locked by another program for longer than we wait; trying again helps.
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

/// The kinds of [`Error`], complete on purpose: whoever matches on them decides about each, and a new
/// kind does not compile until they have.
#[derive(Clone, Copy, Debug)]
pub enum ErrorKind<'e> {
    /// [`Error::Invalid`]
    Invalid,
    /// [`Error::NotFound`]
    NotFound(Noun),
    /// [`Error::InvalidKey`]
    InvalidKey,
    /// [`Error::PlanRequired`]
    PlanRequired(&'e Upgrade),
    /// [`Error::Refused`]
    Refused,
    /// [`Error::Busy`]
    Busy,
    /// [`Error::Storage`]
    Storage,
}

/// What can be looked for and not be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noun {
    /// A company, by CVM code or CNPJ.
    Company,
    /// A filing, by its id.
    Filing,
    /// Quotes of a currency pair.
    CurrencyPair,
    /// Observations of a series.
    Series,
    /// A key, by its first characters.
    Key,
}

impl Display for Noun {
    /// The beginning of a sentence that ends with what was looked for and [`Noun::end`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Noun::Company => "there is no company",
            Noun::Filing => "there is no filing",
            Noun::CurrencyPair => "there are no quotes of",
            Noun::Series => "there is no observation of",
            Noun::Key => "no key starts with",
        })
    }
}

impl Noun {
    fn end(self) -> &'static str {
        match self {
            Noun::Series => " yet",
            Noun::Company | Noun::Filing | Noun::CurrencyPair | Noun::Key => "",
        }
    }
}

impl Error {
    /// The error for `given`, which is not what is `wanted`: `"abc" is not a date (YYYY-MM-DD)`.
    pub fn invalid(given: &str, wanted: impl Display) -> Error {
        Error::Invalid(format!("{:?} is not {wanted}", excerpt(given)))
    }

    /// The error for `id`, under which there is no `what`: `there is no company "999999"`.
    pub fn not_found(what: Noun, id: &str) -> Error {
        Error::NotFound { what, id: format!("{:?}", excerpt(id)) }
    }

    /// Which kind of error this is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind<'_> {
        match self {
            Error::Invalid(_) => ErrorKind::Invalid,
            Error::NotFound { what, .. } => ErrorKind::NotFound(*what),
            Error::InvalidKey => ErrorKind::InvalidKey,
            Error::PlanRequired(upgrade) => ErrorKind::PlanRequired(upgrade),
            Error::Refused { .. } => ErrorKind::Refused,
            Error::Busy(_) => ErrorKind::Busy,
            Error::Storage { .. } => ErrorKind::Storage,
        }
    }

    pub(crate) fn storage(
        context: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Error {
        Error::Storage { context: context.into(), source: source.into() }
    }
}

impl From<Upgrade> for Error {
    fn from(upgrade: Upgrade) -> Error {
        Error::PlanRequired(Box::new(upgrade))
    }
}

impl From<UnknownPlan> for Error {
    fn from(unknown: UnknownPlan) -> Error {
        Error::Invalid(unknown.to_string())
    }
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
            can_be_forced: false,
        };
        assert_eq!(refused(Some(3)).to_string(), "a.csv, line 3: it holds no observation");
        assert_eq!(refused(None).to_string(), "a.csv: it holds no observation");
    }

    #[test]
    fn shortens_a_long_value() {
        let message = Error::invalid(&"é".repeat(5000), "a date").to_string();
        assert_eq!(message, format!("\"{}…\" is not a date", "é".repeat(60)));
    }

    #[test]
    fn says_what_was_not_found() {
        let cases = [
            (Error::not_found(Noun::Company, "999999"), "there is no company \"999999\""),
            (
                Error::NotFound { what: Noun::CurrencyPair, id: "XXX/BRL".into() },
                "there are no quotes of XXX/BRL",
            ),
            (
                Error::NotFound { what: Noun::Series, id: "the Selic".into() },
                "there is no observation of the Selic yet",
            ),
        ];
        for (err, message) in cases {
            assert_eq!(err.to_string(), message);
        }
    }
}
