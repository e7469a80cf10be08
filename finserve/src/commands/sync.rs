//! `finserve sync`: downloads what is new from the publishers and imports it.
use std::{
    path::Path,
    sync::{Mutex, PoisonError},
};

use fincore::{Catalogue, bundle};
use indicatif::MultiProgress;

use super::{
    Failure,
    data::{CATALOGUE, open_catalogue, refuse_followed},
    terminal::print,
};
use crate::{
    cli,
    lock::{Lock, Work},
    now::Now,
    sources::{self, Config, Job, Mode, Outcome},
    stop::Stop,
};

/// Synchronises; fails if something could not be brought up to date, after the rest was done.
pub(crate) fn run(data: &Path, args: &cli::Sync) -> Result<(), Failure> {
    let config = args.sources.config();
    if args.dry_run {
        return dry_run(data, &config);
    }
    refuse_followed(data)?;
    let catalogue = open_catalogue(data)?;
    let stop = Stop::default();
    let cannot = format!("cannot lock the data directory {}", data.display());
    let _lock = Lock::take(data, Work::Sync, &stop).map_err(Failure::system(cannot))?;
    synchronise(&catalogue, data, &config, Mode::Store)
}

/// Does all but the last step, and creates nothing: without data, it works on a copy of the bundled data.
fn dry_run(data: &Path, config: &Config) -> Result<(), Failure> {
    let place =
        tempfile::tempdir().map_err(Failure::system("cannot create a temporary directory"))?;
    let there = data.join(CATALOGUE);
    let catalogue = if there.exists() || there.is_symlink() {
        Catalogue::open(there)?
    } else {
        let catalogue = Catalogue::open(place.path().join(CATALOGUE))?;
        bundle::fill(&catalogue)?;
        catalogue
    };
    synchronise(&catalogue, place.path(), config, Mode::DryRun)
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
        stop: &Stop::default(),
        importing: Mutex::default(),
    };
    let outcomes = sources::run(&job, &|outcome| {
        let mut printed = printed.lock().unwrap_or_else(PoisonError::into_inner);
        let line = progress.suspend(|| print(&line(outcome, mode)));
        // The first failure counts, and does not keep the data from being updated.
        if printed.is_ok() {
            *printed = line;
        }
    });
    printed.into_inner().unwrap_or_else(PoisonError::into_inner)?;
    let failed = outcomes.iter().filter(|outcome| !outcome.faults.is_empty()).count();
    match (failed, outcomes.len()) {
        (0, _) => Ok(()),
        (failed, all) if failed < all => Err(Failure::Said(format!(
            "{failed} of {all} datasets could not be brought up to date; the rest was done"
        ))),
        _ => Err(Failure::Said(
            "nothing could be brought up to date; for proxies, mirrors and machines without a network \
             see \"Keep it fresh\" in the README"
                .into(),
        )),
    }
}

/// What became of a dataset, in one line; a dry run also lists what it asked for.
fn line(outcome: &Outcome, mode: Mode) -> String {
    let would = match mode {
        Mode::Store => "",
        Mode::DryRun => "would bring ",
    };
    let news = outcome.news();
    let line = match outcome.trouble() {
        None => format!("{would}{news}"),
        Some(words) if outcome.is_change() => format!("{would}{news}; failed: {words}"),
        Some(words) => format!("failed: {words}"),
    };
    let asked: String = outcome.asked.iter().map(|asked| format!("  {asked}\n")).collect();
    format!("{}: {line}\n{asked}", outcome.dataset)
}
