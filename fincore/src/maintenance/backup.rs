//! Backups: the accounts and the catalogue of a data directory in one archive, made while they are in use, and put
//! back.
//!
//! The file is a ZIP archive with `accounts.db`, `catalogue.db` and `manifest.json`, which says what they should be.
//! The databases can be unpacked and used without this library.
use std::{
    fs::{self, DirBuilder, File},
    io::{Read, Write},
    path::{Path, PathBuf},
};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zip::{CompressionMethod, ZipArchive, ZipWriter, result::ZipError, write::SimpleFileOptions};

use crate::{
    accounts::{Accounts, sqlite_store},
    store::{CATALOGUE_SCHEMA, CopyProgress, readers, sqlite_copy, sqlite_file},
    values::{Error, Result},
};

mod restore;

pub use restore::{Existing, Restored, restore};

/// The databases in a backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// The accounts, if there are any, and the catalogue.
    All,
    /// The accounts only: they cannot be downloaded again.
    Accounts,
}

/// Writes a backup of the data directory `directory` to the new file `target`, which only its owner can read. Accounts that
/// are not in the directory are passed as `elsewhere`; the backup holds them as a file.
///
/// Servers and imports may run: each database is copied as of one moment. The copies are checked, and the archive is
/// read again, before it gets its name. Beside `target`, room is needed for the copies until it is done.
///
/// Fails if `target` exists already or cannot be written, and if a database is missing or damaged; nothing is left then.
pub fn write(
    directory: &Path,
    elsewhere: Option<&Accounts>,
    target: &Path,
    contents: Contents,
    now: DateTime<Utc>,
    mut progress: impl FnMut(Progress),
) -> Result<Manifest> {
    if target.exists() {
        return Err(Error::operation(format!("{} exists already", target.display())));
    }
    let staging = Staging::beside(target)?;
    let mut manifest = Manifest {
        format: FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        made_at: now,
        data_version: None,
        files: Vec::new(),
    };
    // The accounts first: they store up to which data version events were enqueued. The changes of a newer catalogue are
    // enqueued later; with an older one, the changes after a restore would count as enqueued already.
    let mut names = Vec::new();
    let accounts = directory.join(ACCOUNTS);
    if let Some(accounts) = elsewhere {
        accounts.backup(&staging.file(ACCOUNTS))?;
        names.push((ACCOUNTS, "packing accounts.db"));
    } else if contents == Contents::Accounts
        || accounts.exists()
        || Accounts::are_missing(&accounts)
    {
        let mut report = report_pages("copying accounts.db", &mut progress);
        sqlite_copy::copy(&accounts, &staging.file(ACCOUNTS), &sqlite_store::SCHEMA, &mut report)?;
        names.push((ACCOUNTS, "packing accounts.db"));
    }
    if contents == Contents::All {
        let copy = staging.file(CATALOGUE);
        let mut report = report_pages("copying catalogue.db", &mut progress);
        sqlite_copy::copy(&directory.join(CATALOGUE), &copy, &CATALOGUE_SCHEMA, &mut report)?;
        manifest.data_version = Some(readers::version_of(&sqlite_file::attach(&copy)?)?);
        names.push((CATALOGUE, "packing catalogue.db"));
    }
    let cannot = |err: ZipError| Error::storage(format!("cannot write {}", target.display()), err);
    let packed = staging.file("backup.zip");
    pack(&staging, &packed, &names, &mut manifest, &mut progress).map_err(cannot)?;
    verify(&packed, &manifest, &mut progress)?;
    fs::rename(&packed, target).map_err(|err| cannot(err.into()))?;
    Ok(manifest)
}

fn report_pages(
    doing: &'static str,
    progress: &mut impl FnMut(Progress),
) -> impl FnMut(CopyProgress) {
    move |copied| progress(Progress { doing, done: copied.pages, of: copied.of })
}

/// The name of the accounts in a data directory and in a backup.
pub const ACCOUNTS: &str = "accounts.db";
/// The name of the catalogue in a data directory and in a backup.
pub const CATALOGUE: &str = "catalogue.db";

pub(crate) const MANIFEST: &str = "manifest.json";

/// The version of the manifest. A backup with another number was made by a newer program.
pub(crate) const FORMAT: u32 = 1;

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
    /// The current step: `copying catalogue.db`.
    pub doing: &'static str,
    /// How much of that is done.
    pub done: u64,
    /// How much there is to do.
    pub of: u64,
}

/// Packs the copies and the manifest into an archive, which is on disk afterwards.
pub(crate) fn pack(
    staging: &Staging,
    packed: &Path,
    names: &[(&'static str, &'static str)],
    manifest: &mut Manifest,
    progress: &mut impl FnMut(Progress),
) -> Result<(), ZipError> {
    let file = sqlite_file::owner_only().write(true).create_new(true).open(packed)?;
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
pub(crate) fn verify(
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

pub(crate) fn open(backup: &Path) -> Result<ZipArchive<File>> {
    let cannot = |err: ZipError| Error::operation(format!("{}: {err}", backup.display()));
    ZipArchive::new(File::open(backup).map_err(|err| cannot(err.into()))?).map_err(cannot)
}

/// Unpacks one file of an archive. Fails if it is not what the manifest says.
pub(crate) fn unpack(
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

/// How the names of such directories end, after the number of the process.
const PART: &str = ".part";

/// A private directory for files that are not complete yet. It is removed with all that is left in it.
pub(crate) struct Staging(pub(crate) PathBuf);

impl Staging {
    /// On the same file system as the target, so that a finished file only needs to be renamed.
    /// Creates a staging directory beside the target, and removes those of killed programs.
    pub(crate) fn beside(target: &Path) -> Result<Staging> {
        remove_leftovers(target);
        let mut name = target.as_os_str().to_owned();
        name.push(format!(".{}{PART}", std::process::id()));
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let directory = PathBuf::from(name);
        builder
            .create(&directory)
            .map_err(|err| Error::storage(format!("cannot write {}", target.display()), err))?;
        Ok(Staging(directory))
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

/// Removes the directories of programs that have ended, for the same target. Best effort.
fn remove_leftovers(target: &Path) {
    let Some(name) = target.file_name().and_then(|name| name.to_str()) else { return };
    let directory = target.parent().filter(|parent| !parent.as_os_str().is_empty());
    let entries = fs::read_dir(directory.unwrap_or(Path::new("."))).into_iter().flatten();
    for entry in entries.flatten() {
        let file_name = entry.file_name();
        let process = file_name.to_str().and_then(|entry| {
            entry.strip_prefix(name)?.strip_prefix('.')?.strip_suffix(PART)?.parse::<u32>().ok()
        });
        // One with our own number was left by another program: this one has not made it yet.
        if process.is_some_and(|number| number == std::process::id() || !is_running(number)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether a process runs, as far as the system tells. If it does not, nothing is removed.
fn is_running(process: u32) -> bool {
    let processes = Path::new("/proc");
    !processes.join("self").exists() || processes.join(process.to_string()).exists()
}

impl Drop for Staging {
    fn drop(&mut self) {
        // Incomplete files are useless; the name of the directory says so if it cannot be removed.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests;
