//! The bundled data, for commands that look at data where there is no data directory.
use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

use fincore::{Catalogue, bundle};

/// The name of the file in its directory.
const FILE: &str = "catalogue.db";

/// What the names of our directories begin with.
const START: &str = "bundle-";

/// Where the bundled data is, if this user's cache has it.
pub(crate) fn cached() -> Option<PathBuf> {
    Some(cache()?.join(name()).join(FILE)).filter(|file| file.exists())
}

/// The bundled data in the user's cache, stored there on first use.
///
/// Fails where there is no cache, or it cannot be written to.
pub(crate) fn store(progress: impl FnMut(bundle::Step)) -> io::Result<PathBuf> {
    if let Some(file) = cached() {
        return Ok(file);
    }
    let cache = cache().ok_or_else(|| io::Error::other("there is no home directory"))?;
    fs::create_dir_all(&cache)?;
    // Made under another name, so that nobody finds half of it.
    let part = tempfile::Builder::new().prefix("part-").tempdir_in(&cache)?;
    fill(part.path(), progress)?;
    forget_others(&cache);
    let whole = cache.join(name());
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
    format!("{START}{}-{id}", env!("CARGO_PKG_VERSION"))
}

/// Where programs of this user keep what they can make again.
fn cache() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))?;
    Some(cache.join("finserve"))
}

/// Removes what earlier versions left behind. Whoever still reads it can go on doing so.
fn forget_others(cache: &Path) {
    for entry in fs::read_dir(cache).into_iter().flatten().flatten() {
        let old = entry.file_name().to_str().is_some_and(|old| old.starts_with(START));
        if old && entry.file_name().to_str() != Some(&name()) {
            // It stays, then.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
