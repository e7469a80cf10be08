//! The archive of a backup: its manifest, packing, verifying and unpacking.
use std::{
    fs::File,
    io::{Read, Write},
    path::Path,
};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zip::{CompressionMethod, ZipArchive, ZipWriter, result::ZipError, write::SimpleFileOptions};

use super::staging::Staging;
use crate::{
    error::{Error, Result},
    sqlite,
};

/// The name of the accounts in a data directory and in a backup.
pub const ACCOUNTS: &str = "accounts.db";
/// The name of the catalogue in a data directory and in a backup.
pub const CATALOGUE: &str = "catalogue.db";

pub(super) const MANIFEST: &str = "manifest.json";

/// The version of the manifest. A backup with another number was made by a newer program.
pub(super) const FORMAT: u32 = 1;

/// Level 1 halves a catalogue at the speed of a disk; higher ones save a tenth of that, and take three times as long.
const LEVEL: i64 = 1;

/// The number of bytes read at once.
const CHUNK: usize = 1 << 20;

/// The manifest of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Manifest {
    /// The version of this format.
    pub format: u32,
    /// The version of the library that made it.
    pub program: String,
    /// When it was made.
    pub made_at: DateTime<Utc>,
    /// The data version of the catalogue, if it is in the backup.
    pub data_version: Option<i64>,
    /// The files.
    pub files: Vec<Member>,
}

/// A file in a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// The SHA-256 of its content, in hexadecimal digits.
    pub sha256: String,
}

/// The progress of a backup or a restore.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress {
    /// What is being done: `copying catalogue.db`.
    pub doing: &'static str,
    /// How much of that is done.
    pub done: u64,
    /// How much there is to do.
    pub of: u64,
}

/// Packs the copies and the manifest into an archive, which is on disk afterwards.
pub(super) fn pack(
    staging: &Staging,
    packed: &Path,
    names: &[(&'static str, &'static str)],
    manifest: &mut Manifest,
    progress: &mut impl FnMut(Progress),
) -> Result<(), ZipError> {
    let file = sqlite::owner_only().write(true).create_new(true).open(packed)?;
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(LEVEL))
        .unix_permissions(0o600)
        .large_file(true);
    let mut archive = ZipWriter::new(file);
    for (name, doing) in names {
        archive.start_file(*name, options)?;
        let copy = File::open(staging.file(name))?;
        let of = copy.metadata()?.len();
        let (bytes, sha256) = transfer(copy, &mut archive, |done| {
            progress(Progress { doing, done, of });
        })?;
        manifest.files.push(Member { name: (*name).to_owned(), bytes, sha256 });
    }
    archive.start_file(MANIFEST, options)?;
    archive.write_all(&serde_json::to_vec_pretty(manifest).map_err(std::io::Error::from)?)?;
    Ok(archive.finish()?.sync_all()?)
}

/// Reads the files of an archive again, and compares them with the manifest.
pub(super) fn verify(
    packed: &Path,
    manifest: &Manifest,
    progress: &mut impl FnMut(Progress),
) -> Result<()> {
    let mut archive = open(packed)?;
    let doing = "reading it again";
    manifest.files.iter().try_for_each(|member| {
        unpack(&mut archive, member, std::io::sink(), |done| {
            progress(Progress { doing, done, of: member.bytes });
        })
    })
}

pub(super) fn open(backup: &Path) -> Result<ZipArchive<File>> {
    let cannot = |err: ZipError| Error::operation(format!("{}: {err}", backup.display()));
    ZipArchive::new(File::open(backup).map_err(|err| cannot(err.into()))?).map_err(cannot)
}

/// Unpacks one file of an archive. Fails if it is not what the manifest says.
pub(super) fn unpack(
    archive: &mut ZipArchive<File>,
    member: &Member,
    target: impl Write,
    progress: impl FnMut(u64),
) -> Result<()> {
    let damaged = |why: String| Error::operation(format!("the backup's {} {why}", member.name));
    let cannot = |err: ZipError| damaged(format!("cannot be unpacked: {err}"));
    let file = archive.by_name(&member.name).map_err(cannot)?;
    // A file that is longer than the manifest says must not fill the disk.
    let file = file.take(member.bytes.saturating_add(1));
    let (bytes, sha256) = transfer(file, target, progress).map_err(|err| cannot(err.into()))?;
    if (bytes, &sha256) == (member.bytes, &member.sha256) {
        return Ok(());
    }
    Err(damaged("is not what the manifest says: the backup is damaged".to_owned()))
}

/// Copies everything. Returns the number of bytes, and their SHA-256.
fn transfer(
    mut source: impl Read,
    mut target: impl Write,
    mut progress: impl FnMut(u64),
) -> std::io::Result<(u64, String)> {
    let (mut hash, mut bytes, mut chunk) = (Sha256::new(), 0, vec![0; CHUNK]);
    loop {
        let length = source.read(&mut chunk)?;
        if length == 0 {
            break;
        }
        hash.update(&chunk[..length]);
        target.write_all(&chunk[..length])?;
        bytes += length as u64;
        progress(bytes);
    }
    target.flush()?;
    Ok((bytes, hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()))
}
