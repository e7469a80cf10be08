//! Checks of the files of the data directory: whether they exist, and who may read and write them.
use std::{
    fs::{self, File, Metadata, TryLockError},
    os::unix::fs::MetadataExt,
    path::Path,
};

use rustix::fs::{Access, access};

use super::{
    super::data_directory::{ACCOUNTS, CATALOGUE},
    Finding, format_size,
};

/// A write-ahead log of this size has not been emptied for a long time.
const LONG_LOG: u64 = 256 << 20;

/// Checks the data directory without opening a database.
pub(super) fn check(data: &Path) -> Vec<Finding> {
    let about = data.display();
    let directory = match fs::metadata(data) {
        Ok(directory) if directory.is_dir() => directory,
        Ok(_) => {
            let says = format!("{about} is not a directory.");
            return vec![Finding::wrong("files", says, "Name the data directory with --data.")];
        }
        Err(err) => {
            let says = format!("The data directory {about} cannot be examined: {err}.");
            let remedy =
                "Name it with --data or FINSERVE_DATA. `finserve serve` creates a new one.";
            return vec![Finding::wrong("files", says, remedy)];
        }
    };
    let mut findings = vec![check_writable(data)];
    let names = [CATALOGUE, ACCOUNTS].into_iter();
    let names = names.flat_map(|name| ["", "-wal", "-shm"].map(|end| format!("{name}{end}")));
    for name in names {
        let path = data.join(&name);
        if let Ok(file) = fs::symlink_metadata(&path) {
            findings.extend(check_file(&name, &path, &file, &directory));
        }
    }
    findings.push(check_server_lock(data));
    findings
}

fn check_writable(data: &Path) -> Finding {
    match access(data, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK) {
        Ok(()) => Finding::fine("files", format!("{} can be read and written.", data.display())),
        Err(err) => Finding::wrong(
            "files",
            format!("{} cannot be read and written by this user: {err}.", data.display()),
            "Run this as the user of the server: runuser -u finserve -- finserve doctor.",
        ),
    }
}

fn check_file(name: &str, path: &Path, file: &Metadata, directory: &Metadata) -> Vec<Finding> {
    let mut findings = Vec::new();
    let shown = path.display();
    // A link is followed once: the file behind it counts.
    let Ok(file) = (if file.is_symlink() { fs::metadata(path) } else { Ok(file.clone()) }) else {
        let says = format!("{name} is a link to a file that does not exist.");
        return vec![Finding::wrong("files", says, "Mount the disk that it points to.")];
    };
    if !file.is_file() {
        let says = format!("{name} is not a regular file.");
        return vec![Finding::wrong("files", says, "Move it away, and restore a backup.")];
    }
    if file.uid() != directory.uid() {
        let says = format!("{name} and the data directory belong to different users.");
        let remedy = format!(
            "The server may be unable to write it: chown --reference={} {shown}",
            parent(path)
        );
        findings.push(Finding::wrong("files", says, remedy));
    }
    if name.starts_with(ACCOUNTS) && file.mode() & 0o077 != 0 {
        let says = format!("{name} can be read by others (mode {:o}).", file.mode() & 0o777);
        findings.push(Finding::wrong("files", says, format!("chmod 600 {shown}")));
    }
    if let Err(err) = access(path, Access::READ_OK | Access::WRITE_OK) {
        let says = format!("{name} cannot be read and written by this user: {err}.");
        let remedy = "Run this as the user of the server, or give the file back to it.";
        findings.push(Finding::wrong("files", says, remedy));
    }
    if name.ends_with("-wal") && file.len() > LONG_LOG {
        let says = format!("{name} has grown to {}.", format_size(file.len()));
        let remedy =
            "A program has been reading for very long. Restarting the server empties the file.";
        findings.push(Finding::wrong("files", says, remedy));
    }
    findings
}

fn parent(path: &Path) -> String {
    path.parent().unwrap_or(Path::new(".")).display().to_string()
}

/// Whether a server runs on this directory: it holds the lock as long as it runs.
fn check_server_lock(data: &Path) -> Finding {
    let is_held = File::open(data.join("serve.lock"))
        .is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)));
    if is_held {
        Finding::fine("files", "A server is running on this data (serve.lock is held).".into())
    } else {
        Finding::note("files", "No server is running on this data.".into())
    }
}
