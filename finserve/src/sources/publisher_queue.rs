//! A queue of downloads, one after the other, each imported before the next begins.
use std::{
    collections::{HashMap, hash_map::Entry},
    fs::File,
    io::Seek,
    sync::PoisonError,
};

use fincore::{
    Catalogue, Import, Imported, Snapshot, Tally,
    chrono::{DateTime, Utc},
    downloads::{self, FileNotes, Validators},
    market,
};
use indicatif::{ProgressBar, ProgressStyle};

use super::{
    client::{Answer, Client, DownloadTarget},
    failure::{Fault, FaultKind},
    request::{Publisher, Repeat, Request, RequestedDays},
    sgs,
    sync_job::{Job, Mode, Outcome, change_summary},
};
use crate::coordination::wait_for_import;

/// The downloads of one thread in a run.
pub(super) struct PublisherQueue<'a> {
    pub(super) job: &'a Job<'a>,
    clients: HashMap<Publisher, Client<'a>>,
    progress: ProgressBar,
    /// The outcome of each address: two datasets may need the same file.
    done: HashMap<String, Result<FetchOutcome, Fault>>,
    /// Lines of a dry run about the current dataset.
    pub(super) asked: Vec<String>,
    /// Remarks on the files of the current dataset.
    pub(super) notes: Vec<String>,
    /// Rows of all files so far.
    rows: usize,
}

/// The note for a file that has gone. CVM has withdrawn files for days.
const WITHDRAWN: &str = "CVM does not have this file at present; what was imported from it is kept";

#[derive(Clone, Copy, Debug)]
pub(super) struct FetchOutcome {
    pub(super) tally: Tally,
    pub(super) presence: Presence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Present,
    Absent,
}

impl FetchOutcome {
    fn nothing(presence: Presence) -> FetchOutcome {
        FetchOutcome { tally: Tally::default(), presence }
    }

    fn add(&mut self, other: FetchOutcome) {
        self.tally += other.tally;
        if other.presence == Presence::Present {
            self.presence = Presence::Present;
        }
    }
}

impl<'a> PublisherQueue<'a> {
    pub(super) fn new(job: &'a Job<'a>) -> PublisherQueue<'a> {
        let style = "{bar:30} {bytes} of {total_bytes}, {elapsed}  {wide_msg}";
        let style = ProgressStyle::with_template(style).expect("the template is well formed");
        let progress = job.progress.add(ProgressBar::new(0).with_style(style));
        PublisherQueue {
            job,
            clients: HashMap::new(),
            progress,
            done: HashMap::new(),
            asked: Vec::new(),
            notes: Vec::new(),
            rows: 0,
        }
    }

    /// Fetches the files in order, up to the first failure.
    pub(super) fn fetch_in_order(&mut self, requests: &[Request], outcome: &mut Outcome) {
        for request in requests {
            match self.fetch(request) {
                Ok(fetched) => outcome.tally += fetched.tally,
                Err(fault) => return outcome.fail(fault),
            }
        }
    }

    /// Fetches all files, even if some fail, and returns how many exist.
    pub(super) fn fetch_all(&mut self, requests: &[Request], outcome: &mut Outcome) -> usize {
        let mut present = 0;
        for request in requests {
            match self.fetch(request) {
                Ok(fetched) => {
                    outcome.tally += fetched.tally;
                    present += usize::from(fetched.presence == Presence::Present);
                }
                Err(fault) => outcome.fail(fault),
            }
            if outcome.stopped {
                break;
            }
        }
        present
    }

    /// Lets files that were refused be asked for once more.
    pub(super) fn forget_refused(&mut self) {
        let is_refused = |fault: &Fault| fault.kind == FaultKind::Refused;
        self.done.retain(|_, done| !done.as_ref().is_err_and(is_refused));
    }

    /// Downloads and imports one file, once in a run.
    fn fetch(&mut self, request: &Request) -> Result<FetchOutcome, Fault> {
        if let Some(done) = self.done.get(&request.url) {
            // Its rows are counted already.
            return done.clone().map(|fetched| FetchOutcome::nothing(fetched.presence));
        }
        let fetched =
            self.fetch_now(request).map_err(|fault| fault.about(&request.what, request.host()));
        if self.job.mode == Mode::DryRun {
            self.asked.push(match &fetched {
                Ok(fetched) => format!("{}: {}", request.url, change_summary(fetched.tally)),
                Err(_) => format!("{}: failed", request.url),
            });
        }
        self.done.insert(request.url.clone(), fetched.clone());
        fetched
    }

    /// Downloads a file; where something else than data comes for a window of days, each half of it by itself.
    fn fetch_now(&mut self, request: &Request) -> Result<FetchOutcome, Fault> {
        let fault = match self.fetch_whole(request) {
            Err(fault) if fault.kind == FaultKind::NotData => fault,
            done => return done,
        };
        let client = self.clients.get(&request.publisher);
        let halves = sgs::halves(&self.job.config.urls.sgs, request)
            .filter(|_| client.is_some_and(Client::may_ask_for_less));
        let Some(halves) = halves else { return Err(fault) };
        let mut fetched = FetchOutcome::nothing(Presence::Absent);
        for half in halves {
            fetched.add(self.fetch_now(&half)?);
        }
        Ok(fetched)
    }

    fn fetch_whole(&mut self, request: &Request) -> Result<FetchOutcome, Fault> {
        let snapshot = self.snapshot()?;
        // Rows kept or refused are in a file that has not changed since.
        let is_forced = self.job.config.force;
        let stored = downloads::validators(&snapshot, &request.url)?;
        let was_imported = stored.is_some();
        let mut known = stored.filter(|_| !is_forced);
        if request.repeat == Repeat::Never {
            if !is_forced && !self.is_due(&snapshot, request)? {
                return Ok(FetchOutcome::nothing(Presence::Present));
            }
            // Missing figures are worth a whole answer.
            known = None;
        }
        let was_away = match request.form() {
            Some(form) => downloads::has_notes(&snapshot, form.dataset(), &request.what)?,
            None => false,
        };
        // A commit waits for those who read.
        drop(snapshot);
        let answer = self.ask(request, known.as_ref())?;
        if was_away && !matches!(answer, Answer::Nothing) {
            self.note_absence(request, &[])?;
        }
        match answer {
            Answer::Unchanged => Ok(FetchOutcome::nothing(Presence::Present)),
            Answer::Nothing => {
                if request.repeat == Repeat::Never {
                    self.record_incomplete(request, "")?;
                }
                if was_imported && request.form().is_some() {
                    self.notes.push(format!("{}: {WITHDRAWN}", request.what));
                    self.note_absence(request, &[WITHDRAWN.to_owned()])?;
                }
                Ok(FetchOutcome::nothing(Presence::Absent))
            }
            Answer::File { file, validators } => {
                let same = known.as_ref().is_some_and(|known| known.digest == validators.digest);
                if same {
                    if known.as_ref() != Some(&validators) {
                        self.remember(request, &validators)?;
                    }
                    return Ok(FetchOutcome::nothing(Presence::Present));
                }
                let tally = self.import(request, file, &validators)?;
                Ok(FetchOutcome { tally, presence: Presence::Present })
            }
        }
    }

    /// Records for the status of a form that its publisher does not have a file, or that it has the file again.
    fn note_absence(&self, request: &Request, notes: &[String]) -> Result<(), Fault> {
        let Some(form) = request.form() else { return Ok(()) };
        self.record(|catalogue, now| {
            let notes = FileNotes::new(&request.what, notes);
            downloads::record_notes(catalogue, now, form.dataset(), notes)
        })
    }

    /// Whether a window of past days is asked for: it was not yet, or it lacks figures and enough time has passed.
    fn is_due(&self, snapshot: &Snapshot, request: &Request) -> Result<bool, Fault> {
        if let Some(before) = downloads::incomplete_window(snapshot, &request.url)? {
            return Ok(before.is_due(self.job.today));
        }
        Ok(!self.is_known(snapshot, request)? || has_holes(snapshot, request)?)
    }

    /// Whether a window was imported, whole or each half by itself.
    fn is_known(&self, snapshot: &Snapshot, request: &Request) -> Result<bool, Fault> {
        if downloads::validators(snapshot, &request.url)?.is_some() {
            return Ok(true);
        }
        let Some(halves) = sgs::halves(&self.job.config.urls.sgs, request) else {
            return Ok(false);
        };
        for half in &halves {
            if !self.is_known(snapshot, half)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Records that the answer for a window of past days lacks figures.
    fn record_incomplete(&self, request: &Request, digest: &str) -> Result<(), Fault> {
        self.record(|catalogue, now| {
            downloads::record_incomplete_window(catalogue, now, &request.url, digest)
        })
    }

    /// Writes a record that is no data. Waits for imports to end.
    fn record(
        &self,
        write: impl Fn(&Catalogue, DateTime<Utc>) -> fincore::Result<()>,
    ) -> Result<(), Fault> {
        if self.job.mode == Mode::DryRun {
            return Ok(());
        }
        let _importing = self.job.importing.lock().unwrap_or_else(PoisonError::into_inner);
        wait_for_import::wait(|| {
            if self.job.stop.is_stopped() {
                return Ok(());
            }
            write(self.job.catalogue, self.job.clock.now().utc)
        })?;
        Ok(())
    }

    /// Asks the publisher for a file, unless it is the same as the known one.
    pub(super) fn ask(
        &mut self,
        request: &Request,
        known: Option<&Validators>,
    ) -> Result<Answer, Fault> {
        let Job { config, directory, .. } = self.job;
        let client = match self.clients.entry(request.publisher) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let base = match request.publisher {
                    Publisher::Sgs => &config.urls.sgs,
                    Publisher::Olinda => &config.urls.olinda,
                    Publisher::Ptax => &config.urls.ptax,
                    Publisher::Site => &config.urls.site,
                    Publisher::Cvm => &config.urls.cvm,
                };
                entry.insert(Client::new(request.publisher, base, self.job)?)
            }
        };
        self.progress.set_message(format!("{} ({} rows so far)", request.what, self.rows));
        client.get(request, known, DownloadTarget { directory, progress: &self.progress })
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
            if let Some((first, last)) = request.asked_days() {
                import.covers(first, last);
            }
            let imported = import.read(&request.file, &mut file)?;
            import.remember_download(&request.url, validators)?;
            Ok(imported)
        })?;
        let what = &request.what;
        self.notes.extend(imported.remarks().into_iter().map(|note| format!("{what}: {note}")));
        if request.repeat == Repeat::Never {
            // The stored figures show whether a window of past days must be asked for again.
            let snapshot = self.snapshot()?;
            let is_incomplete = has_holes(&snapshot, request)?;
            let was_incomplete = downloads::incomplete_window(&snapshot, &request.url)?.is_some();
            drop(snapshot);
            if is_incomplete {
                self.record_incomplete(request, &validators.digest)?;
            } else if was_incomplete {
                self.record(|catalogue, now| {
                    downloads::record_complete_window(catalogue, now, &request.url)
                })?;
            }
        }
        let Imported { tally, .. } = imported;
        self.rows += tally.new + tally.changed + tally.unchanged;
        Ok(tally)
    }

    /// Stores the new validators of a file whose content is unchanged.
    pub(super) fn remember(&self, request: &Request, validators: &Validators) -> Result<(), Fault> {
        self.with_import(|import| import.remember_download(&request.url, validators))
    }

    /// Imports, and commits unless this is a dry run. Waits for other imports to end.
    fn with_import<T>(
        &self,
        work: impl FnOnce(&mut Import) -> fincore::Result<T>,
    ) -> Result<T, Fault> {
        let _importing = self.job.importing.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = wait_for_import::wait(|| {
            if self.job.stop.is_stopped() {
                return Ok(None);
            }
            Import::begin(self.job.catalogue, self.job.clock.now().utc).map(Some)
        });
        let import = begun?.ok_or_else(Fault::stopped)?;
        let import = import.keep_changes_for(self.job.config.keep_changes).from_publisher();
        let mut import = if self.job.config.force { import.force() } else { import };
        let result = work(&mut import)?;
        match self.job.mode {
            Mode::Store => import.commit()?,
            Mode::DryRun => (),
        }
        Ok(result)
    }

    pub(super) fn snapshot(&self) -> Result<Snapshot, Fault> {
        Ok(self.job.catalogue.snapshot(self.job.today)?)
    }
}

fn has_holes(snapshot: &Snapshot, request: &Request) -> Result<bool, Fault> {
    let Some(RequestedDays { figures, window }) = request.days else { return Ok(false) };
    let holes = market::holes_within(snapshot, figures, window.first, window.last)?;
    Ok(!holes.is_empty())
}

impl Drop for PublisherQueue<'_> {
    fn drop(&mut self) {
        self.progress.finish_and_clear();
    }
}
