//! The data file, and snapshots to read it through.
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use r2d2::{ManageConnection, Pool};
use r2d2_sqlite::SqliteConnectionManager;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use crate::{
    error::Result,
    index,
    plans::Plan,
    sqlite::{self, Schema},
    types::Date,
};

mod change;
mod memo;
mod snapshot;
mod unreadable;
mod view;
pub use change::Change;
use memo::Memo;
pub use snapshot::Snapshot;
use unreadable::{Unreadable, is_about_a_value};
use view::{View, Views, Watch};
// Only the bundle and imports write.
#[cfg(any(feature = "bundle", feature = "import"))]
mod writer;
#[cfg(any(feature = "bundle", feature = "import"))]
pub use writer::Tally;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) use writer::{OnConflict, Writer, timestamp};

const SCHEMA: Schema = Schema {
    what: "a data catalogue",
    application_id: i32::from_be_bytes(*b"FINC"),
    migrations: &[
        include_str!("../migrations/catalogue/0001_market.sql"),
        include_str!("../migrations/catalogue/0002_companies_and_filings.sql"),
        include_str!("../migrations/catalogue/0003_application_id.sql"),
        include_str!("../migrations/catalogue/0004_changes_and_freshness.sql"),
        include_str!("../migrations/catalogue/0005_identity.sql"),
        include_str!("../migrations/catalogue/0006_search.sql"),
    ],
    unmarked: 2,
    table: "rate",
    remedy: "restore a copy, or delete it to start again from the bundled data, and repeat your imports",
    audience: sqlite::Audience::Default,
};

/// The most snapshots at once. A request holds one for microseconds; the rest is for tasks that keep one
/// for longer.
const READERS: u32 = 512;

/// How long [`Catalogue::snapshot`] waits for a free connection.
const READER_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(5);

/// How long an unused connection stays open.
const IDLE_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(60);

/// The page cache of a reader, in KiB. A memory map would be as fast, but kills the process when somebody
/// truncates the file.
const READER_CACHE: i64 = 2 * 1024;

/// The data: market rates, companies and filings in one SQLite file, which several programs can share.
///
/// A catalogue is `Send`, `Sync` and cheap to clone; all clones share one pool of connections. It is read
/// through a [`Snapshot`].
///
/// ```
/// use fincore::{Catalogue, market};
///
/// # let dir = tempfile::tempdir().unwrap();
/// let catalogue = Catalogue::open(dir.path().join("catalogue.db"))?;
/// # fincore::bundle::fill(&catalogue)?;
/// // The same data, as of two dates.
/// let then = catalogue.snapshot("2021-03-16".parse()?)?;
/// let now = catalogue.snapshot("2026-10-05".parse()?)?;
/// assert_eq!(market::selic_current(&then)?.value.to_string(), "2.00");
/// assert_eq!(market::selic_current(&now)?.value.to_string(), "13.75");
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Catalogue {
    path: PathBuf,
    readers: Pool<Readers>,
    shared: Arc<Shared>,
}

/// What all snapshots of a catalogue share.
#[derive(Debug)]
struct Shared {
    unreadable: Unreadable,
    memo: Memo,
    views: Views,
    watch: Watch,
}

impl Catalogue {
    /// Opens the data file at `path`, creating an empty one if there is none.
    ///
    /// Fails if the file cannot be opened, is empty or not a catalogue, or was made by a newer version.
    pub fn open(path: impl Into<PathBuf>) -> Result<Catalogue> {
        let path = path.into();
        renew_index(sqlite::open(&path, &SCHEMA)?)?;
        let manager = SqliteConnectionManager::file(&path).with_init(|connection| {
            sqlite::prepare(connection)?;
            connection.pragma_update(None, "query_only", true)?;
            connection.pragma_update(None, "cache_size", -READER_CACHE)
        });
        let watch = Watch::new(manager.connect()?);
        let readers = Pool::builder()
            .max_size(READERS)
            .min_idle(Some(1))
            .idle_timeout(Some(IDLE_TIMEOUT))
            .max_lifetime(None)
            .test_on_check_out(false)
            .connection_timeout(READER_TIMEOUT)
            .error_handler(Box::new(r2d2::NopErrorHandler))
            .build(Readers(manager))?;
        let (unreadable, memo, views) = Default::default();
        let shared = Arc::new(Shared { unreadable, memo, views, watch });
        Ok(Catalogue { path, readers, shared })
    }

    /// A consistent view of the data as it is now. Market data dated after `today` is hidden.
    ///
    /// A snapshot never changes, even while an import commits. Up to 512 can be live at once; the next call waits for
    /// one to be dropped, and fails with [`Error::Busy`](crate::Error::Busy) after five seconds. Taking a snapshot
    /// costs microseconds, so drop it before you wait for something else, such as an `.await`. A long-lived snapshot
    /// keeps SQLite's write-ahead log from being truncated.
    pub fn snapshot(&self, today: Date) -> Result<Snapshot> {
        let view = View::open(self.readers.get()?, &self.shared.watch)?;
        Ok(Snapshot::new(view, None, today, self.shared.clone()))
    }

    /// A snapshot of the data as it was at most a millisecond before `now`, for those who take thousands a second.
    ///
    /// It costs next to nothing, because its transaction is that of an earlier snapshot, and stays open for the next.
    /// One that nobody takes up stays open too, and keeps SQLite's write-ahead log from being truncated: whoever
    /// calls this should go on to call it now and then.
    pub fn recent_snapshot(&self, today: Date, now: Instant) -> Result<Snapshot> {
        let (begun, view) = match self.shared.views.take(now, &self.shared.watch)? {
            Some(taken) => taken,
            None => {
                let view = View::open(self.readers.get()?, &self.shared.watch)?;
                self.shared.views.note(now, &view);
                (now, view)
            }
        };
        Ok(Snapshot::new(view, Some(begun), today, self.shared.clone()))
    }

    /// The fingerprint of a recent snapshot for this plan, if one was taken just now. It costs nothing like a snapshot:
    /// whoever has kept an answer under it need not take one.
    #[must_use]
    pub fn recent_fingerprint(&self, today: Date, plan: Plan, now: Instant) -> Option<u64> {
        // Which data are damaged is known by their tag, for which a snapshot is needed.
        let undamaged = self.shared.unreadable.met() == 0;
        let data = self.shared.views.data(now).filter(|_| undamaged)?;
        Some(snapshot::fingerprint(data, today, plan, false))
    }

    /// How often answers have left out a stored value because it cannot be read, since the catalogue was
    /// opened. [`Catalogue::check`] says which values those are.
    #[must_use]
    pub fn unreadable(&self) -> u64 {
        self.shared.unreadable.met()
    }

    /// Checks the whole file for damage and counts its rows. Takes seconds on a large file.
    ///
    /// This build reads only, and cannot compute anew what imports derive from the rows.
    #[cfg(not(any(feature = "bundle", feature = "import")))]
    pub fn check(&self) -> Result<sqlite::Checkup> {
        sqlite::check(&*self.readers.get()?)
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Makes the search index anew if another version made it, or nobody yet.
fn renew_index(mut connection: Connection) -> Result<()> {
    if !index::is_outdated(&connection)? {
        return Ok(());
    }
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another program may have been faster.
    if index::is_outdated(&tx)? {
        index::make(&tx, |_| ())?;
    }
    Ok(tx.commit()?)
}

/// Read connections. One whose transaction could not be ended is closed instead of reused.
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

/// A value that cannot be read counts as missing.
fn read_meta(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    const SQL: &str = "SELECT value FROM meta WHERE name = ?1";
    match connection.prepare_cached(SQL)?.query_row([name], |row| row.get(0)).optional() {
        Err(err) if is_about_a_value(&err) => Ok(None),
        found => found,
    }
}

/// The data version: at least that of the newest logged change, should the number itself be damaged.
fn version_of(connection: &Connection) -> rusqlite::Result<i64> {
    const LOGGED: &str = "SELECT COALESCE(MAX(version), 0) FROM main.revision";
    let noted = read_meta(connection, "data_version")?;
    let noted: i64 = noted.and_then(|text| text.parse().ok()).unwrap_or_default();
    let logged: i64 = connection.prepare_cached(LOGGED)?.query_row([], |row| row.get(0))?;
    Ok(noted.max(logged))
}

/// A time for tests that need one.
#[cfg(test)]
#[cfg(feature = "import")]
pub(crate) fn noon() -> chrono::DateTime<chrono::Utc> {
    "2026-11-15T15:00:00Z".parse().unwrap()
}

/// An empty catalogue in a temporary directory.
#[cfg(test)]
#[cfg(feature = "import")]
pub(crate) fn temporary() -> (tempfile::TempDir, Catalogue) {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    (dir, catalogue)
}

#[cfg(test)]
#[cfg(feature = "import")]
mod tests;
