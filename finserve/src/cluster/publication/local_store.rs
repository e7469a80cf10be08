//! Publications in the data directory of a follower: the one it serves, and the one before.
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use fincore::{Catalogue, Date, deadline, search};

use super::{
    compression::decompress,
    directory::{remove, replace},
    manifest::Manifest,
    store::{MANIFEST, Store},
};

/// The directory, below that of the data.
const DIRECTORY: &str = "published";
/// The manifest of the publication before.
const PREVIOUS: &str = "previous.json";

/// How long the queries of a look at a new file may take: many times as long as for the largest that there is.
const LONGEST_LOOK: Duration = Duration::from_secs(300);

pub(crate) fn holds_publication(data: &Path) -> bool {
    data.join(DIRECTORY).join(MANIFEST).exists()
}

/// The file that a follower with this data directory serves; nothing if it follows none.
pub(crate) fn served_file(data: &Path) -> Option<PathBuf> {
    let directory = data.join(DIRECTORY);
    let manifest = Manifest::read(&fs::read(directory.join(MANIFEST)).ok()?).ok()?;
    Some(directory.join(manifest.database()))
}

/// The publications that are kept.
pub(super) struct LocalStore {
    directory: PathBuf,
    readers: usize,
}

impl LocalStore {
    /// Opens the store in a data directory, and removes what was not completed.
    pub(super) fn open(data: &Path, readers: usize) -> Result<LocalStore, String> {
        let directory = data.join(DIRECTORY);
        let cannot = |err| format!("{} cannot be created: {err}", directory.display());
        fs::create_dir_all(&directory).map_err(cannot)?;
        let store = LocalStore { directory, readers };
        for name in store.names().into_iter().filter(|name| name.ends_with(".part")) {
            remove(&store.directory.join(name))?;
        }
        Ok(store)
    }

    /// A file beside the publications.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// The newest publication that is here and can be used.
    pub(super) fn newest(&self) -> Option<(Manifest, Catalogue)> {
        [MANIFEST, PREVIOUS].into_iter().find_map(|name| {
            let manifest = self.manifest(name)?;
            match self.use_file(&manifest) {
                Ok(catalogue) => Some((manifest, catalogue)),
                Err(words) => {
                    tracing::error!("{}: {words}", manifest.database());
                    None
                }
            }
        })
    }

    fn manifest(&self, name: &str) -> Option<Manifest> {
        Manifest::read(&fs::read(self.file(name)).ok()?).ok()
    }

    /// Gets the file of a publication and opens it. Nothing is opened whose hash is not as it should be.
    pub(super) fn fetch(
        &self,
        store: &dyn Store,
        manifest: &Manifest,
    ) -> Result<Catalogue, String> {
        let path = self.file(manifest.database());
        if path.exists() {
            // One that was served before; if it cannot be used any more, it is fetched again.
            if let Ok(catalogue) = self.use_sound_file(manifest) {
                return Ok(catalogue);
            }
            remove_database(&path)?;
        }
        decompress_to(store, manifest, &path)?;
        let catalogue = self.use_file(manifest);
        if catalogue.is_err() {
            // Useless; the error says why.
            let _ = remove_database(&path);
        }
        catalogue
    }

    /// Opens a file and looks whether it is what the manifest says. What searches need is read ahead.
    fn use_file(&self, manifest: &Manifest) -> Result<Catalogue, String> {
        let opened = || -> fincore::Result<_> {
            let path = self.file(manifest.database());
            if !path.exists() {
                let words = format!("{} is missing", path.display());
                return Err(fincore::Error::operation(words));
            }
            Catalogue::check_schema(&path)?;
            let catalogue = Catalogue::open_with_readers(path, self.readers)?;
            catalogue.count_corrupt_values()?;
            let snapshot = catalogue.snapshot(Date::MAX)?;
            search::prepare(&snapshot)?;
            Ok((snapshot.edition()?, catalogue))
        };
        let (edition, catalogue) =
            deadline::for_at_most(LONGEST_LOOK, opened).map_err(|err| err.to_string())?;
        if edition != manifest.edition {
            return Err(format!(
                "{} has data version {}, the manifest says {}",
                manifest.file, edition.data_version, manifest.edition.data_version
            ));
        }
        Ok(catalogue)
    }

    fn use_sound_file(&self, manifest: &Manifest) -> Result<Catalogue, String> {
        let catalogue = self.use_file(manifest)?;
        let problems = catalogue.quick_check().map_err(|err| err.to_string())?;
        if problems.is_empty() { Ok(catalogue) } else { Err(problems.join("; ")) }
    }

    /// Notes which publication is served from now on, keeps the one before, and removes all others.
    pub(super) fn record_served(&self, manifest: &Manifest) -> Result<(), String> {
        if let Some(before) = self.manifest(MANIFEST).filter(|before| !before.is_same(manifest)) {
            replace(&self.directory, PREVIOUS, &mut &*before.write()?)?;
        }
        replace(&self.directory, MANIFEST, &mut &*manifest.write()?)?;
        let kept: Vec<Manifest> =
            [MANIFEST, PREVIOUS].iter().filter_map(|name| self.manifest(name)).collect();
        for name in self.names() {
            // With what SQLite keeps beside a database.
            let is_kept = kept.iter().any(|manifest| name.starts_with(manifest.database()));
            if name.starts_with("catalogue-") && !is_kept {
                remove(&self.directory.join(name))?;
            }
        }
        Ok(())
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.directory).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }
}

/// Decompresses the file of a publication, under the name once it is verified and on disk.
pub(super) fn decompress_to(
    store: &dyn Store,
    manifest: &Manifest,
    path: &Path,
) -> Result<(), String> {
    let part = path.with_extension("part");
    remove(&part)?;
    let source = store.open(&manifest.file)?;
    let decompressed = decompress(source, &part, &manifest.copy)
        .map_err(|words| format!("{} {words}", manifest.file))
        .and_then(|()| {
            let cannot = |err| format!("{} cannot be written: {err}", path.display());
            fs::rename(&part, path).map_err(cannot)
        });
    if decompressed.is_err() {
        let _ = remove(&part);
    }
    decompressed
}

/// Removes a database and what SQLite keeps beside it.
pub(super) fn remove_database(path: &Path) -> Result<(), String> {
    for suffix in ["-wal", "-shm", "-journal", ""] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        remove(Path::new(&name))?;
    }
    Ok(())
}
