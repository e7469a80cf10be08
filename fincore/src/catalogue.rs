//! The data file, and snapshots to read it through.
use std::{path::PathBuf, sync::Arc, time::Instant};

use arc_swap::ArcSwap;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use crate::{
    error::{Error, Result},
    index,
    plans::Plan,
    sqlite::{self, Place, Schema},
    types::Date,
};

mod change;
mod edition;
mod memo;
mod readers;
mod snapshot;
mod unreadable;
mod view;
pub use change::Change;
pub use edition::Edition;
use memo::Memo;
use readers::Readers;
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

pub(crate) const SCHEMA: Schema = Schema {
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
const READERS: usize = 512;

/// The fewest: one that is kept for the next snapshot must leave one for another.
const FEWEST_READERS: usize = 2;

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
    /// What is open now; another file may take its place.
    current: Arc<ArcSwap<Shared>>,
}

/// What all snapshots of a file share.
#[derive(Debug)]
struct Shared {
    readers: Arc<Readers>,
    place: Place,
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
        Catalogue::open_with_readers(path, READERS)
    }

    /// The same with so many snapshots at once. Each takes two file descriptors, which the process keeps once it has
    /// had them: for servers whose limit is low. Two are the least.
    pub fn open_with_readers(path: impl Into<PathBuf>, readers: usize) -> Result<Catalogue> {
        let path = path.into();
        let connection = sqlite::open(&path, &SCHEMA)?;
        renew_index(connection).map_err(|err| sqlite::unopened(&path, &SCHEMA, err))?;
        Catalogue::of(path, readers)
    }

    /// Opens a data file only to look at it: nothing about it is changed, whatever else has it open.
    ///
    /// Fails with [`Error::Outdated`](crate::Error::Outdated) where [`Catalogue::open`] would bring the file up to date, and
    /// where there is none. The right to read the file is enough while somebody else has it open; SQLite needs that to write
    /// to its directory otherwise.
    pub fn open_to_read(path: impl Into<PathBuf>) -> Result<Catalogue> {
        let path = path.into();
        sqlite::check_current(&path, &SCHEMA)?;
        let catalogue = Catalogue::of(path.clone(), READERS)?;
        let connection = catalogue.current.load().readers.connect()?;
        match index::is_outdated(&connection) {
            Ok(false) => Ok(catalogue),
            Ok(true) => {
                let reason = "its search index was made in another way".to_owned();
                Err(Error::Outdated { path: path.display().to_string(), reason })
            }
            Err(err) => Err(sqlite::unopened(&path, &SCHEMA, err)),
        }
    }

    /// A file that can be read as it is.
    fn of(path: PathBuf, readers: usize) -> Result<Catalogue> {
        let readers = Arc::new(Readers::new(path.clone(), readers.max(FEWEST_READERS)));
        // It stays open, and with it the log.
        let watch = Watch::new(&readers)?;
        watch.read(&readers).map_err(|err| sqlite::unopened(&path, &SCHEMA, err))?;
        let place = Place::of(path)?;
        let (unreadable, memo, views) = Default::default();
        let shared = Shared { readers, place, unreadable, memo, views, watch };
        Ok(Catalogue { current: Arc::new(ArcSwap::from_pointee(shared)) })
    }

    /// Reads the file of `other` from now on, as all clones of this catalogue do.
    ///
    /// Snapshots that are live keep the file that they were taken of until they are dropped; the last of them closes
    /// it. What is written from now on goes to the new file. Open the other one and look whether it is what you want
    /// before that: nothing can fail here, and no snapshot ever sees parts of both.
    pub fn switch_to(&self, other: &Catalogue) {
        self.current.store(other.current.load_full());
    }

    /// Reads from the file that is open. Where another has taken its place meanwhile, what went wrong with the old one
    /// does not matter.
    fn read<T>(&self, read: impl Fn(&Arc<Shared>) -> Result<T>) -> Result<T> {
        let shared = self.current.load_full();
        match read(&shared) {
            Err(_) if !Arc::ptr_eq(&shared, &self.current.load()) => {
                read(&self.current.load_full())
            }
            outcome => outcome,
        }
    }

    /// How many snapshots can be live at once.
    #[must_use]
    pub fn most_snapshots(&self) -> usize {
        self.current.load().readers.most()
    }

    /// A consistent view of the data as it is now. Market data dated after `today` is hidden.
    ///
    /// A snapshot never changes, even while an import commits. Up to 512 can be live at once; the next call waits for
    /// one to be dropped, and fails with [`Error::Busy`](crate::Error::Busy) after five seconds. Taking a snapshot
    /// costs microseconds, so drop it before you wait for something else, such as an `.await`. A long-lived snapshot
    /// keeps SQLite's write-ahead log from being truncated.
    pub fn snapshot(&self, today: Date) -> Result<Snapshot> {
        self.read(|shared| {
            let view = View::open(&shared.readers, &shared.watch)?;
            Ok(Snapshot::new(view, None, today, shared.clone()))
        })
    }

    /// A snapshot of the data as it was at most a millisecond before `now`, for those who take thousands a second.
    ///
    /// It costs next to nothing, because its transaction is that of an earlier snapshot, and stays open for the next.
    /// One that nobody takes up stays open too, and keeps SQLite's write-ahead log from being truncated: whoever
    /// calls this should go on to call it now and then.
    pub fn recent_snapshot(&self, today: Date, now: Instant) -> Result<Snapshot> {
        self.read(|shared| {
            let Shared { readers, views, watch, .. } = &**shared;
            let (begun, view) = match views.take(now, readers, watch)? {
                Some(taken) => taken,
                None => {
                    let view = View::open(readers, watch)?;
                    views.note(now, &view);
                    (now, view)
                }
            };
            Ok(Snapshot::new(view, Some(begun), today, shared.clone()))
        })
    }

    /// The fingerprint of a recent snapshot for this plan, if one was taken just now. It costs nothing like a snapshot:
    /// whoever has kept an answer under it need not take one.
    #[must_use]
    pub fn recent_fingerprint(&self, today: Date, plan: Plan, now: Instant) -> Option<u64> {
        // Which data are damaged is known by their tag, for which a snapshot is needed.
        let shared = self.current.load();
        let undamaged = shared.unreadable.met() == 0;
        let data = shared.views.data(now).filter(|_| undamaged)?;
        Some(snapshot::fingerprint(data, today, plan, false))
    }

    /// How often answers have left out a stored value because it cannot be read, since the file was
    /// opened. [`Catalogue::check`] says which values those are.
    #[must_use]
    pub fn unreadable(&self) -> u64 {
        self.current.load().unreadable.met()
    }

    /// Fails with [`Error::Unavailable`](crate::Error::Unavailable) where the path does not lead to the file any more
    /// that was opened, or the file cannot be read. Costs microseconds, so that a server can do it often.
    pub fn verify(&self) -> Result<()> {
        self.read(|shared| {
            shared.place.check()?;
            shared.watch.read(&shared.readers)
        })
    }

    /// Looks for damage in the structure of the file; one sentence for each, and none if it is sound. It reads the
    /// whole file, which takes a second for some hundred megabytes, and nobody waits for it meanwhile.
    pub fn quick_check(&self) -> Result<Vec<String>> {
        sqlite::quick_check(&self.current.load_full().readers.connect()?)
    }

    /// Shortens the write-ahead log, where it is larger than 4 MiB and nobody needs it. An import does that by itself,
    /// unless a snapshot was in its way: a server should call this now and then.
    pub fn shrink_log(&self) -> Result<()> {
        self.read(|shared| {
            let path = shared.place.path();
            if !sqlite::has_large_log(path) {
                return Ok(());
            }
            shared.views.clear();
            sqlite::shrink_log(path)
        })
    }

    /// Checks the whole file for damage and counts its rows. Takes seconds on a large file.
    ///
    /// This build reads only, and cannot compute anew what imports derive from the rows.
    #[cfg(not(any(feature = "bundle", feature = "import")))]
    pub fn check(&self) -> Result<sqlite::Checkup> {
        sqlite::check(&*self.current.load_full().readers.get()?)
    }

    /// The path of the file that is open.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.current.load().place.path().to_owned()
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

/// A value that cannot be read counts as missing.
fn read_meta(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
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
