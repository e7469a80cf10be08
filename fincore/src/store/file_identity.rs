//! Whether a path still leads to the file that was opened, and who may read and write that file.
use std::{
    fs::{self, OpenOptions},
    io::ErrorKind,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU32, Ordering},
};

use crate::values::{Error, Result};

/// The path of an open database, and which files it and its log led to when they were opened. If the path leads to another
/// file later, what is written to the open one is lost.
#[derive(Debug)]
pub(crate) struct FileIdentity {
    path: PathBuf,
    file: Inode,
    log: PathBuf,
    /// `None` if there is no log yet.
    log_file: Option<Inode>,
}

/// Tells a file from every other on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Inode {
    device: u64,
    number: u64,
}

impl FileIdentity {
    /// The identity of a database that is open already: opening it creates the log.
    pub(crate) fn of(path: PathBuf) -> Result<FileIdentity> {
        let file = inode(&path).map_err(|err| not_found(&path, err))?;
        let log = companion_path(&path, "-wal");
        Ok(FileIdentity { file, log_file: inode(&log).ok(), path, log })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Fails unless the paths still lead to the files that are open. The files are not opened for that, because closing
    /// them would release all locks that this process has on them.
    pub(crate) fn check(&self) -> Result<()> {
        FileIdentity::check_same(&self.path, self.file)?;
        self.log_file.map_or(Ok(()), |file| FileIdentity::check_same(&self.log, file))
    }

    fn check_same(path: &Path, known: Inode) -> Result<()> {
        let found = inode(path).map_err(|err| not_found(path, err))?;
        if found == known {
            return Ok(());
        }
        let context = format!("{} was replaced by another file", path.display());
        Err(Error::unavailable(context, "put the old one back, or start again with the new one"))
    }
}

fn not_found(path: &Path, err: std::io::Error) -> Error {
    Error::unavailable(format!("{} cannot be found any more", path.display()), err)
}

#[cfg(unix)]
fn inode(path: &Path) -> std::io::Result<Inode> {
    use std::os::unix::fs::MetadataExt;
    let found = fs::metadata(path)?;
    Ok(Inode { device: found.dev(), number: found.ino() })
}

/// On other systems, an open file cannot be replaced.
#[cfg(not(unix))]
fn inode(path: &Path) -> std::io::Result<Inode> {
    fs::metadata(path).map(|_| Inode { device: 0, number: 0 })
}

/// The path of a file that SQLite keeps beside a database. Links are followed, as SQLite does.
pub(crate) fn companion_path(path: &Path, suffix: &str) -> PathBuf {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut name = real.into_os_string();
    name.push(suffix);
    PathBuf::from(name)
}

/// Why this user cannot use a file in its directory; `None` if the reason is another.
///
/// The file itself is not opened: closing it would release all locks that this process has on it.
pub(crate) fn missing_permission(path: &Path) -> Option<String> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    match fs::metadata(path) {
        Err(err) if err.kind() == ErrorKind::PermissionDenied => {
            return Some(format!("this user may not look into {}", directory.display()));
        }
        Err(_) => return None,
        Ok(_) => (),
    }
    static PROBES: AtomicU32 = AtomicU32::new(0);
    let number = PROBES.fetch_add(1, Ordering::Relaxed);
    let probe = directory.join(format!(".{}-{number}.probe", process::id()));
    let shown = directory.display();
    match OpenOptions::new().write(true).create_new(true).open(&probe) {
        Ok(_) => {
            let _ = fs::remove_file(&probe);
            Some("this user may not read and write it".to_owned())
        }
        Err(err) if err.kind() == ErrorKind::ReadOnlyFilesystem => Some(format!(
            "{shown} is on a read-only file system, and SQLite must write there unless a running \
             server has the file open"
        )),
        Err(err) if err.kind() == ErrorKind::PermissionDenied => Some(format!(
            "this user may not write in {shown}, as SQLite must unless a running server has the file \
             open"
        )),
        Err(_) => None,
    }
}

/// Makes a file, and what SQLite keeps beside it, readable for its owner only. Fails if that is not allowed.
#[cfg(unix)]
pub(crate) fn make_private(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    for path in [path.to_owned(), companion_path(path, "-wal"), companion_path(path, "-shm")] {
        // A missing file needs no change.
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
pub(crate) fn make_private(_path: &Path) -> Result<()> {
    Ok(())
}
