//! The error type: one variant for each way a caller can react.
use std::{
    cell::Cell,
    fmt::Display,
    sync::atomic::{AtomicU64, Ordering},
};

use crate::{
    excerpt::excerpt,
    plans::{UnknownPlan, Upgrade},
};

/// How often the file of a catalogue or its disk was in trouble.
#[cfg(not(test))]
static FAULTS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Whether this thread works with another file.
    static IS_ELSEWHERE: Cell<bool> = const { Cell::new(false) };
    /// Tests damage files side by side, each on a thread of its own.
    #[cfg(test)]
    static FAULTS: AtomicU64 = const { AtomicU64::new(0) };
}

/// A number that grows whenever the file of a catalogue or its disk is in trouble. A connection that was in use
/// meanwhile may have met it, and keep something of it in its cache: it is better opened anew.
pub(crate) fn faults() -> u64 {
    with_faults(|faults| faults.load(Ordering::Relaxed))
}

#[cfg(not(test))]
fn with_faults<T>(work: impl FnOnce(&AtomicU64) -> T) -> T {
    work(&FAULTS)
}

#[cfg(test)]
fn with_faults<T>(work: impl FnOnce(&AtomicU64) -> T) -> T {
    FAULTS.with(work)
}

/// Does some work with another file, whose trouble is none of the catalogue's.
pub(crate) fn elsewhere<T>(work: impl FnOnce() -> T) -> T {
    struct Back(bool);
    impl Drop for Back {
        fn drop(&mut self) {
            IS_ELSEWHERE.set(self.0);
        }
    }
    let _back = Back(IS_ELSEWHERE.replace(true));
    work()
}

fn count_fault() {
    if !IS_ELSEWHERE.get() {
        with_faults(|faults| faults.fetch_add(1, Ordering::Relaxed));
    }
}

/// The result type of this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call failed.
///
/// More variants may be added. Code that must handle every kind of error, such as a server that maps each
/// one to a status code, matches on [`Error::kind`], which is exhaustive.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input is wrong; the message says what was given and what is expected.
    #[error("{0}")]
    Invalid(String),

    /// The input is well formed, but the data has nothing under it.
    #[error("{}", .what.missing(.id))]
    NotFound {
        /// What was looked up.
        what: Noun,
        /// The id it was looked up by.
        id: String,
    },

    /// The API key is malformed, unknown or revoked. The message never repeats the key.
    #[error("the API key is malformed, unknown or revoked")]
    InvalidKey,

    /// The plan does not include the requested feature.
    #[error("{}", .0.message)]
    PlanRequired(Box<Upgrade>),

    /// A file was refused; the import it belongs to stores nothing.
    #[error("{file}{}: {reason}", .line.map(|n| format!(", line {n}")).unwrap_or_default())]
    Refused {
        /// The file name as passed in, fit for a terminal.
        file: String,
        /// The line number, counted from 1, if one line is at fault.
        line: Option<usize>,
        /// What is wrong.
        reason: String,
        /// Whether a forced import accepts the file.
        can_be_forced: bool,
    },

    /// Another program holds the lock, or all connections are in use. Retrying later helps.
    #[error("the data is busy: {0}")]
    Busy(String),

    /// A database file or its disk is in trouble: damaged, gone, replaced, full, or not to be read or written. What
    /// is asked for is right, and can be answered once the operator has put the file right, or the disk is well again.
    #[error("{context}: {source}")]
    Unavailable {
        /// What the library was doing.
        context: String,
        /// The error of the file system or the database.
        source: Box<dyn std::error::Error + Send + Sync>,
    },

    /// A file that is only read here was made by an older version of this library, which stored it in another way. Whoever
    /// opens it to write brings it up to date.
    #[error("{path} was made by an older version: {reason}")]
    Outdated {
        /// Where the file is.
        path: String,
        /// What is older.
        reason: String,
    },

    /// Something failed that should not: a file given to the library cannot be read or written, or the library is
    /// wrong. Retrying does not help.
    #[error("{context}: {source}")]
    Storage {
        /// What the library was doing.
        context: String,
        /// The error of the file system or the database.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// The kind of an [`Error`]. It is exhaustive on purpose: a `match` on it stops compiling when a kind is
/// added, so that every new kind gets handled.
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
    /// [`Error::Unavailable`]
    Unavailable,
    /// [`Error::Outdated`]
    Outdated,
    /// [`Error::Storage`]
    Storage,
}

/// What was not found.
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
    /// A key, by its prefix.
    Key,
    /// A dataset, by its name.
    Dataset,
    /// A webhook, by its id.
    Webhook,
    /// A delivery, by its id.
    Delivery,
}

impl Noun {
    /// The message that there is nothing under `id`.
    fn missing(self, id: &str) -> String {
        match self {
            Noun::Company => format!("there is no company {id:?}"),
            Noun::Filing => format!("there is no filing {id:?}"),
            Noun::CurrencyPair => format!("there are no quotes for {id}"),
            Noun::Series => format!("there are no observations of {id} yet"),
            Noun::Key => format!("no key starts with {id}"),
            Noun::Dataset => format!(
                "there is no dataset {id:?} (fx, companies, filings, series, or one series by name or number)"
            ),
            Noun::Webhook => format!("there is no webhook {id:?}"),
            Noun::Delivery => format!("there is no delivery {id:?}"),
        }
    }
}

impl Error {
    /// An [`Error::Invalid`]: `"abc" is not a date (YYYY-MM-DD)`.
    pub fn invalid(given: &str, wanted: impl Display) -> Error {
        Error::Invalid(format!("{:?} is not {wanted}", excerpt(given)))
    }

    /// An [`Error::Invalid`] for a search that would take too long.
    pub(crate) fn too_broad() -> Error {
        Error::Invalid(
            "the search is too broad: use fewer or longer words, or narrow it with company, category, type, from or to"
                .to_owned(),
        )
    }

    /// An [`Error::NotFound`]: `there is no company "999999"`.
    pub fn not_found(what: Noun, id: &str) -> Error {
        Error::NotFound { what, id: excerpt(id).into_owned() }
    }

    /// The kind of this error, for an exhaustive `match`.
    #[must_use]
    pub fn kind(&self) -> ErrorKind<'_> {
        match self {
            Error::Invalid(_) => ErrorKind::Invalid,
            Error::NotFound { what, .. } => ErrorKind::NotFound(*what),
            Error::InvalidKey => ErrorKind::InvalidKey,
            Error::PlanRequired(upgrade) => ErrorKind::PlanRequired(upgrade),
            Error::Refused { .. } => ErrorKind::Refused,
            Error::Busy(_) => ErrorKind::Busy,
            Error::Unavailable { .. } => ErrorKind::Unavailable,
            Error::Outdated { .. } => ErrorKind::Outdated,
            Error::Storage { .. } => ErrorKind::Storage,
        }
    }

    /// An [`Error::Unavailable`].
    pub(crate) fn unavailable(
        context: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Error {
        Error::Unavailable { context: context.into(), source: source.into() }
    }

    /// An [`Error::Busy`] for a query that has come to its deadline.
    pub(crate) fn overdue() -> Error {
        Error::Busy("the query took longer than it may".to_owned())
    }

    /// What an error of the database means while this was done.
    pub(crate) fn database(context: impl Into<String>, err: rusqlite::Error) -> Error {
        use rusqlite::ErrorCode::{
            CannotOpen, DatabaseBusy, DatabaseCorrupt, DatabaseLocked, DiskFull,
            FileLockingProtocolFailed, NotADatabase, OperationInterrupted, PermissionDenied,
            ReadOnly, SystemIoFailure,
        };
        match err.sqlite_error_code() {
            Some(DatabaseBusy | DatabaseLocked | FileLockingProtocolFailed) => {
                Error::Busy(err.to_string())
            }
            // Nothing but a deadline interrupts.
            Some(OperationInterrupted) => Error::overdue(),
            Some(
                CannotOpen | DatabaseCorrupt | DiskFull | NotADatabase | PermissionDenied
                | ReadOnly | SystemIoFailure,
            ) => {
                count_fault();
                Error::unavailable(context, err)
            }
            // A file that was emptied has lost its tables; those that our statements name are there otherwise.
            _ if err.to_string().starts_with("no such table") => {
                count_fault();
                Error::unavailable(context, err)
            }
            _ => Error::storage(context, err),
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
        Error::database("the database failed", err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_with_another_file_is_not_counted() {
        let full = || {
            let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL);
            Error::from(rusqlite::Error::SqliteFailure(code, None))
        };
        let before = faults();
        assert!(matches!(elsewhere(full), Error::Unavailable { .. }));
        assert_eq!(faults(), before);
        assert!(matches!(full(), Error::Unavailable { .. }));
        assert_eq!(faults(), before + 1);
    }

    #[test]
    fn names_file_and_line() {
        let refused = |line| Error::Refused {
            file: "a.csv".into(),
            line,
            reason: "it has no observations".into(),
            can_be_forced: false,
        };
        assert_eq!(refused(Some(3)).to_string(), "a.csv, line 3: it has no observations");
        assert_eq!(refused(None).to_string(), "a.csv: it has no observations");
    }

    #[test]
    fn tells_trouble_with_the_file_from_faults_of_the_program() {
        use rusqlite::ffi;
        let cases = [
            (ffi::SQLITE_CORRUPT, "Unavailable"),
            (ffi::SQLITE_NOTADB, "Unavailable"),
            (ffi::SQLITE_IOERR_READ, "Unavailable"),
            (ffi::SQLITE_IOERR_SHORT_READ, "Unavailable"),
            (ffi::SQLITE_CANTOPEN, "Unavailable"),
            (ffi::SQLITE_FULL, "Unavailable"),
            (ffi::SQLITE_READONLY_DBMOVED, "Unavailable"),
            (ffi::SQLITE_BUSY, "Busy"),
            (ffi::SQLITE_LOCKED, "Busy"),
            (ffi::SQLITE_INTERRUPT, "Busy"),
            (ffi::SQLITE_ERROR, "Storage"),
            (ffi::SQLITE_CONSTRAINT, "Storage"),
            (ffi::SQLITE_MISUSE, "Storage"),
        ];
        for (code, kind) in cases {
            let err = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            assert_eq!(format!("{:?}", Error::from(err).kind()), kind, "{code}");
        }
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
                "there are no quotes for XXX/BRL",
            ),
            (
                Error::NotFound { what: Noun::Series, id: "the Selic".into() },
                "there are no observations of the Selic yet",
            ),
        ];
        for (err, message) in cases {
            assert_eq!(err.to_string(), message);
        }
    }
}
