//! The pools of connections that snapshots read through: one for the present and one for the past. A connection that may have
//! seen a fault is not used again.
use std::{
    ops::Deref,
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

use r2d2::{HandleError, ManageConnection, Pool, PooledConnection};
use rusqlite::{Connection, functions::FunctionFlags};

use super::schema::SCHEMA;
use crate::{
    deadline::{self, WaitBudget},
    error::{Error, Result},
    sqlite,
};

/// How long a snapshot waits for a free connection, between two checks whether the file can be opened at all.
const WAIT: Duration = Duration::from_millis(20);
/// How long it waits in all.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// The connections of the present for each one of the past, which is asked for less often. Exports keep theirs for long.
const PRESENT_PER_PAST: u32 = 4;

/// The fewest connections of the past, so that an export leaves one for queries.
const FEWEST_PAST: u32 = 2;

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
    present: Pool<Opener>,
    /// Connections on which views hide the tables, so that none of them ever reads the present. Each pool has threads of its
    /// own: this one is made when the past is first asked for.
    past: OnceLock<Pool<Opener>>,
    path: PathBuf,
    troubles: Arc<Troubles>,
}

/// The views that take the place of tables, and the data version that they show.
#[derive(Clone, Copy, Debug)]
pub(super) struct Past {
    pub(super) views: &'static str,
    pub(super) version: i64,
}

impl ReaderPool {
    pub(super) fn new(path: PathBuf, most: usize) -> ReaderPool {
        let troubles = Arc::<Troubles>::default();
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        let present = Opener { path: path.clone(), troubles: troubles.clone() }.pool(most);
        ReaderPool { present, past: OnceLock::new(), path, troubles }
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
        let outcome = outcome.map_err(|err| sqlite::error_of_file(&self.path, &SCHEMA, err.into()));
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

    /// A connection for the caller alone. Waits if all are in use; fails at once if the file cannot be opened.
    pub(super) fn get(&self) -> Result<Reader> {
        self.take(&self.present)
    }

    /// The same with views in place of tables.
    pub(super) fn get_past(&self, past: Past) -> Result<Reader> {
        let pool = self.past.get_or_init(|| {
            let most = (self.present.max_size() / PRESENT_PER_PAST).max(FEWEST_PAST);
            Opener { path: self.path.clone(), troubles: self.troubles.clone() }.pool(most)
        });
        let mut reader = self.take(pool)?;
        self.note(reader.pooled.look_through(past))?;
        Ok(reader)
    }

    fn take(&self, pool: &Pool<Opener>) -> Result<Reader> {
        let failures = || self.troubles.failed_openings.load(Ordering::Relaxed);
        let (before, budget) = (failures(), WaitBudget::new(MAX_WAIT));
        loop {
            match pool.get_timeout(WAIT.min(budget.remaining())) {
                Ok(mut pooled) => {
                    pooled.faults = self.faults();
                    return Ok(Reader { pooled, of: pool.max_size() });
                }
                // Opening the file says why it failed, or works again.
                Err(_) if failures() != before => drop(self.connect()?),
                Err(_) => (),
            }
            if budget.remaining().is_zero() {
                deadline::check()?;
                return Err(Error::Busy("all connections are in use".into()));
            }
        }
    }

    /// The most connections of the present.
    pub(super) fn most(&self) -> usize {
        self.present.max_size() as usize
    }

    /// How many are open.
    #[cfg(test)]
    pub(super) fn open(&self) -> u32 {
        let past = self.past.get().map_or(0, |past| past.state().connections);
        self.present.state().connections + past
    }
}

/// A connection that only reads.
fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = sqlite::attach(path)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "cache_size", -CACHE)?;
    Ok(connection)
}

/// Opens connections, and discards those that may have seen a fault.
#[derive(Debug)]
pub(super) struct Opener {
    path: PathBuf,
    troubles: Arc<Troubles>,
}

impl Opener {
    fn pool(self, most: u32) -> Pool<Opener> {
        Pool::builder()
            .max_size(most)
            // None is opened before it is needed: it would keep a writer from shortening the log just then.
            .min_idle(Some(0))
            .idle_timeout(Some(IDLE_TIMEOUT))
            // The pool pauses for up to half of this before it tries again.
            .connection_timeout(2 * RETRY)
            .max_lifetime(None)
            .test_on_check_out(false)
            .error_handler(Box::new(Counts(self.troubles.clone())))
            .build_unchecked(self)
    }
}

/// A connection of a pool.
#[derive(Debug)]
pub(super) struct Pooled {
    connection: Connection,
    troubles: Arc<Troubles>,
    /// How many faults there had been when it was taken.
    faults: u64,
    /// The views that take the place of tables; empty without any.
    views: &'static str,
    /// What `shown_version()` returns. It cannot be in a temporary table: a connection that only reads writes none.
    version: Arc<AtomicI64>,
}

impl Pooled {
    fn new(connection: Connection, troubles: Arc<Troubles>) -> rusqlite::Result<Pooled> {
        let faults = troubles.faults.load(Ordering::Relaxed);
        let version = Arc::<AtomicI64>::default();
        let shown = Arc::clone(&version);
        // It does not change during a query, which therefore asks for it once.
        let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
        connection.create_scalar_function(c"shown_version", 0, flags, move |_| {
            Ok(shown.load(Ordering::Relaxed))
        })?;
        Ok(Pooled { connection, troubles, faults, views: "", version })
    }

    fn look_through(&mut self, past: Past) -> rusqlite::Result<()> {
        const WRITABLE: &str = "PRAGMA query_only = off; DROP VIEW IF EXISTS temp.rate;
            DROP VIEW IF EXISTS temp.fx; DROP VIEW IF EXISTS temp.company;";
        if self.views != past.views {
            // If this fails halfway, the next snapshot begins again.
            self.views = "";
            let (views, sealed) = (past.views, "PRAGMA query_only = on;");
            self.connection.execute_batch(&[WRITABLE, views, sealed].concat())?;
            self.views = views;
        }
        self.version.store(past.version, Ordering::Relaxed);
        Ok(())
    }

    /// Whether there was a fault since it was taken, after which its cache may be wrong.
    fn may_have_seen_fault(&self) -> bool {
        self.faults != self.troubles.faults.load(Ordering::Relaxed)
    }
}

impl ManageConnection for Opener {
    type Connection = Pooled;
    type Error = rusqlite::Error;

    fn connect(&self) -> rusqlite::Result<Pooled> {
        Pooled::new(connect(&self.path)?, self.troubles.clone())
    }

    fn is_valid(&self, pooled: &mut Pooled) -> rusqlite::Result<()> {
        pooled.connection.execute_batch("SELECT 1")
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

/// A connection in use. It goes back to its pool when it is dropped, unless it may have seen a fault.
#[derive(Debug)]
pub(super) struct Reader {
    pooled: PooledConnection<Opener>,
    /// The most connections of its pool.
    of: u32,
}

impl Reader {
    /// How many idle transactions may keep their connection: at most half of all connections.
    pub(super) fn most_idle(&self, most: usize) -> usize {
        most.min(self.of as usize / 2)
    }

    pub(super) fn may_have_seen_fault(&self) -> bool {
        self.pooled.may_have_seen_fault()
    }
}

impl Deref for Reader {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.pooled.connection
    }
}
