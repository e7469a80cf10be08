//! `finserve import`: files to the library, progress and outcome to the terminal.
#![allow(clippy::print_stdout)]
use std::{fs, path::Path};

use fincore::{Error, Imported, Result, Tally};
use indicatif::{ProgressBar, ProgressStyle};

use crate::{cli, open_catalogue};

/// Imports all files or none; what became of them is printed once that is certain.
pub(crate) fn run(args: &cli::Import) -> Result<()> {
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
    report(&outcomes);
    Ok(())
}

/// Drawn on a terminal only.
fn progress(files: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} files, {elapsed}  {wide_msg}")
        .expect("the template is well formed");
    ProgressBar::new(files).with_style(style)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|err| Error::Refused {
        file: path.display().to_string(),
        line: None,
        reason: format!("cannot be read: {err}"),
    })
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

fn report(outcomes: &[(&std::path::PathBuf, Imported)]) {
    let mut sum = Tally::default();
    for (path, imported) in outcomes {
        println!("{}: {}: {}", path.display(), imported.what, counts(imported.tally));
        for (rows, reason) in &imported.left_out {
            println!("  left out: {rows} {reason}");
        }
        sum += imported.tally;
    }
    println!("{} file(s) imported: {}", outcomes.len(), counts(sum));
}

fn counts(tally: Tally) -> String {
    let Tally { new, changed, unchanged, removed } = tally;
    let removed = if removed > 0 { format!(", {removed} removed") } else { String::new() };
    format!("{new} new, {changed} changed, {unchanged} unchanged{removed}")
}
