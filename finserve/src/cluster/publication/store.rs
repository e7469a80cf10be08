//! Where publications are kept: what a directory, an object store and an HTTP server must do.
use std::{io::Read, path::Path, time::Duration};

/// The name of the manifest.
pub(super) const MANIFEST: &str = "manifest.json";

/// The longest manifest that is read; one has some 600 bytes.
pub(super) const LONGEST_MANIFEST: u64 = 64 * 1024;

/// The error for a read-only store.
const READ_ONLY: &str = "it can only be read";

/// A place for publications. Failures are words, which hold no secret.
pub(crate) trait Store: Send + Sync {
    /// The manifest; nothing if nothing was published yet.
    fn manifest(&self) -> Result<Option<Vec<u8>>, String>;

    /// The content of a file.
    fn open(&self, name: &str) -> Result<Box<dyn Read>, String>;

    /// How long to wait between two looks at the manifest.
    fn pause(&self) -> Duration;

    /// Stores a file, under its name once it is whole.
    fn put(&self, _name: &str, _file: &Path) -> Result<(), String> {
        Err(READ_ONLY.into())
    }

    /// Stores the manifest: readers get the old one or the new one.
    fn put_manifest(&self, _bytes: &[u8]) -> Result<(), String> {
        Err(READ_ONLY.into())
    }

    /// The names of all files.
    fn list(&self) -> Result<Vec<String>, String> {
        Err(READ_ONLY.into())
    }

    /// Removes a file, if it is there.
    fn remove(&self, _name: &str) -> Result<(), String> {
        Err(READ_ONLY.into())
    }
}

/// Everything that can be read, if it is not too long for a manifest.
pub(super) fn read_manifest(source: impl Read) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    source
        .take(LONGEST_MANIFEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|err| format!("{MANIFEST} cannot be read: {err}"))?;
    if bytes.len() as u64 > LONGEST_MANIFEST {
        return Err(format!("{MANIFEST} is too long for a manifest"));
    }
    Ok(bytes)
}
