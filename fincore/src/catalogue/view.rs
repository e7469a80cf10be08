//! Read transactions, and those that stay open for a moment so that the next snapshots need not begin one.
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use rusqlite::Connection;

use super::{
    read_meta,
    readers::{Reader, Readers},
};
use crate::{
    error::{Result, faults},
    lock::lock,
};

/// How old a view may be for the next snapshot to use it. It is also how long a snapshot may miss an import.
const FRESH: Duration = Duration::from_millis(1);

/// How old a view may become that no snapshot uses.
const IDLE: Duration = Duration::from_millis(100);

/// The most views that are kept open; about as many as threads that read at the same time.
const MOST: usize = 16;

/// An open read transaction.
#[derive(Debug)]
pub(super) struct View {
    connection: Reader,
    /// The data tag.
    pub(super) tag: Arc<str>,
    /// A number that tells these data from any other.
    pub(super) data: u64,
}

/// Tells that the file has changed, also where that was no import: somebody may repair or damage it by hand.
#[derive(Debug)]
pub(super) struct Watch(Mutex<Watching>);

#[derive(Debug)]
struct Watching {
    /// SQLite counts the changes that a connection meets, so it is the same connection while all is well.
    connection: Connection,
    /// Numbers the connections of all files that the program has opened: two files may be in use after each other.
    before: u64,
    /// How often the file was in trouble when it was opened.
    faults: u64,
}

/// How many connections have watched a file.
static WATCHED: AtomicU64 = AtomicU64::new(0);

impl Watch {
    pub(super) fn new(readers: &Readers) -> Result<Watch> {
        let faults = faults();
        let before = WATCHED.fetch_add(1, Ordering::Relaxed);
        let watching = Watching { connection: readers.connect()?, before, faults };
        Ok(Watch(Mutex::new(watching)))
    }

    /// Numbers that are other ones after every change.
    fn changes(&self, readers: &Readers) -> Result<(u64, i64)> {
        let watching = self.whole(readers)?;
        let mut count = watching.connection.prepare_cached("PRAGMA data_version")?;
        Ok((watching.before, count.query_row([], |row| row.get(0))?))
    }

    /// Reads something small from the file.
    pub(super) fn read(&self, readers: &Readers) -> Result<()> {
        Ok(read_meta(&self.whole(readers)?.connection, "data_tag").map(drop)?)
    }

    /// The connection; opened anew where it may have met trouble.
    fn whole(&self, readers: &Readers) -> Result<MutexGuard<'_, Watching>> {
        let mut watching = lock(&self.0);
        let faults = faults();
        if watching.faults != faults {
            let before = WATCHED.fetch_add(1, Ordering::Relaxed);
            *watching = Watching { connection: readers.connect()?, before, faults };
        }
        Ok(watching)
    }
}

impl View {
    /// Begins a transaction.
    pub(super) fn open(readers: &Arc<Readers>, watch: &Watch) -> Result<View> {
        // Fails at once where the file is in trouble, for which the readers would wait a moment.
        watch.changes(readers)?;
        // From here on, dropping the view ends the transaction.
        let mut view = View { connection: readers.get()?, tag: Arc::default(), data: 0 };
        view.begin(readers, watch)?;
        Ok(view)
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Begins another transaction, which sees all that was committed meanwhile.
    fn renew(&mut self, readers: &Readers, watch: &Watch) -> Result<()> {
        self.end()?;
        self.begin(readers, watch)
    }

    fn begin(&mut self, readers: &Readers, watch: &Watch) -> Result<()> {
        // Before the view begins: new data under an old number are found out by the next view, old data under a new
        // number would never be.
        let changes = watch.changes(readers)?;
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
        // SQLite ends a transaction by itself when the file is in trouble.
        if self.connection.is_autocommit() {
            return Ok(());
        }
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
    pub(super) fn take(
        &self,
        now: Instant,
        readers: &Readers,
        watch: &Watch,
    ) -> Result<Option<(Instant, View)>> {
        let mut idle = lock(&self.idle);
        let Some((begun, mut view)) = idle.pop() else { return Ok(None) };
        if view.connection.is_in_doubt() {
            let doubtful = std::mem::take(&mut *idle);
            drop(idle);
            drop((view, doubtful));
            return Ok(None);
        }
        if now.saturating_duration_since(begun) < FRESH {
            return Ok(Some((begun, view)));
        }
        let old = idle.partition_point(|(begun, _)| now.saturating_duration_since(*begun) > IDLE);
        let old: Vec<_> = idle.drain(..old).collect();
        drop(idle);
        // Ending and renewing them takes longer than others should wait.
        drop(old);
        view.renew(readers, watch)?;
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
        let most = view.connection.most_kept(MOST);
        let mut idle = lock(&self.idle);
        if idle.len() < most {
            idle.push((begun, view));
        }
    }

    /// Ends all views that no snapshot uses.
    pub(super) fn clear(&self) {
        let idle = std::mem::take(&mut *lock(&self.idle));
        drop(idle);
    }
}
