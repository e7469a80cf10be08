//! Parses the rows of a bundled table.
use std::str::FromStr;

use crate::error::{Error, Result};

/// The rows after the header. `read` returns `None` for a line with the wrong number of fields.
pub(super) fn parse_rows<'t, T>(
    name: &str,
    table: &'t str,
    header: &str,
    read: impl Fn(&'t str) -> Option<Result<T>>,
) -> Result<Vec<T>> {
    let refuse = |line, reason| {
        let (file, line) = (name.to_owned(), Some(line));
        Error::Refused { file, line, reason, can_be_forced: false }
    };
    let mut lines = table.lines();
    if lines.next() != Some(header) {
        return Err(refuse(1, format!("the header is not {header}")));
    }
    let row = |(index, line): (usize, &'t str)| match read(line) {
        Some(row) => row.map_err(|err: Error| refuse(index + 2, err.to_string())),
        None => Err(refuse(index + 2, format!("the fields are not {header}"))),
    };
    lines.enumerate().map(row).collect()
}

/// The fields of a line that tabs separate, if there are exactly `N`.
pub(super) fn fields<const N: usize>(line: &str) -> Option<[&str; N]> {
    line.split('\t').collect::<Vec<_>>().try_into().ok()
}

/// A field that may be empty.
pub(super) fn value<T: FromStr<Err = Error>>(field: &str) -> Result<Option<T>> {
    if field.is_empty() { Ok(None) } else { field.parse().map(Some) }
}
