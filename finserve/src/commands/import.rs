//! `finserve import`: files to the library, progress and outcome to the terminal.
use std::{
    fmt::Display,
    fs,
    path::{Path, PathBuf},
};

use fincore::{Error, Imported, Tally};

use super::{
    Failure,
    data::open_catalogue,
    terminal::{print, progress},
};
use crate::{cli, now::Now};

/// Imports all files or none; what they changed is printed once that is certain.
pub(crate) fn run(data: &Path, args: &cli::Import) -> Result<(), Failure> {
    args.files.iter().try_for_each(|path| check(path))?;
    let catalogue = open_catalogue(data)?;
    let import = fincore::Import::begin(&catalogue, Now::read().utc)?;
    let mut import = if args.force { import.forced() } else { import };
    let progress = progress(args.files.len() as u64, "files");
    let mut outcomes = Vec::with_capacity(args.files.len());
    for path in &args.files {
        progress.set_message(path.display().to_string());
        let imported = import.file(&path.display().to_string(), &read(path)?);
        outcomes.push((path, imported.map_err(nothing_imported)?));
        progress.inc(1);
    }
    import.commit()?;
    progress.finish_and_clear();
    print(&report(&outcomes))
}

/// Looks before anything else happens: a mistyped name leaves not even an empty data directory.
fn check(path: &Path) -> Result<(), Failure> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => Ok(()),
        Ok(_) => Err(unreadable(path, "it is not a file")),
        Err(err) => Err(unreadable(path, err)),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|err| unreadable(path, err))
}

fn unreadable(path: &Path, reason: impl Display) -> Failure {
    let path = path.display();
    Failure::Said(format!("{path}: cannot be read: {reason} (refused; nothing was imported)"))
}

/// Says that the other files were not imported either, and what can be done.
fn nothing_imported(err: Error) -> Failure {
    match err {
        Error::Refused { can_be_forced, .. } => {
            let remedy = if can_be_forced { "; --force accepts it" } else { "" };
            Failure::Said(format!("{err} (refused; nothing was imported{remedy})"))
        }
        other => other.into(),
    }
}

fn report(outcomes: &[(&PathBuf, Imported)]) -> String {
    let mut lines = Vec::new();
    let mut sum = Tally::default();
    for (path, imported) in outcomes {
        lines.push(format!("{}: {}: {}", path.display(), imported.what, counts(imported.tally)));
        let left_out = imported.left_out.iter();
        lines.extend(left_out.map(|(rows, reason)| format!("  left out: {rows} {reason}")));
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
