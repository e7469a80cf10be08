//! The directory in which a backup or a restore is prepared.
use std::{
    fs::{self, DirBuilder},
    path::{Path, PathBuf},
};

use crate::error::{Error, Result};

/// How the names of such directories end, after the number of the process.
const PART: &str = ".part";

/// A private directory for files that are not complete yet. It is removed with all that is left in it.
pub(super) struct Staging(pub(super) PathBuf);

impl Staging {
    /// On the same file system as the target, so that a finished file only needs to be renamed.
    /// What a program left there that was killed is removed.
    pub(super) fn beside(target: &Path) -> Result<Staging> {
        remove_leftovers(target);
        let mut name = target.as_os_str().to_owned();
        name.push(format!(".{}{PART}", std::process::id()));
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let directory = PathBuf::from(name);
        builder
            .create(&directory)
            .map_err(|err| Error::storage(format!("cannot write {}", target.display()), err))?;
        Ok(Staging(directory))
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

/// Removes the directories of programs that have ended, for the same target. Best effort: they are only in the way.
fn remove_leftovers(target: &Path) {
    let Some(name) = target.file_name().and_then(|name| name.to_str()) else { return };
    let directory = target.parent().filter(|parent| !parent.as_os_str().is_empty());
    let entries = fs::read_dir(directory.unwrap_or(Path::new("."))).into_iter().flatten();
    for entry in entries.flatten() {
        let file_name = entry.file_name();
        let process = file_name.to_str().and_then(|entry| {
            entry.strip_prefix(name)?.strip_prefix('.')?.strip_suffix(PART)?.parse::<u32>().ok()
        });
        // One with our own number was left by another program: this one has not made it yet.
        if process.is_some_and(|number| number == std::process::id() || !is_running(number)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether a process runs, as far as the system tells. If it does not, nothing is removed.
fn is_running(process: u32) -> bool {
    let processes = Path::new("/proc");
    !processes.join("self").exists() || processes.join(process.to_string()).exists()
}

impl Drop for Staging {
    fn drop(&mut self) {
        // Incomplete files are useless; the name of the directory says so if it cannot be removed.
        let _ = fs::remove_dir_all(&self.0);
    }
}
