//! The accounts file: who holds which key, and what was asked with it. Private, and precious.
use std::{
    collections::HashMap,
    fs::{self, OpenOptions},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError, RwLock},
    time::Duration,
};

use rusqlite::{Connection, Transaction, TransactionBehavior, backup::Backup};

use crate::{
    Error, KeyHash, Result,
    keys::{self, Holder},
    lock::lock,
    sqlite::{self, Checkup},
};

/// How long a write waits for another program's. They take milliseconds; who asks for a key or for its
/// usage is rather told to come again than kept waiting.
const WRITER_PATIENCE: Duration = Duration::from_secs(2);

/// One file a step, in order; a step that has landed never changes.
const MIGRATIONS: &[&str] = &[include_str!("../migrations/accounts/0001_accounts.sql")];

/// Keys and their usage, in one SQLite file that any number of programs may share.
///
/// What is written is on disk when the call returns, also if the machine loses its power.
#[derive(Debug)]
pub struct Accounts {
    path: PathBuf,
    writer: Mutex<Connection>,
    reader: Mutex<Reader>,
    /// All keys that are good, so that no request has to read the file.
    live: RwLock<HashMap<KeyHash, Holder>>,
}

#[derive(Debug)]
struct Reader {
    connection: Connection,
    /// The newest change of a key that `live` has.
    seen: i64,
}

impl Accounts {
    /// Opens the accounts file at `path`, creating it where there is none, for its owner's eyes only.
    ///
    /// Fails where the file cannot be opened, is no database, or was made by a newer version.
    pub fn open(path: impl Into<PathBuf>) -> Result<Accounts> {
        let path = path.into();
        create_private(&path)?;
        let writer = sqlite::open(&path, MIGRATIONS)?;
        writer.pragma_update(None, "synchronous", "full")?;
        writer.busy_timeout(WRITER_PATIENCE)?;
        let connection = sqlite::open(&path, MIGRATIONS)?;
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

    /// Takes over what other programs have done to the keys since the last call: new ones, other
    /// plans, revoked ones. A look-up of microseconds where they did nothing.
    ///
    /// A server calls it several times a second; what this program does itself holds at once.
    pub fn refresh(&self) -> Result<()> {
        let mut reader = lock(&self.reader);
        let news = keys::changes(&reader.connection, reader.seen)?;
        let Some(newest) = news.last() else { return Ok(()) };
        let seen = newest.changed;
        let mut live = self.live.write().unwrap_or_else(PoisonError::into_inner);
        for change in news {
            match change.holder {
                Some(holder) => live.insert(change.hash, holder),
                None => live.remove(&change.hash),
            };
        }
        reader.seen = seen;
        Ok(())
    }

    /// Writes a copy of the accounts to `target` while they are in use, and checks it.
    ///
    /// Fails where `target` exists already, cannot be written, or is not whole once written; it is
    /// removed then.
    pub fn backup(&self, target: &Path) -> Result<()> {
        const PAGES_A_STEP: i32 = 1000;
        if target.exists() {
            return Err(Error::Invalid(format!("{} exists already", target.display())));
        }
        let mut name = target.as_os_str().to_owned();
        name.push(".part");
        let part = PathBuf::from(name);
        let cannot = |err| Error::storage(format!("cannot write {}", target.display()), err);
        // Made anew, so that nothing of anybody else's is written over or removed.
        private()
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

    /// The holder of a key that is good.
    pub(crate) fn holder(&self, key: &KeyHash) -> Option<Holder> {
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

/// Makes an empty file that only its owner may read; SQLite gives its log the same rights.
fn create_private(path: &Path) -> Result<()> {
    match private().create(true).open(path) {
        Ok(_) => Ok(()),
        Err(err) => Err(Error::storage(format!("cannot open {}", path.display()), err)),
    }
}

/// A file that only its owner may read.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
