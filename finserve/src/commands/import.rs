//! `finserve import`: files to the library, progress and outcome to the terminal.
use std::{
    fmt::Display,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use fincore::{CommitStep, Error, Import, Imported, Tally, printable};

use super::{
    Failure,
    data_directory::{open_catalogue, refuse_followed, refuse_newer},
    output::terminal::{bytes_progress, items_progress, print},
};
use crate::{
    cli,
    coordination::{clock::Now, interrupt::on_interrupt, wait_for_import},
};

/// The standard input, as it is named on the command line.
const STANDARD_INPUT: &str = "-";

static IS_COMMITTING: AtomicBool = AtomicBool::new(false);

/// Imports all files or none; what they changed is printed once that is certain.
pub(crate) fn run(data: &Path, args: &cli::Import) -> Result<(), Failure> {
    on_interrupt(|| match IS_COMMITTING.load(Ordering::Relaxed) {
        false => "stopped; nothing was changed",
        true => "stopped while storing: either everything or nothing was stored; see finserve log",
    });
    let inputs = inputs(args)?;
    refuse_followed(data)?;
    refuse_newer(data)?;
    let catalogue = open_catalogue(data)?;
    let import = wait_for_import::wait(|| Import::begin(&catalogue, Now::read().utc))?;
    let import = import.keep_changes_for(args.changes.keep());
    let mut import = if args.force { import.force() } else { import };
    let mut outcomes = Vec::with_capacity(inputs.len());
    for Input { name, source } in inputs {
        let file = source.open(&name)?;
        let bytes = file.metadata().map_or(0, |metadata| metadata.len());
        let progress = bytes_progress(bytes, &printable(&name));
        let imported = import.read(&name, progress.wrap_read(file));
        progress.finish_and_clear();
        outcomes.push((name, imported.map_err(import_failure)?));
    }
    IS_COMMITTING.store(true, Ordering::Relaxed);
    let progress = items_progress("indexing");
    let committed = import.commit_with(|step| match step {
        CommitStep::Indexing { done, of } => {
            progress.set_length(of);
            progress.set_position(done);
        }
        _ => progress.set_message("storing"),
    });
    progress.finish_and_clear();
    committed.map_err(import_failure)?;
    print(&report(&outcomes))
}

/// A file to import, and its name in messages.
struct Input {
    name: String,
    source: Source,
}

enum Source {
    File(PathBuf),
    /// The standard input: it is read twice, so it was copied to a temporary file.
    Spooled(File),
}

/// Checks all files before anything else happens: a mistyped name must not leave an empty data directory behind.
fn inputs(args: &cli::Import) -> Result<Vec<Input>, Failure> {
    let is_standard = |path: &&PathBuf| path.as_os_str() == STANDARD_INPUT;
    match (args.files.iter().filter(is_standard).count(), &args.name) {
        (0, Some(_)) => {
            return Err(refusal("--name names standard input: give - as the file"));
        }
        (1, None) => {
            let message = "- needs the original file name, by which the data is recognised: add --name, such as --name bcdata.sgs.432.json";
            return Err(refusal(message));
        }
        (2.., _) => return Err(refusal("standard input can be read only once")),
        _ => (),
    }
    let input = |path: &PathBuf| match &args.name {
        Some(name) if is_standard(&path) => Ok(Input { name: name.clone(), source: spool(name)? }),
        _ => {
            check(path)?;
            Ok(Input { name: path.display().to_string(), source: Source::File(path.clone()) })
        }
    };
    args.files.iter().map(input).collect()
}

fn check(path: &Path) -> Result<(), Failure> {
    let name = path.display().to_string();
    match fs::metadata(path) {
        Ok(found) if found.is_file() => Ok(()),
        Ok(_) => Err(cannot_read(&name, "it is not a file")),
        Err(err) => Err(cannot_read(&name, err)),
    }
}

fn spool(name: &str) -> Result<Source, Failure> {
    let cannot = |err: io::Error| cannot_read(name, err);
    let mut file = tempfile::tempfile().map_err(cannot)?;
    io::copy(&mut io::stdin().lock(), &mut file).map_err(cannot)?;
    Ok(Source::Spooled(file))
}

impl Source {
    fn open(self, name: &str) -> Result<File, Failure> {
        match self {
            Source::File(path) => File::open(path).map_err(|err| cannot_read(name, err)),
            Source::Spooled(file) => Ok(file),
        }
    }
}

fn refusal(message: &str) -> Failure {
    Failure::Message(message.to_owned())
}

fn cannot_read(name: &str, reason: impl Display) -> Failure {
    let name = printable(name);
    Failure::Message(format!("{name}: cannot be read: {reason} (refused; nothing was imported)"))
}

/// Says that the other files were not imported either, and what can be done.
fn import_failure(err: Error) -> Failure {
    match err {
        Error::Refused { can_be_forced, .. } => {
            let remedy = if can_be_forced { "; --force accepts it" } else { "" };
            Failure::Message(format!("{err} (refused; nothing was imported{remedy})"))
        }
        other => other.into(),
    }
}

fn report(outcomes: &[(String, Imported)]) -> String {
    let mut lines = Vec::new();
    let mut sum = Tally::default();
    for (name, imported) in outcomes {
        let (name, what) = (printable(name), &imported.what);
        lines.push(format!("{name}: {what}: {}", counts(imported.tally)));
        let left_out = imported.left_out.iter();
        lines.extend(left_out.map(|(rows, reason)| format!("  left out: {rows} {reason}")));
        lines.extend(imported.notes.iter().map(|note| format!("  note: {note}")));
        sum += imported.tally;
    }
    lines.push(format!("{} file(s) imported: {}\n", outcomes.len(), counts(sum)));
    lines.join("\n")
}

fn counts(tally: Tally) -> String {
    let Tally { new, changed, unchanged, removed, .. } = tally;
    let removed = if removed > 0 { format!(", {removed} removed") } else { String::new() };
    format!("{new} new, {changed} changed, {unchanged} unchanged{removed}")
}
