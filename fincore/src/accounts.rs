//! The accounts file: who holds which key, and what was requested with it. Private, and precious.
use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError, RwLock},
    time::Duration,
};

use rusqlite::{Connection, Transaction, TransactionBehavior, backup::Backup};

use crate::{
    error::{Error, Result},
    lock::lock,
    sqlite::{self, Checkup, Schema, parsed},
    types::{Caller, KeyHash, KeyId},
};

/// How long a write waits for another program's. They take milliseconds; whoever asks for a key or for its
/// usage is told to try again rather than kept waiting.
const WRITER_PATIENCE: Duration = Duration::from_secs(2);

const SCHEMA: Schema = Schema {
    what: "an accounts file",
    application_id: i32::from_be_bytes(*b"FINA"),
    migrations: &[
        include_str!("../migrations/accounts/0001_accounts.sql"),
        include_str!("../migrations/accounts/0002_application_id.sql"),
    ],
    unmarked: 1,
    table: "key",
    remedy: "restore a backup of it; remove it only where no key was ever issued",
    audience: sqlite::Audience::Owner,
};

/// Keys and their usage, in one SQLite file that any number of programs may share.
///
/// What is written is on disk when the call returns, also if the machine loses power. Accounts are `Send`
/// and `Sync`.
#[derive(Debug)]
pub struct Accounts {
    path: PathBuf,
    writer: Mutex<Connection>,
    reader: Mutex<Reader>,
    /// All valid keys, so that no request has to read the file.
    live: RwLock<HashMap<KeyHash, Caller>>,
}

#[derive(Debug)]
struct Reader {
    connection: Connection,
    /// The newest change of a key that `live` has.
    seen: i64,
}

impl Accounts {
    /// Opens the accounts file at `path`, creating it where there is none, readable by its owner only.
    ///
    /// Fails where the file cannot be opened, is empty or not an accounts file, or was made by a newer
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
            writer: Mutex::new(writer),
            reader: Mutex::new(Reader { connection, seen: 0 }),
            live: RwLock::default(),
        };
        accounts.refresh()?;
        Ok(accounts)
    }

    /// Where the file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads what other programs have done to the keys since the last call: new ones, other plans, revoked
    /// ones. Costs microseconds where nothing was done.
    ///
    /// A server calls it several times a second; what this program does itself takes effect at once.
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

    /// Writes a copy of the accounts to `target` while they are in use, and checks it.
    ///
    /// Fails where `target` exists already, cannot be written, or is damaged once written; it is then
    /// removed.
    pub fn backup(&self, target: &Path) -> Result<()> {
        const PAGES_A_STEP: i32 = 1000;
        if target.exists() {
            return Err(Error::Invalid(format!("{} exists already", target.display())));
        }
        let mut name = target.as_os_str().to_owned();
        name.push(".part");
        let part = PathBuf::from(name);
        let cannot = |err| Error::storage(format!("cannot write {}", target.display()), err);
        // Made anew, so that nothing of anybody else's is overwritten or removed.
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
            // One file, without a log beside it, until it is put to use.
            copy.pragma_update(None, "journal_mode", "delete")?;
            sqlite::check(&copy)
        })();
        let whole = match copied {
            Ok(checkup) if checkup.problems.is_empty() => fs::rename(&part, target).map_err(cannot),
            Ok(checkup) => Err(Error::storage("the copy is damaged", checkup.problems.join("; "))),
            Err(err) => Err(err),
        };
        if whole.is_err() {
            // What is left of it is of no use; the error says why.
            let _ = fs::remove_file(&part);
        }
        whole
    }

    /// Looks through the whole file for damage, and tells what is in it.
    pub fn check(&self) -> Result<Checkup> {
        sqlite::check(&lock(&self.reader).connection)
    }

    /// Who calls with this key, where it is valid.
    pub(crate) fn caller(&self, key: &KeyHash) -> Option<Caller> {
        self.live.read().unwrap_or_else(PoisonError::into_inner).get(key).copied()
    }

    /// Reads without ever waiting for a writer.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        work(&lock(&self.reader).connection)
    }

    /// Runs `work` in one transaction, which is on disk when this returns, or has not happened.
    pub(crate) fn write<T>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let mut connection = lock(&self.writer);
        let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = work(&tx)?;
        tx.commit()?;
        Ok(done)
    }
}

/// What happened to a key: it has this caller now, or none any more.
struct Change {
    number: i64,
    key: KeyHash,
    caller: Option<Caller>,
}

/// What happened to keys after the change of this number, in order.
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
