//! Where a database file lies, which file that is, and who may read it.
use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::error::{Error, Result};

/// Where an open database lies, and which files those were when it was opened. A name may lead to another file
/// later: what is written to the one that is open would then be lost.
#[derive(Debug)]
pub(crate) struct Place {
    path: PathBuf,
    file: Identity,
    log: PathBuf,
    /// `None` where there is no log yet.
    log_file: Option<Identity>,
}

/// Tells a file from every other on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    device: u64,
    number: u64,
}

impl Place {
    /// The place of a database that is open by now, so that its log is not made anew.
    pub(crate) fn of(path: PathBuf) -> Result<Place> {
        let file = identity(&path).map_err(|err| gone(&path, err))?;
        let log = beside(&path, "-wal");
        Ok(Place { file, log_file: identity(&log).ok(), path, log })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Fails unless the names still lead to the files that are open. They are not opened for that: closing them would
    /// take away all locks that this process has on them.
    pub(crate) fn check(&self) -> Result<()> {
        Place::same(&self.path, self.file)?;
        self.log_file.map_or(Ok(()), |file| Place::same(&self.log, file))
    }

    fn same(path: &Path, known: Identity) -> Result<()> {
        let found = identity(path).map_err(|err| gone(path, err))?;
        if found == known {
            return Ok(());
        }
        let context = format!("{} was replaced by another file", path.display());
        Err(Error::unavailable(context, "put the old one back, or start again with the new one"))
    }
}

fn gone(path: &Path, err: std::io::Error) -> Error {
    Error::unavailable(format!("{} cannot be found any more", path.display()), err)
}

#[cfg(unix)]
fn identity(path: &Path) -> std::io::Result<Identity> {
    use std::os::unix::fs::MetadataExt;
    let found = fs::metadata(path)?;
    Ok(Identity { device: found.dev(), number: found.ino() })
}

/// Elsewhere an open file cannot be replaced.
#[cfg(not(unix))]
fn identity(path: &Path) -> std::io::Result<Identity> {
    fs::metadata(path).map(|_| Identity { device: 0, number: 0 })
}

/// The name of a file that SQLite keeps beside a database: links are followed, as it does.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut name = real.into_os_string();
    name.push(suffix);
    PathBuf::from(name)
}

/// Takes away the right of others to read a file and what SQLite keeps beside it. Fails if that is not allowed.
#[cfg(unix)]
pub(super) fn make_private(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    for path in [path.to_owned(), beside(path, "-wal"), beside(path, "-shm")] {
        // What is not there cannot be read.
        let Ok(found) = fs::metadata(&path) else { continue };
        let mode = found.permissions().mode();
        if mode & 0o077 == 0 {
            continue;
        }
        let cannot = |err| {
            let context =
                format!("{} can be read by others; make it private with chmod 600", path.display());
            Error::unavailable(context, err)
        };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode & 0o7700)).map_err(cannot)?;
    }
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn make_private(_path: &Path) -> Result<()> {
    Ok(())
}
