//! What a run works with, and how it went.
use std::{path::Path, sync::Mutex};

use fincore::{Catalogue, Date, Tally, downloads};
use indicatif::MultiProgress;

use super::{
    Config,
    fault::{Fault, Kind},
};
use crate::{now::Now, stop::Stop};

/// What a run works with.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    pub(crate) catalogue: &'a Catalogue,
    /// Where downloads go until they are imported.
    pub(crate) directory: &'a Path,
    pub(crate) config: &'a Config,
    pub(crate) today: Date,
    pub(crate) mode: Mode,
    pub(crate) progress: MultiProgress,
    pub(crate) stop: &'a Stop,
    /// Held by the one that imports: there can be one at a time.
    pub(crate) importing: Mutex<()>,
}

/// Whether what is new is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Store,
    /// Everything is done but for the last step.
    DryRun,
}

/// How a dataset went.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) dataset: &'static str,
    pub(crate) tally: Tally,
    /// What went wrong, each in words; the rest was done.
    pub(crate) faults: Vec<String>,
    /// What a dry run asked for, and what that would bring.
    pub(crate) asked: Vec<String>,
    /// Whether it was stopped, so that nothing can be said.
    pub(crate) stopped: bool,
}

impl Outcome {
    pub(super) fn of(dataset: &'static str) -> Outcome {
        Outcome { dataset, ..Outcome::default() }
    }

    pub(super) fn add(&mut self, part: Outcome) {
        self.tally += part.tally;
        self.stopped |= part.stopped;
        part.faults.into_iter().for_each(|words| self.say(words));
    }

    pub(super) fn fail(&mut self, fault: Fault) {
        self.stopped |= fault.kind == Kind::Stopped;
        self.say(fault.words);
    }

    /// Says everything once.
    fn say(&mut self, words: String) {
        if !self.faults.contains(&words) {
            self.faults.push(words);
        }
    }

    /// What went wrong as one text; nothing if all went well.
    pub(crate) fn trouble(&self) -> Option<String> {
        const SHOWN: usize = 3;
        if self.faults.is_empty() {
            return None;
        }
        let mut words = self.faults[..self.faults.len().min(SHOWN)].join("; ");
        if let more @ 1.. = self.faults.len().saturating_sub(SHOWN) {
            words += &format!("; and {more} more");
        }
        Some(words)
    }

    /// What is new, in words.
    pub(crate) fn news(&self) -> String {
        news(self.tally)
    }

    /// Whether the data changed.
    pub(crate) fn is_change(&self) -> bool {
        self.tally.new + self.tally.changed + self.tally.removed > 0
    }
}

/// Notes how it went, for the status.
pub(super) fn note(job: &Job<'_>, dataset: &str, outcome: &Outcome) {
    if job.mode == Mode::DryRun || outcome.stopped {
        return;
    }
    let trouble = outcome.trouble();
    let went = trouble.as_deref().map_or(Ok(()), Err);
    loop {
        match downloads::note(job.catalogue, Now::read().utc, dataset, went) {
            // An import runs: it ends some time.
            Err(fincore::Error::Busy(_)) if !job.stop.is_stopped() => (),
            Err(err) => {
                return tracing::error!("{dataset}: how the sync went cannot be noted: {err}");
            }
            Ok(()) => return,
        }
    }
}

/// What is new, in words.
pub(super) fn news(tally: Tally) -> String {
    let Tally { new, changed, removed, .. } = tally;
    let counts = [(new, "new"), (changed, "changed"), (removed, "removed")];
    let counts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if counts.is_empty() { "nothing new".into() } else { counts.join(", ") }
}
