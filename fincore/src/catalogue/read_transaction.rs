//! Read transactions. Some stay open for a moment, so that the next snapshots need not begin one.
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use rusqlite::Connection;

use super::{
    file_watch::FileWatch,
    metadata::read_meta,
    reader_pool::{Past, Reader, ReaderPool},
};
use crate::{error::Result, lock::lock};

/// How old a transaction may be for the next snapshot to use it. It is also how long a snapshot may miss an import.
const FRESH: Duration = Duration::from_millis(1);

/// How old a transaction may become that no snapshot uses.
const IDLE: Duration = Duration::from_millis(100);

/// The most idle transactions; about as many as threads that read at the same time.
const MOST: usize = 16;

/// An open read transaction.
#[derive(Debug)]
pub(super) struct ReadTransaction {
    connection: Reader,
    /// The data tag.
    pub(super) tag: Arc<str>,
    /// A number that no other data has.
    pub(super) data: u64,
}

impl ReadTransaction {
    /// Begins a transaction.
    pub(super) fn open(readers: &ReaderPool, watch: &FileWatch) -> Result<ReadTransaction> {
        // Fails at once if the file cannot be read; the pool would wait for a moment first.
        watch.changes(readers)?;
        ReadTransaction::on(readers.get()?, readers, watch)
    }

    /// Begins a transaction in which views take the place of tables.
    pub(super) fn through(
        readers: &ReaderPool,
        watch: &FileWatch,
        past: Past,
    ) -> Result<ReadTransaction> {
        watch.changes(readers)?;
        ReadTransaction::on(readers.get_past(past)?, readers, watch)
    }

    fn on(connection: Reader, readers: &ReaderPool, watch: &FileWatch) -> Result<ReadTransaction> {
        // From here on, dropping this value ends the transaction.
        let mut transaction = ReadTransaction { connection, tag: Arc::default(), data: 0 };
        transaction.begin(readers, watch)?;
        Ok(transaction)
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Begins another transaction, which sees all that was committed in the meantime.
    fn renew(&mut self, readers: &ReaderPool, watch: &FileWatch) -> Result<()> {
        readers.note(self.end())?;
        self.begin(readers, watch)
    }

    fn begin(&mut self, readers: &ReaderPool, watch: &FileWatch) -> Result<()> {
        // Read before the transaction begins: the next transaction notices new data under an old number, but none would ever
        // notice old data under a new number.
        let changes = watch.changes(readers)?;
        let begin = || {
            self.connection.prepare_cached("BEGIN")?.execute([])?;
            // SQLite fixes what a transaction sees at its first read, which is this one.
            read_meta(&self.connection, "data_tag")
        };
        let tag = readers.note(begin())?.unwrap_or_default();
        let mut hasher = DefaultHasher::new();
        (&tag, changes).hash(&mut hasher);
        self.data = hasher.finish();
        if *self.tag != *tag {
            self.tag = tag.into();
        }
        Ok(())
    }

    fn end(&self) -> rusqlite::Result<()> {
        // After some errors, SQLite has ended the transaction by itself.
        if self.connection.is_autocommit() {
            return Ok(());
        }
        self.connection.prepare_cached("ROLLBACK")?.execute([]).map(drop)
    }
}

impl Drop for ReadTransaction {
    fn drop(&mut self) {
        // If this fails, the pool closes the connection.
        let _ = self.end();
    }
}

/// Open transactions that no snapshot uses.
#[derive(Debug, Default)]
pub(super) struct IdleTransactions {
    /// Each with the time when it was begun, about oldest first.
    idle: Mutex<Vec<(Instant, ReadTransaction)>>,
    latest: Latest,
}

/// Which data the newest transaction sees. Reading it takes neither a transaction nor a lock, for which threads would
/// compete.
#[derive(Debug, Default)]
struct Latest {
    /// When the first transaction was begun.
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
        // Threads may get here in another order than they began their transactions in.
        if begun >= self.begun.load(Ordering::Relaxed) {
            // A thread that reads this time afterwards reads these data, or newer ones.
            self.data.store(data, Ordering::Relaxed);
            self.begun.store(begun, Ordering::Release);
        }
    }

    fn get(&self, now: Instant) -> Option<u64> {
        let now = now.saturating_duration_since(*self.first.get()?);
        let begun = Duration::from_nanos(self.begun.load(Ordering::Acquire));
        let data = self.data.load(Ordering::Relaxed);
        // Zero is the initial value.
        (now.saturating_sub(begun) < FRESH && data != 0).then_some(data)
    }
}

impl IdleTransactions {
    /// A transaction that was begun just before `now`, and when; an older one is renewed. `None` if none is idle. Ends
    /// transactions that have been idle for long.
    pub(super) fn take(
        &self,
        now: Instant,
        readers: &ReaderPool,
        watch: &FileWatch,
    ) -> Result<Option<(Instant, ReadTransaction)>> {
        let mut idle = lock(&self.idle);
        let Some((begun, mut transaction)) = idle.pop() else { return Ok(None) };
        if transaction.connection.may_have_seen_fault() {
            let doubtful = std::mem::take(&mut *idle);
            drop(idle);
            drop((transaction, doubtful));
            return Ok(None);
        }
        if now.saturating_duration_since(begun) < FRESH {
            return Ok(Some((begun, transaction)));
        }
        let old = idle.partition_point(|(begun, _)| now.saturating_duration_since(*begun) > IDLE);
        let old: Vec<_> = idle.drain(..old).collect();
        drop(idle);
        // Ending and renewing them takes longer than other threads should wait for the lock.
        drop(old);
        transaction.renew(readers, watch)?;
        self.latest.set(now, transaction.data);
        Ok(Some((now, transaction)))
    }

    /// Notes that a transaction has been begun.
    pub(super) fn note(&self, now: Instant, transaction: &ReadTransaction) {
        self.latest.set(now, transaction.data);
    }

    /// The data of a transaction that was begun just before `now`, if there is one.
    pub(super) fn data(&self, now: Instant) -> Option<u64> {
        self.latest.get(now)
    }

    /// Keeps a transaction for the next snapshot.
    pub(super) fn keep(&self, begun: Instant, transaction: ReadTransaction) {
        let most = transaction.connection.most_idle(MOST);
        let mut idle = lock(&self.idle);
        if idle.len() < most {
            idle.push((begun, transaction));
        }
    }

    /// Ends all transactions that no snapshot uses.
    pub(super) fn clear(&self) {
        let idle = std::mem::take(&mut *lock(&self.idle));
        drop(idle);
    }
}
