//! `finserve import`: files to the library, progress and outcome to the terminal.
use std::{
    fmt::Display,
    fs,
    path::{Path, PathBuf},
};

use fincore::{Error, Imported, Result, Tally};
use indicatif::{ProgressBar, ProgressStyle};

use crate::{cli, open_catalogue, print};

/// Imports all files or none; what became of them is printed once that is certain.
pub(crate) fn run(args: &cli::Import) -> Result<()> {
    args.files.iter().try_for_each(|path| check(path)).map_err(nothing_imported)?;
    let catalogue = open_catalogue(&args.data.dir)?;
    let import = fincore::Import::begin(&catalogue)?;
    let mut import = if args.force { import.forced() } else { import };
    let progress = progress(args.files.len() as u64);
    let mut outcomes = Vec::with_capacity(args.files.len());
    for path in &args.files {
        progress.set_message(path.display().to_string());
        let imported =
            read(path).and_then(|bytes| import.file(&path.display().to_string(), &bytes));
        outcomes.push((path, imported.map_err(nothing_imported)?));
        progress.inc(1);
    }
    import.commit()?;
    progress.finish_and_clear();
    print(&report(&outcomes))
}

/// Drawn on a terminal only.
fn progress(files: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} files, {elapsed}  {wide_msg}")
        .expect("the template is well formed");
    ProgressBar::new(files).with_style(style)
}

/// Looks before anything else happens: a mistyped name leaves not even an empty data directory.
fn check(path: &Path) -> Result<()> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => Ok(()),
        Ok(_) => Err(unreadable(path, "it is not a file")),
        Err(err) => Err(unreadable(path, err)),
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|err| unreadable(path, err))
}

fn unreadable(path: &Path, reason: impl Display) -> Error {
    let reason = format!("cannot be read: {reason}");
    Error::Refused { file: path.display().to_string(), line: None, reason }
}

fn nothing_imported(err: Error) -> Error {
    match err {
        Error::Refused { file, line, reason } => Error::Refused {
            file,
            line,
            reason: format!("{reason} (refused; nothing was imported)"),
        },
        other => other,
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
    let Tally { new, changed, unchanged, removed } = tally;
    let removed = if removed > 0 { format!(", {removed} removed") } else { String::new() };
    format!("{new} new, {changed} changed, {unchanged} unchanged{removed}")
}
