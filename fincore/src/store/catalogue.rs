//! The data file, and snapshots to read it through.
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use arc_swap::ArcSwap;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use crate::{
    store::{
        OpenFile, ReadTransaction,
        readers::read_meta,
        snapshot::{self, Integrity},
        sqlite_check, sqlite_copy, sqlite_file,
    },
    values::{Date, Error, Plan, Result},
};

pub(crate) use crate::store::{CATALOGUE_SCHEMA, readers::version_of, snapshot::Snapshot};

/// The most snapshots at once. A request holds one for microseconds; the rest is for tasks that keep one
/// for longer.
pub(crate) const READERS: usize = 512;

/// The fewest: an idle transaction must leave a connection for another snapshot.
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
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// // The same data, as of two dates.
/// let then = catalogue.snapshot("2021-03-16".parse()?)?;
/// let now = catalogue.snapshot("2026-10-05".parse()?)?;
/// assert_eq!(market::selic_current(&then)?.value.to_string(), "2.00");
/// assert_eq!(market::selic_current(&now)?.value.to_string(), "13.75");
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Catalogue {
    /// The file that is open now; [`Catalogue::switch_to`] replaces it.
    current: Arc<ArcSwap<OpenFile>>,
}

impl Catalogue {
    /// Fails if the file at `path` has other tables, indexes, views or triggers than this program makes: for a file that comes
    /// from elsewhere, before it is opened.
    pub fn check_schema(path: &Path) -> Result<()> {
        sqlite_file::check_schema(path, &CATALOGUE_SCHEMA)
    }

    /// Opens or creates a data file, and lets `renew` bring up to date what is derived from its rows.
    pub(crate) fn open_and_renew(
        path: PathBuf,
        readers: usize,
        renew: impl FnOnce(Connection) -> Result<()>,
    ) -> Result<Catalogue> {
        let connection = sqlite_file::open(&path, &CATALOGUE_SCHEMA)?;
        renew(connection)
            .map_err(|err| sqlite_file::error_after_open(&path, &CATALOGUE_SCHEMA, err))?;
        Catalogue::of(path, readers)
    }

    /// Opens a data file that is current as it is: `is_outdated` looks at what is derived from its rows.
    pub(crate) fn open_unchanged(
        path: PathBuf,
        is_outdated: impl FnOnce(&Connection) -> Result<bool>,
    ) -> Result<Catalogue> {
        sqlite_file::check_current(&path, &CATALOGUE_SCHEMA)?;
        let catalogue = Catalogue::of(path.clone(), READERS)?;
        let connection = catalogue.current.load().readers.connect()?;
        match is_outdated(&connection) {
            Ok(false) => Ok(catalogue),
            Ok(true) => {
                let reason = "its search index was made in another way".to_owned();
                Err(Error::Outdated { path: path.display().to_string(), reason })
            }
            Err(err) => Err(sqlite_file::error_after_open(&path, &CATALOGUE_SCHEMA, err)),
        }
    }

    /// A file that can be read as it is.
    fn of(path: PathBuf, readers: usize) -> Result<Catalogue> {
        let file = OpenFile::new(path, readers.max(FEWEST_READERS))?;
        Ok(Catalogue { current: Arc::new(ArcSwap::from_pointee(file)) })
    }

    /// Reads the file of `other` from now on, as all clones of this catalogue do.
    ///
    /// Live snapshots keep the file that they were taken of until they are dropped; the last of them closes it. Later
    /// writes go to the new file. Check the other catalogue before you call this: nothing can fail here, and no snapshot
    /// ever sees parts of both.
    pub fn switch_to(&self, other: &Catalogue) {
        self.current.store(other.current.load_full());
    }

    /// Reads from the file that is open. If another one has replaced it meanwhile, an error of the old one is ignored and
    /// the new one is read.
    fn read<T>(&self, read: impl Fn(&Arc<OpenFile>) -> Result<T>) -> Result<T> {
        let file = self.current.load_full();
        match read(&file) {
            Err(_) if !Arc::ptr_eq(&file, &self.current.load()) => read(&self.current.load_full()),
            outcome => outcome,
        }
    }

    /// How many snapshots can be live at once.
    #[must_use]
    pub fn most_snapshots(&self) -> usize {
        self.current.load().readers.most()
    }

    /// How many snapshots of the past can be live at once, beside [`most_snapshots`](Catalogue::most_snapshots).
    #[must_use]
    pub fn most_past_snapshots(&self) -> usize {
        self.current.load().readers.most_past() as usize
    }

    /// A consistent view of the data as it is now. Market data dated after `today` is hidden.
    ///
    /// A snapshot never changes, even while an import commits. Up to 512 can be live at once; the next call waits for
    /// one to be dropped, and fails with [`Error::Busy`](crate::Error::Busy) after five seconds. Taking a snapshot
    /// costs microseconds, so drop it before you wait for something else, such as an `.await`. A long-lived snapshot
    /// keeps SQLite's write-ahead log from being truncated.
    pub fn snapshot(&self, today: Date) -> Result<Snapshot> {
        self.read(|file| {
            let transaction = ReadTransaction::open(&file.readers, &file.watch)?;
            Ok(Snapshot::new(transaction, None, today, file.clone()))
        })
    }

    /// A snapshot of the data as it was at most a millisecond before `now`, for programs that take thousands a second.
    ///
    /// It costs next to nothing, because it reuses the transaction of an earlier snapshot, and leaves it open for the
    /// next. An idle transaction stays open until the next call, and keeps SQLite's write-ahead log from being
    /// truncated: a program that uses this should call it again now and then.
    pub fn recent_snapshot(&self, today: Date, now: Instant) -> Result<Snapshot> {
        self.read(|file| {
            let OpenFile { readers, idle, watch, .. } = &**file;
            let (begun, transaction) = match idle.take(now, readers, watch)? {
                Some(taken) => taken,
                None => {
                    let transaction = ReadTransaction::open(readers, watch)?;
                    idle.note(now, &transaction);
                    (now, transaction)
                }
            };
            Ok(Snapshot::new(transaction, Some(begun), today, file.clone()))
        })
    }

    /// The fingerprint of a recent snapshot for this plan, if one was taken just now. It costs much less than a
    /// snapshot: a program that has cached an answer under it need not take one.
    #[must_use]
    pub fn recent_fingerprint(&self, today: Date, plan: Plan, now: Instant) -> Option<u64> {
        // Which data has corrupt values is known by its tag, for which a snapshot is needed.
        let file = self.current.load();
        let is_sound = file.corrupt_values.skipped_count() == 0;
        let data = file.idle.data(now).filter(|_| is_sound)?;
        Some(snapshot::fingerprint(data, today, plan, Integrity::Sound))
    }

    /// How often answers have left out a stored value because it is corrupt, since the file was opened.
    /// [`Catalogue::check`] says which values those are.
    #[must_use]
    pub fn skipped_corrupt_values(&self) -> u64 {
        self.current.load().corrupt_values.skipped_count()
    }

    /// Fails with [`Error::Unavailable`](crate::Error::Unavailable) if the path no longer leads to the file that was opened,
    /// or if the file cannot be read. Costs microseconds, so that a server can do it often.
    pub fn verify(&self) -> Result<()> {
        self.read(|file| {
            file.identity.check()?;
            file.watch.read(&file.readers)
        })
    }

    /// Looks for damage in the structure of the file; one sentence for each, and none if it is sound. It reads the
    /// whole file, which takes a second for some hundred megabytes, and blocks neither readers nor imports.
    pub fn quick_check(&self) -> Result<Vec<String>> {
        sqlite_check::quick_check(&self.current.load_full().readers.connect()?)
    }

    /// Shortens the write-ahead log, if it is larger than 4 MiB and no snapshot needs it. An import does that by itself,
    /// unless a snapshot is in its way: a server should call this now and then.
    pub fn shrink_log(&self) -> Result<()> {
        self.read(|file| {
            let path = file.identity.path();
            if !sqlite_file::has_large_log(path) {
                return Ok(());
            }
            file.idle.clear();
            sqlite_file::shrink_log(path)
        })
    }

    /// The path of the file that is open.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.current.load().identity.path().to_owned()
    }
}

/// A time for tests that need one.
#[cfg(test)]
pub(crate) fn noon() -> chrono::DateTime<chrono::Utc> {
    "2026-11-15T15:00:00Z".parse().unwrap()
}

/// An empty catalogue in a temporary directory.
#[cfg(test)]
pub(crate) fn temporary() -> (tempfile::TempDir, Catalogue) {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    (dir, catalogue)
}

/// The identity of a file's data: two files with the same edition give the same answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edition {
    /// The id of the catalogue: data versions are comparable within one only.
    pub catalogue: String,
    /// The data version.
    pub data_version: u64,
    /// The data tag.
    pub tag: String,
}

impl Edition {
    /// Whether this is a later state of the catalogue that the other one is a state of.
    #[must_use]
    pub fn is_newer_than(&self, other: &Edition) -> bool {
        self.catalogue == other.catalogue && self.data_version > other.data_version
    }
}

impl Snapshot {
    /// The edition of the data.
    pub fn edition(&self) -> Result<Edition> {
        Ok(Edition {
            catalogue: self.catalogue_id()?,
            data_version: self.version()?,
            tag: self.tag().to_owned(),
        })
    }
}

impl Catalogue {
    /// Writes a compact copy of the data as it is now to the new file `target`, checks it, and says which data it has.
    ///
    /// Does not block imports and readers. Reads and writes the whole file, which takes a second for some fifty
    /// megabytes. Fails if `target` exists already or cannot be written, and if this catalogue is damaged; nothing is
    /// left then.
    pub fn write_copy(&self, target: &Path) -> Result<Edition> {
        sqlite_copy::compact(&self.path(), target, &CATALOGUE_SCHEMA)?;
        let copy = sqlite_file::attach(target)?;
        Ok(Edition {
            catalogue: read_meta(&copy, "catalogue_id")?.unwrap_or_default(),
            data_version: version_of(&copy)?.unsigned_abs(),
            tag: read_meta(&copy, "data_tag")?.unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests;
