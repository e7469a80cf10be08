//! `finserve export`: a whole dataset as a file, or through the standard output.
use std::{
    fs::{self, OpenOptions, Permissions},
    io::{self, IsTerminal, Write},
    os::unix::fs::PermissionsExt,
    path::Path,
};

use fincore::{export::Export, market};
use indicatif::ProgressBar;
use tempfile::NamedTempFile;

use super::{Failure, data_directory::ReadOnlyData, output::terminal::progress};
use crate::{cli, coordination::clock::Now};

/// Writes the rows as they are read. A file appears under its name once it is complete; the export ends early, without an
/// error, if the reader of the standard output closes it.
pub(crate) fn run(data: ReadOnlyData<'_>, args: &cli::Export) -> Result<(), Failure> {
    let query = args.query().map_err(Failure::Message)?;
    #[cfg(feature = "parquet")]
    if query.format == fincore::export::Format::Parquet
        && args.out.is_none()
        && io::stdout().is_terminal()
    {
        let message = "Parquet cannot be shown in a terminal: name a file with --out";
        return Err(Failure::Message(message.into()));
    }
    let (catalogue, _temporary) = data.open()?;
    let snapshot = catalogue.snapshot(Now::read().today())?;
    let snapshot = match args.as_of {
        Some(day) => market::as_of(&snapshot, day)
            .map_err(|err| Failure::Message(format!("--as-of: {err}")))?,
        None => snapshot,
    };
    let export = Export::begin(snapshot, query)?;
    match &args.out {
        Some(file) => to_file(export, file),
        None => to_standard_output(export),
    }
}

fn to_standard_output(export: Export) -> Result<(), Failure> {
    let out = io::stdout().lock();
    // Rows and a progress bar on one terminal would get mixed up.
    let bar = match out.is_terminal() {
        true => ProgressBar::hidden(),
        false => progress(export.total(), "rows"),
    };
    let (rows, version) = (export.total(), export.version());
    match copy(export, out, "the standard output", bar) {
        Err(Failure::System { source, .. }) if source.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome.map(|bytes| report("exported", rows, bytes, version)),
    }
}

fn to_file(export: Export, file: &Path) -> Result<(), Failure> {
    let (rows, version, bar) = (export.total(), export.version(), progress(export.total(), "rows"));
    let name = file.display().to_string();
    let cannot = || Failure::system(format!("cannot write {name}"));
    // A link is followed, so that it stays one.
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let bytes = match fs::metadata(&target) {
        Ok(found) if found.is_dir() => {
            return Err(Failure::Message(format!("{name} is a directory")));
        }
        // A pipe or a device is written to, not replaced.
        Ok(found) if !found.is_file() => {
            let out = OpenOptions::new().write(true).open(&target).map_err(cannot())?;
            copy(export, out, &name, bar)?
        }
        _ => {
            let part = create_part_file(&target)?;
            let bytes = copy(export, part.as_file(), &name, bar)?;
            part.as_file().sync_all().map_err(cannot())?;
            part.persist(&target).map_err(|err| cannot()(err.error))?;
            bytes
        }
    };
    report(&file.display().to_string(), rows, bytes, version);
    Ok(())
}

/// Prints what was written, and the flag that exports only later changes.
fn report(what: &str, rows: u64, bytes: u64, version: u64) {
    let rows_of = if rows == 1 { "row" } else { "rows" };
    // The standard error may be closed; the export has succeeded all the same.
    let _ = writeln!(
        io::stderr(),
        "{what}: {rows} {rows_of}, {bytes} bytes, data version {version} \
         (--since {version} exports later changes)"
    );
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
        bar.set_position(export.rows_written());
    }
    out.flush().map_err(Failure::system(format!("cannot write to {name}")))?;
    bar.finish_and_clear();
    Ok(bytes)
}

/// Creates a temporary file beside the target. It is removed unless it is persisted under the target's name.
fn create_part_file(target: &Path) -> Result<NamedTempFile, Failure> {
    let directory = target.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    if !directory.is_dir() {
        let (target, directory) = (target.display(), directory.display());
        let message = format!("cannot write {target}: there is no directory {directory}");
        return Err(Failure::Message(message));
    }
    let cannot = format!("cannot write in the directory {}", directory.display());
    let name = target.file_name().unwrap_or_default();
    tempfile::Builder::new()
        .prefix(name)
        .suffix(".part")
        // The umask decides who may read it, as for any new file.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(directory)
        // The error itself names a file that the user has never heard of.
        .map_err(|err| Failure::system(cannot)(err.kind().into()))
}
