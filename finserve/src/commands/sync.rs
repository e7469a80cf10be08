//! `finserve sync`: downloads what is new from the publishers and imports it.
use std::{
    path::Path,
    sync::{Mutex, PoisonError},
};

use fincore::{Catalogue, bundle};
use indicatif::MultiProgress;

use super::{
    Failure,
    data_directory::{CATALOGUE, open_catalogue, refuse_followed},
    output::terminal::print,
};
use crate::{
    cli,
    coordination::{
        clock::Now,
        directory_lock::{ExclusiveTask, Lock},
        signal::Signal,
    },
    sources::{self, Config, Job, Mode, NetworkOutage, Outcome},
};

/// Where to read on.
const WITHOUT_NETWORK: &str =
    "for proxies, mirrors and machines without a network see docs/keeping-data-fresh.md";

/// Synchronises; fails if something could not be brought up to date, after the rest was done.
pub(crate) fn run(data: &Path, args: &cli::Sync) -> Result<(), Failure> {
    let config = Config { force: args.force, ..args.sources.config() };
    if args.dry_run {
        return dry_run(data, &config);
    }
    refuse_followed(data)?;
    let catalogue = open_catalogue(data)?;
    let stop = Signal::default();
    let cannot = format!("cannot lock the data directory {}", data.display());
    let _lock = Lock::take(data, ExclusiveTask::Sync, &stop).map_err(Failure::system(cannot))?;
    synchronise(&catalogue, data, &config, Mode::Store)
}

/// Does everything but the commit, and creates nothing: without data, it works on a copy of the bundled data.
fn dry_run(data: &Path, config: &Config) -> Result<(), Failure> {
    let temporary =
        tempfile::tempdir().map_err(Failure::system("cannot create a temporary directory"))?;
    let path = data.join(CATALOGUE);
    let catalogue = if path.exists() || path.is_symlink() {
        Catalogue::open(path)?
    } else {
        let catalogue = Catalogue::open(temporary.path().join(CATALOGUE))?;
        bundle::fill(&catalogue)?;
        catalogue
    };
    synchronise(&catalogue, temporary.path(), config, Mode::DryRun)
}

fn synchronise(
    catalogue: &Catalogue,
    directory: &Path,
    config: &Config,
    mode: Mode,
) -> Result<(), Failure> {
    let progress = MultiProgress::new();
    let printed = Mutex::new(Ok(()));
    let job = Job {
        catalogue,
        directory,
        config,
        today: Now::read().today(),
        mode,
        progress: progress.clone(),
        stop: &Signal::default(),
        importing: Mutex::default(),
        network: NetworkOutage::default(),
    };
    let outcomes = sources::run(&job, &|outcome| {
        // One cause is said once, in the end.
        if outcome.is_outage(&job.network) {
            return;
        }
        let mut printed = printed.lock().unwrap_or_else(PoisonError::into_inner);
        let line = progress.suspend(|| print(&line(outcome, mode)));
        // The first failure counts, and does not keep the data from being updated.
        if printed.is_ok() {
            *printed = line;
        }
    });
    printed.into_inner().unwrap_or_else(PoisonError::into_inner)?;
    if let Some(reason) = job.network.reason() {
        return Err(Failure::Message(format!("{reason}; {WITHOUT_NETWORK}")));
    }
    let failed = outcomes.iter().filter(|outcome| !outcome.faults.is_empty()).count();
    match (failed, outcomes.len()) {
        (0, _) => Ok(()),
        (failed, all) if failed < all => Err(Failure::Message(format!(
            "{failed} of {all} datasets could not be brought up to date; the rest is up to date"
        ))),
        _ => {
            Err(Failure::Message(format!("nothing could be brought up to date; {WITHOUT_NETWORK}")))
        }
    }
}

/// The outcome of a dataset, in one line, and what there is to say of its files; a dry run also lists the addresses that
/// it asked for.
fn line(outcome: &Outcome, mode: Mode) -> String {
    let would = match mode {
        Mode::Store => "",
        Mode::DryRun => "would bring ",
    };
    let changes = outcome.change_summary();
    let line = match outcome.failure_message() {
        None => format!("{would}{changes}"),
        Some(reason) if outcome.has_changes() => format!("{would}{changes}; failed: {reason}"),
        Some(reason) => format!("failed: {reason}"),
    };
    let asked: String = outcome.asked.iter().map(|asked| format!("  {asked}\n")).collect();
    let notes: String = outcome.notes.iter().map(|note| format!("  {note}\n")).collect();
    format!("{}: {line}\n{asked}{notes}", outcome.dataset)
}
