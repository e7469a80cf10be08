//! The edition of a catalogue, which identifies its data, and copies of the file.
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{
    Catalogue, Snapshot,
    metadata::{read_meta, version_of},
    schema::SCHEMA,
};
use crate::{error::Result, sqlite};

/// Which data a file holds: two files with the same edition give the same answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edition {
    /// The id of the catalogue: data versions are comparable within one only.
    pub catalogue: String,
    /// The data version.
    pub data_version: u64,
    /// The data tag.
    pub tag: String,
}

impl Edition {
    /// Whether this is a later state of the catalogue that the other one is a state of.
    #[must_use]
    pub fn is_newer_than(&self, other: &Edition) -> bool {
        self.catalogue == other.catalogue && self.data_version > other.data_version
    }
}

impl Snapshot {
    /// Which data this is.
    pub fn edition(&self) -> Result<Edition> {
        Ok(Edition {
            catalogue: self.catalogue_id()?,
            data_version: self.version()?,
            tag: self.tag().to_owned(),
        })
    }
}

impl Catalogue {
    /// Writes a compact copy of the data as it is now to the new file `target`, checks it, and says which data it has.
    ///
    /// Does not block imports and readers. Reads and writes the whole file, which takes a second for some fifty
    /// megabytes. Fails if `target` exists already or cannot be written, and if this catalogue is damaged; nothing is
    /// left then.
    pub fn write_copy(&self, target: &Path) -> Result<Edition> {
        sqlite::compact(&self.path(), target, &SCHEMA)?;
        let copy = sqlite::attach(target)?;
        Ok(Edition {
            catalogue: read_meta(&copy, "catalogue_id")?.unwrap_or_default(),
            data_version: version_of(&copy)?.unsigned_abs(),
            tag: read_meta(&copy, "data_tag")?.unwrap_or_default(),
        })
    }
}
