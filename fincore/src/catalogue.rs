//! The data file: opened, read through snapshots, written in one transaction.
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
};

use r2d2::{Pool, PooledConnection};
use r2d2_sqlite::SqliteConnectionManager;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Params, Row};

use crate::{Checkup, Date, Error, Plan, Result, sqlite};

/// One file a step, in order; a step that has landed never changes.
const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/catalogue/0001_market.sql"),
    include_str!("../migrations/catalogue/0002_companies_and_filings.sql"),
];

/// Snapshots that can be open at once; a request holds one for microseconds.
const READERS: u32 = 32;

/// How long [`Catalogue::snapshot`] waits for a free connection.
const READER_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(5);

/// Kilobytes that a reader keeps in memory. Mapping the file instead would be as fast, but ends the whole
/// program when somebody cuts the file short.
const READER_CACHE: i64 = 8 * 1024;

/// Kilobytes that an import may hold in memory before it writes: the indexes of millions of filings.
const WRITER_CACHE: i64 = 256 * 1024;

/// Public data: market rates, companies and filings, in one SQLite file that any number of programs may share.
#[derive(Clone, Debug)]
pub struct Catalogue {
    path: PathBuf,
    readers: Pool<SqliteConnectionManager>,
}

impl Catalogue {
    /// Opens the data file at `path`, creating it empty where there is none.
    ///
    /// Fails where the file cannot be opened, is no database, or was made by a newer version.
    pub fn open(path: impl Into<PathBuf>) -> Result<Catalogue> {
        let path = path.into();
        drop(sqlite::open(&path, MIGRATIONS)?);
        let manager = SqliteConnectionManager::file(&path).with_init(|connection| {
            sqlite::prepare(connection)?;
            connection.pragma_update(None, "query_only", true)?;
            connection.pragma_update(None, "cache_size", -READER_CACHE)
        });
        let readers = Pool::builder()
            .max_size(READERS)
            .min_idle(Some(1))
            .idle_timeout(None)
            .max_lifetime(None)
            .test_on_check_out(false)
            .connection_timeout(READER_TIMEOUT)
            .error_handler(Box::new(r2d2::NopErrorHandler))
            .build(manager)?;
        Ok(Catalogue { path, readers })
    }

    /// The data as it is at this moment, read on the day `today`: what is dated later is not current yet.
    ///
    /// Whatever is asked of one snapshot belongs together, also while an import is written.
    pub fn snapshot(&self, today: Date) -> Result<Snapshot> {
        let connection = self.readers.get()?;
        connection.prepare_cached("BEGIN")?.execute([])?;
        // The moment is that of the first reading, so this is it.
        let tag = read_meta(&connection, "data_tag")?.unwrap_or_default();
        Ok(Snapshot { connection, tag, today, plan: Plan::Platinum })
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
        let connection = sqlite::open(&self.path, MIGRATIONS)?;
        connection.pragma_update(None, "cache_size", -WRITER_CACHE)?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        let mut written = DefaultHasher::new();
        read_meta(&connection, "data_tag")?.hash(&mut written);
        Ok(Writer { connection, written })
    }
}

/// The data at one moment. Made by [`Catalogue::snapshot`].
#[derive(Debug)]
pub struct Snapshot {
    connection: PooledConnection<SqliteConnectionManager>,
    tag: String,
    today: Date,
    plan: Plan,
}

impl Snapshot {
    /// The same data as a holder of `plan` may read it; without this, all of it may be read.
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

    /// A word for the data: where it is the same, in whichever file, so is the data.
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
        // Nothing was written; should this fail, the next BEGIN on the connection says so.
        let _ = self.connection.prepare_cached("ROLLBACK").and_then(|mut end| end.execute([]));
    }
}

/// A transaction under way; dropped without [`Writer::commit`], it leaves nothing behind.
#[derive(Debug)]
pub(crate) struct Writer {
    connection: Connection,
    /// What was there and what is written, in short.
    written: DefaultHasher,
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

    /// Notes from what the rows are made that are written; the data's tag follows from it.
    pub(crate) fn note(&mut self, source: impl Hash) {
        source.hash(&mut self.written);
    }

    /// Makes everything written visible at once, under a new data version.
    pub(crate) fn commit(self) -> Result<()> {
        const SQL: &str = "UPDATE meta SET value = value + 1 WHERE name = 'data_version'";
        self.prepare(SQL)?.execute([])?;
        self.set_meta("data_tag", &format!("{:016x}", self.written.finish()))?;
        self.connection.execute_batch("COMMIT")?;
        // Keeps the log short. A reader may hold it open; then a later checkpoint does the work.
        let _ = self.connection.pragma_query(None, "wal_checkpoint", |_| Ok(()));
        Ok(())
    }
}

/// What becomes of a row that is there already with other facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// It gives way: what is stored was published later.
    Replace,
    /// It stays: what is stored may be older.
    Keep,
}

/// What became of the rows that were written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Not known before.
    pub new: usize,
    /// Known with another value, which is replaced.
    pub changed: usize,
    /// Known as they are.
    pub unchanged: usize,
    /// Known, but no longer there; taken out.
    pub removed: usize,
}

impl Tally {
    pub(crate) const NEW: Tally = Tally { new: 1, ..Tally::NONE };
    pub(crate) const CHANGED: Tally = Tally { changed: 1, ..Tally::NONE };
    pub(crate) const UNCHANGED: Tally = Tally { unchanged: 1, ..Tally::NONE };
    pub(crate) const REMOVED: Tally = Tally { removed: 1, ..Tally::NONE };
    const NONE: Tally = Tally { new: 0, changed: 0, unchanged: 0, removed: 0 };

    /// Whether anything is other than before.
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
mod tests {
    use rusqlite::StatementStatus;

    use super::{temporary as catalogue, *};

    const TODAY: Date = Date::MAX;

    #[test]
    fn a_snapshot_does_not_see_a_later_commit() {
        let (_dir, catalogue) = catalogue();
        let before = catalogue.snapshot(TODAY).unwrap();
        let writer = catalogue.write().unwrap();
        writer.set_meta("bundle", "x").unwrap();
        writer.commit().unwrap();
        let after = catalogue.snapshot(TODAY).unwrap();
        assert_eq!((before.version().unwrap(), before.meta("bundle").unwrap()), (0, None));
        assert_eq!(
            (after.version().unwrap(), after.meta("bundle").unwrap()),
            (1, Some("x".into()))
        );
    }

    #[test]
    fn the_tag_tells_the_same_data_from_other_data() {
        let tag_after = |sources: &[&str]| {
            let (_dir, catalogue) = catalogue();
            for source in sources {
                let mut writer = catalogue.write().unwrap();
                writer.note(source);
                writer.commit().unwrap();
            }
            catalogue.snapshot(TODAY).unwrap().tag().to_owned()
        };
        assert_eq!(tag_after(&["a", "b"]), tag_after(&["a", "b"]));
        for other in [&["a"][..], &["b", "a"], &["a", "c"], &[]] {
            assert_ne!(tag_after(&["a", "b"]), tag_after(other));
        }
    }

    #[test]
    fn a_writer_that_is_dropped_leaves_nothing() {
        let (_dir, catalogue) = catalogue();
        catalogue.write().unwrap().set_meta("bundle", "x").unwrap();
        let snapshot = catalogue.snapshot(TODAY).unwrap();
        assert_eq!((snapshot.version().unwrap(), snapshot.meta("bundle").unwrap()), (0, None));
    }

    #[test]
    fn a_snapshot_cannot_write() {
        let (_dir, catalogue) = catalogue();
        let snapshot = catalogue.snapshot(TODAY).unwrap();
        assert!(snapshot.connection.execute("DELETE FROM meta", []).is_err());
    }

    #[test]
    fn cached_statements_are_not_compiled_again_when_parameters_change() {
        let (_dir, catalogue) = catalogue();
        let snapshot = catalogue.snapshot(TODAY).unwrap();
        // A range over an indexed column: the kind of parameter that SQLite would plan by its value.
        const SQL: &str =
            "SELECT date FROM rate WHERE series = ?1 AND date >= ?2 AND value LIKE ?3";
        for n in 0..100 {
            let mut statement = snapshot.connection.prepare_cached(SQL).unwrap();
            let _ = statement.query_row((n, n.to_string(), n.to_string()), |_| Ok(()));
        }
        let statement = snapshot.connection.prepare_cached(SQL).unwrap();
        assert_eq!(statement.get_status(StatementStatus::RePrepare), 0);
    }
}
