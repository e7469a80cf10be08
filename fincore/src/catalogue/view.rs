//! Read transactions, and those that stay open for a moment so that the next snapshots need not begin one.
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use r2d2::PooledConnection;
use rusqlite::Connection;

use super::{Readers, read_meta};
use crate::{error::Result, lock::lock};

/// How old a view may be for the next snapshot to use it. It is also how long a snapshot may miss an import.
const FRESH: Duration = Duration::from_millis(1);

/// How old a view may become that no snapshot uses.
const IDLE: Duration = Duration::from_millis(100);

/// The most views that are kept open; about as many as threads that read at the same time.
const MOST: usize = 16;

/// An open read transaction.
#[derive(Debug)]
pub(super) struct View {
    connection: PooledConnection<Readers>,
    /// The data tag.
    pub(super) tag: Arc<str>,
    /// A number that tells these data from any other.
    pub(super) data: u64,
}

/// Tells that the file has changed, also where that was no import: somebody may repair or damage it by hand.
#[derive(Debug)]
pub(super) struct Watch(Mutex<Connection>);

impl Watch {
    pub(super) fn new(connection: Connection) -> Watch {
        Watch(Mutex::new(connection))
    }

    /// A number that is another one after every change.
    fn changes(&self) -> Result<i64> {
        // SQLite counts the changes that a connection meets, so it must always be the same connection.
        let connection = lock(&self.0);
        let mut count = connection.prepare_cached("PRAGMA data_version")?;
        Ok(count.query_row([], |row| row.get(0))?)
    }
}

impl View {
    /// Begins a transaction.
    pub(super) fn open(connection: PooledConnection<Readers>, watch: &Watch) -> Result<View> {
        // From here on, dropping the view ends the transaction.
        let mut view = View { connection, tag: Arc::default(), data: 0 };
        view.begin(watch)?;
        Ok(view)
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Begins another transaction, which sees all that was committed meanwhile.
    fn renew(&mut self, watch: &Watch) -> Result<()> {
        self.end()?;
        self.begin(watch)
    }

    fn begin(&mut self, watch: &Watch) -> Result<()> {
        // Before the view begins: new data under an old number are found out by the next view, old data under a new
        // number would never be.
        let changes = watch.changes()?;
        self.connection.prepare_cached("BEGIN")?.execute([])?;
        // SQLite fixes the view at the first read, which is this one.
        let tag = read_meta(&self.connection, "data_tag")?.unwrap_or_default();
        let mut hasher = DefaultHasher::new();
        (&tag, changes).hash(&mut hasher);
        self.data = hasher.finish();
        if *self.tag != *tag {
            self.tag = tag.into();
        }
        Ok(())
    }

    fn end(&self) -> rusqlite::Result<()> {
        self.connection.prepare_cached("ROLLBACK")?.execute([]).map(drop)
    }
}

impl Drop for View {
    fn drop(&mut self) {
        // If this fails, the pool closes the connection.
        let _ = self.end();
    }
}

/// Views that no snapshot uses now.
#[derive(Debug, Default)]
pub(super) struct Views {
    /// Each with the time when it was begun, about oldest first.
    idle: Mutex<Vec<(Instant, View)>>,
    latest: Latest,
}

/// Which data the newest view has. To know that takes neither a view nor a lock, for which threads would compete.
#[derive(Debug, Default)]
struct Latest {
    /// When the first view was begun.
    first: OnceLock<Instant>,
    /// Nanoseconds from then to when the newest was begun.
    begun: AtomicU64,
    data: AtomicU64,
    setting: Mutex<()>,
}

impl Latest {
    fn set(&self, begun: Instant, data: u64) {
        let first = *self.first.get_or_init(|| begun);
        let _setting = lock(&self.setting);
        let begun = begun.saturating_duration_since(first).as_nanos();
        // A `u64` of nanoseconds lasts 584 years.
        let begun = u64::try_from(begun).unwrap_or(u64::MAX);
        // Threads come here in another order than that in which they began their views.
        if begun >= self.begun.load(Ordering::Relaxed) {
            // Whoever reads the time after this reads these data, or newer ones.
            self.data.store(data, Ordering::Relaxed);
            self.begun.store(begun, Ordering::Release);
        }
    }

    fn get(&self, now: Instant) -> Option<u64> {
        let now = now.saturating_duration_since(*self.first.get()?);
        let begun = Duration::from_nanos(self.begun.load(Ordering::Acquire));
        let data = self.data.load(Ordering::Relaxed);
        // Zero is what they begin with.
        (now.saturating_sub(begun) < FRESH && data != 0).then_some(data)
    }
}

impl Views {
    /// A view that was begun just before `now`, and when; an older one is renewed. Nothing where none is idle. Views
    /// that nobody has taken for long are ended.
    pub(super) fn take(&self, now: Instant, watch: &Watch) -> Result<Option<(Instant, View)>> {
        let mut idle = lock(&self.idle);
        let Some((begun, mut view)) = idle.pop() else { return Ok(None) };
        if now.saturating_duration_since(begun) < FRESH {
            return Ok(Some((begun, view)));
        }
        let old = idle.partition_point(|(begun, _)| now.saturating_duration_since(*begun) > IDLE);
        let old: Vec<_> = idle.drain(..old).collect();
        drop(idle);
        // Ending and renewing them takes longer than others should wait.
        drop(old);
        view.renew(watch)?;
        self.latest.set(now, view.data);
        Ok(Some((now, view)))
    }

    /// Notes that a view has been begun.
    pub(super) fn note(&self, now: Instant, view: &View) {
        self.latest.set(now, view.data);
    }

    /// The data of a view that was begun just before `now`, if there is one.
    pub(super) fn data(&self, now: Instant) -> Option<u64> {
        self.latest.get(now)
    }

    /// Keeps a view for the next snapshot.
    pub(super) fn keep(&self, begun: Instant, view: View) {
        let mut idle = lock(&self.idle);
        if idle.len() < MOST {
            idle.push((begun, view));
        }
    }
}
