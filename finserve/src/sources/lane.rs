//! A row of downloads, one after the other, each imported before the next begins.
use std::{
    collections::{HashMap, hash_map::Entry},
    fs::File,
    io::Seek,
    sync::PoisonError,
};

use fincore::{
    Import, Imported, Snapshot, Tally,
    downloads::{self, Validators},
};
use indicatif::{ProgressBar, ProgressStyle};

use super::{
    client::Client,
    fault::Fault,
    job::{Job, Mode, Outcome, news},
    request::{Publisher, Repeat, Request},
    response::{Answer, Target},
};
use crate::{now::Now, turn};

/// What one thread does in a run.
pub(super) struct Lane<'a> {
    pub(super) job: &'a Job<'a>,
    clients: HashMap<Publisher, Client<'a>>,
    progress: ProgressBar,
    /// What became of each address: two datasets may need the same file.
    done: HashMap<String, Result<Taken, Fault>>,
    /// What a dry run tells of the dataset at hand.
    pub(super) asked: Vec<String>,
    /// Rows of all files so far.
    rows: usize,
}

/// What an answer brought.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) tally: Tally,
    pub(super) presence: Presence,
}

/// Whether the publisher has what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Present,
    Absent,
}

impl Taken {
    fn nothing(presence: Presence) -> Taken {
        Taken { tally: Tally::default(), presence }
    }
}

impl<'a> Lane<'a> {
    pub(super) fn new(job: &'a Job<'a>) -> Lane<'a> {
        let style = "{bar:30} {bytes} of {total_bytes}, {elapsed}  {wide_msg}";
        let style = ProgressStyle::with_template(style).expect("the template is well formed");
        let progress = job.progress.add(ProgressBar::new(0).with_style(style));
        let (clients, done) = (HashMap::new(), HashMap::new());
        Lane { job, clients, progress, done, asked: Vec::new(), rows: 0 }
    }

    /// Takes what is asked for, up to the first failure.
    pub(super) fn in_order(&mut self, requests: &[Request], outcome: &mut Outcome) {
        for request in requests {
            match self.take(request) {
                Ok(taken) => outcome.tally += taken.tally,
                Err(fault) => return outcome.fail(fault),
            }
        }
    }

    /// Takes all that is asked for, whatever fails, and tells how many files there were.
    pub(super) fn each(&mut self, requests: &[Request], outcome: &mut Outcome) -> usize {
        let mut present = 0;
        for request in requests {
            match self.take(request) {
                Ok(taken) => {
                    outcome.tally += taken.tally;
                    present += usize::from(taken.presence == Presence::Present);
                }
                Err(fault) => outcome.fail(fault),
            }
            if outcome.stopped {
                break;
            }
        }
        present
    }

    /// Downloads and imports what one request asks for, once in a run.
    fn take(&mut self, request: &Request) -> Result<Taken, Fault> {
        if let Some(done) = self.done.get(&request.url) {
            // What it brought is counted already.
            return done.clone().map(|taken| Taken::nothing(taken.presence));
        }
        let taken =
            self.take_now(request).map_err(|fault| fault.about(&request.what, request.host()));
        if self.job.mode == Mode::DryRun {
            self.asked.push(match &taken {
                Ok(taken) => format!("{}: {}", request.url, news(taken.tally)),
                Err(_) => format!("{}: failed", request.url),
            });
        }
        self.done.insert(request.url.clone(), taken.clone());
        taken
    }

    fn take_now(&mut self, request: &Request) -> Result<Taken, Fault> {
        let known = downloads::known(&self.snapshot()?, &request.url)?;
        if known.is_some() && request.repeat == Repeat::Never {
            return Ok(Taken::nothing(Presence::Present));
        }
        match self.ask(request, known.as_ref())? {
            Answer::Unchanged => Ok(Taken::nothing(Presence::Present)),
            Answer::Nothing => Ok(Taken::nothing(Presence::Absent)),
            Answer::File { file, validators } => {
                let same = known.as_ref().is_some_and(|known| known.digest == validators.digest);
                if same {
                    if known.as_ref() != Some(&validators) {
                        self.remember(request, &validators)?;
                    }
                    return Ok(Taken::nothing(Presence::Present));
                }
                let tally = self.import(request, file, &validators)?;
                Ok(Taken { tally, presence: Presence::Present })
            }
        }
    }

    /// Asks the publisher for what is newer than what is known.
    pub(super) fn ask(
        &mut self,
        request: &Request,
        known: Option<&Validators>,
    ) -> Result<Answer, Fault> {
        let Job { config, directory, stop, .. } = self.job;
        let client = match self.clients.entry(request.publisher) {
            Entry::Occupied(there) => there.into_mut(),
            Entry::Vacant(place) => {
                let base = match request.publisher {
                    Publisher::Sgs => &config.bases.sgs,
                    Publisher::Olinda => &config.bases.olinda,
                    Publisher::Ptax => &config.bases.ptax,
                    Publisher::Cvm => &config.bases.cvm,
                };
                place.insert(Client::new(request.publisher, base, config.patience, stop)?)
            }
        };
        self.progress.set_message(format!("{} ({} rows so far)", request.what, self.rows));
        client.get(request, known, Target { directory, progress: &self.progress })
    }

    /// Imports a file in a transaction of its own. It is parsed before, so that a bad one locks nothing.
    fn import(
        &mut self,
        request: &Request,
        mut file: File,
        validators: &Validators,
    ) -> Result<Tally, Fault> {
        Import::verify(&request.file, &mut file)?;
        file.rewind()?;
        let imported = self.with_import(|import| {
            let imported = import.read(&request.file, &mut file)?;
            import.remember(&request.url, validators)?;
            Ok(imported)
        })?;
        let Imported { tally, .. } = imported;
        self.rows += tally.new + tally.changed + tally.unchanged;
        Ok(tally)
    }

    /// Remembers what the publisher said about a file that changes nothing.
    pub(super) fn remember(&self, request: &Request, validators: &Validators) -> Result<(), Fault> {
        self.with_import(|import| import.remember(&request.url, validators))
    }

    /// Imports, and commits unless this is a dry run. Waits for other imports to end.
    fn with_import<T>(
        &self,
        work: impl FnOnce(&mut Import) -> fincore::Result<T>,
    ) -> Result<T, Fault> {
        let _turn = self.job.importing.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = turn::wait(|| {
            if self.job.stop.is_stopped() {
                return Ok(None);
            }
            Import::begin(self.job.catalogue, Now::read().utc).map(Some)
        });
        let import = begun?.ok_or_else(Fault::stopped)?;
        let mut import = import.keeping_changes(self.job.config.keep_changes);
        let worked = work(&mut import)?;
        match self.job.mode {
            Mode::Store => import.commit()?,
            Mode::DryRun => (),
        }
        Ok(worked)
    }

    pub(super) fn snapshot(&self) -> Result<Snapshot, Fault> {
        Ok(self.job.catalogue.snapshot(self.job.today)?)
    }
}

impl Drop for Lane<'_> {
    fn drop(&mut self) {
        self.progress.finish_and_clear();
    }
}
