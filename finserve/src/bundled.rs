//! The bundled data, for commands that look at data where there is no data directory.
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

/// What the names of our directories begin with: one that is whole, and one that is being made.
const WHOLE: &str = "bundle-";
const PART: &str = "part-";

/// How long a directory stays that nobody has begun to use.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// Where the bundled data is, if this user's cache has it.
pub(crate) fn cached() -> Option<PathBuf> {
    Some(cache()?.join(name()).join(FILE)).filter(|file| file.exists())
}

/// The bundled data in the user's cache, stored there on first use.
///
/// Fails where there is no cache, or it cannot be written to.
pub(crate) fn store(progress: impl FnMut(bundle::Step)) -> io::Result<PathBuf> {
    let cache = cache().ok_or_else(|| io::Error::other("there is no home directory"))?;
    let (whole, now) = (cache.join(name()), SystemTime::now());
    forget_others(&cache, now);
    if whole.join(FILE).exists() {
        touch(&whole, now);
        return Ok(whole.join(FILE));
    }
    fs::create_dir_all(&cache)?;
    // Made under another name, so that nobody finds half of it.
    let part = tempfile::Builder::new().prefix(PART).tempdir_in(&cache)?;
    fill(part.path(), progress)?;
    if let Err(err) = fs::rename(part.path(), &whole) {
        // Somebody else was faster.
        return if whole.join(FILE).exists() { Ok(whole.join(FILE)) } else { Err(err) };
    }
    // It has its name now, and is not to be removed.
    let _ = part.keep();
    Ok(whole.join(FILE))
}

/// Stores the bundled data in this directory.
pub(crate) fn fill(directory: &Path, progress: impl FnMut(bundle::Step)) -> io::Result<PathBuf> {
    let file = directory.join(FILE);
    let catalogue = Catalogue::open(&file).map_err(io::Error::other)?;
    bundle::fill_with(&catalogue, progress).map_err(io::Error::other)?;
    Ok(file)
}

/// Another program, or another bundle, has another directory.
fn name() -> String {
    let id: String = bundle::id().chars().take(12).collect();
    format!("{WHOLE}{}-{id}", env!("CARGO_PKG_VERSION"))
}

/// Where programs of this user keep what they can make again.
fn cache() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))?;
    Some(cache.join("finserve"))
}

/// Notes that a directory is in use, so that other versions leave it alone for a day.
fn touch(directory: &Path, now: SystemTime) {
    // Whoever cannot do this reads it all the same.
    let _ = File::open(directory).and_then(|opened| opened.set_modified(now));
}

/// Removes what other versions left behind, and what was interrupted while it was made. A program of another version that
/// began to read its data less than a day ago can go on: it may have to open the file again.
fn forget_others(cache: &Path, now: SystemTime) {
    for entry in fs::read_dir(cache).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let is_ours = |found: &str| found.starts_with(WHOLE) || found.starts_with(PART);
        let is_another = found.to_str().is_some_and(|found| is_ours(found) && found != name());
        let used = entry.metadata().and_then(|found| found.modified());
        // A time that is unknown, or lies ahead, is none to judge by.
        let age = used.ok().and_then(|used| now.duration_since(used).ok());
        if is_another && age.is_some_and(|age| age > KEPT) {
            // It stays if it cannot be removed.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_has_used_for_a_day_is_removed_unless_it_is_ours() {
        let cache = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let hours = |hours: u64| now - Duration::from_secs(hours * 60 * 60);
        let (own, ahead) = (name(), now + Duration::from_secs(48 * 60 * 60));
        let cases = [
            ("bundle-0.1.0-abc", hours(25), false),
            ("bundle-0.2.0-abc", hours(23), true),
            ("bundle-0.2.1-abc", ahead, true),
            ("part-old", hours(25), false),
            ("part-new", hours(1), true),
            (own.as_str(), hours(2500), true),
            ("of-somebody-else", hours(2500), true),
        ];
        for (name, used, _) in cases {
            let directory = cache.path().join(name);
            fs::create_dir(&directory).unwrap();
            fs::write(directory.join(FILE), name).unwrap();
            touch(&directory, used);
        }
        forget_others(cache.path(), now);
        for (name, _, stays) in cases {
            assert_eq!(cache.path().join(name).join(FILE).exists(), stays, "{name}");
        }
        // One that is used again stays for another day.
        touch(&cache.path().join("bundle-0.2.0-abc"), now);
        forget_others(cache.path(), now + Duration::from_secs(12 * 60 * 60));
        assert!(cache.path().join("bundle-0.2.0-abc").exists());
        forget_others(cache.path(), now + Duration::from_secs(25 * 60 * 60));
        assert!(!cache.path().join("bundle-0.2.0-abc").exists());
    }
}
