//! The background thread that keeps the data of a server fresh.
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use fincore::Catalogue;
use indicatif::{MultiProgress, ProgressDrawTarget};

use super::{
    Config, WAYS_OUT,
    dataset_selection::Content,
    network_outage::NetworkOutage,
    schedule::{LastRun, SyncGroup, time_until_due},
    sync_job::{Job, Mode, Outcome},
    sync_run::{held_data, run_datasets},
};
use crate::{
    coordination::{
        clock::{Clock, Now},
        directory_lock::{ExclusiveTask, Lock},
        jitter::jitter,
        signal::Signal,
        worker::Worker,
    },
    observe::{metrics::Metrics, workers::Heartbeat},
};

/// The clock is read again after this time: it may have been set, or the machine may have slept.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// No dataset takes longer: the budgets of the publishers, and waiting for imports and for another sync.
const LONGEST_DATASET: Duration = Duration::from_secs(2 * 3600);

/// Synchronises until it is stopped, with a first run at once. A download or an import that is cut
/// short has no effect.
pub(crate) fn start(
    catalogue: Catalogue,
    directory: &Path,
    config: Config,
    metrics: Arc<Metrics>,
) -> Worker {
    let heartbeat = metrics.workers().add("sync", LONGEST_DATASET);
    let mut rounds = Rounds {
        catalogue,
        directory: directory.to_owned(),
        config,
        metrics,
        heartbeat: heartbeat.clone(),
        last: SyncGroup::ALL.map(|group| (group, LastRun::Never)),
        jitter: 0.0,
        failing: Mutex::default(),
        noted: Mutex::default(),
        is_offline: false,
        has_logged_ways_out: AtomicBool::default(),
    };
    Worker::start(heartbeat, move |stop| rounds.run(stop))
}

/// One run after the other.
struct Rounds {
    catalogue: Catalogue,
    directory: PathBuf,
    config: Config,
    metrics: Arc<Metrics>,
    heartbeat: Arc<Heartbeat>,
    last: [(SyncGroup, LastRun); 3],
    /// Chosen anew for every round.
    jitter: f64,
    /// The datasets that failed when they were last tried.
    failing: Mutex<BTreeSet<Cow<'static, str>>>,
    /// The notes of each dataset when it was last tried.
    noted: Mutex<BTreeMap<Cow<'static, str>, Vec<String>>>,
    is_offline: bool,
    /// Whether the log has what helps where a publisher cannot be reached.
    has_logged_ways_out: AtomicBool,
}

impl Rounds {
    fn run(&mut self, stop: &Signal) {
        loop {
            self.heartbeat.beat();
            let now = Now::read().utc;
            let waits =
                self.last.map(|(group, last)| time_until_due(group, last, now, self.jitter));
            let due = SyncGroup::ALL.into_iter().zip(waits).filter(|(_, wait)| wait.is_zero());
            let due: Vec<SyncGroup> = due.map(|(group, _)| group).collect();
            if due.is_empty() {
                let shortest = waits.into_iter().min().unwrap_or_default();
                stop.wait(shortest.min(LONGEST_WAIT));
            } else {
                self.round(&due, stop);
            }
            if stop.is_stopped() {
                return;
            }
        }
    }

    /// Synchronises the groups that are due.
    fn round(&mut self, due: &[SyncGroup], stop: &Signal) {
        let held = || held_data(&self.catalogue, &self.config, Now::read().today());
        let is_due = |content: &Content| due.iter().any(|group| group.includes(content));
        let datasets = self.config.only.datasets(held, is_due);
        if datasets.is_empty() {
            return self.finish(due, |_| LastRun::Succeeded(Now::read().utc));
        }
        // After a panic, which leaves it so, the next try is as far away as after any other failure.
        self.finish(due, |_| LastRun::Failed(Now::read().utc));
        let lock = match Lock::take(&self.directory, ExclusiveTask::Sync, stop) {
            Ok(Some(lock)) => lock,
            Ok(None) => return,
            Err(err) => {
                return tracing::error!("sync: the data directory cannot be locked: {err}");
            }
        };
        let job = Job {
            catalogue: &self.catalogue,
            directory: &self.directory,
            config: &self.config,
            today: Now::read().today(),
            clock: &Clock::system(),
            mode: Mode::Store,
            progress: MultiProgress::with_draw_target(ProgressDrawTarget::hidden()),
            stop,
            importing: Mutex::default(),
            network: NetworkOutage::default(),
        };
        let outcomes = run_datasets(&job, &datasets, &|outcome| self.report(outcome, &job.network));
        drop(lock);
        self.report_network(&job.network);
        let now = Now::read().utc;
        let failed: BTreeSet<&str> = outcomes
            .iter()
            .filter(|outcome| !outcome.faults.is_empty())
            .map(|outcome| &*outcome.dataset)
            .collect();
        self.finish(due, |group| {
            let of_group = datasets.iter().filter(|dataset| group.includes(&dataset.content));
            let failed = of_group.into_iter().any(|dataset| failed.contains(&*dataset.name));
            if failed { LastRun::Failed(now) } else { LastRun::Succeeded(now) }
        });
    }

    fn finish(&mut self, groups: &[SyncGroup], last: impl Fn(SyncGroup) -> LastRun) {
        self.jitter = jitter();
        for (group, last_run) in &mut self.last {
            if groups.contains(group) {
                *last_run = last(*group);
            }
        }
    }

    /// Logs an outage of the network once, and when it is over.
    fn report_network(&mut self, network: &NetworkOutage) {
        match (network.reason(), self.is_offline) {
            (Some(reason), false) => tracing::error!("sync: {reason}; {WAYS_OUT}"),
            (None, true) => tracing::info!("sync: publishers can be reached again"),
            (Some(_), true) | (None, false) => (),
        }
        self.is_offline = network.reason().is_some();
    }

    /// Logs each note once, and again if it has gone and come back.
    fn report_notes(&self, outcome: &Outcome) {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        let before =
            noted.insert(outcome.dataset.clone(), outcome.notes.clone()).unwrap_or_default();
        for note in outcome.notes.iter().filter(|note| !before.contains(note)) {
            tracing::warn!("sync: {}: {note}", outcome.dataset);
        }
    }

    /// Logs what changed; logs a failure once, and when it is over.
    fn report(&self, outcome: &Outcome, network: &NetworkOutage) {
        self.heartbeat.beat();
        let name = &*outcome.dataset;
        self.metrics.count_sync(name, outcome.failure_message().map_or("success", |_| "failure"));
        if outcome.has_changes() {
            tracing::info!("sync: {name}: {}", outcome.change_summary());
        }
        self.report_notes(outcome);
        if outcome.is_outage(network) {
            return;
        }
        let mut failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        match outcome.failure_message() {
            Some(message) => {
                if failing.insert(outcome.dataset.clone()) {
                    tracing::error!("sync: {name} failed: {message}");
                    if outcome.is_cut_off && !self.has_logged_ways_out.swap(true, Ordering::Relaxed)
                    {
                        tracing::warn!("sync: {WAYS_OUT}");
                    }
                }
            }
            None => {
                if failing.remove(name) {
                    tracing::info!("sync: {name}: recovered");
                }
            }
        }
    }
}
