//! `finserve export`: a whole dataset as a file, or through the standard output.
use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
};

use fincore::{
    Catalogue,
    export::{Export, Format},
};
use indicatif::ProgressBar;

use super::{
    Failure,
    data::{CATALOGUE, existing},
    terminal::progress,
};
use crate::{cli, now::Now};

/// Writes the rows as they are read. A file appears under its name once it is complete; a reader of the standard
/// output that has seen enough ends it.
pub(crate) fn run(data: &Path, args: &cli::Export) -> Result<(), Failure> {
    let query = args.query().map_err(Failure::Said)?;
    if query.format == Format::Parquet && args.out.is_none() && io::stdout().is_terminal() {
        let message = "Parquet is not for terminals: name a file with --out";
        return Err(Failure::Said(message.into()));
    }
    let catalogue = Catalogue::open(existing(data, CATALOGUE)?)?;
    let export = Export::begin(catalogue.snapshot(Now::read().today())?, query)?;
    match &args.out {
        Some(file) => to_file(export, file),
        None => to_standard_output(export),
    }
}

fn to_standard_output(export: Export) -> Result<(), Failure> {
    let out = io::stdout().lock();
    // Rows and a bar on one terminal would be a mess.
    let bar = match out.is_terminal() {
        true => ProgressBar::hidden(),
        false => progress(export.total(), "rows"),
    };
    match copy(export, out, "the standard output", bar) {
        Err(Failure::System { source, .. }) if source.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome.map(drop),
    }
}

fn to_file(export: Export, file: &Path) -> Result<(), Failure> {
    if file.is_dir() {
        return Err(Failure::Said(format!("{} is a directory", file.display())));
    }
    let (rows, version) = (export.total(), export.version());
    let part = Part::create(file)?;
    let bytes = copy(export, &part.file, &part.name(), progress(rows, "rows"))?;
    part.rename(file)?;
    let (name, rows_of) = (file.display(), if rows == 1 { "row" } else { "rows" });
    // Without a terminal there is nobody to tell.
    let _ = writeln!(
        io::stderr(),
        "{name}: {rows} {rows_of}, {bytes} bytes, data version {version} (for the next delta: --since {version})"
    );
    Ok(())
}

/// Writes all of an export; the number of its bytes.
fn copy(
    mut export: Export,
    mut out: impl Write,
    name: &str,
    bar: ProgressBar,
) -> Result<u64, Failure> {
    let (mut bytes, mut more, mut buffer) = (0, true, Vec::new());
    while more {
        buffer.clear();
        more = export.write(&mut buffer)?;
        bytes += buffer.len() as u64;
        out.write_all(&buffer).map_err(Failure::system(format!("cannot write to {name}")))?;
        bar.set_position(export.written());
    }
    out.flush().map_err(Failure::system(format!("cannot write to {name}")))?;
    bar.finish_and_clear();
    Ok(bytes)
}

/// A file that is not complete yet, beside the one that it becomes. It is removed if it never does.
struct Part {
    file: File,
    path: PathBuf,
}

impl Part {
    fn create(file: &Path) -> Result<Part, Failure> {
        let mut path = OsString::from(file);
        path.push(".part");
        let path = PathBuf::from(path);
        let cannot = Failure::system(format!("cannot create {}", path.display()));
        Ok(Part { file: File::create(&path).map_err(cannot)?, path })
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Gives the file its name, after all of it is on disk.
    fn rename(self, file: &Path) -> Result<(), Failure> {
        let cannot = || Failure::system(format!("cannot write {}", file.display()));
        self.file.sync_all().map_err(cannot())?;
        fs::rename(&self.path, file).map_err(cannot())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // After it was renamed there is none.
        let _ = fs::remove_file(&self.path);
    }
}
