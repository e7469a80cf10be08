//! Accounts in PostgreSQL, which several servers share.
//!
//! The library asks as it asks SQLite, from threads that may wait; the connections live on a runtime of their own. Nothing
//! waits past its deadline. While PostgreSQL is away, only [`Store::verify`] tries: all else fails at once, so that
//! nothing piles up behind a network that swallows everything.
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod};
use fincore::{
    Checkup, Error, Result,
    accounts::{Batch, Session as _, Store, Work},
};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::Config;
use tokio_postgres_rustls::MakeRustlsConnect;

mod config;
mod errors;
mod leader_election;
mod migrations;
mod notifications;
mod row_counts;
mod session;
mod values;

use self::session::Session;

/// The most connections of a server, besides one that listens and one for each job that it leads.
const CONNECTIONS: usize = 8;

/// The first number of every advisory lock here: the letters "fins".
const LOCKS: i32 = i32::from_be_bytes(*b"fins");

/// How long a look whether it answers may take, and how long a count of all rows.
const LOOK: Duration = Duration::from_secs(2);
const COUNT: Duration = Duration::from_secs(600);

/// Writers come one after another, as with SQLite, so that the numbers of changes appear in their order.
const BEGIN: &str = "BEGIN; SELECT pg_advisory_xact_lock(x'66696e73'::int, 1)";
const VIEW: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
const COMMIT: &str = "COMMIT";
const ROLLBACK: &str = "ROLLBACK";

/// A database of PostgreSQL with accounts. Clones share its connections.
#[derive(Clone, Debug)]
pub(crate) struct Postgres(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// `None` once it is dropped.
    runtime: Option<Runtime>,
    pool: Pool,
    /// One connection for looks whether it is there, which do not wait for those that work.
    probe: Pool,
    config: Config,
    tls: Tls,
    is_away: AtomicBool,
}

/// Why a database cannot be used.
#[derive(Debug)]
pub(crate) enum OpenError {
    /// It is not there, or does not answer; it may come.
    Away(String),
    /// The address, the login or the tables are wrong.
    Refused(String),
}

impl From<String> for OpenError {
    fn from(words: String) -> OpenError {
        OpenError::Refused(words)
    }
}

#[derive(Clone)]
struct Tls(MakeRustlsConnect);

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tls")
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // The last clone may be dropped in the middle of asynchronous work, where blocking is not allowed.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Postgres {
    /// Connects, and makes the tables that are missing. Fails, in words that have no password, if that cannot be done.
    pub(crate) fn open(address: &str) -> Result<Postgres, OpenError> {
        let config = config::read(address)?;
        let tls = MakeRustlsConnect::new(crate::net::trusted_certificates::rustls_config()?);
        let pool = |most| {
            let settings = ManagerConfig { recycling_method: RecyclingMethod::Fast };
            let manager = Manager::from_config(config.clone(), tls.clone(), settings);
            let pool = Pool::builder(manager).max_size(most).build();
            pool.map_err(|err| format!("cannot use PostgreSQL: {err}"))
        };
        let (pool, probe) = (pool(CONNECTIONS)?, pool(1)?);
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("postgres")
            .enable_all()
            .build()
            .map_err(|err| format!("cannot start a thread for PostgreSQL: {err}"))?;
        let postgres = Postgres(Arc::new(Shared {
            runtime: Some(runtime),
            pool,
            probe,
            config,
            tls: Tls(tls),
            is_away: AtomicBool::new(false),
        }));
        match postgres.migrate() {
            Ok(()) => Ok(postgres),
            Err(err) if errors::is_temporary(&err) => Err(OpenError::Away(err.to_string())),
            Err(err) => Err(OpenError::Refused(err.to_string())),
        }
    }

    /// Does something on the runtime, but no longer than until then.
    fn wait<T: Send + 'static>(
        &self,
        until: Instant,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let Some(runtime) = &self.0.runtime else { return Err(errors::late_error()) };
        let (sender, receiver) = mpsc::sync_channel(1);
        runtime.spawn(async move {
            let done = tokio::time::timeout_at(until.into(), work).await;
            // The thread below waits for it.
            let _ = sender.send(done);
        });
        match receiver.recv() {
            Ok(Ok(done)) => done,
            Ok(Err(_)) | Err(_) => Err(errors::late_error()),
        }
    }

    /// Does some work with a connection. Begins and ends with these statements; where the work fails, all is undone.
    fn with<T>(
        &self,
        wait: Duration,
        around: Option<(&'static str, &'static str)>,
        work: impl FnOnce(&Session<'_>) -> Result<T>,
    ) -> Result<T> {
        self.with_one_of(&self.0.pool, wait, around, work)
    }

    fn with_one_of<T>(
        &self,
        pool: &Pool,
        wait: Duration,
        around: Option<(&'static str, &'static str)>,
        work: impl FnOnce(&Session<'_>) -> Result<T>,
    ) -> Result<T> {
        let (until, pool) = (Instant::now() + wait, pool.clone());
        let client = self.wait(until, async move { pool.get().await.map_err(errors::from_pool) });
        let mut session = Session::new(self, self.note_if_away(client)?, until);
        let done = match around {
            None => work(&session),
            Some((begin, end)) => session.run(begin).and_then(|()| {
                let done = work(&session)?;
                session.run(end)?;
                Ok(done)
            }),
        };
        // A connection that may have kept something is not used again.
        let is_clean = match &done {
            Ok(_) => true,
            Err(Error::Unavailable { .. } | Error::Busy(_) | Error::Storage { .. }) => false,
            Err(_) => around.is_none() || session.run(ROLLBACK).is_ok(),
        };
        if is_clean {
            session.mark_clean();
        }
        self.note_if_away(done)
    }

    /// Remembers whether it is away. One that is only late is not: the regular look decides.
    fn note_if_away<T>(&self, done: Result<T>) -> Result<T> {
        if done.as_ref().is_err_and(errors::is_away) {
            self.mark_away();
        }
        done
    }

    /// It is away, and no connection to it is of use any more.
    fn mark_away(&self) {
        self.0.is_away.store(true, Ordering::Relaxed);
        self.0.pool.retain(|_, _| false);
        self.0.probe.retain(|_, _| false);
    }

    /// Fails at once while it is away.
    fn check_present(&self) -> Result<()> {
        if self.0.is_away.load(Ordering::Relaxed) { Err(errors::away_error()) } else { Ok(()) }
    }
}

impl Store for Postgres {
    fn read(&self, wait: Duration, work: Work<'_>) -> Result<()> {
        self.check_present()?;
        self.with(wait, None, |session| work(session))
    }

    fn read_at_once(&self, wait: Duration, work: Work<'_>) -> Result<()> {
        self.check_present()?;
        self.with(wait, Some((VIEW, COMMIT)), |session| work(session))
    }

    fn write(&self, wait: Duration, work: Work<'_>) -> Result<()> {
        self.check_present()?;
        self.with(wait, Some((BEGIN, COMMIT)), |session| work(session))
    }

    fn write_batch(&self, wait: Duration, batch: &Batch, work: Work<'_>) -> Result<()> {
        self.write(wait, &mut |session| {
            if session.has_batch(batch)? {
                Ok(())
            } else {
                session::note_batch(session, batch).and_then(|()| work(session))
            }
        })
    }

    fn verify(&self) -> Result<()> {
        let look = |session: &Session<'_>| session.query("SELECT 1", &[]).map(drop);
        match self.with_one_of(&self.0.probe, LOOK, None, look) {
            Ok(()) => {
                self.0.is_away.store(false, Ordering::Relaxed);
                Ok(())
            }
            Err(err) => {
                self.mark_away();
                // Whatever it is, the accounts cannot be used.
                Err(errors::unavailable(err.to_string()))
            }
        }
    }

    /// PostgreSQL looks after that itself.
    fn quick_check(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn check(&self) -> Result<Checkup> {
        self.with(COUNT, Some((VIEW, COMMIT)), row_counts::count)
    }
}

#[cfg(test)]
mod tests;
