//! The background thread that keeps the data of a server fresh.
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use fincore::Catalogue;
use indicatif::{MultiProgress, ProgressDrawTarget};

use super::{
    Config,
    network_outage::NetworkOutage,
    schedule::{LastRun, SyncGroup, time_until_due},
    sync_job::{Job, Mode, Outcome},
    sync_run::run_datasets,
};
use crate::{
    coordination::{
        clock::Now,
        directory_lock::{ExclusiveTask, Lock},
        jitter::jitter,
        signal::Signal,
        worker::Worker,
    },
    observe::metrics::Metrics,
};

/// The clock is read again after this time: it may have been set, or the machine may have slept.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Synchronises until it is stopped, with a first run at once. A download or an import that is cut
/// short has no effect.
pub(crate) fn start(
    catalogue: Catalogue,
    directory: &Path,
    config: Config,
    metrics: Arc<Metrics>,
) -> Worker {
    let directory = directory.to_owned();
    Worker::start(move |stop| Rounds::new(&catalogue, directory, config, stop, &metrics).run())
}

/// One run after the other.
struct Rounds<'a> {
    catalogue: &'a Catalogue,
    directory: PathBuf,
    config: Config,
    stop: &'a Signal,
    metrics: &'a Metrics,
    last: [(SyncGroup, LastRun); 3],
    /// Chosen anew for every round.
    jitter: f64,
    /// The datasets that failed when they were last tried.
    failing: Mutex<BTreeSet<&'static str>>,
    /// Whether no publisher could be reached in the last round.
    is_offline: bool,
}

impl<'a> Rounds<'a> {
    fn new(
        catalogue: &'a Catalogue,
        directory: PathBuf,
        config: Config,
        stop: &'a Signal,
        metrics: &'a Metrics,
    ) -> Rounds<'a> {
        let last = SyncGroup::ALL.map(|group| (group, LastRun::Never));
        let (jitter, failing, is_offline) = Default::default();
        Rounds { catalogue, directory, config, stop, metrics, last, jitter, failing, is_offline }
    }

    fn run(mut self) {
        loop {
            let now = Now::read().utc;
            let waits =
                self.last.map(|(group, last)| time_until_due(group, last, now, self.jitter));
            let due = SyncGroup::ALL.into_iter().zip(waits).filter(|(_, wait)| wait.is_zero());
            let due: Vec<SyncGroup> = due.map(|(group, _)| group).collect();
            if due.is_empty() {
                let shortest = waits.into_iter().min().unwrap_or_default();
                self.stop.wait(shortest.min(LONGEST_WAIT));
            } else {
                self.round(&due);
            }
            if self.stop.is_stopped() {
                return;
            }
        }
    }

    /// Synchronises the groups that are due.
    fn round(&mut self, due: &[SyncGroup]) {
        let datasets =
            self.config.only.datasets(|content| due.iter().any(|group| group.includes(content)));
        if datasets.is_empty() {
            return self.finish(due, |_| LastRun::Succeeded(Now::read().utc));
        }
        let lock = match Lock::take(&self.directory, ExclusiveTask::Sync, self.stop) {
            Ok(Some(lock)) => lock,
            Ok(None) => return,
            Err(err) => {
                tracing::error!("sync: the data directory cannot be locked: {err}");
                return self.finish(due, |_| LastRun::Failed(Now::read().utc));
            }
        };
        let job = Job {
            catalogue: self.catalogue,
            directory: &self.directory,
            config: &self.config,
            today: Now::read().today(),
            mode: Mode::Store,
            progress: MultiProgress::with_draw_target(ProgressDrawTarget::hidden()),
            stop: self.stop,
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
            .map(|outcome| outcome.dataset)
            .collect();
        self.finish(due, |group| {
            let of_group = datasets.iter().filter(|dataset| group.includes(&dataset.content));
            let failed = of_group.into_iter().any(|dataset| failed.contains(dataset.name));
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
            (Some(reason), false) => tracing::error!("sync: {reason}"),
            (None, true) => tracing::info!("sync: publishers can be reached again"),
            (Some(_), true) | (None, false) => (),
        }
        self.is_offline = network.reason().is_some();
    }

    /// Logs what changed; logs a failure once, and when it is over.
    fn report(&self, outcome: &Outcome, network: &NetworkOutage) {
        let name = outcome.dataset;
        self.metrics.count_sync(name, outcome.failure_message().map_or("success", |_| "failure"));
        if outcome.has_changes() {
            tracing::info!("sync: {name}: {}", outcome.change_summary());
        }
        for note in &outcome.notes {
            tracing::warn!("sync: {name}: {note}");
        }
        if outcome.is_outage(network) {
            return;
        }
        let mut failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        match outcome.failure_message() {
            Some(message) => {
                if failing.insert(name) {
                    tracing::error!("sync: {name} failed: {message}");
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
