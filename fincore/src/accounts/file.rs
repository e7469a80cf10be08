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

use super::{
    link::{Link, Role},
    marker,
    store::{Cell, Row, Session, Store, Value, Work},
    waited,
};
use crate::{
    deadline::Patience,
    error::{Error, Result},
    sqlite::{self, Checkup, Place, Schema},
};

pub(crate) const SCHEMA: Schema = Schema {
    what: "an accounts file",
    application_id: i32::from_be_bytes(*b"FINA"),
    migrations: &[
        include_str!("../../migrations/accounts/0001_accounts.sql"),
        include_str!("../../migrations/accounts/0002_application_id.sql"),
        include_str!("../../migrations/accounts/0003_webhooks.sql"),
        include_str!("../../migrations/accounts/0004_sessions.sql"),
    ],
    unmarked: 1,
    table: "key",
    remedy: "restore a backup; delete it only if no key was ever issued",
    audience: sqlite::Audience::Owner,
};

#[derive(Debug)]
pub(super) struct AccountsFile {
    pub(super) place: Place,
    /// Fair, so that many registrations cannot keep the usage counts from being written.
    pub(super) writer: FairMutex<Link>,
    reader: Mutex<Link>,
    /// Whether the last write failed because of the file or the disk.
    failing: AtomicBool,
}

impl AccountsFile {
    pub(super) fn open(path: PathBuf) -> Result<AccountsFile> {
        marker::check(&path)?;
        let file = AccountsFile::without_marker(path)?;
        marker::set(file.place.path());
        Ok(file)
    }

    /// One that is only on its way to where it belongs.
    pub(super) fn without_marker(path: PathBuf) -> Result<AccountsFile> {
        let writer = Link::new(sqlite::open(&path, &SCHEMA)?, Role::Write)?;
        let reader = Link::new(sqlite::reopen(&path, &SCHEMA)?, Role::Read)?;
        Ok(AccountsFile {
            place: Place::of(path)?,
            writer: FairMutex::new(writer),
            reader: Mutex::new(reader),
            failing: AtomicBool::new(false),
        })
    }

    fn look<T>(&self, wait: Patience, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let mut reader = self.reader.try_lock_for(wait.left()).ok_or_else(waited)?;
        reader.run(&self.place, wait, |connection| work(connection))
    }

    fn change(
        &self,
        wait: Patience,
        work: impl FnOnce(&Transaction<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut writer = self.writer.try_lock_for(wait.left()).ok_or_else(waited)?;
        let done = writer.run(&self.place, wait, |connection| {
            let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            work(&tx)?;
            // What goes into a file that nobody will find again has not happened.
            self.place.check()?;
            Ok(tx.commit()?)
        });
        match &done {
            Ok(()) => self.failing.store(false, Ordering::Relaxed),
            Err(Error::Unavailable { .. }) => self.failing.store(true, Ordering::Relaxed),
            Err(_) => (),
        }
        done
    }
}

impl Store for AccountsFile {
    fn read(&self, wait: Duration, work: Work<'_>) -> Result<()> {
        self.look(Patience::of(wait), |connection| work(connection))
    }

    fn read_at_once(&self, wait: Duration, work: Work<'_>) -> Result<()> {
        self.look(Patience::of(wait), |connection| {
            let tx = connection.unchecked_transaction()?;
            work(&*tx)
        })
    }

    fn write(&self, wait: Duration, work: Work<'_>) -> Result<()> {
        self.change(Patience::of(wait), |tx| work(&**tx))
    }

    fn verify(&self) -> Result<()> {
        const VERSION: &str = "PRAGMA user_version";
        self.place.check()?;
        self.look(super::waiting(), |connection| {
            Ok(connection.prepare_cached(VERSION)?.query_row([], |_| Ok(()))?)
        })?;
        if !self.failing.load(Ordering::Relaxed) {
            return Ok(());
        }
        // Writes the header of the file as it is.
        self.change(super::waiting(), |tx| {
            let version: i64 = tx.query_row(VERSION, [], |row| row.get(0))?;
            Ok(tx.pragma_update(None, "user_version", version)?)
        })
    }

    fn quick_check(&self) -> Result<Vec<String>> {
        self.look(super::waiting(), sqlite::quick_check)
    }

    fn check(&self) -> Result<Checkup> {
        self.look(super::waiting(), sqlite::check)
    }

    fn path(&self) -> Option<&Path> {
        Some(self.place.path())
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
            let cells = (0..columns).map(|column| Ok(cell(row.get_ref(column)?)));
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

/// What is no text although it should be, as in a damaged file, is kept as bytes; the one who reads it says so. No table
/// has fractions.
fn cell(value: ValueRef<'_>) -> Cell {
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
