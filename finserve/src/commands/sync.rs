//! `finserve sync`: downloads what is new from the publishers and imports it.
use std::{
    ffi::OsString,
    path::Path,
    sync::{Mutex, PoisonError},
};

use fincore::{Catalogue, bundle};
use indicatif::MultiProgress;

use super::{
    Failure,
    data_directory::{CATALOGUE, open_catalogue, refuse_followed, refuse_newer},
    output::terminal::print,
};
use crate::{
    cli::{self, Cli, Command},
    coordination::{
        clock::Clock,
        directory_lock::{ExclusiveTask, Lock},
        signal::Signal,
    },
    sources::{self, Config, Job, Mode, NetworkOutage, Outcome, WAYS_OUT},
};

/// How a sync is run: its clock, and what prints its lines.
pub(super) struct Control<'a> {
    pub(super) clock: Clock,
    pub(super) print: &'a (dyn Fn(&str) -> Result<(), Failure> + Sync),
}

/// Synchronises; fails if something could not be brought up to date, after the rest was done.
pub(crate) fn run(data: &Path, args: &cli::Sync) -> Result<(), Failure> {
    synchronise_with(data, args, &Control { clock: Clock::system(), print: &print })
}

/// A sync in this process, with the arguments of `finserve sync` and a clock of its own. Returns what it prints. Fails, with
/// the same and a message, where the program would fail.
pub fn run_in_process<A: Into<OsString>>(
    arguments: impl IntoIterator<Item = A>,
    clock: Clock,
) -> Result<String, String> {
    let program = ["finserve", "sync"].map(OsString::from);
    let arguments = arguments.into_iter().map(Into::into);
    let cli = Cli::parse_arguments(program.into_iter().chain(arguments))?;
    let Some(Command::Sync(args)) = cli.command else {
        return Err("these are not arguments of `finserve sync`".to_owned());
    };
    let output = Mutex::new(String::new());
    let add = |text: &str| {
        output.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
        Ok(())
    };
    let done = synchronise_with(&cli.data, &args, &Control { clock, print: &add });
    let output = output.into_inner().unwrap_or_else(PoisonError::into_inner);
    match done {
        Ok(()) => Ok(output),
        Err(failure) => Err(format!("{output}{failure}")),
    }
}

fn synchronise_with(data: &Path, args: &cli::Sync, control: &Control<'_>) -> Result<(), Failure> {
    let config = args.config();
    if args.dry_run {
        return dry_run(data, &config, control);
    }
    refuse_followed(data)?;
    refuse_newer(data)?;
    let catalogue = open_catalogue(data)?;
    let stop = Signal::default();
    let cannot = format!("cannot lock the data directory {}", data.display());
    let _lock = Lock::take(data, ExclusiveTask::Sync, &stop).map_err(Failure::system(cannot))?;
    synchronise(&catalogue, data, &config, Mode::Store, control)
}

/// Does everything but the commit, and creates nothing: without data, it works on a copy of the bundled data.
fn dry_run(data: &Path, config: &Config, control: &Control<'_>) -> Result<(), Failure> {
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
    synchronise(&catalogue, temporary.path(), config, Mode::DryRun, control)
}

fn synchronise(
    catalogue: &Catalogue,
    directory: &Path,
    config: &Config,
    mode: Mode,
    control: &Control<'_>,
) -> Result<(), Failure> {
    let progress = MultiProgress::new();
    let printed = Mutex::new(Ok(()));
    let job = Job {
        catalogue,
        directory,
        config,
        today: control.clock.now().today(),
        clock: &control.clock,
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
        let line = progress.suspend(|| (control.print)(&line(outcome, mode)));
        // The first failure counts, and does not keep the data from being updated.
        if printed.is_ok() {
            *printed = line;
        }
    });
    printed.into_inner().unwrap_or_else(PoisonError::into_inner)?;
    if let Some(reason) = job.network.reason() {
        return Err(Failure::Message(format!("{reason}; {WAYS_OUT}")));
    }
    let failed = outcomes.iter().filter(|outcome| !outcome.faults.is_empty()).count();
    let mut message = match (failed, outcomes.len()) {
        (0, _) => return Ok(()),
        (failed, all) if failed < all => format!(
            "{failed} of {all} datasets could not be brought up to date; the rest is up to date"
        ),
        _ => "nothing could be brought up to date".to_owned(),
    };
    if outcomes.iter().any(|outcome| outcome.is_cut_off) {
        message += &format!("; {WAYS_OUT}");
    }
    Err(Failure::Message(message))
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
