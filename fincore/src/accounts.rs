//! Accounts: keys, their usage and their webhooks. They are private data, and cannot be downloaded again.
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{PoisonError, RwLock},
    time::Duration,
};

use foldhash::fast::RandomState;
use parking_lot::Mutex;

use crate::{
    deadline::Patience,
    error::{Error, Result},
    sqlite::{self, Checkup},
    types::{Caller, KeyHash, KeyId},
};

mod copy;
mod file;
mod link;
mod marker;
mod store;
pub use copy::{Copied, Tally};
use file::AccountsFile;
pub(crate) use file::SCHEMA;
pub(crate) use store::values;
pub use store::{Batch, Cell, Row, Session, Store, Value, Work};

/// How long a call waits for other programs and other threads, all in all. Reading and writing take milliseconds, so it is
/// better to fail with "try again" than to keep a request waiting.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long it may take to read all keys from a database on another machine.
const ALL_KEYS: Duration = Duration::from_secs(300);

/// How long a call waits that begins now.
pub(crate) fn waiting() -> Patience {
    Patience::of(PATIENCE)
}

/// The error of one who has waited for so long.
pub(crate) fn waited() -> Error {
    Error::Busy("others keep the accounts in use".to_owned())
}

/// Keys, their usage and their webhooks: in one SQLite file, which several programs can share, or in another [`Store`].
///
/// A write is on disk when the call returns, even if the machine then loses power. No call waits longer than two seconds
/// for other programs. Accounts are `Send` and `Sync`.
#[derive(Debug)]
pub struct Accounts {
    store: Box<dyn Store>,
    /// The newest change that `live` includes. Held while that is brought up to date.
    seen: Mutex<Seen>,
    /// All valid keys, so that authentication reads memory only.
    live: RwLock<HashMap<KeyHash, Caller, RandomState>>,
}

/// A change to a key that is known: its number, and the key.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    number: i64,
    key: Option<KeyHash>,
}

impl Accounts {
    /// Opens the accounts file at `path`, creating it if there is none. Nobody but its owner can read it afterwards.
    ///
    /// A second file, `accounts.made` beside `accounts.db`, notes that there are accounts. Fails if the file is missing
    /// although there were some, cannot be opened, is empty or not an accounts file, or was made by a newer version.
    pub fn open(path: impl Into<PathBuf>) -> Result<Accounts> {
        let path = path.into();
        let file = AccountsFile::open(path.clone())?;
        let accounts = Accounts::read_from(Box::new(file), waiting());
        accounts.map_err(|err| sqlite::unopened(&path, &SCHEMA, err))
    }

    /// The accounts in a database that is open. Fails if its keys cannot be read.
    pub fn over(store: Box<dyn Store>) -> Result<Accounts> {
        Accounts::read_from(store, Patience::of(ALL_KEYS))
    }

    fn read_from(store: Box<dyn Store>, patience: Patience) -> Result<Accounts> {
        let accounts = Accounts { store, seen: Mutex::default(), live: RwLock::default() };
        accounts.refresh_by(patience)?;
        Ok(accounts)
    }

    /// Whether the file at `path` is missing although there were accounts: then it is not for a program to begin with
    /// new ones, and [`Accounts::open`] says what helps.
    #[must_use]
    pub fn are_missing(path: &Path) -> bool {
        marker::check(path).is_err()
    }

    /// The path of the file, if they are in one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.store.path()
    }

    /// Picks up changes that other programs made to keys since the last call: new ones, changed plans,
    /// revocations. Costs microseconds if there are none.
    ///
    /// A server calls it several times a second. Changes made through this value take effect at once.
    pub fn refresh(&self) -> Result<()> {
        self.refresh_by(waiting())
    }

    pub(crate) fn refresh_by(&self, patience: Patience) -> Result<()> {
        let mut seen = self.seen.try_lock_for(patience.left()).ok_or_else(waited)?;
        let mut changes = self.read_by(patience, |session| changes(session, seen.number))?;
        // The last change that is known is there, or its key has changed again: otherwise these are not the same accounts,
        // such as a standby that took over and had not heard of everything.
        let goes_on = seen.key.is_none_or(|key| changes.iter().any(|change| change.key == key));
        if !goes_on {
            changes = self.read_by(patience, |session| self::changes(session, 0))?;
        }
        if goes_on && changes.last().is_none_or(|newest| newest.number == seen.number) {
            return Ok(());
        }
        let newest = changes.last();
        *seen = newest.map_or_else(Seen::default, |newest| Seen {
            number: newest.number,
            key: Some(newest.key),
        });
        let mut live = self.live.write().unwrap_or_else(PoisonError::into_inner);
        if !goes_on {
            live.clear();
        }
        for change in changes {
            match change.caller {
                Some(caller) => live.insert(change.key, caller),
                None => live.remove(&change.key),
            };
        }
        Ok(())
    }

    /// Fails with [`Error::Unavailable`] where the path does not lead to the file any more that was opened, the file
    /// cannot be read, or it cannot be written again since a write has failed. Costs microseconds, so that a server can
    /// do it often. Keys that are known go on being known.
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
            Some(path) => sqlite::copy(path, target, &SCHEMA, |_| ()),
            None => copy::to_new_file(&*self.store, target),
        }
    }

    /// Checks the whole file for damage and counts its rows.
    pub fn check(&self) -> Result<Checkup> {
        self.store.check()
    }

    /// The caller with this key, if it is valid.
    pub(crate) fn caller(&self, key: &KeyHash) -> Option<Caller> {
        self.live.read().unwrap_or_else(PoisonError::into_inner).get(key).copied()
    }

    /// Reads without waiting for a writer.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&dyn Session) -> Result<T>) -> Result<T> {
        self.read_by(waiting(), work)
    }

    pub(crate) fn read_by<T>(
        &self,
        patience: Patience,
        work: impl FnOnce(&dyn Session) -> Result<T>,
    ) -> Result<T> {
        once(work, |work| self.store.read(patience.left(), work))
    }

    /// Reads all as of one moment.
    pub(crate) fn read_at_once<T>(
        &self,
        patience: Patience,
        work: impl FnOnce(&dyn Session) -> Result<T>,
    ) -> Result<T> {
        once(work, |work| self.store.read_at_once(patience.left(), work))
    }

    /// Runs `work` in one transaction. When this returns, it is on disk or has not happened.
    pub(crate) fn write<T>(&self, work: impl FnOnce(&dyn Session) -> Result<T>) -> Result<T> {
        self.write_by(waiting(), work)
    }

    pub(crate) fn write_by<T>(
        &self,
        patience: Patience,
        work: impl FnOnce(&dyn Session) -> Result<T>,
    ) -> Result<T> {
        once(work, |work| self.store.write(patience.left(), work))
    }

    /// Writes a batch in one transaction, unless it was written before.
    pub(crate) fn write_batch(
        &self,
        patience: Patience,
        batch: &Batch,
        mut work: impl FnMut(&dyn Session) -> Result<()>,
    ) -> Result<()> {
        self.store.write_batch(patience.left(), batch, &mut work)
    }
}

/// Lets a store do some work once, and returns what came of it.
fn once<T>(
    work: impl FnOnce(&dyn Session) -> Result<T>,
    run: impl FnOnce(Work<'_>) -> Result<()>,
) -> Result<T> {
    let (mut work, mut done) = (Some(work), None);
    run(&mut |session| {
        if let Some(work) = work.take() {
            done = Some(work(session)?);
        }
        Ok(())
    })?;
    done.ok_or_else(|| Error::storage("cannot use the accounts", "the store did nothing"))
}

/// A change to a key: its caller, or `None` once it is revoked.
struct Change {
    number: i64,
    key: KeyHash,
    caller: Option<Caller>,
}

/// The changes to keys from this change number on, in order.
fn changes(session: &dyn Session, seen: i64) -> Result<Vec<Change>> {
    const SQL: &str = "SELECT changed, hash, id, plan, revoked IS NULL FROM key
        WHERE changed >= ?1 ORDER BY changed";
    let rows = session.query(SQL, values![seen])?;
    let change = |row: &Row| {
        let caller = Caller::with_key(KeyId::new(row.get(2)?), row.parsed(3)?);
        Ok(Change {
            number: row.get(0)?,
            key: KeyHash::from_bytes(row.get(1)?),
            caller: row.get::<bool>(4)?.then_some(caller),
        })
    };
    rows.iter().map(change).collect()
}

#[cfg(test)]
mod tests;
