//! Creates, opens, migrates, reads, copies and checks the database files.
use std::str::FromStr;

use rusqlite::{
    Row,
    types::{Type, ValueRef},
};

use crate::values::{CvmCode, error::Error};

pub(crate) mod catalogue;
pub mod changes;
pub mod deadline;
pub mod downloads;
mod file_identity;
mod kept_rows;
pub(crate) mod open_file;
pub(crate) mod past;
pub(crate) mod readers;
pub(crate) mod snapshot;
pub(crate) mod sqlite_check;
pub(crate) mod sqlite_copy;
pub(crate) mod sqlite_file;
#[cfg(test)]
mod tests;
pub(crate) mod writer;

pub(crate) use file_identity::FileIdentity;
pub(crate) use sqlite_check::SchemaObject;
pub use sqlite_check::{Checkup, Remedy, TableCheckup};
pub(crate) use sqlite_copy::CopyProgress;
pub(crate) use sqlite_file::{Audience, Schema};

/// The version of SQLite inside this program, such as `3.51.3`.
#[must_use]
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

/// A domain value from a text column.
pub(crate) fn parsed<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<T>
where
    T: FromStr<Err: Into<Error>>,
{
    let text = row.get_ref(column)?.as_str()?;
    text.parse().map_err(|err: T::Err| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(err.into()))
    })
}

/// A domain value from a text column that may be NULL.
pub(crate) fn parsed_if_any<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<T>>
where
    T: FromStr<Err: Into<Error>>,
{
    if row.get_ref(column)? == ValueRef::Null { Ok(None) } else { parsed(row, column).map(Some) }
}

/// A CVM code from an integer column.
pub(crate) fn code(row: &Row<'_>, column: usize) -> rusqlite::Result<CvmCode> {
    CvmCode::new(row.get(column)?).map_err(|err| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Integer, Box::new(err))
    })
}
