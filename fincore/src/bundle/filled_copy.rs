//! The bundled data for examples and tests, which would each take seconds to store it: filled once for each program, and
//! copied.
use std::{
    env,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process,
    time::{Duration, SystemTime},
};

use super::fill;
use crate::{
    catalogue::Catalogue,
    error::{Error, Result},
};

/// The prefix of the directories, one for each program that was built.
const PREFIX: &str = "bundled-";

const FILE: &str = "catalogue.db";

/// Locked by whoever fills a directory.
const FILLING: &str = "finserve-filling.lock";

/// How long the directory of another program stays.
const KEEP: Duration = Duration::from_secs(24 * 60 * 60);

/// A catalogue with the bundled data in this directory.
pub fn filled_copy(directory: &Path) -> Result<Catalogue> {
    let copied = stored().and_then(|stored| copy(&stored, directory));
    copied.map_err(|err| Error::storage("the bundled data cannot be copied".to_owned(), err))?;
    Catalogue::open(directory.join(FILE))
}

/// Copies the file, and the write-ahead log that may be left beside it.
fn copy(stored: &Path, directory: &Path) -> io::Result<()> {
    fs::copy(stored.join(FILE), directory.join(FILE))?;
    let log = "catalogue.db-wal";
    if stored.join(log).exists() {
        fs::copy(stored.join(log), directory.join(log))?;
    }
    Ok(())
}

/// The directory that is copied.
fn stored() -> io::Result<PathBuf> {
    let program = env::current_exe()?;
    let built = fs::metadata(&program)?.modified()?.duration_since(SystemTime::UNIX_EPOCH);
    let name = program.file_stem().unwrap_or_default().to_string_lossy();
    // A program that was built anew may fill a catalogue in another way.
    let name = format!("{PREFIX}{name}-{}", built.unwrap_or_default().as_nanos());
    let parent = parent(&program);
    let whole = parent.join(name);
    fs::create_dir_all(&parent)?;
    // One thread of one process fills it, and the others wait, unless the lock is another user's.
    let filling = File::create(parent.join(FILLING)).and_then(|file| file.lock().map(|()| file));
    if whole.exists() {
        return Ok(whole);
    }
    remove_old(&parent);
    let part = parent.join(format!("{PREFIX}part-{}", process::id()));
    fs::create_dir(&part)?;
    let catalogue = Catalogue::open(part.join(FILE)).map_err(io::Error::other)?;
    fill(&catalogue).map_err(io::Error::other)?;
    drop(catalogue);
    let named = fs::rename(&part, &whole);
    drop(filling);
    named.map(|()| whole)
}

/// Where the directories are: `target/tmp` for what Cargo built there, the system's own for the programs of examples.
fn parent(program: &Path) -> PathBuf {
    let of_cargo = program.parent().filter(|folder| folder.ends_with("deps"));
    let target = of_cargo.and_then(Path::parent).and_then(Path::parent);
    target.map_or_else(env::temp_dir, |target| target.join("tmp"))
}

fn remove_old(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let modified = entry.metadata().and_then(|found| found.modified());
        let age = modified.ok().and_then(|modified| modified.elapsed().ok());
        if is_ours && age.is_some_and(|age| age > KEEP) {
            // It stays if it cannot be removed.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
