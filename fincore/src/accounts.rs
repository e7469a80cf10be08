//! The accounts file: keys and their usage. It is private data, and cannot be downloaded again.
use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError, RwLock},
    time::Duration,
};

use foldhash::fast::RandomState;
use parking_lot::FairMutex;
use rusqlite::{Connection, Transaction, TransactionBehavior, backup::Backup};

use crate::{
    error::{Error, Result},
    lock::lock,
    sqlite::{self, Checkup, Schema, parsed},
    types::{Caller, KeyHash, KeyId},
};

/// How long a write waits for another program. Writes take milliseconds, so it is better to fail with
/// "try again" than to keep a request waiting.
const WRITER_PATIENCE: Duration = Duration::from_secs(2);

const SCHEMA: Schema = Schema {
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
/// A write is on disk when the call returns, even if the machine then loses power. Accounts are `Send`
/// and `Sync`.
#[derive(Debug)]
pub struct Accounts {
    path: PathBuf,
    /// Fair, so that many registrations cannot keep the usage counts from being written.
    writer: FairMutex<Connection>,
    reader: Mutex<Reader>,
    /// All valid keys, so that authentication never reads the file.
    live: RwLock<HashMap<KeyHash, Caller, RandomState>>,
}

#[derive(Debug)]
struct Reader {
    connection: Connection,
    /// The newest change that `live` includes.
    seen: i64,
}

impl Accounts {
    /// Opens the accounts file at `path`, creating it if there is none, readable by its owner only.
    ///
    /// Fails if the file cannot be opened, is empty or not an accounts file, or was made by a newer
    /// version.
    pub fn open(path: impl Into<PathBuf>) -> Result<Accounts> {
        let path = path.into();
        let writer = sqlite::open(&path, &SCHEMA)?;
        writer.pragma_update(None, "synchronous", "full")?;
        writer.busy_timeout(WRITER_PATIENCE)?;
        let connection = sqlite::open(&path, &SCHEMA)?;
        connection.pragma_update(None, "query_only", true)?;
        let accounts = Accounts {
            path,
            writer: FairMutex::new(writer),
            reader: Mutex::new(Reader { connection, seen: 0 }),
            live: RwLock::default(),
        };
        accounts.refresh()?;
        Ok(accounts)
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Picks up changes that other programs made to keys since the last call: new ones, changed plans,
    /// revocations. Costs microseconds if there are none.
    ///
    /// A server calls it several times a second. Changes made through this value take effect at once.
    pub fn refresh(&self) -> Result<()> {
        let mut reader = lock(&self.reader);
        let changes = changes(&reader.connection, reader.seen)?;
        let Some(newest) = changes.last() else { return Ok(()) };
        let seen = newest.number;
        let mut live = self.live.write().unwrap_or_else(PoisonError::into_inner);
        for change in changes {
            match change.caller {
                Some(caller) => live.insert(change.key, caller),
                None => live.remove(&change.key),
            };
        }
        reader.seen = seen;
        Ok(())
    }

    /// Writes a copy of the accounts to `target` while they are in use, and checks the copy.
    ///
    /// Fails if `target` exists already or cannot be written, or if the copy is damaged; a damaged copy
    /// is removed.
    pub fn backup(&self, target: &Path) -> Result<()> {
        const PAGES_A_STEP: i32 = 1000;
        if target.exists() {
            return Err(Error::Invalid(format!("{} exists already", target.display())));
        }
        let mut name = target.as_os_str().to_owned();
        name.push(".part");
        let part = PathBuf::from(name);
        let cannot = |err| Error::storage(format!("cannot write {}", target.display()), err);
        // A new file, so that nothing existing is overwritten or removed.
        sqlite::private()
            .write(true)
            .create_new(true)
            .open(&part)
            .map_err(|err| Error::storage(format!("cannot create {}", part.display()), err))?;
        let copied = (|| {
            let mut copy = Connection::open(&part)?;
            let source = Connection::open(&self.path)?;
            sqlite::prepare(&source)?;
            Backup::new(&source, &mut copy)?.run_to_completion(
                PAGES_A_STEP,
                Duration::ZERO,
                None,
            )?;
            // A single file, without a write-ahead log beside it.
            copy.pragma_update(None, "journal_mode", "delete")?;
            sqlite::check(&copy)
        })();
        let whole = match copied {
            Ok(checkup) if checkup.problems.is_empty() => fs::rename(&part, target).map_err(cannot),
            Ok(checkup) => Err(Error::storage("the copy is damaged", checkup.problems.join("; "))),
            Err(err) => Err(err),
        };
        if whole.is_err() {
            // A partial copy is useless; the error says why it failed.
            let _ = fs::remove_file(&part);
        }
        whole
    }

    /// Checks the whole file for damage and counts its rows.
    pub fn check(&self) -> Result<Checkup> {
        sqlite::check(&lock(&self.reader).connection)
    }

    /// The caller with this key, if it is valid.
    pub(crate) fn caller(&self, key: &KeyHash) -> Option<Caller> {
        self.live.read().unwrap_or_else(PoisonError::into_inner).get(key).copied()
    }

    /// Reads without ever waiting for a writer.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        work(&lock(&self.reader).connection)
    }

    /// Runs `work` in one transaction. When this returns, it is on disk or has not happened.
    pub(crate) fn write<T>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let mut connection = self.writer.lock();
        let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = work(&tx)?;
        tx.commit()?;
        Ok(done)
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
