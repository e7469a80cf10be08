//! The accounts file: keys and their usage. It is private data, and cannot be downloaded again.
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{
        PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use foldhash::fast::RandomState;
use parking_lot::{FairMutex, Mutex};
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::{
    deadline::Patience,
    error::{Error, Result},
    sqlite::{self, Checkup, Place, Schema, parsed},
    types::{Caller, KeyHash, KeyId},
};

mod link;
mod marker;
use link::{Link, Role};

/// How long a call waits for other programs and other threads, all in all. Reading and writing take milliseconds, so it is
/// better to fail with "try again" than to keep a request waiting.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long a call waits that begins now.
pub(crate) fn waiting() -> Patience {
    Patience::of(PATIENCE)
}

/// The error of one who has waited for so long.
pub(crate) fn waited() -> Error {
    Error::Busy("others keep the accounts in use".to_owned())
}

pub(crate) const SCHEMA: Schema = Schema {
    what: "an accounts file",
    application_id: i32::from_be_bytes(*b"FINA"),
    migrations: &[
        include_str!("../migrations/accounts/0001_accounts.sql"),
        include_str!("../migrations/accounts/0002_application_id.sql"),
        include_str!("../migrations/accounts/0003_webhooks.sql"),
    ],
    unmarked: 1,
    table: "key",
    remedy: "restore a backup; delete it only if no key was ever issued",
    audience: sqlite::Audience::Owner,
};

/// Keys and their usage in one SQLite file, which several programs can share.
///
/// A write is on disk when the call returns, even if the machine then loses power. No call waits longer than two seconds
/// for other programs. Accounts are `Send` and `Sync`.
#[derive(Debug)]
pub struct Accounts {
    place: Place,
    /// Fair, so that many registrations cannot keep the usage counts from being written.
    writer: FairMutex<Link>,
    reader: Mutex<Reader>,
    /// Whether the last write failed because of the file or the disk.
    failing: AtomicBool,
    /// All valid keys, so that authentication never reads the file.
    live: RwLock<HashMap<KeyHash, Caller, RandomState>>,
}

#[derive(Debug)]
struct Reader {
    link: Link,
    /// The newest change that `live` includes.
    seen: i64,
}

impl Accounts {
    /// Opens the accounts file at `path`, creating it if there is none. Nobody but its owner can read it afterwards.
    ///
    /// A second file, `accounts.made` beside `accounts.db`, notes that there are accounts. Fails if the file is missing
    /// although there were some, cannot be opened, is empty or not an accounts file, or was made by a newer version.
    pub fn open(path: impl Into<PathBuf>) -> Result<Accounts> {
        let path = path.into();
        marker::check(&path)?;
        let writer = Link::new(sqlite::open(&path, &SCHEMA)?, Role::Write)?;
        let reader = Link::new(sqlite::reopen(&path, &SCHEMA)?, Role::Read)?;
        marker::set(&path);
        let accounts = Accounts {
            place: Place::of(path)?,
            writer: FairMutex::new(writer),
            reader: Mutex::new(Reader { link: reader, seen: 0 }),
            failing: AtomicBool::new(false),
            live: RwLock::default(),
        };
        let refreshed = accounts.refresh();
        refreshed.map_err(|err| sqlite::unopened(accounts.path(), &SCHEMA, err))?;
        Ok(accounts)
    }

    /// Whether the file at `path` is missing although there were accounts: then it is not for a program to begin with
    /// new ones, and [`Accounts::open`] says what helps.
    #[must_use]
    pub fn are_missing(path: &Path) -> bool {
        marker::check(path).is_err()
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.place.path()
    }

    /// Picks up changes that other programs made to keys since the last call: new ones, changed plans,
    /// revocations. Costs microseconds if there are none.
    ///
    /// A server calls it several times a second. Changes made through this value take effect at once.
    pub fn refresh(&self) -> Result<()> {
        self.refresh_by(waiting())
    }

    pub(crate) fn refresh_by(&self, patience: Patience) -> Result<()> {
        let mut reader = self.reader.try_lock_for(patience.left()).ok_or_else(waited)?;
        let Reader { link, seen } = &mut *reader;
        let changes = link.run(&self.place, patience, |connection| changes(connection, *seen))?;
        let Some(newest) = changes.last() else { return Ok(()) };
        *seen = newest.number;
        let mut live = self.live.write().unwrap_or_else(PoisonError::into_inner);
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
        const VERSION: &str = "PRAGMA user_version";
        self.place.check()?;
        self.read(|connection| {
            Ok(connection.prepare_cached(VERSION)?.query_row([], |_| Ok(()))?)
        })?;
        if !self.failing.load(Ordering::Relaxed) {
            return Ok(());
        }
        // Writes the header of the file as it is.
        self.write(|tx| {
            let version: i64 = tx.query_row(VERSION, [], |row| row.get(0))?;
            Ok(tx.pragma_update(None, "user_version", version)?)
        })
    }

    /// Looks for damage in the structure of the file; one sentence for each, and none if it is sound.
    pub fn quick_check(&self) -> Result<Vec<String>> {
        self.read(sqlite::quick_check)
    }

    /// Writes a copy of the accounts to `target` while they are in use, and checks the copy.
    ///
    /// Fails if `target` exists already or cannot be written, or if the copy is damaged; a damaged copy
    /// is removed.
    pub fn backup(&self, target: &Path) -> Result<()> {
        sqlite::copy(self.path(), target, &SCHEMA, |_| ())
    }

    /// Checks the whole file for damage and counts its rows.
    pub fn check(&self) -> Result<Checkup> {
        self.read(sqlite::check)
    }

    /// The caller with this key, if it is valid.
    pub(crate) fn caller(&self, key: &KeyHash) -> Option<Caller> {
        self.live.read().unwrap_or_else(PoisonError::into_inner).get(key).copied()
    }

    /// Reads without waiting for a writer.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.read_by(waiting(), work)
    }

    pub(crate) fn read_by<T>(
        &self,
        patience: Patience,
        work: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        let mut reader = self.reader.try_lock_for(patience.left()).ok_or_else(waited)?;
        reader.link.run(&self.place, patience, |connection| work(connection))
    }

    /// Runs `work` in one transaction. When this returns, it is on disk or has not happened.
    pub(crate) fn write<T>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        self.write_by(waiting(), work)
    }

    pub(crate) fn write_by<T>(
        &self,
        patience: Patience,
        work: impl FnOnce(&Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut writer = self.writer.try_lock_for(patience.left()).ok_or_else(waited)?;
        let done = writer.run(&self.place, patience, |connection| {
            let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&tx)?;
            // What goes into a file that nobody will find again has not happened.
            self.place.check()?;
            tx.commit()?;
            Ok(done)
        });
        match &done {
            Ok(_) => self.failing.store(false, Ordering::Relaxed),
            Err(Error::Unavailable { .. }) => self.failing.store(true, Ordering::Relaxed),
            Err(_) => (),
        }
        done
    }
}

/// A change to a key: its caller, or `None` once it is revoked.
struct Change {
    number: i64,
    key: KeyHash,
    caller: Option<Caller>,
}

/// The changes to keys after change number `seen`, in order.
fn changes(connection: &Connection, seen: i64) -> Result<Vec<Change>> {
    const SQL: &str = "SELECT changed, hash, id, plan, revoked IS NULL FROM key
        WHERE changed > ?1 ORDER BY changed";
    let mut statement = connection.prepare_cached(SQL)?;
    let rows = statement.query_map([seen], |row| {
        let caller = Caller::with_key(KeyId::new(row.get(2)?), parsed(row, 3)?);
        Ok(Change {
            number: row.get(0)?,
            key: KeyHash::from_bytes(row.get(1)?),
            caller: row.get::<_, bool>(4)?.then_some(caller),
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

#[cfg(test)]
mod tests;
