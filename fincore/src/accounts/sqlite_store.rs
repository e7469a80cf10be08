//! Accounts in one SQLite file, which several programs can share.
use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use parking_lot::{FairMutex, Mutex};
use rusqlite::{
    Connection, ToSql, Transaction, TransactionBehavior, params_from_iter,
    types::{ToSqlOutput, ValueRef},
};

use crate::{
    accounts::{self, Cell, Row, Session, Store, Value, Work, busy_error, call_budget},
    store::{Audience, Checkup, FileIdentity, Schema, WaitBudget, sqlite_check, sqlite_file},
    values::{Error, Result},
};

#[derive(Debug)]
pub(crate) struct SqliteStore {
    pub(crate) identity: FileIdentity,
    /// Fair, so that many registrations cannot keep the usage counts from being written.
    pub(crate) writer: FairMutex<AccountsConnection>,
    reader: Mutex<AccountsConnection>,
    /// The last write failed because of the file or the disk.
    failing: AtomicBool,
    /// A page of the file was found damaged. A connection with other pages in its cache could still write, so nothing is written
    /// until the whole file is sound again.
    damaged: AtomicBool,
}

impl SqliteStore {
    pub(crate) fn open(path: PathBuf) -> Result<SqliteStore> {
        accounts::check(&path)?;
        let store = SqliteStore::without_marker(path)?;
        accounts::set(store.identity.path());
        Ok(store)
    }

    /// Opens a file that is renamed later, so that it needs no marker.
    pub(crate) fn without_marker(path: PathBuf) -> Result<SqliteStore> {
        let writer = AccountsConnection::new(sqlite_file::open(&path, &SCHEMA)?, Role::Write)?;
        let reader = AccountsConnection::new(sqlite_file::reopen(&path, &SCHEMA)?, Role::Read)?;
        Ok(SqliteStore {
            identity: FileIdentity::of(path)?,
            writer: FairMutex::new(writer),
            reader: Mutex::new(reader),
            failing: AtomicBool::new(false),
            damaged: AtomicBool::new(false),
        })
    }

    fn read_with<T>(
        &self,
        budget: WaitBudget,
        work: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        let mut reader = self.reader.try_lock_for(budget.remaining()).ok_or_else(busy_error)?;
        let done = reader.run(&self.identity, budget, |connection| work(connection));
        self.note_damage(&done);
        done
    }

    fn note_damage<T>(&self, done: &Result<T>) {
        if done.as_ref().is_err_and(Error::is_damage) {
            self.damaged.store(true, Ordering::Relaxed);
        }
    }

    /// Fails while the file is damaged. Once it was, reads all of it over a new connection, whose cache is empty.
    fn check_damage(&self, budget: WaitBudget) -> Result<()> {
        if !self.damaged.load(Ordering::Relaxed) {
            return Ok(());
        }
        let problems =
            sqlite_check::quick_check(&sqlite_file::reopen(self.identity.path(), &SCHEMA)?)?;
        if let Some(problem) = problems.first() {
            return Err(damage_error(problem));
        }
        // Their caches may be older than the repair.
        let mut writer = self.writer.try_lock_for(budget.remaining()).ok_or_else(busy_error)?;
        let mut reader = self.reader.try_lock_for(budget.remaining()).ok_or_else(busy_error)?;
        writer.reopen_next_time();
        reader.reopen_next_time();
        self.damaged.store(false, Ordering::Relaxed);
        Ok(())
    }

    fn write_with(
        &self,
        budget: WaitBudget,
        work: impl FnOnce(&Transaction<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut writer = self.writer.try_lock_for(budget.remaining()).ok_or_else(busy_error)?;
        if self.damaged.load(Ordering::Relaxed) {
            return Err(damage_error("it is not written until it is sound again"));
        }
        let done = writer.run(&self.identity, budget, |connection| {
            let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            work(&tx)?;
            // A commit to a file that was moved or replaced would be lost, so it must fail.
            self.identity.check()?;
            Ok(tx.commit()?)
        });
        self.note_damage(&done);
        match &done {
            Ok(()) => self.failing.store(false, Ordering::Relaxed),
            Err(Error::Unavailable { .. }) => self.failing.store(true, Ordering::Relaxed),
            Err(_) => (),
        }
        done
    }
}

fn damage_error(why: &str) -> Error {
    Error::unavailable(format!("the accounts are damaged ({why})"), SCHEMA.remedy)
}

impl Store for SqliteStore {
    fn read(&self, wait: Duration, work: Work<'_>) -> Result<()> {
        self.read_with(WaitBudget::new(wait), |connection| work(connection))
    }

    fn read_at_once(&self, wait: Duration, work: Work<'_>) -> Result<()> {
        self.read_with(WaitBudget::new(wait), |connection| {
            let tx = connection.unchecked_transaction()?;
            work(&*tx)
        })
    }

    fn write(&self, wait: Duration, work: Work<'_>) -> Result<()> {
        self.write_with(WaitBudget::new(wait), |tx| work(&**tx))
    }

    fn verify(&self) -> Result<()> {
        const VERSION: &str = "PRAGMA user_version";
        self.identity.check()?;
        self.check_damage(call_budget())?;
        self.read_with(call_budget(), |connection| {
            Ok(connection.prepare_cached(VERSION)?.query_row([], |_| Ok(()))?)
        })?;
        if !self.failing.load(Ordering::Relaxed) {
            return Ok(());
        }
        // Writes the header of the file as it is.
        self.write_with(call_budget(), |tx| {
            let version: i64 = tx.query_row(VERSION, [], |row| row.get(0))?;
            Ok(tx.pragma_update(None, "user_version", version)?)
        })
    }

    fn quick_check(&self) -> Result<Vec<String>> {
        self.read_with(call_budget(), sqlite_check::quick_check)
    }

    fn check(&self) -> Result<Checkup> {
        self.read_with(call_budget(), |connection| sqlite_check::check(connection, &SCHEMA))
    }

    fn path(&self) -> Option<&Path> {
        Some(self.identity.path())
    }
}

impl Session for Connection {
    fn execute(&self, sql: &'static str, values: &[Value<'_>]) -> Result<usize> {
        Ok(self.prepare_cached(sql)?.execute(params_from_iter(values))?)
    }

    fn query(&self, sql: &'static str, values: &[Value<'_>]) -> Result<Vec<Row>> {
        let mut statement = self.prepare_cached(sql)?;
        let columns = statement.column_count();
        let rows = statement.query_map(params_from_iter(values), |row| {
            let cells = (0..columns).map(|column| Ok(cell_from(row.get_ref(column)?)));
            Ok(Row::new(cells.collect::<rusqlite::Result<_>>()?))
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Value::Null => ValueRef::Null,
            Value::Integer(number) => ValueRef::Integer(number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

/// Text that is not UTF-8, as in a damaged file, becomes bytes; reading the column as text then fails. No table has
/// fractions.
fn cell_from(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null | ValueRef::Real(_) => Cell::Null,
        ValueRef::Integer(number) => Cell::Integer(number),
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Cell::Text(text.to_owned()),
            Err(_) => Cell::Blob(bytes.to_owned()),
        },
        ValueRef::Blob(bytes) => Cell::Blob(bytes.to_owned()),
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Role {
    Read,
    Write,
}

#[derive(Debug)]
pub(crate) struct AccountsConnection {
    connection: Connection,
    role: Role,
    /// A failure may have left an open transaction, or bad pages in the cache.
    must_reopen: bool,
}

impl AccountsConnection {
    pub(crate) fn new(connection: Connection, role: Role) -> Result<AccountsConnection> {
        match role {
            Role::Read => connection.pragma_update(None, "query_only", true)?,
            Role::Write => connection.pragma_update(None, "synchronous", "full")?,
        }
        Ok(AccountsConnection { connection, role, must_reopen: false })
    }

    /// Drops the cache of the connection before the next work.
    fn reopen_next_time(&mut self) {
        self.must_reopen = true;
    }

    /// Runs `work`, which waits for other programs within the budget.
    pub(crate) fn run<T>(
        &mut self,
        identity: &FileIdentity,
        budget: WaitBudget,
        work: impl FnOnce(&mut Connection) -> Result<T>,
    ) -> Result<T> {
        if self.must_reopen {
            // Another file under the same name must not be opened.
            identity.check()?;
            // The old connection is closed only now, so that the log stays the same file.
            *self =
                AccountsConnection::new(sqlite_file::reopen(identity.path(), &SCHEMA)?, self.role)?;
        }
        self.connection.busy_timeout(budget.remaining())?;
        let done = work(&mut self.connection)
            .map_err(|err| sqlite_file::error_of_file(identity.path(), &SCHEMA, err));
        let failed = matches!(done, Err(Error::Unavailable { .. }));
        self.must_reopen = failed || !self.connection.is_autocommit();
        done
    }
}

pub(crate) const SCHEMA: Schema = Schema {
    what: "an accounts file",
    application_id: i32::from_be_bytes(*b"FINA"),
    migrations: &[
        include_str!("../../migrations/accounts/0001_accounts.sql"),
        include_str!("../../migrations/accounts/0002_application_id.sql"),
        include_str!("../../migrations/accounts/0003_webhooks.sql"),
        include_str!("../../migrations/accounts/0004_sessions.sql"),
        include_str!("../../migrations/accounts/0005_self_registered.sql"),
        include_str!("../../migrations/accounts/0006_links.sql"),
        include_str!("../../migrations/accounts/0007_holder.sql"),
    ],
    unmarked: 1,
    table: "key",
    remedy: "restore a backup; move it away only if no key was ever issued",
    audience: Audience::Owner,
};
