//! The bundled data in the user's cache, for commands that read data where there is no data directory.
use std::{
    env,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use fincore::{Catalogue, bundle};

/// The name of the file in its directory.
const FILE: &str = "catalogue.db";

/// The prefixes of our directories: of complete ones, and of those that are being made.
const COMPLETE: &str = "bundle-";
const PART: &str = "part-";

/// How long a directory of another version stays after its last use.
const KEEP_UNUSED: Duration = Duration::from_secs(24 * 60 * 60);

/// Where the bundled data is, if this user's cache has it.
pub(crate) fn find_cached() -> Option<PathBuf> {
    Some(cache_directory()?.join(directory_name()).join(FILE)).filter(|file| file.exists())
}

/// The bundled data in the user's cache, stored there on first use.
///
/// Fails where there is no cache, or it cannot be written to.
pub(crate) fn store(progress: impl FnMut(bundle::FillStep)) -> io::Result<PathBuf> {
    let cache = cache_directory().ok_or_else(|| io::Error::other("there is no home directory"))?;
    let (whole, now) = (cache.join(directory_name()), SystemTime::now());
    remove_unused(&cache, now);
    if whole.join(FILE).exists() {
        touch(&whole, now);
        return Ok(whole.join(FILE));
    }
    fs::create_dir_all(&cache)?;
    // It is made under another name, so that no other process reads half of it.
    let part = tempfile::Builder::new().prefix(PART).tempdir_in(&cache)?;
    fill(part.path(), progress)?;
    if let Err(err) = fs::rename(part.path(), &whole) {
        // Another process was faster.
        return if whole.join(FILE).exists() { Ok(whole.join(FILE)) } else { Err(err) };
    }
    // It has its final name now, and must not be removed.
    let _ = part.keep();
    Ok(whole.join(FILE))
}

/// Stores the bundled data in this directory.
pub(crate) fn fill(
    directory: &Path,
    progress: impl FnMut(bundle::FillStep),
) -> io::Result<PathBuf> {
    let file = directory.join(FILE);
    let catalogue = Catalogue::open(&file).map_err(io::Error::other)?;
    bundle::fill_with(&catalogue, progress).map_err(io::Error::other)?;
    Ok(file)
}

/// The name of the directory; every version of the program and of the bundle has its own.
fn directory_name() -> String {
    let id: String = bundle::id().chars().take(12).collect();
    format!("{COMPLETE}{}-{id}", env!("CARGO_PKG_VERSION"))
}

/// The cache directory of this user.
fn cache_directory() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))?;
    Some(cache.join("finserve"))
}

/// Marks a directory as in use, so that other versions leave it alone for a day.
fn touch(directory: &Path, now: SystemTime) {
    // A user who may not do this can read the data all the same.
    let _ = File::open(directory).and_then(|opened| opened.set_modified(now));
}

/// Removes directories of other versions, and those whose making was interrupted. A directory that was used less than a day
/// ago stays: a program of another version may still read it.
fn remove_unused(cache: &Path, now: SystemTime) {
    for entry in fs::read_dir(cache).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let is_ours = |found: &str| found.starts_with(COMPLETE) || found.starts_with(PART);
        let is_another =
            found.to_str().is_some_and(|found| is_ours(found) && found != directory_name());
        let used = entry.metadata().and_then(|found| found.modified());
        // A time that is unknown or lies in the future says nothing.
        let age = used.ok().and_then(|used| now.duration_since(used).ok());
        if is_another && age.is_some_and(|age| age > KEEP_UNUSED) {
            // It stays if it cannot be removed.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_for_a_day_is_removed_unless_it_is_ours() {
        let cache = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let hours = |hours: u64| now - Duration::from_secs(hours * 60 * 60);
        let (own, ahead) = (directory_name(), now + Duration::from_secs(48 * 60 * 60));
        let cases = [
            ("bundle-0.1.0-abc", hours(25), false),
            ("bundle-0.2.0-abc", hours(23), true),
            ("bundle-0.2.1-abc", ahead, true),
            ("part-old", hours(25), false),
            ("part-new", hours(1), true),
            (own.as_str(), hours(2500), true),
            ("of-another-program", hours(2500), true),
        ];
        for (name, used, _) in cases {
            let directory = cache.path().join(name);
            fs::create_dir(&directory).unwrap();
            fs::write(directory.join(FILE), name).unwrap();
            touch(&directory, used);
        }
        remove_unused(cache.path(), now);
        for (name, _, stays) in cases {
            assert_eq!(cache.path().join(name).join(FILE).exists(), stays, "{name}");
        }
        // One that is used again stays for another day.
        touch(&cache.path().join("bundle-0.2.0-abc"), now);
        remove_unused(cache.path(), now + Duration::from_secs(12 * 60 * 60));
        assert!(cache.path().join("bundle-0.2.0-abc").exists());
        remove_unused(cache.path(), now + Duration::from_secs(25 * 60 * 60));
        assert!(!cache.path().join("bundle-0.2.0-abc").exists());
    }
}
