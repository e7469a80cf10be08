//! A marker file that says that there are accounts, so that a program does not create new ones when they are lost.
use std::{
    io::Write,
    path::{Path, PathBuf},
};

use crate::{
    error::{Error, Result},
    sqlite,
};

const TEXT: &str = "There are accounts beside this file. It keeps the program from beginning with new ones if they are lost.\n";

/// `accounts.made` beside `accounts.db`.
fn marker_path(path: &Path) -> PathBuf {
    path.with_extension("made")
}

/// Fails if the accounts are lost. A dangling link passes: opening the file reports it.
pub(super) fn check(path: &Path) -> Result<()> {
    let marker = marker_path(path);
    if path.exists() || path.is_symlink() || !marker.exists() {
        return Ok(());
    }
    let (path, marker) = (path.display(), marker.display());
    Err(Error::unavailable(
        format!("{path} is missing, though {marker} says that there were accounts"),
        format!("restore a backup; delete {marker} only to begin without any keys"),
    ))
}

/// Creates the marker. Errors are ignored: the accounts must open even if the directory cannot be written.
pub(super) fn set(path: &Path) {
    let file = sqlite::owner_only().write(true).create_new(true).open(marker_path(path));
    let _ = file.and_then(|mut file| file.write_all(TEXT.as_bytes()));
}
