//! The connections that snapshots read through: so many at most, and none that is in doubt.
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

/// How long a snapshot waits for a free connection, between two looks whether the file can be opened at all.
const LOOK: Duration = Duration::from_millis(20);
/// How often it looks: for five seconds.
const LOOKS: u32 = 250;

/// After how long, at most, it is tried again to open a file that could not be opened.
const RETRY: Duration = Duration::from_millis(250);

/// How long an unused connection stays open.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// The page cache of a reader, in KiB. A memory map would be as fast, but kills the process when somebody
/// truncates the file.
const CACHE: i64 = 2 * 1024;

/// The connections of a catalogue.
#[derive(Debug)]
pub(super) struct Readers {
    pool: Pool<Opener>,
    path: PathBuf,
    /// How often the file could not be opened.
    failures: Arc<Failures>,
}

impl Readers {
    pub(super) fn new(path: PathBuf, most: usize) -> Readers {
        let failures = Arc::<Failures>::default();
        let manager = SqliteConnectionManager::file(&path).with_flags(sqlite::EXISTING).with_init(
            |connection| sqlite::prepare(connection).and_then(|()| only_read(connection)),
        );
        let pool = Pool::builder()
            .max_size(u32::try_from(most).unwrap_or(u32::MAX))
            // None is opened before it is needed: it would keep a writer from shortening the log just then.
            .min_idle(Some(0))
            .idle_timeout(Some(IDLE_TIMEOUT))
            // Half of this is the longest pause before it tries again to open a file that it could not.
            .connection_timeout(2 * RETRY)
            .max_lifetime(None)
            .test_on_check_out(false)
            .error_handler(Box::new(Counts(failures.clone())))
            .build_unchecked(Opener(manager));
        Readers { pool, path, failures }
    }

    /// A connection outside of the pool.
    pub(super) fn connect(&self) -> Result<Connection> {
        connect(&self.path)
    }

    /// A connection that nobody else uses. Waits where there are as many as there may be; fails at once where the file
    /// cannot be opened.
    pub(super) fn get(&self) -> Result<Reader> {
        let failures = || self.failures.0.load(Ordering::Relaxed);
        let before = failures();
        for _ in 0..LOOKS {
            match self.pool.get_timeout(LOOK) {
                Ok(mut connection) => {
                    connection.faults = faults();
                    return Ok(Reader { connection, most: self.pool.max_size() });
                }
                // Says why, or that it can be opened again.
                Err(_) if failures() != before => drop(self.connect()?),
                Err(_) => (),
            }
        }
        Err(Error::Busy("all connections are in use".into()))
    }

    /// How many there may be.
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
    only_read(&connection)?;
    Ok(connection)
}

/// Settings of those who only read, besides those of all.
fn only_read(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "cache_size", -CACHE)
}

/// Opens connections, and throws away those that are in doubt.
#[derive(Debug)]
struct Opener(SqliteConnectionManager);

/// A connection of the pool.
#[derive(Debug)]
struct Pooled {
    connection: Connection,
    /// How often the file was in trouble before it was taken.
    faults: u64,
}

impl Pooled {
    /// Whether it may have met trouble with the file, of which something may be left in its cache.
    fn is_in_doubt(&self) -> bool {
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
        // One whose transaction could not be ended would fail whoever gets it next.
        !pooled.connection.is_autocommit() || pooled.is_in_doubt()
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

/// A connection in use; it goes back when it is dropped, unless it is in doubt.
#[derive(Debug)]
pub(super) struct Reader {
    connection: PooledConnection<Opener>,
    /// How many there may be in all.
    most: u32,
}

impl Reader {
    /// How many connections may be kept for later of those that could be used for something else: so many, but no
    /// more than half of all.
    pub(super) fn most_kept(&self, most: usize) -> usize {
        most.min(self.most as usize / 2)
    }

    pub(super) fn is_in_doubt(&self) -> bool {
        self.connection.is_in_doubt()
    }
}

impl Deref for Reader {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection.connection
    }
}
