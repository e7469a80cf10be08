//! The directory in which a backup or a restore is prepared.
use std::{
    fs::{self, DirBuilder},
    path::{Path, PathBuf},
};

use crate::error::{Error, Result};

/// A private directory for files that are not complete yet. It is removed with all that is left in it.
pub(super) struct Staging(pub(super) PathBuf);

impl Staging {
    /// On the same file system as the target, so that a finished file only needs to be renamed.
    pub(super) fn beside(target: &Path) -> Result<Staging> {
        let mut name = target.as_os_str().to_owned();
        name.push(format!(".{}.part", std::process::id()));
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

impl Drop for Staging {
    fn drop(&mut self) {
        // Incomplete files are useless; the name of the directory says so if it cannot be removed.
        let _ = fs::remove_dir_all(&self.0);
    }
}
