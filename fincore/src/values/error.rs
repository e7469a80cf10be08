//! The error type: one variant for each way a caller can react.
use crate::values::{Upgrade, plans::UnknownPlan, truncate};

pub(crate) use crate::values::{
    faults::{CalculationFault, ExportFault, LinkFault, TransformationFault, WebhookFault},
    invalid::{Invalid, Wanted},
};

/// The result type of this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call failed.
///
/// More variants may be added. Code that must handle every kind of error, such as a server that maps each
/// one to a status code, matches on [`Error::kind`], which is exhaustive.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input is wrong; the value says what was given and what is expected.
    #[error("{0}")]
    Invalid(Invalid),

    /// The input is well formed, but the data has nothing under it.
    #[error("{}", .what.not_found(.id))]
    NotFound {
        /// The missing item.
        what: Resource,
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
        /// The fault.
        reason: String,
        /// A forced import accepts the file.
        can_be_forced: bool,
    },

    /// Another program holds the lock, or all connections are in use. Retrying later helps.
    #[error("the data is busy: {0}")]
    Busy(String),

    /// A database file or its disk is in trouble: damaged, gone, replaced, full, or not to be read or written. What
    /// is asked for is right, and can be answered once the operator has put the file right, or the disk is well again.
    #[error("{context}: {source}")]
    Unavailable {
        /// The operation that failed.
        context: String,
        /// The error of the file system or the database.
        source: Box<dyn std::error::Error + Send + Sync>,
    },

    /// A file that is only read here was made by an older version of this library, which stored it in another way. A
    /// program that opens it for writing brings it up to date.
    #[error("{path} was made by an older version: {reason}")]
    Outdated {
        /// Where the file is.
        path: String,
        /// The older file.
        reason: String,
    },

    /// A database file was made by a newer version of this library. It is sound; a newer program opens it.
    #[error("{path} was made by a newer program: {reason}")]
    Newer {
        /// Where the file is.
        path: String,
        /// The newer file.
        reason: String,
    },

    /// This user may not use a database file, or its file system cannot be written. The file itself may be sound.
    #[error("{path} cannot be used: {reason}")]
    NotPermitted {
        /// Where the file is.
        path: String,
        /// The refused operation.
        reason: String,
    },

    /// Something failed that should not: a file given to the library cannot be read or written, or the library is
    /// wrong. Retrying does not help.
    #[error("{context}: {source}")]
    Storage {
        /// The operation that failed.
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
    Invalid(&'e Invalid),
    /// [`Error::NotFound`]
    NotFound(Resource, &'e str),
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
    /// [`Error::Newer`]
    Newer,
    /// [`Error::NotPermitted`]
    NotPermitted,
    /// [`Error::Storage`]
    Storage,
}

impl Error {
    /// An [`Error::Invalid`]: `"abc" is not a date (YYYY-MM-DD)`.
    #[must_use]
    pub fn invalid(given: &str, wanted: Wanted) -> Error {
        Error::Invalid(Invalid::Value { given: truncate(given).into_owned(), wanted })
    }

    /// An [`Error::Invalid`] for a text in a file or a table.
    pub(crate) fn in_file(given: &str, wanted: impl std::fmt::Display) -> Error {
        Error::invalid(given, Wanted::InFile(wanted.to_string()))
    }

    /// An [`Error::Invalid`] that only the operator of a program meets.
    #[must_use]
    pub fn operation(message: impl Into<String>) -> Error {
        Error::Invalid(Invalid::Operation(message.into()))
    }

    /// An [`Error::NotFound`]: `there is no company "999999"`.
    pub fn not_found(what: Resource, id: &str) -> Error {
        Error::NotFound { what, id: truncate(id).into_owned() }
    }

    /// The kind of this error, for an exhaustive `match`.
    #[must_use]
    pub fn kind(&self) -> ErrorKind<'_> {
        match self {
            Error::Invalid(invalid) => ErrorKind::Invalid(invalid),
            Error::NotFound { what, id } => ErrorKind::NotFound(*what, id),
            Error::InvalidKey => ErrorKind::InvalidKey,
            Error::PlanRequired(upgrade) => ErrorKind::PlanRequired(upgrade),
            Error::Refused { .. } => ErrorKind::Refused,
            Error::Busy(_) => ErrorKind::Busy,
            Error::Unavailable { .. } => ErrorKind::Unavailable,
            Error::Outdated { .. } => ErrorKind::Outdated,
            Error::Newer { .. } => ErrorKind::Newer,
            Error::NotPermitted { .. } => ErrorKind::NotPermitted,
            Error::Storage { .. } => ErrorKind::Storage,
        }
    }

    /// Whether a database file is damaged: the file itself, and neither its disk nor the rights to it.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        let Error::Unavailable { source, .. } = self else { return false };
        let Some(err) = source.downcast_ref::<rusqlite::Error>() else { return false };
        matches!(err.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase)) || is_of_sql(err)
    }

    /// An [`Error::Unavailable`].
    pub(crate) fn unavailable(
        context: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Error {
        Error::Unavailable { context: context.into(), source: source.into() }
    }

    /// The error if its file is not whole: then a statement failed because a table is missing, and not because it is wrong.
    pub(crate) fn unless_whole(self, is_whole: impl FnOnce() -> bool) -> Error {
        match self {
            Error::Storage { context, source }
                if source.downcast_ref().is_some_and(is_of_sql) && !is_whole() =>
            {
                Error::Unavailable { context, source }
            }
            err => err,
        }
    }

    /// An [`Error::Busy`] for a query that has come to its deadline.
    pub(crate) fn overdue() -> Error {
        Error::Busy("the query took longer than it may".to_owned())
    }

    /// Translates an error of the database.
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
            ) => Error::unavailable(context, err),
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

/// Whether SQLite refused a statement without a more precise code, as it does if the statement names a table that is missing.
fn is_of_sql(err: &rusqlite::Error) -> bool {
    use rusqlite::Error::{SqlInputError, SqliteFailure};
    matches!(err, SqlInputError { error, .. } | SqliteFailure(error, _)
        if error.extended_code == rusqlite::ffi::SQLITE_ERROR)
}

impl From<Upgrade> for Error {
    fn from(upgrade: Upgrade) -> Error {
        Error::PlanRequired(Box::new(upgrade))
    }
}

impl From<UnknownPlan> for Error {
    fn from(unknown: UnknownPlan) -> Error {
        Error::invalid(unknown.text(), Wanted::Plan)
    }
}

impl From<Invalid> for Error {
    fn from(invalid: Invalid) -> Error {
        Error::Invalid(invalid)
    }
}

impl From<TransformationFault> for Error {
    fn from(fault: TransformationFault) -> Error {
        Error::Invalid(Invalid::Transformation(fault))
    }
}

impl From<CalculationFault> for Error {
    fn from(fault: CalculationFault) -> Error {
        Error::Invalid(fault.into())
    }
}

impl From<ExportFault> for Error {
    fn from(fault: ExportFault) -> Error {
        Error::Invalid(Invalid::Export(fault))
    }
}

impl From<LinkFault> for Error {
    fn from(fault: LinkFault) -> Error {
        Error::Invalid(Invalid::Link(fault))
    }
}

impl From<WebhookFault> for Error {
    fn from(fault: WebhookFault) -> Error {
        Error::Invalid(Invalid::Webhook(fault))
    }
}

impl From<rusqlite::Error> for Error {
    fn from(err: rusqlite::Error) -> Error {
        Error::database("the database failed", err)
    }
}

/// The kind of thing that was not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// A company, by CVM code or CNPJ.
    Company,
    /// A filing, by its id.
    Filing,
    /// Quotes of a currency pair.
    CurrencyPair,
    /// Observations of a series, by its name or number.
    Series,
    /// A series, by a name that none has.
    UnknownSeries,
    /// Returns of savings deposits of this day, by the series that has every day of deposit.
    SavingsOfDay,
    /// Returns of savings deposits of this day, by the rule of before 4 May 2012.
    SavingsUntil2012,
    /// A key, by its prefix.
    Key,
    /// A link, by its id.
    Link,
    /// A dataset, by its name.
    Dataset,
    /// A webhook, by its id.
    Webhook,
    /// A delivery, by its id.
    Delivery,
}

impl Resource {
    /// The message that there is nothing under `id`.
    #[must_use]
    pub fn not_found(self, id: &str) -> String {
        match self {
            Resource::Company => format!("there is no company {id:?}"),
            Resource::Filing => format!("there is no filing {id:?}"),
            Resource::CurrencyPair => format!("there are no quotes for {id}"),
            Resource::Series => format!("there are no observations of series {id} yet"),
            Resource::UnknownSeries => {
                let series = format!("a series {id:?}");
                format!("there are no observations of {} yet", truncate(&series))
            }
            Resource::SavingsOfDay => format!(
                "a savings deposit of {id} needs series 195 (savings), which has no observations yet; held are deposits of the first of a month, which stand for those of the 29th to 31st before it too"
            ),
            Resource::SavingsUntil2012 => format!(
                "a savings deposit of {id} follows the rule of before 2012-05-04 and needs series 25 (savings-until-2012), which has no observations yet"
            ),
            Resource::Key => format!("no key starts with {id}"),
            Resource::Link => format!("there is no link {id:?}"),
            Resource::Dataset => format!(
                "there is no dataset {id:?} (fx, companies, filings, statements, financials, series, or one series by name or number)"
            ),
            Resource::Webhook => format!("there is no webhook {id:?}"),
            Resource::Delivery => format!("there is no delivery {id:?}"),
        }
    }
}

#[cfg(test)]
mod tests;
