//! The thread by which a server keeps its data fresh.
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
    job::{Job, Mode, Outcome},
    run::run_datasets,
    schedule::{Beat, Last, wait},
};
use crate::{
    jitter::jitter,
    lock::{Lock, Work},
    metrics::Metrics,
    now::Now,
    stop::{Stop, Worker},
};

/// After this time the clock is read again: it may have been set, or the machine may have slept.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Synchronises until it is stopped, with a first run at once. A download that is cut short has no effect, and an import that
/// is not complete has none either.
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
    stop: &'a Stop,
    metrics: &'a Metrics,
    last: [(Beat, Last); 3],
    /// Drawn for every round.
    jitter: f64,
    /// The datasets that failed when they were last tried.
    failing: Mutex<BTreeSet<&'static str>>,
}

impl<'a> Rounds<'a> {
    fn new(
        catalogue: &'a Catalogue,
        directory: PathBuf,
        config: Config,
        stop: &'a Stop,
        metrics: &'a Metrics,
    ) -> Rounds<'a> {
        let last = Beat::ALL.map(|beat| (beat, Last::Never));
        let (jitter, failing) = Default::default();
        Rounds { catalogue, directory, config, stop, metrics, last, jitter, failing }
    }

    fn run(mut self) {
        loop {
            let now = Now::read().utc;
            let waits = self.last.map(|(beat, last)| wait(beat, last, now, self.jitter));
            let due = Beat::ALL.into_iter().zip(waits).filter(|(_, wait)| wait.is_zero());
            let due: Vec<Beat> = due.map(|(beat, _)| beat).collect();
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

    /// Runs the beats that are due.
    fn round(&mut self, due: &[Beat]) {
        let datasets =
            self.config.only.datasets(|content| due.iter().any(|beat| beat.includes(content)));
        if datasets.is_empty() {
            return self.finish(due, |_| Last::Succeeded(Now::read().utc));
        }
        let lock = match Lock::take(&self.directory, Work::Sync, self.stop) {
            Ok(Some(lock)) => lock,
            Ok(None) => return,
            Err(err) => {
                tracing::error!("sync: the data directory cannot be locked: {err}");
                return self.finish(due, |_| Last::Failed(Now::read().utc));
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
        };
        let outcomes = run_datasets(&job, &datasets, &|outcome| self.report(outcome));
        drop(lock);
        let now = Now::read().utc;
        let failed: BTreeSet<&str> = outcomes
            .iter()
            .filter(|outcome| !outcome.faults.is_empty())
            .map(|outcome| outcome.dataset)
            .collect();
        self.finish(due, |beat| {
            let of_beat = datasets.iter().filter(|dataset| beat.includes(&dataset.content));
            let failed = of_beat.into_iter().any(|dataset| failed.contains(dataset.name));
            if failed { Last::Failed(now) } else { Last::Succeeded(now) }
        });
    }

    fn finish(&mut self, beats: &[Beat], last: impl Fn(Beat) -> Last) {
        self.jitter = jitter();
        for (beat, went) in &mut self.last {
            if beats.contains(beat) {
                *went = last(*beat);
            }
        }
    }

    /// Logs what changed; a failure once, and when it is over.
    fn report(&self, outcome: &Outcome) {
        let name = outcome.dataset;
        self.metrics.synced(name, outcome.trouble().map_or("success", |_| "failure"));
        if outcome.is_change() {
            tracing::info!("sync: {name}: {}", outcome.news());
        }
        let mut failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        match outcome.trouble() {
            Some(words) => {
                if failing.insert(name) {
                    tracing::error!("sync: {name} failed: {words}");
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
