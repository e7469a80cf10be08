//! What both database files have in common: how they are opened, migrated and read.
use std::{path::Path, str::FromStr, time::Duration};

use rusqlite::{
    Connection, ErrorCode, Row,
    config::DbConfig,
    types::{Type, ValueRef},
};
use serde::Serialize;

use crate::{CvmCode, Error, Result};

/// Earlier versions can corrupt a WAL database that two connections write.
const OLDEST_SQLITE: i32 = 3_051_003;

/// How long a writer waits for another program's transaction.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// How long it waits between two tries where SQLite leaves that to us.
const BUSY_PAUSE: Duration = Duration::from_millis(50);

/// Statements kept ready on each connection; there are fewer in the library.
const CACHED_STATEMENTS: usize = 128;

/// Opens `path`, creating it if needed, and brings it to the newest of `migrations`.
pub(crate) fn open(path: &Path, migrations: &[&str]) -> Result<Connection> {
    let cannot = |source| Error::storage(format!("cannot open {}", path.display()), source);
    let mut connection = Connection::open(path).map_err(cannot)?;
    prepare(&connection).map_err(cannot)?;
    use_wal(&connection).map_err(cannot)?;
    migrate(&mut connection, migrations, path)?;
    Ok(connection)
}

/// The journal's mode is a property of the file: set once, it holds for every later connection.
fn use_wal(connection: &Connection) -> rusqlite::Result<()> {
    // SQLite does not wait here by itself when another program does the same to a new file.
    let mut tries = BUSY_TIMEOUT.as_millis() / BUSY_PAUSE.as_millis();
    loop {
        match connection.pragma_update(None, "journal_mode", "wal") {
            Err(err) if tries > 0 && err.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                tries -= 1;
            }
            outcome => return outcome,
        }
        std::thread::sleep(BUSY_PAUSE);
    }
}

/// Settings that every connection needs, readers included.
pub(crate) fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    if rusqlite::version_number() < OLDEST_SQLITE {
        let reason = format!("SQLite {} is too old: 3.51.3 is needed", rusqlite::version());
        return Err(rusqlite::Error::ToSqlConversionFailure(reason.into()));
    }
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    // Without it SQLite compiles a cached statement anew whenever a parameter changes: 8 µs, not 0.8.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

fn migrate(connection: &mut Connection, migrations: &[&str], path: &Path) -> Result<()> {
    // Looked at before locking, so that opening an up-to-date file never waits for a writer.
    if version_of(connection)? == migrations.len() {
        return Ok(());
    }
    let tx = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let done = version_of(&tx)?;
    let Some(missing) = migrations.get(done..) else {
        let reason = format!("it is at version {done}, this program knows {}", migrations.len());
        let advice = format!("{} was made by a newer program", path.display());
        return Err(Error::storage(advice, reason));
    };
    for (step, migration) in (done + 1..).zip(missing) {
        tx.execute_batch(migration).map_err(|err| {
            // The error would repeat the whole text of the step.
            let reason = err.sqlite_error().map_or_else(|| err.to_string(), ToString::to_string);
            Error::storage(format!("{} cannot be brought to step {step}", path.display()), reason)
        })?;
    }
    tx.pragma_update(None, "user_version", migrations.len().to_string())?;
    tx.commit()?;
    Ok(())
}

fn version_of(connection: &Connection) -> rusqlite::Result<usize> {
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(version as usize)
}

/// What a look through a whole file found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Checkup {
    /// Damage, a sentence each; empty where the file is whole.
    pub problems: Vec<String>,
    /// How many migrations it has had.
    pub version: usize,
    /// Its tables, by name.
    pub tables: Vec<TableCheckup>,
}

/// What is in a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableCheckup {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub rows: u64,
    /// The newest day of those that have one.
    pub newest: Option<String>,
}

/// Looks through the whole file for damage, and tells what is in it.
pub(crate) fn check(connection: &Connection) -> Result<Checkup> {
    const DAMAGE: &str = "SELECT integrity_check FROM pragma_integrity_check
        WHERE integrity_check <> 'ok'
        UNION ALL
        SELECT 'a row of ' || \"table\" || ' belongs to none of ' || parent
        FROM pragma_foreign_key_check";
    const TABLES: &str = "SELECT list.name, EXISTS (
            SELECT 1 FROM pragma_table_info(list.name) AS field WHERE field.name = 'date')
        FROM pragma_table_list AS list
        WHERE list.schema = 'main' AND list.type = 'table' AND list.name NOT LIKE 'sqlite_%'
        ORDER BY list.name";
    let mut damage = connection.prepare(DAMAGE)?;
    let problems = damage.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let mut names = connection.prepare(TABLES)?;
    let names: Vec<(String, bool)> = names
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut tables = Vec::new();
    for (name, dated) in names {
        // The names of tables are our own; they cannot be parameters.
        let newest = if dated { "MAX(date)" } else { "NULL" };
        let sql = format!("SELECT COUNT(*), {newest} FROM \"{name}\"");
        let (rows, newest) =
            connection.query_row(&sql, [], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)))?;
        tables.push(TableCheckup { name, rows: rows.unsigned_abs(), newest });
    }
    Ok(Checkup { problems, version: version_of(connection)?, tables })
}

/// A domain value from a text column.
pub(crate) fn parsed<T: FromStr<Err = Error>>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    text.parse().map_err(|err: Error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(err))
    })
}

/// A domain value from a text column that may be empty.
pub(crate) fn parsed_if_any<T: FromStr<Err = Error>>(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<Option<T>> {
    if row.get_ref(column)? == ValueRef::Null { Ok(None) } else { parsed(row, column).map(Some) }
}

/// A CVM code from a column of numbers.
pub(crate) fn code(row: &Row<'_>, column: usize) -> rusqlite::Result<CvmCode> {
    CvmCode::new(row.get(column)?).map_err(|err| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Integer, Box::new(err))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrates_step_by_step_and_refuses_a_newer_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.db");
        let steps = ["CREATE TABLE a (x)", "CREATE TABLE b (x)"];
        assert_eq!(version_of(&open(&path, &steps[..1]).unwrap()).unwrap(), 1);
        assert_eq!(version_of(&open(&path, &steps).unwrap()).unwrap(), 2);
        let message = open(&path, &steps[..1]).unwrap_err().to_string();
        assert!(message.contains("newer program"), "{message}");
    }

    #[test]
    fn a_failing_migration_leaves_the_file_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.db");
        assert!(open(&path, &["CREATE TABLE a (x); CREATE TABLE a (x)"]).is_err());
        let connection = open(&path, &[]).unwrap();
        let tables: i64 = connection
            .query_row("SELECT COUNT(*) FROM sqlite_master", [], |row| row.get(0))
            .unwrap();
        assert_eq!((tables, version_of(&connection).unwrap()), (0, 0));
    }

    #[test]
    fn says_which_file_is_no_database() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.db");
        std::fs::write(&path, "<html>not a database, but long enough to be read as one").unwrap();
        let message = open(&path, &[]).unwrap_err().to_string();
        assert!(message.contains("a.db"), "{message}");
    }
}
