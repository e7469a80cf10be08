//! Publications in a directory, such as one that machines share.
use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use super::store::{MANIFEST, Store, read_manifest};

/// A look at a file costs nothing.
const PAUSE: Duration = Duration::from_secs(1);

/// A directory with publications.
pub(super) struct Directory(pub(super) PathBuf);

impl Store for Directory {
    fn manifest(&self) -> Result<Option<Vec<u8>>, String> {
        let path = self.0.join(MANIFEST);
        // Reading something other than a file may never end.
        if fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
            return Err(format!("{} is not a file", path.display()));
        }
        match File::open(&path) {
            Ok(file) => read_manifest(file).map(Some),
            // Without the directory it is unknown what was published: a volume may not be mounted.
            Err(err) if err.kind() == io::ErrorKind::NotFound && self.0.is_dir() => Ok(None),
            Err(err) => Err(format!("{} cannot be read: {err}", path.display())),
        }
    }

    fn open(&self, name: &str) -> Result<Box<dyn Read>, String> {
        let path = self.0.join(name);
        let file = File::open(&path);
        let file = file.map_err(|err| format!("{} cannot be read: {err}", path.display()))?;
        Ok(Box::new(file))
    }

    fn pause(&self) -> Duration {
        PAUSE
    }

    fn put(&self, name: &str, file: &Path) -> Result<(), String> {
        let source = File::open(file);
        let mut source =
            source.map_err(|err| format!("{} cannot be read: {err}", file.display()))?;
        replace(&self.0, name, &mut source)
    }

    fn put_manifest(&self, mut bytes: &[u8]) -> Result<(), String> {
        replace(&self.0, MANIFEST, &mut bytes)
    }

    fn list(&self) -> Result<Vec<String>, String> {
        let cannot = |err| format!("{} cannot be read: {err}", self.0.display());
        let entries = fs::read_dir(&self.0).map_err(cannot)?;
        Ok(entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect())
    }

    fn remove(&self, name: &str) -> Result<(), String> {
        remove(&self.0.join(name))
    }
}

/// Writes a file beside the one that has the name, and gives it the name once it is on disk.
pub(super) fn replace(directory: &Path, name: &str, content: &mut impl Read) -> Result<(), String> {
    // Two programs that both believe that they may do not write into the same file.
    let part = directory.join(format!("{name}.{}.part", std::process::id()));
    let path = directory.join(name);
    let written = (|| {
        let mut file = File::create(&part)?;
        io::copy(content, &mut file)?;
        file.flush()?;
        file.sync_all()?;
        fs::rename(&part, &path)?;
        // Best effort: not every system can sync a directory.
        let _ = File::open(directory).and_then(|directory| directory.sync_all());
        Ok(())
    })();
    written.map_err(|err: io::Error| {
        let _ = fs::remove_file(&part);
        format!("{} cannot be written: {err}", path.display())
    })
}

/// Removes a file, if it is there.
pub(super) fn remove(path: &Path) -> Result<(), String> {
    match fs::remove_file(path) {
        Err(err) if err.kind() != io::ErrorKind::NotFound => {
            Err(format!("{} cannot be removed: {err}", path.display()))
        }
        _ => Ok(()),
    }
}
