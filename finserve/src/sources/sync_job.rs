//! The parameters of a sync run, and its outcome for each dataset.
use std::{borrow::Cow, path::Path, sync::Mutex};

use fincore::{
    Catalogue, Date, Tally,
    chrono::{DateTime, Utc},
    downloads,
};
use indicatif::MultiProgress;

use super::{
    Config,
    failure::{Fault, FaultKind},
    network_outage::NetworkOutage,
};
use crate::coordination::{clock::Clock, signal::Signal};

/// The parameters of a run.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    pub(crate) catalogue: &'a Catalogue,
    /// Where downloads go until they are imported.
    pub(crate) directory: &'a Path,
    pub(crate) config: &'a Config,
    pub(crate) today: Date,
    pub(crate) clock: &'a Clock,
    pub(crate) mode: Mode,
    pub(crate) progress: MultiProgress,
    pub(crate) stop: &'a Signal,
    /// Held by the thread that imports: there can be only one at a time.
    pub(crate) importing: Mutex<()>,
    /// The result of checking the network.
    pub(crate) network: NetworkOutage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Store,
    /// Everything is done but the commit.
    DryRun,
}

/// The outcome of a dataset.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) dataset: Cow<'static, str>,
    pub(crate) tally: Tally,
    /// The faults; the rest was done.
    pub(crate) faults: Vec<String>,
    /// Remarks on the files, though nothing failed: rows that were left out, columns that are new, files that are gone.
    pub(crate) notes: Vec<String>,
    /// The addresses that a dry run asked for, and what each would bring.
    pub(crate) asked: Vec<String>,
    /// Whether it was stopped, so that the outcome is unknown.
    pub(crate) stopped: bool,
    /// Whether a publisher could not be reached, was silent, or refused this machine.
    pub(crate) is_cut_off: bool,
    pub(super) is_refused: bool,
}

impl Outcome {
    pub(super) fn new(dataset: impl Into<Cow<'static, str>>) -> Outcome {
        Outcome { dataset: dataset.into(), ..Outcome::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.has_changes() && self.faults.is_empty() && !self.stopped
    }

    pub(super) fn add(&mut self, part: Outcome) {
        self.tally += part.tally;
        self.stopped |= part.stopped;
        self.is_cut_off |= part.is_cut_off;
        self.is_refused |= part.is_refused;
        part.faults.into_iter().for_each(|message| self.add_fault(message));
    }

    pub(super) fn fail(&mut self, fault: Fault) {
        self.stopped |= fault.kind == FaultKind::Stopped;
        self.is_cut_off |= fault.is_cut_off();
        self.is_refused |= fault.kind == FaultKind::Refused;
        self.add_fault(fault.message);
    }

    /// Adds a message, unless it is there already.
    fn add_fault(&mut self, message: String) {
        if !self.faults.contains(&message) {
            self.faults.push(message);
        }
    }

    /// The faults as one text; `None` if all went well.
    pub(crate) fn failure_message(&self) -> Option<String> {
        const MOST_SHOWN: usize = 3;
        if self.faults.is_empty() {
            return None;
        }
        let mut message = self.faults[..self.faults.len().min(MOST_SHOWN)].join("; ");
        if let more @ 1.. = self.faults.len().saturating_sub(MOST_SHOWN) {
            message += &format!("; and {more} more");
        }
        Some(message)
    }

    /// Whether nothing but an outage of the network kept it from being up to date.
    pub(crate) fn is_outage(&self, network: &NetworkOutage) -> bool {
        matches!(&self.faults[..], [fault] if network.reason().as_ref() == Some(fault))
    }

    /// How many rows are new, changed and removed, as text.
    pub(crate) fn change_summary(&self) -> String {
        change_summary(self.tally)
    }

    pub(crate) fn has_changes(&self) -> bool {
        self.tally.new + self.tally.changed + self.tally.removed > 0
    }
}

/// Records the outcome of a dataset, for the status endpoint.
pub(super) fn record_outcome(job: &Job<'_>, dataset: &str, outcome: &Outcome) {
    if job.mode == Mode::DryRun || outcome.stopped {
        return;
    }
    let failure = outcome.failure_message();
    let result = failure.as_deref().map_or(Ok(()), Err);
    record(job, dataset, |now| downloads::record_sync(job.catalogue, now, dataset, result));
}

/// Records that nothing went wrong with a dataset of which the publisher has no file: that does not make it current.
pub(super) fn record_attempt(job: &Job<'_>, dataset: &str) {
    if job.mode == Mode::Store {
        record(job, dataset, |now| downloads::record_attempt(job.catalogue, now, dataset));
    }
}

fn record(job: &Job<'_>, dataset: &str, write: impl Fn(DateTime<Utc>) -> fincore::Result<()>) {
    loop {
        match write(job.clock.now().utc) {
            // Another import is running: try again until it ends.
            Err(fincore::Error::Busy(_)) if !job.stop.is_stopped() => (),
            Err(err) => {
                return tracing::error!(
                    "{dataset}: the outcome of the sync cannot be recorded: {err}"
                );
            }
            Ok(()) => return,
        }
    }
}

/// How many rows are new, changed and removed, as text.
pub(super) fn change_summary(tally: Tally) -> String {
    let Tally { new, changed, removed, .. } = tally;
    let counts = [(new, "new"), (changed, "changed"), (removed, "removed")];
    let counts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if counts.is_empty() { "nothing new".into() } else { counts.join(", ") }
}
