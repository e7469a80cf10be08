//! The change log: what every import added, changed and removed.
//!
//! An import writes its changes in its own transaction, under the data version that it makes. So the log is
//! exact: applying the changes after a version to the data of that version gives the data of the newest.
//! [`since`] lists them in order. The log is bounded: imports forget what is older than 90 days, and the
//! bundled data is not in it; [`complete_after`] says how far back it reaches.
//!
//! ```
//! use fincore::{Change, Import, changes};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
//! let now = "2026-11-15T12:00:00Z".parse().unwrap();
//! let mut import = Import::begin(&catalogue, now)?;
//! import.file("bcdata.sgs.433.json", br#"[{"data":"01/08/2026","valor":"-0.11"}]"#)?;
//! import.commit()?;
//!
//! let snapshot = catalogue.snapshot("2026-11-15".parse()?)?;
//! for entry in changes::since(&snapshot, 0)? {
//!     let entry = entry?;
//!     assert_eq!((&*entry.dataset, &*entry.key, entry.change), ("ipca", "2026-08-01", Change::Added));
//!     assert_eq!((entry.version, entry.time), (1, now));
//! }
//! # Ok::<(), fincore::Error>(())
//! ```
use chrono::{DateTime, Utc};
use rusqlite::types::Type;
use serde::Serialize;

use crate::{
    store::{Change, Snapshot, snapshot::in_batches},
    values::{ExportFault, Result},
};

/// One change of the data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChangeEntry {
    /// The data version that the import made.
    pub version: u64,
    /// When the import ran.
    pub time: DateTime<Utc>,
    /// The name of the dataset: `selic`, `fx`, `companies`, `filings`; a series without a name by its number. New
    /// decisions on the Selic have `selic.decisions`.
    pub dataset: String,
    /// The key of the changed record: the day of a series, the pair and day of a quote (`USD/BRL 2026-11-13`), the id
    /// of a company or filing, the day from which a decision is in force.
    pub key: String,
    /// How the record changed.
    pub change: Change,
}

/// How much an import changed in a dataset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChangeCount {
    /// The data version that the import made.
    pub version: u64,
    /// When the import ran.
    pub time: DateTime<Utc>,
    /// The name of the dataset.
    pub dataset: String,
    /// How its rows changed.
    pub change: Change,
    /// To how many of them.
    pub rows: u64,
}

/// How much each import after a data version changed, oldest version first, then by dataset.
///
/// Fails if the log does not reach back to `version`.
pub fn counts(snapshot: &Snapshot, version: u64) -> Result<Vec<ChangeCount>> {
    const SQL: &str = "SELECT version, time, dataset, COUNT(*), kind FROM change
        JOIN revision USING (version) WHERE version > ?1
        GROUP BY version, dataset, kind ORDER BY version, dataset, kind";
    check_reaches_back(snapshot, version)?;
    let version = i64::try_from(version).unwrap_or(i64::MAX);
    snapshot.rows(SQL, [version], |row| {
        let (version, time, change) = read_revision(row)?;
        let rows = row.get::<_, i64>(3)?.unsigned_abs();
        Ok(ChangeCount { version, time, dataset: row.get(2)?, change, rows })
    })
}

/// Every change after a data version, oldest version first, then by dataset and key.
///
/// Fails if the log does not reach back to `version`.
pub fn since(
    snapshot: &Snapshot,
    version: u64,
) -> Result<impl Iterator<Item = Result<ChangeEntry>>> {
    check_reaches_back(snapshot, version)?;
    Ok(after(snapshot, LogPosition::after(version), None))
}

/// The changes after a position in the order of the log: of one dataset, or of all.
pub(crate) fn after<'s>(
    snapshot: &'s Snapshot,
    mut position: LogPosition,
    dataset: Option<&'s str>,
) -> impl Iterator<Item = Result<ChangeEntry>> + 's {
    const SQL: &str = "SELECT change.version, time, dataset, key, kind
        FROM change JOIN revision ON revision.version = change.version
        WHERE (change.version, dataset, key) > (?1, ?2, ?3) AND (?4 IS NULL OR dataset = ?4)
        ORDER BY change.version, dataset, key";
    in_batches(move |limit| {
        let LogPosition { dataset: last, key, .. } = &position;
        let wanted = (position.sql_version(), last, key, dataset);
        let entries = snapshot.first_rows(limit, SQL, wanted, read)?;
        if let Some(last) = entries.last() {
            position = last.position();
        }
        Ok(entries)
    })
}

/// The kinds of all changes after a version, oldest first, with what `read` makes of their dataset and key: for deltas, which
/// read millions of them and need no time. Changes for which it returns `None` are skipped.
pub(crate) fn kinds_after<T>(
    snapshot: &Snapshot,
    version: u64,
    dataset: Option<&str>,
    read: impl Fn(&str, &str) -> Option<T>,
) -> Result<Vec<(T, Change)>> {
    const SQL: &str = "SELECT dataset, key, kind FROM change
        WHERE version > ?1 AND (?2 IS NULL OR dataset = ?2) ORDER BY version, dataset, key";
    let version = i64::try_from(version).unwrap_or(i64::MAX);
    let changes = snapshot.rows(SQL, (version, dataset), |row| {
        let key = read(row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?);
        Ok(key.zip(Change::of_code(row.get(2)?)))
    })?;
    Ok(changes.into_iter().flatten().collect())
}

/// A position in the change log: just after the change of `key` in `dataset` that `version` made. If both are empty, it
/// is the position before all changes of `version`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LogPosition {
    pub(crate) version: u64,
    pub(crate) dataset: String,
    pub(crate) key: String,
}

impl LogPosition {
    /// The position after all changes of a version.
    pub(crate) fn after(version: u64) -> LogPosition {
        let version = version.saturating_add(1);
        LogPosition { version, dataset: String::new(), key: String::new() }
    }

    /// The oldest position that the log still has.
    pub(crate) fn oldest(snapshot: &Snapshot) -> Result<LogPosition> {
        Ok(LogPosition::after(complete_after(snapshot)?))
    }

    /// The position after the newest change.
    pub(crate) fn newest(snapshot: &Snapshot) -> Result<LogPosition> {
        Ok(LogPosition::after(snapshot.version()?))
    }

    /// The version as SQLite stores it.
    pub(crate) fn sql_version(&self) -> i64 {
        i64::try_from(self.version).unwrap_or(i64::MAX)
    }
}

impl ChangeEntry {
    /// The position just after this change.
    pub(crate) fn position(&self) -> LogPosition {
        let ChangeEntry { version, dataset, key, .. } = self.clone();
        LogPosition { version, dataset, key }
    }
}

/// When a data version was made, if the log still knows.
pub(crate) fn time_of_version(snapshot: &Snapshot, version: u64) -> Result<Option<DateTime<Utc>>> {
    const SQL: &str = "SELECT time FROM revision WHERE version = ?1";
    let version = i64::try_from(version).unwrap_or(i64::MAX);
    let time = snapshot.first(SQL, [version], |row| row.get::<_, String>(0))?;
    Ok(time.and_then(|time| time.parse().ok()))
}

/// Fails if the log does not reach back to `version`.
pub(crate) fn check_reaches_back(snapshot: &Snapshot, version: u64) -> Result<()> {
    let first = complete_after(snapshot)?;
    if version < first {
        return Err(ExportFault::ForgottenVersion { version, first }.into());
    }
    Ok(())
}

/// The log has every change of the versions after this one.
pub fn complete_after(snapshot: &Snapshot) -> Result<u64> {
    let version = snapshot.meta("changes_after")?;
    Ok(version.and_then(|text| text.parse().ok()).unwrap_or_default())
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<ChangeEntry> {
    let (version, time, change) = read_revision(row)?;
    Ok(ChangeEntry { version, time, dataset: row.get(2)?, key: row.get(3)?, change })
}

/// The version, its time and the kind of change, which are in the first, second and fifth column.
fn read_revision(row: &rusqlite::Row<'_>) -> rusqlite::Result<(u64, DateTime<Utc>, Change)> {
    let wrong = |column: usize, err: Box<dyn std::error::Error + Send + Sync>| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, err)
    };
    let time: DateTime<Utc> =
        row.get_ref(1)?.as_str()?.parse().map_err(|err| wrong(1, Box::new(err)))?;
    let change = Change::of_code(row.get(4)?).ok_or_else(|| wrong(4, "not a change".into()))?;
    Ok((row.get::<_, i64>(0)?.unsigned_abs(), time, change))
}

#[cfg(test)]
mod tests;
