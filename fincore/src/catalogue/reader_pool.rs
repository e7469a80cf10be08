//! The pool of connections that snapshots read through. A connection that may have seen a fault is not used again.
use std::{
    ops::Deref,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use r2d2::{HandleError, ManageConnection, Pool, PooledConnection};
use r2d2_sqlite::SqliteConnectionManager;
use rusqlite::Connection;

use super::schema::SCHEMA;
use crate::{
    error::{Error, Result},
    sqlite,
};

/// How long a snapshot waits for a free connection, between two checks whether the file can be opened at all.
const WAIT: Duration = Duration::from_millis(20);
/// How often it waits: five seconds in all.
const WAITS: u32 = 250;

/// The longest pause before the pool tries again to open a file that it could not open.
const RETRY: Duration = Duration::from_millis(250);

/// How long an unused connection stays open.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// The page cache of a reader, in KiB. A memory map would be as fast, but kills the process if the file is
/// truncated.
const CACHE: i64 = 2 * 1024;

/// The connections of a catalogue.
#[derive(Debug)]
pub(super) struct ReaderPool {
    pool: Pool<Opener>,
    path: PathBuf,
    troubles: Arc<Troubles>,
}

impl ReaderPool {
    pub(super) fn new(path: PathBuf, most: usize) -> ReaderPool {
        let troubles = Arc::<Troubles>::default();
        let manager = SqliteConnectionManager::file(&path).with_flags(sqlite::EXISTING).with_init(
            |connection| sqlite::prepare(connection).and_then(|()| set_read_only(connection)),
        );
        let pool = Pool::builder()
            .max_size(u32::try_from(most).unwrap_or(u32::MAX))
            // None is opened before it is needed: it would keep a writer from shortening the log just then.
            .min_idle(Some(0))
            .idle_timeout(Some(IDLE_TIMEOUT))
            // The pool pauses for up to half of this before it tries again.
            .connection_timeout(2 * RETRY)
            .max_lifetime(None)
            .test_on_check_out(false)
            .error_handler(Box::new(Counts(troubles.clone())))
            .build_unchecked(Opener { manager, troubles: troubles.clone() });
        ReaderPool { pool, path, troubles }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What was read from the file, or what its error means. A fault is noted here, where it is known that it is one of
    /// this file: connections that are open meanwhile are not used again.
    pub(super) fn note<T, E>(&self, outcome: Result<T, E>) -> Result<T>
    where
        Error: From<E>,
    {
        let outcome =
            outcome.map_err(|err| sqlite::error_of_file(&self.path, &SCHEMA, err.into()));
        if matches!(outcome, Err(Error::Unavailable { .. })) {
            self.troubles.faults.fetch_add(1, Ordering::Relaxed);
        }
        outcome
    }

    /// A number that grows whenever the file or its disk is in trouble. A connection that was in use meanwhile may have met
    /// it, and keep something of it in its cache: it is better opened anew.
    pub(super) fn faults(&self) -> u64 {
        self.troubles.faults.load(Ordering::Relaxed)
    }

    /// A connection outside of the pool.
    pub(super) fn connect(&self) -> Result<Connection> {
        self.note(connect(&self.path))
    }

    /// A connection outside of the pool, with temporary views.
    pub(super) fn connect_with(&self, views: &str) -> Result<Connection> {
        let connect = || {
            let connection = sqlite::attach(&self.path)?;
            connection.execute_batch(views)?;
            set_read_only(&connection)?;
            Ok::<_, rusqlite::Error>(connection)
        };
        self.note(connect())
    }

    /// A connection for the caller alone. Waits if all are in use; fails at once if the file cannot be opened.
    pub(super) fn get(&self) -> Result<Reader> {
        let failures = || self.troubles.failed_openings.load(Ordering::Relaxed);
        let before = failures();
        for _ in 0..WAITS {
            match self.pool.get_timeout(WAIT) {
                Ok(mut connection) => {
                    connection.faults = self.faults();
                    return Ok(Reader::Pooled(connection, self.pool.max_size()));
                }
                // Opening the file says why it failed, or works again.
                Err(_) if failures() != before => drop(self.connect()?),
                Err(_) => (),
            }
        }
        Err(Error::Busy("all connections are in use".into()))
    }

    /// The most connections.
    pub(super) fn most(&self) -> usize {
        self.pool.max_size() as usize
    }

    /// How many are open.
    #[cfg(test)]
    pub(super) fn open(&self) -> u32 {
        self.pool.state().connections
    }
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = sqlite::attach(path)?;
    set_read_only(&connection)?;
    Ok(connection)
}

/// The settings of a connection that only reads.
fn set_read_only(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "cache_size", -CACHE)
}

/// Opens connections, and discards those that may have seen a fault.
#[derive(Debug)]
pub(super) struct Opener {
    manager: SqliteConnectionManager,
    troubles: Arc<Troubles>,
}

/// A connection of the pool.
#[derive(Debug)]
pub(super) struct Pooled {
    connection: Connection,
    troubles: Arc<Troubles>,
    /// How many faults there had been when it was taken.
    faults: u64,
}

impl Pooled {
    /// Whether there was a fault since it was taken, after which its cache may be wrong.
    fn may_have_seen_fault(&self) -> bool {
        self.faults != self.troubles.faults.load(Ordering::Relaxed)
    }
}

impl ManageConnection for Opener {
    type Connection = Pooled;
    type Error = rusqlite::Error;

    fn connect(&self) -> rusqlite::Result<Pooled> {
        let troubles = self.troubles.clone();
        let faults = troubles.faults.load(Ordering::Relaxed);
        Ok(Pooled { connection: self.manager.connect()?, troubles, faults })
    }

    fn is_valid(&self, pooled: &mut Pooled) -> rusqlite::Result<()> {
        self.manager.is_valid(&mut pooled.connection)
    }

    fn has_broken(&self, pooled: &mut Pooled) -> bool {
        // A connection whose transaction could not be ended would fail its next user.
        !pooled.connection.is_autocommit() || pooled.may_have_seen_fault()
    }
}

/// How often the file was in trouble.
#[derive(Debug, Default)]
struct Troubles {
    /// How often the pool could not open it.
    failed_openings: AtomicU64,
    /// How often the file or its disk failed in use.
    faults: AtomicU64,
}

#[derive(Debug)]
struct Counts(Arc<Troubles>);

impl HandleError<rusqlite::Error> for Counts {
    fn handle_error(&self, _: rusqlite::Error) {
        self.0.failed_openings.fetch_add(1, Ordering::Relaxed);
    }
}

/// A connection in use.
#[derive(Debug)]
pub(super) enum Reader {
    /// It goes back to the pool when it is dropped, unless it may have seen a fault; with the most connections of the pool.
    Pooled(PooledConnection<Opener>, u32),
    /// It is closed when it is dropped.
    Own(Connection),
}

impl Reader {
    pub(super) fn of_its_own(connection: Connection) -> Reader {
        Reader::Own(connection)
    }

    /// How many idle transactions may keep their connection: at most half of all connections.
    pub(super) fn most_idle(&self, most: usize) -> usize {
        match self {
            Reader::Pooled(_, connections) => most.min(*connections as usize / 2),
            Reader::Own(_) => 0,
        }
    }

    pub(super) fn may_have_seen_fault(&self) -> bool {
        match self {
            Reader::Pooled(connection, _) => connection.may_have_seen_fault(),
            Reader::Own(_) => false,
        }
    }
}

impl Deref for Reader {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        match self {
            Reader::Pooled(pooled, _) => &pooled.connection,
            Reader::Own(connection) => connection,
        }
    }
}
