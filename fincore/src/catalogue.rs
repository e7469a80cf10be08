//! The data file: opened, read through snapshots, written in one transaction.
use std::path::{Path, PathBuf};

use r2d2::{ManageConnection, Pool, PooledConnection};
use r2d2_sqlite::SqliteConnectionManager;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Params, Row};
use sha2::{Digest, Sha256};

use crate::{
    error::{Error, Result},
    plans::Plan,
    sqlite::{self, Checkup, Schema},
    types::Date,
};

const SCHEMA: Schema = Schema {
    what: "a data catalogue",
    application_id: i32::from_be_bytes(*b"FINC"),
    migrations: &[
        include_str!("../migrations/catalogue/0001_market.sql"),
        include_str!("../migrations/catalogue/0002_companies_and_filings.sql"),
        include_str!("../migrations/catalogue/0003_application_id.sql"),
    ],
    unmarked: 2,
    table: "rate",
    remedy: "restore a copy, or remove it so that a new one is made from the bundled data, and import again",
    audience: sqlite::Audience::Default,
};

/// Snapshots that can be live at once. A server's requests hold one for microseconds; this many allow
/// hundreds of tasks to keep one for as long as they like.
const READERS: u32 = 512;

/// How long [`Catalogue::snapshot`] waits for one of them to be dropped.
const READER_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(5);

/// How long an unused connection stays open.
const IDLE_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(60);

/// Kilobytes that a reader keeps in memory. Mapping the file instead would be as fast, but ends the whole
/// program when somebody truncates the file.
const READER_CACHE: i64 = 8 * 1024;

/// Kilobytes that an import may hold in memory before it writes: the indexes of millions of filings.
const WRITER_CACHE: i64 = 256 * 1024;

/// Public data: market rates, companies and filings, in one SQLite file that any number of programs may share.
///
/// A catalogue is `Send`, `Sync` and cheap to clone; all clones share one pool of connections. Reading
/// goes through a [`Snapshot`].
#[derive(Clone, Debug)]
pub struct Catalogue {
    path: PathBuf,
    readers: Pool<Readers>,
}

impl Catalogue {
    /// Opens the data file at `path`, creating it empty where there is none.
    ///
    /// Fails where the file cannot be opened, is empty or not a catalogue, or was made by a newer version.
    pub fn open(path: impl Into<PathBuf>) -> Result<Catalogue> {
        let path = path.into();
        drop(sqlite::open(&path, &SCHEMA)?);
        let manager = SqliteConnectionManager::file(&path).with_init(|connection| {
            sqlite::prepare(connection)?;
            connection.pragma_update(None, "query_only", true)?;
            connection.pragma_update(None, "cache_size", -READER_CACHE)
        });
        let readers = Pool::builder()
            .max_size(READERS)
            .min_idle(Some(1))
            .idle_timeout(Some(IDLE_TIMEOUT))
            .max_lifetime(None)
            .test_on_check_out(false)
            .connection_timeout(READER_TIMEOUT)
            .error_handler(Box::new(r2d2::NopErrorHandler))
            .build(Readers(manager))?;
        Ok(Catalogue { path, readers })
    }

    /// The data as it is at this moment, read on the day `today`: what is dated later is not there yet.
    ///
    /// Everything read from one snapshot is consistent, also while an import commits. Up to 512 snapshots
    /// can be live at once; one more waits for another to be dropped, and fails with [`Error::Busy`] after
    /// five seconds. Whoever needs more drops a snapshot before it waits for something else, such as
    /// an `.await`, and takes a new one afterwards: that costs microseconds. A snapshot that lives long
    /// keeps the write-ahead log from being truncated.
    pub fn snapshot(&self, today: Date) -> Result<Snapshot> {
        let connection = self.readers.get()?;
        connection.prepare_cached("BEGIN")?.execute([])?;
        // From here on the snapshot ends the transaction, however it is dropped.
        let mut snapshot = Snapshot { connection, tag: String::new(), today, plan: Plan::Platinum };
        // The moment is that of the first reading, so this is it.
        snapshot.tag = snapshot.meta("data_tag")?.unwrap_or_default();
        Ok(snapshot)
    }

    /// Looks through the whole file for damage, and tells what is in it.
    pub fn check(&self) -> Result<Checkup> {
        sqlite::check(&*self.readers.get()?)
    }

    /// Where the file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Starts the one transaction of an import. Readers go on seeing the old data until it is committed.
    pub(crate) fn write(&self) -> Result<Writer> {
        let connection = sqlite::open(&self.path, &SCHEMA)?;
        connection.pragma_update(None, "cache_size", -WRITER_CACHE)?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        let mut written = Sha256::new();
        written.update(read_meta(&connection, "data_tag")?.unwrap_or_default());
        Ok(Writer { connection, written })
    }
}

/// Connections for snapshots. One whose transaction could not be ended is closed, never used again.
#[derive(Debug)]
struct Readers(SqliteConnectionManager);

impl ManageConnection for Readers {
    type Connection = Connection;
    type Error = rusqlite::Error;

    fn connect(&self) -> rusqlite::Result<Connection> {
        self.0.connect()
    }

    fn is_valid(&self, connection: &mut Connection) -> rusqlite::Result<()> {
        self.0.is_valid(connection)
    }

    fn has_broken(&self, connection: &mut Connection) -> bool {
        !connection.is_autocommit()
    }
}

/// The data at one moment. Made by [`Catalogue::snapshot`].
///
/// A snapshot is `Send` but not `Sync`: it can move to another thread, but only one thread reads it at a
/// time. Threads that read at once take a snapshot each.
#[derive(Debug)]
pub struct Snapshot {
    connection: PooledConnection<Readers>,
    tag: String,
    today: Date,
    plan: Plan,
}

impl Snapshot {
    /// The same data, with market history and the global search limited to what `plan` includes: history
    /// goes back 12 months without [`Feature::HistoricalData`](crate::Feature::HistoricalData), and the
    /// global search leaves out filings without [`Feature::Filings`](crate::Feature::Filings). A snapshot
    /// that was not given a plan reads everything.
    ///
    /// Nothing else is gated here: which functions a caller may use at all is for whoever serves them to
    /// decide, by [`Plan::need`].
    #[must_use]
    pub fn for_plan(mut self, plan: Plan) -> Snapshot {
        self.plan = plan;
        self
    }

    /// The plan on which this data is read.
    #[must_use]
    pub fn plan(&self) -> Plan {
        self.plan
    }

    /// The day on which this data is read.
    #[must_use]
    pub fn today(&self) -> Date {
        self.today
    }

    /// A fingerprint of all that was ever imported, in order: two files with the same tag hold the same
    /// data, wherever they are and whichever machine made them.
    #[must_use]
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// A number that rises with every import that changed something.
    pub fn version(&self) -> Result<u64> {
        let version = read_meta(&self.connection, "data_version")?;
        version.and_then(|text| text.parse().ok()).ok_or_else(|| {
            Error::storage("the data version cannot be read", "it is missing or no number")
        })
    }

    /// All rows of a query, each made into a value.
    pub(crate) fn rows<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map(params, read)?.collect::<rusqlite::Result<_>>()?;
        Ok(rows)
    }

    /// Hands every row of a query to `each`, one at a time, until that fails.
    pub(crate) fn for_each<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
        mut each: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        while let Some(row) = rows.next()? {
            each(read(row)?)?;
        }
        Ok(())
    }

    /// The one number that a query gives; 0 where it gives none.
    pub(crate) fn count(&self, sql: &str, params: impl Params) -> Result<u64> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let number: Option<i64> = statement.query_row(params, |row| row.get(0)).optional()?;
        Ok(number.and_then(|number| u64::try_from(number).ok()).unwrap_or_default())
    }

    /// What the catalogue notes about itself under `name`.
    pub(crate) fn meta(&self, name: &str) -> Result<Option<String>> {
        Ok(read_meta(&self.connection, name)?)
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        // Nothing was written. Should this fail, the pool closes the connection.
        let _ = self.connection.prepare_cached("ROLLBACK").and_then(|mut end| end.execute([]));
    }
}

/// A transaction under way; dropped without [`Writer::commit`], it leaves nothing behind.
#[derive(Debug)]
pub(crate) struct Writer {
    connection: Connection,
    /// Digests what was there and what is written.
    written: Sha256,
}

impl Writer {
    pub(crate) fn prepare(&self, sql: &str) -> Result<CachedStatement<'_>> {
        Ok(self.connection.prepare_cached(sql)?)
    }

    pub(crate) fn meta(&self, name: &str) -> Result<Option<String>> {
        Ok(read_meta(&self.connection, name)?)
    }

    pub(crate) fn set_meta(&self, name: &str, value: &str) -> Result<()> {
        const SQL: &str = "INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)";
        self.prepare(SQL)?.execute([name, value])?;
        Ok(())
    }

    /// Notes what the written rows were made from: a kind of file and its content. The data's tag
    /// follows from it, so nothing that differs between two machines may go in.
    pub(crate) fn note(&mut self, kind: &str, content: &[u8]) {
        for part in [kind.as_bytes(), content] {
            self.written.update((part.len() as u64).to_be_bytes());
            self.written.update(part);
        }
    }

    /// Makes everything written visible at once, under a new data version.
    pub(crate) fn commit(self) -> Result<()> {
        const SQL: &str = "UPDATE meta SET value = value + 1 WHERE name = 'data_version'";
        self.prepare(SQL)?.execute([])?;
        let tag: String = self.written.clone().finalize()[..TAG_BYTES]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        self.set_meta("data_tag", &tag)?;
        self.connection.execute_batch("COMMIT")?;
        // Keeps the log short. A reader may hold it open; then a later checkpoint does the work.
        let _ = self.connection.pragma_query(None, "wal_checkpoint", |_| Ok(()));
        Ok(())
    }
}

/// How many bytes of the digest make the data's tag.
const TAG_BYTES: usize = 16;

/// What happens to a stored row when a new one of the same key has other facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnConflict {
    /// The new row replaces it: it was published later.
    Replace,
    /// The stored row stays: the new one may be older.
    Keep,
}

/// How many rows an import added, changed, left alone and removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// Rows that were not stored before.
    pub new: usize,
    /// Rows that were stored with another value, which was replaced.
    pub changed: usize,
    /// Rows that were stored already as they are.
    pub unchanged: usize,
    /// Stored rows that no longer exist, and were removed.
    pub removed: usize,
}

impl Tally {
    pub(crate) const NEW: Tally = Tally { new: 1, ..Tally::NONE };
    pub(crate) const CHANGED: Tally = Tally { changed: 1, ..Tally::NONE };
    pub(crate) const UNCHANGED: Tally = Tally { unchanged: 1, ..Tally::NONE };
    pub(crate) const REMOVED: Tally = Tally { removed: 1, ..Tally::NONE };
    const NONE: Tally = Tally { new: 0, changed: 0, unchanged: 0, removed: 0 };

    /// Whether the import changed anything.
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

fn read_meta(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    const SQL: &str = "SELECT value FROM meta WHERE name = ?1";
    connection.prepare_cached(SQL)?.query_row([name], |row| row.get(0)).optional()
}

/// An empty catalogue, which goes with its directory.
#[cfg(test)]
pub(crate) fn temporary() -> (tempfile::TempDir, Catalogue) {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    (dir, catalogue)
}

#[cfg(test)]
mod tests;
