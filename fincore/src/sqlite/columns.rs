//! Domain values from columns.
use std::str::FromStr;

use rusqlite::{
    Row,
    types::{Type, ValueRef},
};

use crate::{error::Error, types::CvmCode};

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
