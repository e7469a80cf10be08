//! Accounts: keys, their sessions, links, usage and webhooks. They are private data, and cannot be downloaded again.
use std::{
    collections::HashMap,
    io::Write,
    path::{Path, PathBuf},
    sync::{PoisonError, RwLock},
    time::Duration,
};

use foldhash::fast::RandomState;
use parking_lot::Mutex;

use crate::{
    accounts::{
        mirrors::{LastChange, LinkCache, SessionCache},
        sqlite_store::SqliteStore,
        store::run_once,
    },
    store::{Checkup, deadline::WaitBudget, sqlite_copy, sqlite_file},
    values::{
        Caller, KeyHash, KeyPrefix, LinkHash, SessionHash,
        error::{Error, Result},
    },
};

pub mod keys;
pub mod limits;
pub mod links;
mod mirrors;
pub mod sessions;
pub(crate) mod sqlite_store;
pub(crate) mod store;
mod store_copy;
pub mod usage;

pub(crate) use mirrors::CachedLink;
pub(crate) use sqlite_store::SCHEMA;
pub(crate) use store::values;
pub use store::{Batch, Cell, Row, Session, Store, Value, Work};
pub use store_copy::{CopyReport, TableRows};

/// For a database on another machine.
const MAX_WAIT_FOR_ALL_KEYS: Duration = Duration::from_secs(300);

/// Keys, their sessions, links, usage and webhooks: in one SQLite file, which several programs can share, or in another [`Store`].
///
/// A write is on disk when the call returns, even if the machine then loses power. No call waits longer than two seconds
/// for other programs. Accounts are `Send` and `Sync`.
#[derive(Debug)]
pub struct Accounts {
    store: Box<dyn Store>,
    /// The newest changes that memory includes. Locked while memory is brought up to date.
    last_changes: Mutex<LastChanges>,
    /// All valid keys, so that authentication reads memory only.
    keys: RwLock<HashMap<KeyHash, Caller, RandomState>>,
    /// All sessions that were not signed out, for the same reason.
    sessions: RwLock<SessionCache>,
    /// All links that were not revoked, likewise.
    links: RwLock<LinkCache>,
}

/// The newest change to keys, to sessions and to links.
#[derive(Debug, Default)]
struct LastChanges {
    key: LastChange<KeyHash>,
    session: LastChange<SessionHash>,
    link: LastChange<LinkHash>,
}

impl Accounts {
    /// Opens the accounts file at `path`, creating it if there is none. Only its owner can read it afterwards.
    ///
    /// A second file, `accounts.made` beside `accounts.db`, records that there are accounts. Fails if the file is missing
    /// although there were some, cannot be opened, is empty or not an accounts file, or was made by a newer version.
    pub fn open(path: impl Into<PathBuf>) -> Result<Accounts> {
        let path = path.into();
        let file = SqliteStore::open(path.clone())?;
        let accounts = Accounts::read_from(Box::new(file), call_budget());
        accounts.map_err(|err| sqlite_file::error_after_open(&path, &SCHEMA, err))
    }

    /// The accounts in another database. Fails if its keys cannot be read.
    pub fn with_store(store: Box<dyn Store>) -> Result<Accounts> {
        Accounts::read_from(store, WaitBudget::new(MAX_WAIT_FOR_ALL_KEYS))
    }

    fn read_from(store: Box<dyn Store>, budget: WaitBudget) -> Result<Accounts> {
        let accounts = Accounts {
            store,
            last_changes: Mutex::default(),
            keys: RwLock::default(),
            sessions: RwLock::default(),
            links: RwLock::default(),
        };
        accounts.refresh_by(budget)?;
        Ok(accounts)
    }

    /// Returns `true` if the file at `path` is missing although there were accounts. Then a program must not create new ones;
    /// the error of [`Accounts::open`] says how to recover.
    #[must_use]
    pub fn are_missing(path: &Path) -> bool {
        check(path).is_err()
    }

    /// Fails if the file at `path` was made by a newer version of this library, with the error of [`Accounts::open`]. Changes
    /// nothing; whatever else is wrong with the file, or that there is none, is left for opening it to say.
    pub fn refuse_newer(path: &Path) -> Result<()> {
        sqlite_file::refuse_newer(path, &SCHEMA)
    }

    /// The path of the file, if they are in one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.store.path()
    }

    /// Picks up changes that other programs made since the last call: new keys, changed plans, revocations, links, and
    /// sessions that began or ended. Costs microseconds if there are none.
    ///
    /// A server calls it several times a second. Changes made through this value take effect at once.
    pub fn refresh(&self) -> Result<()> {
        self.refresh_by(call_budget())
    }

    /// Refreshes without waiting for anything: a read of a local file that takes microseconds. Returns `false` if it would have
    /// to wait, as for accounts that are in no file.
    pub fn refresh_at_once(&self) -> Result<bool> {
        if self.path().is_none() {
            return Ok(false);
        }
        match self.refresh_by(WaitBudget::new(Duration::ZERO)) {
            Ok(()) => Ok(true),
            Err(Error::Busy(_)) => Ok(false),
            Err(err) => Err(err),
        }
    }

    pub(crate) fn refresh_by(&self, budget: WaitBudget) -> Result<()> {
        let mut last = self.last_changes.try_lock_for(budget.remaining()).ok_or_else(busy_error)?;
        let (keys, sessions, links) = self.read_by(budget, |session| {
            // Sessions and links first, so that their keys are there.
            let sessions =
                last.session.read_new(|from| mirrors::read_session_changes(session, from))?;
            let links = last.link.read_new(|from| mirrors::read_link_changes(session, from))?;
            let keys = last.key.read_new(|from| keys::read_changes(session, from))?;
            Ok((keys, sessions, links))
        })?;
        if !last.key.is_newest(&keys) {
            last.key.advance(&keys);
            let mut known = self.keys.write().unwrap_or_else(PoisonError::into_inner);
            if keys.is_all {
                known.clear();
            }
            for change in keys.changes {
                match change.caller {
                    Some(caller) => known.insert(change.key, caller),
                    None => known.remove(&change.key),
                };
            }
        }
        if !last.session.is_newest(&sessions) {
            last.session.advance(&sessions);
            let mut known = self.sessions.write().unwrap_or_else(PoisonError::into_inner);
            if sessions.is_all {
                *known = SessionCache::default();
            }
            sessions.changes.into_iter().for_each(|change| known.apply(change));
        }
        if !last.link.is_newest(&links) {
            last.link.advance(&links);
            let mut known = self.links.write().unwrap_or_else(PoisonError::into_inner);
            if links.is_all {
                *known = LinkCache::default();
            }
            links.changes.into_iter().for_each(|change| known.apply(change));
        }
        Ok(())
    }

    /// Fails with [`Error::Unavailable`] if the file was moved or replaced since it was opened,
    /// if it cannot be read, or if writes fail. Costs microseconds, so that a server can do it often. Keys in memory stay
    /// valid.
    ///
    /// Once a part of the file was found damaged, everything that writes fails with the same error, until this function has
    /// found the whole file sound again.
    pub fn verify(&self) -> Result<()> {
        self.store.verify()
    }

    /// Looks for damage in the structure of the file; one sentence for each, and none if it is sound.
    pub fn quick_check(&self) -> Result<Vec<String>> {
        self.store.quick_check()
    }

    /// Writes a copy of the accounts to the new file `target` while they are in use, and checks the copy.
    ///
    /// Fails if `target` exists already or cannot be written, or if the copy is damaged; a damaged copy
    /// is removed.
    pub fn backup(&self, target: &Path) -> Result<()> {
        match self.path() {
            Some(path) => sqlite_copy::copy(path, target, &SCHEMA, |_| ()),
            None => store_copy::copy_to_new_file(&*self.store, target),
        }
    }

    /// Checks the whole file for damage and counts its rows.
    pub fn check(&self) -> Result<Checkup> {
        self.store.check()
    }

    /// Copies everything to other accounts, in one transaction, and compares every row before that is committed.
    ///
    /// Can be repeated: if the target has the same rows, nothing is written; if it has older ones, it is brought up to
    /// date. Fails with [`Error::Invalid`] if the target has keys or usage that these accounts do
    /// not have, so that nothing is lost.
    pub fn copy_to(&self, target: &Accounts) -> Result<CopyReport> {
        self.path().map_or(Ok(()), |path| sqlite_file::check_schema(path, &SCHEMA))?;
        let report = store_copy::copy_store(&*self.store, &*target.store)?;
        target.refresh()?;
        Ok(report)
    }

    /// The caller with this key, if it is valid.
    pub(crate) fn caller(&self, key: &KeyHash) -> Option<Caller> {
        self.keys.read().unwrap_or_else(PoisonError::into_inner).get(key).copied()
    }

    /// The caller, and prefix and hash of the key, of a session that began later than `after`, in seconds since 1970.
    pub(crate) fn session_caller(
        &self,
        hash: &SessionHash,
        after: i64,
    ) -> Option<(Caller, KeyPrefix, KeyHash)> {
        let sessions = self.sessions.read().unwrap_or_else(PoisonError::into_inner);
        let (key, prefix) = sessions.find(hash, after)?;
        Some((self.caller(&key)?, prefix, key))
    }

    /// The caller of a link, and what is known of it.
    pub(crate) fn link_caller(&self, hash: &LinkHash) -> Option<(Caller, CachedLink)> {
        let links = self.links.read().unwrap_or_else(PoisonError::into_inner);
        let link = links.find(hash)?;
        Some((self.caller(&link.key)?, link.clone()))
    }

    pub(crate) fn has_session(&self, hash: &SessionHash) -> bool {
        self.sessions.read().unwrap_or_else(PoisonError::into_inner).has(hash)
    }

    /// Removes sessions that began no later than `before` from memory, but not from the database.
    pub(crate) fn forget_sessions(&self, before: i64) {
        self.sessions.write().unwrap_or_else(PoisonError::into_inner).forget(before);
    }

    #[cfg(test)]
    pub(crate) fn session_count(&self) -> usize {
        self.sessions.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Reads without waiting for a writer. Public for tests of stores only, like [`Accounts::write`].
    #[doc(hidden)]
    pub fn read<T>(&self, work: impl FnOnce(&dyn Session) -> Result<T>) -> Result<T> {
        self.read_by(call_budget(), work)
    }

    pub(crate) fn read_by<T>(
        &self,
        budget: WaitBudget,
        work: impl FnOnce(&dyn Session) -> Result<T>,
    ) -> Result<T> {
        run_once(work, |work| self.store.read(budget.remaining(), work))
    }

    /// Reads everything as of one moment.
    pub(crate) fn read_at_once<T>(
        &self,
        budget: WaitBudget,
        work: impl FnOnce(&dyn Session) -> Result<T>,
    ) -> Result<T> {
        run_once(work, |work| self.store.read_at_once(budget.remaining(), work))
    }

    /// Runs `work` in one transaction. When this returns, it is on disk or has not happened.
    #[doc(hidden)]
    pub fn write<T>(&self, work: impl FnOnce(&dyn Session) -> Result<T>) -> Result<T> {
        self.write_by(call_budget(), work)
    }

    pub(crate) fn write_by<T>(
        &self,
        budget: WaitBudget,
        work: impl FnOnce(&dyn Session) -> Result<T>,
    ) -> Result<T> {
        run_once(work, |work| self.store.write(budget.remaining(), work))
    }

    /// Writes a batch in one transaction, unless it was written before.
    pub(crate) fn write_batch(
        &self,
        budget: WaitBudget,
        batch: &Batch,
        mut work: impl FnMut(&dyn Session) -> Result<()>,
    ) -> Result<()> {
        self.store.write_batch(budget.remaining(), batch, &mut work)
    }
}

/// For other programs and other threads together. Reading and writing take milliseconds, so
/// it is better to fail with "try again" than to keep a request waiting.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// The budget of a call that begins now.
pub(crate) fn call_budget() -> WaitBudget {
    WaitBudget::new(MAX_WAIT)
}

/// The error of a call whose budget is used up.
pub(crate) fn busy_error() -> Error {
    Error::Busy("others keep the accounts in use".to_owned())
}

const TEXT: &str = "There are accounts beside this file. It keeps the program from beginning with new ones if they are lost.\n";

/// `accounts.made` beside `accounts.db`.
fn marker_path(path: &Path) -> PathBuf {
    path.with_extension("made")
}

/// Fails if the accounts are lost. A dangling link passes: opening the file reports it.
pub(crate) fn check(path: &Path) -> Result<()> {
    let marker = marker_path(path);
    if path.exists() || path.is_symlink() || !marker.exists() {
        return Ok(());
    }
    let (path, marker) = (path.display(), marker.display());
    Err(Error::unavailable(
        format!("{path} is missing, though {marker} says that there were accounts"),
        format!("restore a backup; delete {marker} only to begin without any keys"),
    ))
}

/// Creates the marker. Errors are ignored: the accounts must open even if the directory cannot be written.
pub(crate) fn set(path: &Path) {
    let file = sqlite_file::owner_only().write(true).create_new(true).open(marker_path(path));
    let _ = file.and_then(|mut file| file.write_all(TEXT.as_bytes()));
}

#[cfg(test)]
mod tests;
