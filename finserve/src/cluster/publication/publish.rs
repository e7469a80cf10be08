//! Publishing a catalogue.
use std::{
    fs,
    path::{Path, PathBuf},
};

use fincore::{Catalogue, Date, Edition};

use super::{
    compression::compress,
    manifest::{Manifest, SUFFIX, version_in},
    store::Store,
};
use crate::coordination::clock::Now;

/// Where a publication is prepared, below the data directory.
const STAGING: &str = "publish.part";

/// Whether a publication may take the place of one that is newer or the same, or of another catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Forwards,
    Anywhere,
}

/// How far a publication is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PublishStep {
    pub(crate) doing: &'static str,
    pub(crate) done: u64,
    pub(crate) of: u64,
}

/// The outcome of publishing.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It is published now.
    Published(Manifest),
    /// It was before.
    Already(Manifest),
}

/// Why a catalogue was not published.
#[derive(Debug)]
pub(crate) enum PublishError {
    /// The publication is newer, or has other data under the same version.
    Older { published: u64, here: u64 },
    /// The publication is of another catalogue.
    Another,
    /// Something failed, in words.
    Failed(String),
}

impl PublishError {
    /// In words, without advice.
    pub(crate) fn words(self) -> String {
        match self {
            PublishError::Older { published, here } => format!(
                "data version {published} of this catalogue is already published, and this is {here}"
            ),
            PublishError::Another => "another catalogue is published there".to_owned(),
            PublishError::Failed(words) => words,
        }
    }
}

impl From<String> for PublishError {
    fn from(words: String) -> PublishError {
        PublishError::Failed(words)
    }
}

/// Publishes a catalogue as it is now. The manifest is written last, after `may_publish` has said that it still may
/// be. One older publication is kept. Room for a copy is needed in the data directory meanwhile.
pub(crate) fn publish(
    catalogue: &Catalogue,
    store: &dyn Store,
    data: &Path,
    direction: Direction,
    may_publish: &mut dyn FnMut() -> bool,
    progress: &mut dyn FnMut(PublishStep),
) -> Result<Outcome, PublishError> {
    let before = published_manifest(store)?;
    let edition = catalogue.snapshot(Date::MAX).and_then(|snapshot| snapshot.edition());
    let edition = edition.map_err(|err| err.to_string())?;
    let is_same = |before: &Manifest| before.edition == edition;
    if let (Direction::Forwards, Some(same)) = (direction, before.filter(is_same)) {
        return Ok(Outcome::Already(same));
    }
    let staging = Staging::below(data)?;
    let (database, file) = (staging.0.join("catalogue.db"), staging.0.join("catalogue.zst"));
    progress(PublishStep { doing: "copying", done: 0, of: 1 });
    let edition = catalogue.write_copy(&database).map_err(|err| err.to_string())?;
    let copy = compress(&database, &file, |done, of| {
        progress(PublishStep { doing: "compressing", done, of });
    });
    let copy = copy.map_err(|err| format!("the copy cannot be compressed: {err}"))?;
    // Another may have published meanwhile.
    let before = published_manifest(store)?;
    if direction == Direction::Forwards {
        check_goes_forwards(&edition, before.as_ref())?;
    }
    let manifest = Manifest::new(edition, copy, Now::read().utc, before.as_ref());
    let of = manifest.copy.compressed_bytes;
    progress(PublishStep { doing: "storing", done: 0, of });
    store.put(&manifest.file, &file)?;
    if !may_publish() {
        return Err("another server publishes by now".to_owned().into());
    }
    store.put_manifest(&manifest.write()?)?;
    progress(PublishStep { doing: "storing", done: of, of });
    // It is published, whatever becomes of this; the next one tries again.
    if let Err(words) = remove_old(store, &manifest, before.as_ref()) {
        tracing::warn!("an old publication cannot be removed: {words}");
    }
    Ok(Outcome::Published(manifest))
}

/// The manifest of what is published. One that cannot be read is not replaced: a newer program may have written it.
pub(super) fn published_manifest(store: &dyn Store) -> Result<Option<Manifest>, String> {
    store.manifest()?.map(|bytes| Manifest::read(&bytes)).transpose()
}

fn check_goes_forwards(edition: &Edition, before: Option<&Manifest>) -> Result<(), PublishError> {
    match before.map(|before| &before.edition) {
        None => Ok(()),
        Some(before) if edition.is_newer_than(before) || edition == before => Ok(()),
        Some(before) if edition.catalogue == before.catalogue => {
            Err(PublishError::Older { published: before.data_version, here: edition.data_version })
        }
        Some(_) => Err(PublishError::Another),
    }
}

/// Removes what is neither published nor was before. What has a higher version may be on its way from another program.
fn remove_old(
    store: &dyn Store,
    manifest: &Manifest,
    before: Option<&Manifest>,
) -> Result<(), String> {
    let last = before.and_then(|before| before.previous.clone());
    let is_old = |name: &String| {
        // Also of one that was never completed: `….zst.4711.part`.
        let name = name.find(SUFFIX).map_or(&**name, |at| &name[..at + SUFFIX.len()]);
        version_in(name).is_some_and(|version| version <= manifest.edition.data_version)
    };
    let old = store.list()?.into_iter().filter(is_old).chain(last);
    let kept = [Some(&manifest.file), manifest.previous.as_ref()];
    for name in old.filter(|name| !kept.contains(&Some(name))) {
        store.remove(&name)?;
    }
    Ok(())
}

/// A directory for what is not complete yet, removed with all that is left in it.
struct Staging(PathBuf);

impl Staging {
    fn below(data: &Path) -> Result<Staging, String> {
        let directory = data.join(STAGING);
        // Left by a killed program.
        let _ = fs::remove_dir_all(&directory);
        let cannot = |err| format!("{} cannot be created: {err}", directory.display());
        fs::create_dir(&directory).map_err(cannot)?;
        Ok(Staging(directory))
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
