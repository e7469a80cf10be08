//! The tables, made and kept up to date.
use std::time::Duration;

use fincore::{
    Error, Result,
    accounts::{Cell, Row, Session as _, Value},
};

use super::{COMMIT, LOOK, Postgres, session::Session};

/// Creates the tables, in order. A migration that was ever published is not changed any more.
const MIGRATIONS: [&str; 5] = [
    include_str!("../../../migrations/0001_accounts.sql"),
    include_str!("../../../migrations/0002_sessions.sql"),
    include_str!("../../../migrations/0003_self_registered.sql"),
    include_str!("../../../migrations/0004_links.sql"),
    include_str!("../../../migrations/0005_holder.sql"),
];

/// Other servers may be migrating.
const PATIENCE: Duration = Duration::from_secs(30);

const BEGIN: &str =
    "BEGIN; SET LOCAL lock_timeout = 30000; SELECT pg_advisory_xact_lock(x'66696e73'::int, 0);
    CREATE SCHEMA IF NOT EXISTS finserve;
    CREATE TABLE IF NOT EXISTS migration (number bigint PRIMARY KEY, made timestamptz NOT NULL)";

impl Postgres {
    /// Makes what is missing. Fails if the tables were made by a newer version.
    pub(super) fn migrate(&self) -> Result<()> {
        if self.with(LOOK, None, is_current)? {
            return Ok(());
        }
        self.with(PATIENCE, Some((BEGIN, COMMIT)), |session| {
            let version = schema_version(session)?;
            for (index, sql) in MIGRATIONS.into_iter().enumerate().skip(version) {
                session.run(sql)?;
                let number = i64::try_from(index + 1).unwrap_or(i64::MAX);
                session.execute(
                    "INSERT INTO migration (number, made) VALUES (?1, now())",
                    &[Value::Integer(number)],
                )?;
            }
            Ok(())
        })
    }
}

/// Whether all is there: then the right to read and write rows is enough.
fn is_current(session: &Session<'_>) -> Result<bool> {
    const SQL: &str =
        "SELECT 1 FROM pg_tables WHERE schemaname = 'finserve' AND tablename = 'migration'";
    Ok(!session.query(SQL, &[])?.is_empty() && schema_version(session)? == MIGRATIONS.len())
}

/// The number of the newest migration that was made.
pub(super) fn schema_version(session: &Session<'_>) -> Result<usize> {
    let newest = session.query("SELECT COALESCE(MAX(number), 0) FROM migration", &[])?;
    let version = match newest.first().map(Row::cells) {
        Some([Cell::Integer(number)]) => usize::try_from(*number).unwrap_or(usize::MAX),
        _ => 0,
    };
    if version <= MIGRATIONS.len() {
        return Ok(version);
    }
    Err(Error::operation(format!(
        "the accounts in PostgreSQL were made by a newer version (schema {version}, this program knows {}): update it",
        MIGRATIONS.len()
    )))
}
