//! Accounts: keys, their sessions, usage and webhooks. They are private data, and cannot be downloaded again.
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
    types::{Caller, KeyHash, KeyId, KeyPrefix, SessionHash},
};

mod copy;
mod file;
mod link;
mod marker;
mod signed_in;
mod store;
pub use copy::{Copied, Tally};
use file::AccountsFile;
pub(crate) use file::SCHEMA;
use signed_in::SignedIn;
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

/// Keys, their sessions, usage and webhooks: in one SQLite file, which several programs can share, or in another [`Store`].
///
/// A write is on disk when the call returns, even if the machine then loses power. No call waits longer than two seconds
/// for other programs. Accounts are `Send` and `Sync`.
#[derive(Debug)]
pub struct Accounts {
    store: Box<dyn Store>,
    /// The newest changes to keys and to sessions that memory includes. Held while that is brought up to date.
    seen: Mutex<(Seen<KeyHash>, Seen<SessionHash>)>,
    /// All valid keys, so that authentication reads memory only.
    live: RwLock<HashMap<KeyHash, Caller, RandomState>>,
    /// All sessions that were not signed out, for the same reason.
    sessions: RwLock<SignedIn>,
}

/// A change that is known: its number, and what changed.
#[derive(Clone, Copy, Debug)]
struct Seen<H> {
    number: i64,
    what: Option<H>,
}

impl<H> Default for Seen<H> {
    fn default() -> Seen<H> {
        Seen { number: 0, what: None }
    }
}

/// What has changed since the last look.
struct News<C> {
    changes: Vec<C>,
    /// Whether that is all there is, because what was known is not of these accounts.
    is_all: bool,
}

/// A change, as it is followed.
trait Followed {
    type Hash: Copy + PartialEq;

    fn seen(&self) -> Seen<Self::Hash>;
}

impl<H: Copy + PartialEq> Seen<H> {
    /// What `read` finds from this change on; all that there is, if this change is not there any more.
    ///
    /// The last change that is known is there, or the same has changed again: otherwise these are not the same accounts,
    /// such as a standby that took over and had not heard of everything.
    fn news<C: Followed<Hash = H>>(self, read: impl Fn(i64) -> Result<Vec<C>>) -> Result<News<C>> {
        let changes = read(self.number)?;
        let goes_on = self
            .what
            .is_none_or(|known| changes.iter().any(|change| change.seen().what == Some(known)));
        if goes_on {
            return Ok(News { changes, is_all: false });
        }
        Ok(News { changes: read(0)?, is_all: true })
    }

    /// Whether there is nothing new.
    fn is_newest<C: Followed<Hash = H>>(self, news: &News<C>) -> bool {
        let newest = news.changes.last().map(|change| change.seen().number);
        !news.is_all && newest.is_none_or(|newest| newest == self.number)
    }

    /// Goes on to the newest change.
    fn follow<C: Followed<Hash = H>>(&mut self, news: &News<C>) {
        *self = news.changes.last().map_or_else(Seen::default, Followed::seen);
    }
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
        let accounts = Accounts {
            store,
            seen: Mutex::default(),
            live: RwLock::default(),
            sessions: RwLock::default(),
        };
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

    /// Picks up changes that other programs made since the last call: new keys, changed plans, revocations, and who signed
    /// in and out. Costs microseconds if there are none.
    ///
    /// A server calls it several times a second. Changes made through this value take effect at once.
    pub fn refresh(&self) -> Result<()> {
        self.refresh_by(waiting())
    }

    pub(crate) fn refresh_by(&self, patience: Patience) -> Result<()> {
        let mut seen = self.seen.try_lock_for(patience.left()).ok_or_else(waited)?;
        let (of_keys, of_sessions) = *seen;
        let (keys, sessions) = self.read_by(patience, |session| {
            // Sessions first, so that their keys are there.
            let sessions = of_sessions.news(|from| signed_in::changes(session, from))?;
            Ok((of_keys.news(|from| changes(session, from))?, sessions))
        })?;
        if !of_keys.is_newest(&keys) {
            seen.0.follow(&keys);
            let mut live = self.live.write().unwrap_or_else(PoisonError::into_inner);
            if keys.is_all {
                live.clear();
            }
            for change in keys.changes {
                match change.caller {
                    Some(caller) => live.insert(change.key, caller),
                    None => live.remove(&change.key),
                };
            }
        }
        if !of_sessions.is_newest(&sessions) {
            seen.1.follow(&sessions);
            let mut known = self.sessions.write().unwrap_or_else(PoisonError::into_inner);
            if sessions.is_all {
                *known = SignedIn::default();
            }
            sessions.changes.into_iter().for_each(|change| known.apply(change));
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

    /// The caller and the key of a session that began later than `after`, in seconds since 1970.
    pub(crate) fn signed_in(&self, hash: &SessionHash, after: i64) -> Option<(Caller, KeyPrefix)> {
        let sessions = self.sessions.read().unwrap_or_else(PoisonError::into_inner);
        let (key, prefix) = sessions.find(hash, after)?;
        Some((self.caller(&key)?, prefix))
    }

    /// Whether a session is in memory.
    pub(crate) fn has_session(&self, hash: &SessionHash) -> bool {
        self.sessions.read().unwrap_or_else(PoisonError::into_inner).has(hash)
    }

    /// Forgets sessions that began no later than that, here and not in the database.
    pub(crate) fn forget_sessions(&self, before: i64) {
        self.sessions.write().unwrap_or_else(PoisonError::into_inner).forget(before);
    }

    /// How many sessions are in memory.
    #[cfg(test)]
    pub(crate) fn sessions_held(&self) -> usize {
        self.sessions.read().unwrap_or_else(PoisonError::into_inner).len()
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

impl Followed for Change {
    type Hash = KeyHash;

    fn seen(&self) -> Seen<KeyHash> {
        Seen { number: self.number, what: Some(self.key) }
    }
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
