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

use crate::{
    error::{Error, Result, faults},
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
    /// How often the file could not be opened.
    failures: Arc<Failures>,
}

impl ReaderPool {
    pub(super) fn new(path: PathBuf, most: usize) -> ReaderPool {
        let failures = Arc::<Failures>::default();
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
            .error_handler(Box::new(Counts(failures.clone())))
            .build_unchecked(Opener(manager));
        ReaderPool { pool, path, failures }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// A connection outside of the pool.
    pub(super) fn connect(&self) -> Result<Connection> {
        connect(&self.path)
    }

    /// A connection outside of the pool, with temporary views.
    pub(super) fn connect_with(&self, views: &str) -> Result<Connection> {
        let connection = sqlite::attach(&self.path)?;
        connection.execute_batch(views)?;
        set_read_only(&connection)?;
        Ok(connection)
    }

    /// A connection for the caller alone. Waits if all are in use; fails at once if the file cannot be opened.
    pub(super) fn get(&self) -> Result<Reader> {
        let failures = || self.failures.0.load(Ordering::Relaxed);
        let before = failures();
        for _ in 0..WAITS {
            match self.pool.get_timeout(WAIT) {
                Ok(mut connection) => {
                    connection.faults = faults();
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

fn connect(path: &Path) -> Result<Connection> {
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
pub(super) struct Opener(SqliteConnectionManager);

/// A connection of the pool.
#[derive(Debug)]
pub(super) struct Pooled {
    connection: Connection,
    /// How many faults there had been when it was taken.
    faults: u64,
}

impl Pooled {
    /// Whether there was a fault since it was taken, after which its cache may be wrong.
    fn may_have_seen_fault(&self) -> bool {
        self.faults != faults()
    }
}

impl ManageConnection for Opener {
    type Connection = Pooled;
    type Error = rusqlite::Error;

    fn connect(&self) -> rusqlite::Result<Pooled> {
        Ok(Pooled { connection: self.0.connect()?, faults: faults() })
    }

    fn is_valid(&self, pooled: &mut Pooled) -> rusqlite::Result<()> {
        self.0.is_valid(&mut pooled.connection)
    }

    fn has_broken(&self, pooled: &mut Pooled) -> bool {
        // A connection whose transaction could not be ended would fail its next user.
        !pooled.connection.is_autocommit() || pooled.may_have_seen_fault()
    }
}

/// How often the file could not be opened.
#[derive(Debug, Default)]
struct Failures(AtomicU64);

#[derive(Debug)]
struct Counts(Arc<Failures>);

impl HandleError<rusqlite::Error> for Counts {
    fn handle_error(&self, _: rusqlite::Error) {
        self.0.0.fetch_add(1, Ordering::Relaxed);
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
