//! Elects the server that does the tasks of one: the holder of an advisory lock.
use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use fincore::Result;
use tokio::{
    task::JoinHandle,
    time::{sleep, timeout},
};
use tokio_postgres::{Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{LOCKS, Postgres, errors};
use crate::{
    coordination::{
        directory_lock::ExclusiveTask,
        leader_election::{Elected, Election},
    },
    observe::log,
};

/// How long PostgreSQL may take to answer, and how often it is asked.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_secs(1);

/// A leader that says nothing for so long has lost the lock: PostgreSQL ends its session.
const SILENCE: &str = "SET idle_session_timeout = 10000";

impl Postgres {
    /// Elects among all servers with these accounts.
    pub(crate) fn election(&self, task: ExclusiveTask) -> Election {
        let (postgres, candidate) = (self.clone(), Mutex::new(Candidate::default()));
        Arc::new(move || {
            let mut candidate = candidate.lock().unwrap_or_else(PoisonError::into_inner);
            if candidate.asked.is_some_and(|asked| asked.elapsed() < PAUSE) {
                return None;
            }
            let leader = postgres.try_to_lead(&mut candidate, task);
            candidate.asked = Some(Instant::now());
            leader.map(|leader| Box::new(leader) as Box<dyn Elected>)
        })
    }

    fn try_to_lead(&self, candidate: &mut Candidate, task: ExclusiveTask) -> Option<Leader> {
        let (config, tls) = (self.0.config.clone(), self.0.tls.0.clone());
        let lock = match task {
            ExclusiveTask::Webhooks => 2,
            ExclusiveTask::Sync => 3,
            ExclusiveTask::Publish => 4,
            ExclusiveTask::Serve => 5,
        };
        let open = candidate.link.take().filter(|link| !link.client.is_closed());
        let tried = self.wait(Instant::now() + PATIENCE, async move {
            let link = match open {
                Some(link) => link,
                None => Link::open(&config, tls).await?,
            };
            let sql = format!("SELECT pg_try_advisory_lock({LOCKS}, {lock})");
            let row = link.client.query_one(&sql, &[]).await.map_err(errors::from_postgres)?;
            if !row.get::<_, bool>(0) {
                return Ok(Err(link));
            }
            let lasts = Arc::new(AtomicBool::new(true));
            let keeper = tokio::spawn(keep_alive(link, lasts.clone()));
            Ok(Ok(Leader { lasts, keeper }))
        });
        match tried {
            Ok(Ok(leader)) => return Some(leader),
            Ok(Err(link)) => candidate.link = Some(link),
            Err(err) => {
                let words = err.to_string();
                if log::is_new(&words) {
                    tracing::warn!("no server can be elected: {words}");
                }
            }
        }
        None
    }
}

/// A server that does not lead, and asks again.
#[derive(Default)]
struct Candidate {
    link: Option<Link>,
    asked: Option<Instant>,
}

struct Link {
    client: Client,
    /// Ends with the connection.
    connection: JoinHandle<()>,
}

impl Link {
    async fn open(config: &Config, tls: MakeRustlsConnect) -> Result<Link> {
        let (client, connection) = config.connect(tls).await.map_err(errors::from_postgres)?;
        let connection = tokio::spawn(async {
            // Statements on it fail with the same error.
            let _ = connection.await;
        });
        client.batch_execute(SILENCE).await.map_err(errors::from_postgres)?;
        Ok(Link { client, connection })
    }
}

/// Shows that it is there, for as long as the connection lasts and PostgreSQL answers.
async fn keep_alive(link: Link, lasts: Arc<AtomicBool>) {
    let Link { client, connection } = link;
    let ask = async {
        while let Ok(Ok(())) = timeout(PATIENCE, client.batch_execute("SELECT 1")).await {
            sleep(PAUSE).await;
        }
    };
    tokio::select! {
        () = ask => (),
        _ = connection => (),
    }
    lasts.store(false, Ordering::Relaxed);
}

/// Leads for as long as its connection lasts.
struct Leader {
    lasts: Arc<AtomicBool>,
    keeper: JoinHandle<()>,
}

impl Elected for Leader {
    fn holds(&mut self) -> bool {
        self.lasts.load(Ordering::Relaxed)
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}
