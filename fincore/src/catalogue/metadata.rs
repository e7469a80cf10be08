//! The catalogue's own metadata: a table of names and values.
use rusqlite::{Connection, OptionalExtension};

use super::corrupt_values::is_about_a_value;

/// A value of the table; one that cannot be read counts as missing.
pub(super) fn read_meta(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    const SQL: &str = "SELECT value FROM meta WHERE name = ?1";
    match connection.prepare_cached(SQL)?.query_row([name], |row| row.get(0)).optional() {
        Err(err) if is_about_a_value(&err) => Ok(None),
        found => found,
    }
}

/// The data version: at least that of the newest logged change, should the number itself be damaged.
pub(crate) fn version_of(connection: &Connection) -> rusqlite::Result<i64> {
    const LOGGED: &str = "SELECT COALESCE(MAX(version), 0) FROM main.revision";
    let noted = read_meta(connection, "data_version")?;
    let noted: i64 = noted.and_then(|text| text.parse().ok()).unwrap_or_default();
    let logged: i64 = connection.prepare_cached(LOGGED)?.query_row([], |row| row.get(0))?;
    Ok(noted.max(logged))
}
