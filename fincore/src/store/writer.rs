//! Writing to the data file: one transaction, made visible at once.
use std::{
    cell::{Cell, RefCell},
    collections::BTreeSet,
    fmt::{Display, Write},
    path::PathBuf,
    time::Duration,
};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use rusqlite::{CachedStatement, Connection, OpenFlags};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{
    store::{
        CATALOGUE_SCHEMA, Catalogue, SchemaObject,
        readers::{read_meta, version_of},
        sqlite_file,
    },
    values::{Error, Result},
};

/// The page cache of an import, in KiB; sorting at its end takes as much again. A batch of filings comes in the order of
/// its keys, so that few pages are needed again: four times as much makes 300,000 filings no faster.
const WRITER_CACHE: i64 = 48 * 1024;

/// How long an import waits for another one before it reports that.
const SOON: Duration = Duration::from_secs(1);

/// The length of a tag, in bytes of the digest.
const TAG_BYTES: usize = 16;

/// How long changes stay in the log by default.
const KEEP_CHANGES: TimeDelta = TimeDelta::days(90);

/// An open write transaction; rolled back if it is dropped without [`Writer::commit`].
#[derive(Debug)]
pub(crate) struct Writer {
    connection: Connection,
    /// A digest of the previous tag and everything written since.
    written: Sha256,
    /// The time of this transaction, by the caller's clock.
    now: DateTime<Utc>,
    /// The data version that this transaction makes.
    version: i64,
    /// Changes are logged one by one.
    logged: bool,
    keep_changes: TimeDelta,
    kept_rows: Cell<bool>,
    /// The datasets with changes.
    touched: RefCell<BTreeSet<String>>,
    /// Dropped last, after the connection is closed. `None` for a scratch writer.
    tail: Option<Tail>,
}

impl Catalogue {
    /// Starts a write transaction. Readers see the old data until it commits. Waits some seconds for another one to
    /// end, then fails with [`Error::Busy`].
    pub(crate) fn write(&self, now: DateTime<Utc>) -> Result<Writer> {
        self.write_within(now, sqlite_file::BUSY_TIMEOUT)
    }

    /// Waits at most a second for another writer.
    pub(crate) fn write_soon(&self, now: DateTime<Utc>) -> Result<Writer> {
        self.write_within(now, SOON)
    }

    fn write_within(&self, now: DateTime<Utc>, time: Duration) -> Result<Writer> {
        let path = self.path();
        let error =
            |err: rusqlite::Error| sqlite_file::error_of_file(&path, &CATALOGUE_SCHEMA, err.into());
        let connection = sqlite_file::reopen(&path, &CATALOGUE_SCHEMA)?;
        let tail = Tail(path.clone());
        connection.pragma_update(None, "cache_size", -WRITER_CACHE)?;
        connection.busy_timeout(time)?;
        connection.execute_batch("BEGIN IMMEDIATE").map_err(|err| match Error::from(err) {
            Error::Busy(_) => Error::Busy("another import is running".into()),
            other => other,
        })?;
        connection.busy_timeout(sqlite_file::BUSY_TIMEOUT)?;
        let mut written = Sha256::new();
        written.update(read_meta(&connection, "data_tag").map_err(error)?.unwrap_or_default());
        let version = version_of(&connection).map_err(error)? + 1;
        Ok(Writer {
            connection,
            written,
            now,
            version,
            logged: true,
            keep_changes: KEEP_CHANGES,
            kept_rows: Cell::default(),
            touched: RefCell::default(),
            tail: Some(tail),
        })
    }

    /// A writer that cannot change the file. A check uses it to compute again what imports compute, and to compare: see
    /// [`Writer::hide`]. It takes no lock, and sees the data as it is now. Never commit it.
    pub(crate) fn scratch(&self) -> Result<Writer> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(self.path(), flags)?;
        sqlite_file::prepare(&connection)?;
        connection.execute_batch("BEGIN")?;
        Ok(Writer {
            version: version_of(&connection)?,
            connection,
            written: Sha256::new(),
            now: DateTime::UNIX_EPOCH,
            logged: false,
            keep_changes: KEEP_CHANGES,
            kept_rows: Cell::default(),
            touched: RefCell::default(),
            tail: None,
        })
    }
}

/// Shortens the write-ahead log when a writer has ended, even by an error: a failed import may leave hundreds of megabytes.
#[derive(Debug)]
struct Tail(PathBuf);

impl Drop for Tail {
    fn drop(&mut self) {
        // If a reader still needs the log, a server does it later.
        let _ = sqlite_file::shrink_log(&self.0);
    }
}

impl Writer {
    /// Does not log changes one by one: the bundled data is not news.
    pub(crate) fn without_log(self) -> Writer {
        Writer { logged: false, ..self }
    }

    /// Forgets logged changes after this time.
    pub(crate) fn keep_changes_for(self, keep_changes: TimeDelta) -> Writer {
        Writer { keep_changes, ..self }
    }

    /// The time of this transaction, by the caller's clock.
    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.now
    }

    pub(crate) fn prepare(&self, sql: &str) -> Result<CachedStatement<'_>> {
        Ok(self.connection.prepare_cached(sql)?)
    }

    pub(crate) fn meta(&self, name: &str) -> Result<Option<String>> {
        Ok(read_meta(&self.connection, name)?)
    }

    /// The data version that this transaction makes; for a scratch writer, the one that it sees.
    pub(crate) fn version(&self) -> i64 {
        self.version
    }

    /// Whether changes are logged one by one, as those of imports are.
    pub(crate) fn is_logged(&self) -> bool {
        self.logged
    }

    pub(crate) fn is_scratch(&self) -> bool {
        self.tail.is_none()
    }

    /// Notes that rows were kept as they were before.
    pub(crate) fn note_kept_rows(&self) {
        self.kept_rows.set(true);
    }

    pub(crate) fn has_kept_rows(&self) -> bool {
        self.kept_rows.get()
    }

    /// Hides a table of the file behind an empty temporary one, for a scratch writer. The name alone means the
    /// temporary table from now on, `main.` before it the one in the file.
    pub(crate) fn hide(&self, table: &str) -> Result<()> {
        const SQL: &str = "SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = ?1";
        let sql: String = self.prepare(SQL)?.query_row([table], |row| row.get(0))?;
        Ok(self.connection.execute_batch(&sql.replacen("TABLE ", "TABLE temp.", 1))?)
    }

    /// The tables and indexes that the file should have and lacks.
    pub(crate) fn missing_objects(&self) -> Result<Vec<SchemaObject>> {
        sqlite_file::missing_objects(&self.connection, &CATALOGUE_SCHEMA)
    }

    /// The connection, for checks of the file as a whole.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    pub(crate) fn set_meta(&self, name: &str, value: &str) -> Result<()> {
        const SQL: &str = "INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)";
        self.prepare(SQL)?.execute([name, value])?;
        Ok(())
    }

    /// Adds a source to the data's tag: its kind and its content. Nothing machine-specific may go in.
    pub(crate) fn note(&mut self, kind: &str, content: &[u8]) {
        for part in [kind.as_bytes(), content] {
            self.written.update((part.len() as u64).to_be_bytes());
            self.written.update(part);
        }
    }

    /// Logs a change. Several changes of one thing become one: added and then changed is added.
    pub(crate) fn log(&self, dataset: &str, key: impl Display, change: Change) -> Result<()> {
        self.log_all(dataset, [(key, change)])
    }

    /// Notes that a dataset has changes.
    pub(crate) fn touch(&self, dataset: &str) {
        if !self.touched.borrow().contains(dataset) {
            self.touched.borrow_mut().insert(dataset.to_owned());
        }
    }

    /// Logs many changes at once, at less cost.
    pub(crate) fn log_all<K: Display>(
        &self,
        dataset: &str,
        changes: impl IntoIterator<Item = (K, Change)>,
    ) -> Result<()> {
        const SQL: &str = "INSERT INTO change (version, dataset, key, kind) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT DO UPDATE SET kind = CASE
                WHEN kind = 0 AND excluded.kind = 1 THEN 0 -- added, then changed
                WHEN kind = 0 AND excluded.kind = 2 THEN 3 -- added, then removed: nothing
                WHEN kind = 2 AND excluded.kind = 0 THEN 1 -- removed, then added again
                ELSE excluded.kind END";
        let mut changes = changes.into_iter().peekable();
        if changes.peek().is_none() {
            return Ok(());
        }
        self.touch(dataset);
        if !self.logged {
            return Ok(());
        }
        let mut statement = self.prepare(SQL)?;
        let mut text = String::new();
        for (key, change) in changes {
            text.clear();
            // Writing to a string cannot fail.
            let _ = write!(text, "{key}");
            statement.execute((self.version, dataset, &text, change.code()))?;
        }
        Ok(())
    }

    /// The datasets with changes so far.
    pub(crate) fn touched_datasets(&self) -> BTreeSet<String> {
        self.touched.borrow().clone()
    }

    /// Makes everything written visible at once, under a new data version.
    pub(crate) fn commit(self) -> Result<()> {
        self.set_meta("data_version", &self.version.to_string())?;
        let tag: String = self.written.clone().finalize()[..TAG_BYTES]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        self.set_meta("data_tag", &tag)?;
        self.finish_log()?;
        self.settle_past()?;
        self.commit_unversioned()
    }

    /// Makes what was written visible without a new data version: for records about the data.
    pub(crate) fn commit_unversioned(self) -> Result<()> {
        Ok(self.connection.execute_batch("COMMIT")?)
    }

    /// Notes when this version was made and which datasets it updated, and forgets old changes.
    fn finish_log(&self) -> Result<()> {
        const TIME: &str = "INSERT OR REPLACE INTO revision (version, time) VALUES (?1, ?2)";
        const UPDATED: &str = "INSERT INTO dataset (name, updated_at) VALUES (?1, ?2)
            ON CONFLICT DO UPDATE SET updated_at = MAX(COALESCE(updated_at, ''), excluded.updated_at)";
        const CANCELLED: &str = "DELETE FROM change WHERE version = ?1 AND kind = 3";
        const OLD: &str = "SELECT COALESCE(MAX(version), 0) FROM revision WHERE time < ?1";
        let time = timestamp(self.now);
        for dataset in self.touched.borrow().iter() {
            self.prepare(UPDATED)?.execute((dataset, &time))?;
        }
        self.prepare(TIME)?.execute((self.version, &time))?;
        if !self.logged {
            return self.set_meta("changes_after", &self.version.to_string());
        }
        self.prepare(CANCELLED)?.execute([self.version])?;
        let oldest = self.now.checked_sub_signed(self.keep_changes).unwrap_or_default();
        let old: i64 = self.prepare(OLD)?.query_row([timestamp(oldest)], |row| row.get(0))?;
        if old > 0 {
            self.prepare("DELETE FROM change WHERE version <= ?1")?.execute([old])?;
            self.prepare("DELETE FROM withdrawn_filing WHERE version <= ?1")?.execute([old])?;
            // The time of the version before the first change is still needed: data that was hidden then, because its day
            // was in the future, is new to clients that have that version.
            self.prepare("DELETE FROM revision WHERE version < ?1")?.execute([old])?;
            let known = read_meta(&self.connection, "changes_after")?;
            let known = known.and_then(|text| text.parse().ok()).unwrap_or_default();
            self.set_meta("changes_after", &old.max(known).to_string())?;
        }
        Ok(())
    }
}

/// A moment as it is stored and shown: `2026-11-15T12:00:00Z`.
pub(crate) fn timestamp(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// The treatment of a new row that differs from a stored one with the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnConflict {
    /// The new row wins: it was published later.
    Replace,
    /// The stored row wins: the new one may be older.
    Keep,
}

/// The number of rows that an import added, changed, left unchanged and removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// Rows that were not stored before.
    pub new: usize,
    /// Rows that replaced a stored row with other values.
    pub changed: usize,
    /// Rows that were already stored with the same values.
    pub unchanged: usize,
    /// Rows that the source no longer has, and that were removed.
    pub removed: usize,
}

impl Tally {
    pub(crate) const NEW: Tally = Tally { new: 1, ..Tally::NONE };
    pub(crate) const CHANGED: Tally = Tally { changed: 1, ..Tally::NONE };
    pub(crate) const UNCHANGED: Tally = Tally { unchanged: 1, ..Tally::NONE };
    pub(crate) const REMOVED: Tally = Tally { removed: 1, ..Tally::NONE };
    const NONE: Tally = Tally { new: 0, changed: 0, unchanged: 0, removed: 0 };

    /// The change that the tally of one row stands for, if any.
    pub(crate) fn change(self) -> Option<Change> {
        match self {
            Tally::NEW => Some(Change::Added),
            Tally::CHANGED => Some(Change::Changed),
            Tally::REMOVED => Some(Change::Removed),
            _ => None,
        }
    }

    pub(crate) fn is_change(self) -> bool {
        self.new + self.changed + self.removed > 0
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, more: Tally) {
        self.new += more.new;
        self.changed += more.changed;
        self.unchanged += more.unchanged;
        self.removed += more.removed;
    }
}

/// The effect of a write on a row of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// It was not there before.
    Added,
    /// It has other values than before.
    Changed,
    /// It is no longer there.
    Removed,
}

impl Change {
    /// The number under which it is stored.
    pub(crate) fn code(self) -> u8 {
        match self {
            Change::Added => 0,
            Change::Changed => 1,
            Change::Removed => 2,
        }
    }

    /// The inverse of [`Change::code`].
    pub(crate) fn of_code(code: i64) -> Option<Change> {
        match code {
            0 => Some(Change::Added),
            1 => Some(Change::Changed),
            2 => Some(Change::Removed),
            _ => None,
        }
    }
}
