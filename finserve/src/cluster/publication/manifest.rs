//! The manifest of a publication.
use fincore::{
    Edition,
    chrono::{DateTime, TimeDelta, Utc},
};
use serde::{Deserialize, Serialize};

/// The version of the manifest. One with another number was made by a program that does not exist yet.
const FORMAT: u32 = 1;

/// The largest catalogue that is followed. Twenty years of filings take less than one GiB.
const MOST_BYTES: u64 = 64 << 30;

const PREFIX: &str = "catalogue-";
pub(super) const SUFFIX: &str = ".db.zst";
/// How many digits of the hash are in a name.
const HASH_DIGITS: usize = 16;

/// The contents of a publication.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    format: u32,
    /// The version of the program that published it.
    program: String,
    #[serde(flatten)]
    pub(crate) edition: Edition,
    /// The name of the compressed file.
    pub(super) file: String,
    #[serde(flatten)]
    pub(crate) copy: CompressedCopy,
    /// Later than that of the publication before, whatever the clocks say.
    pub(super) published_at: DateTime<Utc>,
    /// The file of the publication before, which is kept for followers that are reading it.
    #[serde(default)]
    pub(super) previous: Option<String>,
}

/// A database and its compressed copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CompressedCopy {
    /// The size of the database.
    pub(crate) bytes: u64,
    pub(super) sha256: String,
    /// The size of the compressed file.
    pub(crate) compressed_bytes: u64,
    pub(super) compressed_sha256: String,
}

impl Manifest {
    /// The manifest of a publication that takes the place of another.
    pub(super) fn new(
        edition: Edition,
        copy: CompressedCopy,
        now: DateTime<Utc>,
        before: Option<&Manifest>,
    ) -> Manifest {
        let after = before
            .and_then(|before| before.published_at.checked_add_signed(TimeDelta::milliseconds(1)));
        Manifest {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            file: file_name(&edition, &copy),
            edition,
            copy,
            published_at: after.map_or(now, |after| after.max(now)),
            previous: before.map(|before| before.file.clone()),
        }
    }

    /// Reads a manifest. Fails, in words, unless everything in it can be true.
    pub(super) fn read(bytes: &[u8]) -> Result<Manifest, String> {
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let unreadable = |err| format!("the manifest cannot be read: {err}");
        let Format { format } = serde_json::from_slice(bytes).map_err(unreadable)?;
        if format != FORMAT {
            return Err(format!(
                "the manifest has format {format}, this program knows {FORMAT}: update it first"
            ));
        }
        let mut manifest: Manifest = serde_json::from_slice(bytes).map_err(unreadable)?;
        manifest.check()?;
        manifest.previous = manifest.previous.filter(|name| version_in(name).is_some());
        Ok(manifest)
    }

    fn check(&self) -> Result<(), String> {
        let CompressedCopy { bytes, sha256, compressed_bytes, compressed_sha256 } = &self.copy;
        let is_hash = |text: &str| text.len() == 64 && text.bytes().all(is_digit);
        if !is_hash(sha256) || !is_hash(compressed_sha256) {
            return Err("the manifest has no SHA-256 in 64 hexadecimal digits".into());
        }
        if *bytes > MOST_BYTES || *compressed_bytes > MOST_BYTES {
            return Err(format!(
                "the manifest names a file of {bytes} bytes; the maximum is {MOST_BYTES}"
            ));
        }
        // So it is a name, and leads nowhere else.
        let name = file_name(&self.edition, &self.copy);
        if self.file != name {
            return Err(format!("the manifest should name {name}"));
        }
        Ok(())
    }

    pub(super) fn write(&self) -> Result<Vec<u8>, String> {
        serde_json::to_vec_pretty(self).map_err(|err| format!("no manifest can be written: {err}"))
    }

    pub(super) fn is_same(&self, other: &Manifest) -> bool {
        self.edition == other.edition && self.copy.sha256 == other.copy.sha256
    }

    /// The name of the database.
    pub(super) fn database(&self) -> &str {
        self.file.trim_end_matches(".zst")
    }
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)
}

fn file_name(edition: &Edition, copy: &CompressedCopy) -> String {
    let hash = copy.sha256.get(..HASH_DIGITS).unwrap_or_default();
    format!("{PREFIX}{}-{hash}{SUFFIX}", edition.data_version)
}

/// The data version in the name of a published file; nothing if it is no such name.
pub(super) fn version_in(name: &str) -> Option<u64> {
    let (version, hash) = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.split_once('-')?;
    let is_hash = hash.len() == HASH_DIGITS && hash.bytes().all(is_digit);
    version.parse().ok().filter(|_| is_hash)
}
