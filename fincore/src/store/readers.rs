//! The pools of connections that snapshots read through: one for the present and one for the past. A connection that may have
//! seen a fault is not used again.
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    ops::Deref,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use r2d2::{HandleError, ManageConnection, Pool, PooledConnection};
use rusqlite::{Connection, OptionalExtension, functions::FunctionFlags};

use crate::{
    store::{CATALOGUE_SCHEMA, WaitBudget, deadline, sqlite_file},
    values::{Error, Result, lock},
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
pub(crate) struct ReaderPool {
    present: Pool<Opener>,
    /// Connections on which views hide the tables, so that none of them ever reads the present. Each pool has threads of its
    /// own: this one is made when the past is first asked for.
    past: OnceLock<Pool<Opener>>,
    path: PathBuf,
    troubles: Arc<Troubles>,
}

/// The views that take the place of tables, and the data version that they show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Past {
    pub(crate) views: &'static str,
    pub(crate) version: i64,
}

impl ReaderPool {
    pub(crate) fn new(path: PathBuf, most: usize) -> ReaderPool {
        let troubles = Arc::<Troubles>::default();
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        let present = Opener { path: path.clone(), troubles: troubles.clone() }.pool(most);
        ReaderPool { present, past: OnceLock::new(), path, troubles }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Passes an outcome on with its errors translated. A fault is noted here, where it is known that it is one of this
    /// file: connections that are open meanwhile are not used again.
    pub(crate) fn note<T, E>(&self, outcome: Result<T, E>) -> Result<T>
    where
        Error: From<E>,
    {
        let outcome = outcome
            .map_err(|err| sqlite_file::error_of_file(&self.path, &CATALOGUE_SCHEMA, err.into()));
        if matches!(outcome, Err(Error::Unavailable { .. })) {
            self.troubles.faults.fetch_add(1, Ordering::Relaxed);
        }
        outcome
    }

    /// A number that grows whenever the file or its disk is in trouble. A connection that was in use meanwhile may have met
    /// it, and keep something of it in its cache: it is better opened anew.
    pub(crate) fn faults(&self) -> u64 {
        self.troubles.faults.load(Ordering::Relaxed)
    }

    /// A connection outside of the pool.
    pub(crate) fn connect(&self) -> Result<Connection> {
        self.note(connect(&self.path))
    }

    /// A connection for the caller alone. Waits if all are in use; fails at once if the file cannot be opened.
    pub(crate) fn get(&self) -> Result<Reader> {
        self.take(&self.present)
    }

    /// Lends a connection with views in place of tables.
    fn get_past(&self, past: Past) -> Result<Reader> {
        let pool = self.past.get_or_init(|| {
            Opener { path: self.path.clone(), troubles: self.troubles.clone() }
                .pool(self.most_past())
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
    pub(crate) fn most(&self) -> usize {
        self.present.max_size() as usize
    }

    /// The most connections of the past.
    pub(crate) fn most_past(&self) -> u32 {
        (self.present.max_size() / PRESENT_PER_PAST).max(FEWEST_PAST)
    }

    /// How many are open.
    #[cfg(test)]
    pub(crate) fn open(&self) -> u32 {
        let past = self.past.get().map_or(0, |past| past.state().connections);
        self.present.state().connections + past
    }
}

/// A connection that only reads.
fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = sqlite_file::attach(path)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "cache_size", -CACHE)?;
    Ok(connection)
}

/// Opens connections, and discards those that may have seen a fault.
#[derive(Debug)]
pub(crate) struct Opener {
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
pub(crate) struct Pooled {
    connection: Connection,
    troubles: Arc<Troubles>,
    /// How many faults there had been when it was taken.
    faults: u64,
    /// The views that take the place of tables; empty without any.
    views: &'static str,
    /// The value of `shown_version()`. It cannot be in a temporary table: a connection that only reads writes none.
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
pub(crate) struct Reader {
    pooled: PooledConnection<Opener>,
    /// The most connections of its pool.
    of: u32,
}

impl Reader {
    /// How many idle transactions may keep their connection: at most half of all connections.
    fn most_idle(&self, most: usize) -> usize {
        most.min(self.of as usize / 2)
    }

    fn may_have_seen_fault(&self) -> bool {
        self.pooled.may_have_seen_fault()
    }
}

impl Deref for Reader {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.pooled.connection
    }
}

/// How old a transaction may be for the next snapshot to use it. It is also how long a snapshot may miss an import.
const FRESH: Duration = Duration::from_millis(1);

/// How old a transaction may become that no snapshot uses.
const IDLE: Duration = Duration::from_millis(100);

/// The most idle transactions; about as many as threads that read at the same time.
const MOST: usize = 16;

/// An open read transaction.
#[derive(Debug)]
pub(crate) struct ReadTransaction {
    connection: Reader,
    /// The data tag.
    pub(crate) tag: Arc<str>,
    /// A number that no other data has.
    pub(crate) data: u64,
}

impl ReadTransaction {
    /// Begins a transaction.
    pub(crate) fn open(readers: &ReaderPool, watch: &FileWatch) -> Result<ReadTransaction> {
        // Fails at once if the file cannot be read; the pool would wait for a moment first.
        watch.changes(readers)?;
        ReadTransaction::on(readers.get()?, readers, watch)
    }

    /// Begins a transaction in which views take the place of tables.
    pub(crate) fn through(
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

    pub(crate) fn connection(&self) -> &Connection {
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
pub(crate) struct IdleTransactions {
    /// Each with the time when it was begun, about oldest first.
    idle: Mutex<Vec<(Instant, ReadTransaction)>>,
    latest: Latest,
}

/// The newest data that a transaction sees. Reading it takes neither a transaction nor a lock, for which threads would
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
    pub(crate) fn take(
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
    pub(crate) fn note(&self, now: Instant, transaction: &ReadTransaction) {
        self.latest.set(now, transaction.data);
    }

    /// The data of a transaction that was begun just before `now`, if there is one.
    pub(crate) fn data(&self, now: Instant) -> Option<u64> {
        self.latest.get(now)
    }

    /// Keeps a transaction for the next snapshot.
    pub(crate) fn keep(&self, begun: Instant, transaction: ReadTransaction) {
        let most = transaction.connection.most_idle(MOST);
        let mut idle = lock(&self.idle);
        if idle.len() < most {
            idle.push((begun, transaction));
        }
    }

    /// Ends all transactions that no snapshot uses.
    pub(crate) fn clear(&self) {
        let idle = std::mem::take(&mut *lock(&self.idle));
        drop(idle);
    }
}

/// Notices that the file has changed, even if no import changed it: an operator may repair it by hand.
#[derive(Debug)]
pub(crate) struct FileWatch(Mutex<Watching>);

#[derive(Debug)]
struct Watching {
    /// SQLite counts changes per connection, so the same one is used until there is a fault.
    connection: Connection,
    /// Numbers the connections of all files that the program has opened: it may switch from one file to another.
    number: u64,
    /// How many faults there had been when it was opened.
    faults: u64,
}

/// How many connections have watched a file so far.
static WATCHED: AtomicU64 = AtomicU64::new(0);

impl FileWatch {
    pub(crate) fn new(readers: &ReaderPool) -> Result<FileWatch> {
        let faults = readers.faults();
        let number = WATCHED.fetch_add(1, Ordering::Relaxed);
        let watching = Watching { connection: readers.connect()?, number, faults };
        Ok(FileWatch(Mutex::new(watching)))
    }

    /// A pair of numbers that differs after every change.
    pub(crate) fn changes(&self, readers: &ReaderPool) -> Result<(u64, i64)> {
        let watching = self.sound_connection(readers)?;
        let count = || {
            let mut count = watching.connection.prepare_cached("PRAGMA data_version")?;
            count.query_row([], |row| row.get(0))
        };
        Ok((watching.number, readers.note(count())?))
    }

    /// Reads something small from the file.
    pub(crate) fn read(&self, readers: &ReaderPool) -> Result<()> {
        let watching = self.sound_connection(readers)?;
        readers.note(read_meta(&watching.connection, "data_tag").map(drop))
    }

    /// The connection; a new one if there were faults since it was opened.
    fn sound_connection(&self, readers: &ReaderPool) -> Result<MutexGuard<'_, Watching>> {
        let mut watching = lock(&self.0);
        let faults = readers.faults();
        if watching.faults != faults {
            let number = WATCHED.fetch_add(1, Ordering::Relaxed);
            *watching = Watching { connection: readers.connect()?, number, faults };
        }
        Ok(watching)
    }
}

/// A value of the table; one that cannot be read counts as missing.
pub(crate) fn read_meta(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    const SQL: &str = "SELECT value FROM meta WHERE name = ?1";
    match connection.prepare_cached(SQL)?.query_row([name], |row| row.get(0)).optional() {
        Err(err) if is_about_a_value(&err) => Ok(None),
        found => found,
    }
}

/// The data version: at least that of the newest logged change, should the number itself be damaged.
pub(crate) fn version_of(connection: &Connection) -> rusqlite::Result<i64> {
    const LOGGED: &str = "SELECT COALESCE(MAX(version), 0) FROM main.revision";
    let noted = read_meta(connection, "data_version")?;
    let noted: i64 = noted.and_then(|text| text.parse().ok()).unwrap_or_default();
    let logged: i64 = connection.prepare_cached(LOGGED)?.query_row([], |row| row.get(0))?;
    Ok(noted.max(logged))
}

/// The values that snapshots of a file could not read.
#[derive(Debug, Default)]
pub(crate) struct CorruptValues {
    skipped: AtomicU64,
    /// A fingerprint of the tag of the data that the last one was found in; 0 before the first one.
    data: AtomicU64,
}

impl CorruptValues {
    /// Counts one more, in the data with this tag.
    pub(crate) fn note(&self, tag: &str) {
        self.data.store(tag_fingerprint(tag), Ordering::Relaxed);
        self.skipped.fetch_add(1, Ordering::Relaxed);
    }

    /// How often one was skipped.
    pub(crate) fn skipped_count(&self) -> u64 {
        self.skipped.load(Ordering::Relaxed)
    }

    /// Whether the data with this tag is known to have some.
    pub(crate) fn is_in(&self, tag: &str) -> bool {
        self.skipped_count() > 0 && self.data.load(Ordering::Relaxed) == tag_fingerprint(tag)
    }
}

pub(crate) fn tag_fingerprint(tag: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    tag.hash(&mut hasher);
    hasher.finish()
}

/// Whether an error is about one value, which cannot be read, and not about the database.
pub(crate) fn is_about_a_value(err: &rusqlite::Error) -> bool {
    use rusqlite::Error::{
        FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error,
    };
    matches!(
        err,
        FromSqlConversionFailure(..)
            | IntegralValueOutOfRange(..)
            | InvalidColumnType(..)
            | Utf8Error(..)
    )
}
