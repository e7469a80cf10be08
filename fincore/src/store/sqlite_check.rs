//! Checks a database file for damage.

use rusqlite::Connection;
use serde::Serialize;

use crate::{
    store::{
        Schema,
        sqlite_file::{foreign_objects, version_of},
    },
    values::{Error, Result},
};

/// The result of checking a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Checkup {
    /// Damage, one sentence each; empty if the file is sound.
    pub problems: Vec<String>,
    /// The remedy, if there is damage.
    pub remedy: Option<Remedy>,
    /// Inconsistencies in the published files themselves, one sentence each. They are not damage.
    pub notes: Vec<String>,
    /// The number of migrations applied.
    pub version: usize,
    /// Its tables, by name.
    pub tables: Vec<TableCheckup>,
}

impl Checkup {
    /// The result for a database without damage.
    #[must_use]
    pub fn new(version: usize, tables: Vec<TableCheckup>) -> Checkup {
        Checkup { problems: Vec::new(), remedy: None, notes: Vec::new(), version, tables }
    }
}

/// The remedy for damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Remedy {
    /// Recomputing what is derived from the rows, and removing rows that cannot be read.
    Rebuild,
    /// Only another copy of the file.
    Restore,
}

/// The contents of one table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TableCheckup {
    /// Its name.
    pub name: String,
    /// The number of rows.
    pub rows: u64,
    /// The newest date, if the table has dates.
    pub newest: Option<String>,
}

impl TableCheckup {
    /// A table with this number of rows, and no dates.
    #[must_use]
    pub fn new(name: impl Into<String>, rows: u64) -> TableCheckup {
        TableCheckup { name: name.into(), rows, newest: None }
    }
}

/// Checks the whole file for damage, compares its schema with the migrations, and counts its rows.
pub(crate) fn check(connection: &Connection, schema: &Schema) -> Result<Checkup> {
    const DAMAGE: &str =
        "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'";
    const ORPHANS: &str = "SELECT
            'rows of ' || \"table\" || ' that refer to a missing row of ' || parent || ': ' || COUNT(*)
        FROM pragma_foreign_key_check GROUP BY \"table\", parent";
    const TABLES: &str = "SELECT list.name, IIF(EXISTS (
            SELECT 1 FROM pragma_table_info(list.name) AS field WHERE field.name = 'date'),
            'MAX(date)', 'NULL')
        FROM pragma_table_list AS list
        WHERE list.schema = 'main' AND list.type = 'table' AND list.name NOT LIKE 'sqlite_%'
        ORDER BY list.name";
    let mut problems = foreign_objects(connection, schema)?;
    for sql in [DAMAGE, ORPHANS] {
        // An error that stops the check is damage too.
        if let Err(err) = collect(connection, sql, &mut problems) {
            problems.push(err.to_string());
        }
    }
    let mut names = connection.prepare(TABLES)?;
    let names: Vec<(String, String)> = names
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut tables = Vec::new();
    for (name, newest) in names {
        match count(connection, &name, &newest) {
            Ok(table) => tables.push(table),
            Err(err) => problems.push(format!("the table {name} cannot be read: {err}")),
        }
    }
    let remedy = (!problems.is_empty()).then_some(Remedy::Restore);
    let (notes, version) = (Vec::new(), version_of(connection)?);
    Ok(Checkup { problems, remedy, notes, version, tables })
}

fn collect(connection: &Connection, sql: &str, found: &mut Vec<String>) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        found.push(row.get(0)?);
    }
    Ok(())
}

/// Counts the rows of a table; `newest` is the expression for its newest date.
fn count(connection: &Connection, name: &str, newest: &str) -> rusqlite::Result<TableCheckup> {
    // Table names are our own, and cannot be parameters.
    let sql = format!("SELECT COUNT(*), {newest} FROM \"{name}\"");
    connection.query_row(&sql, [], |row| {
        let rows = row.get::<_, i64>(0)?.unsigned_abs();
        // Other checks report a date that is not text.
        Ok(TableCheckup { name: name.to_owned(), rows, newest: row.get(1).unwrap_or_default() })
    })
}

/// Checks the structure of the file, and returns a sentence for each damage. Reads the whole file, but compares less than
/// [`check`] does.
pub(crate) fn quick_check(connection: &Connection) -> Result<Vec<String>> {
    const SQL: &str = "SELECT quick_check FROM pragma_quick_check WHERE quick_check <> 'ok'";
    let mut problems = Vec::new();
    match collect(connection, SQL, &mut problems).map_err(Error::from) {
        // An error that stops the check is damage too.
        Err(err @ Error::Unavailable { .. }) => problems.push(err.to_string()),
        outcome => outcome?,
    }
    Ok(problems)
}
