//! Restores a backup.
use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
    time::Duration,
};

use chrono::{DateTime, Utc};
use rusqlite::ErrorCode;

use crate::{
    accounts::{Accounts, sqlite_store},
    maintenance::backup::{
        ACCOUNTS, CATALOGUE, FORMAT, MANIFEST, Manifest, Progress, Staging, open, unpack,
    },
    store::{CATALOGUE_SCHEMA, Catalogue, Checkup, deadline, sqlite_file},
    values::{Error, Invalid, Result},
};

/// The first bytes of a database, which is what earlier versions made as a backup of the accounts.
const DATABASE: &[u8; 16] = b"SQLite format 3\0";

/// How long the queries that check a database may take: many times as long as for the largest that there is.
const LONGEST_CHECK: Duration = Duration::from_secs(3600);

/// The longest manifest.
const MOST_MANIFEST: u64 = 1 << 16;

/// The treatment of databases that exist already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Keep them, and restore nothing.
    Refuse,
    /// Rename them, and keep them beside the new ones.
    SetAside,
}

/// The outcome of a restore.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Restored {
    /// The manifest of the backup; a backup of the accounts alone, as earlier versions made it, has none.
    pub manifest: Option<Manifest>,
    /// The names of the restored databases.
    pub files: Vec<&'static str>,
    /// The new paths of the databases that were there before.
    pub set_aside: Vec<PathBuf>,
}

/// Puts the databases of a backup into the data directory `directory`, all of them or none.
///
/// Everything is unpacked and checked first. The caller must make sure that no server is running on the directory.
/// Databases that are not in the backup stay as they are.
///
/// Fails if the backup is damaged, if there are databases already and they are to stay, or with [`Error::Busy`] if an
/// import is running.
pub fn restore(
    backup: &Path,
    directory: &Path,
    existing: Existing,
    now: DateTime<Utc>,
    mut progress: impl FnMut(Progress),
) -> Result<Restored> {
    let cannot = |err| Error::storage(format!("cannot write to {}", directory.display()), err);
    let packed = BackupFile::read(backup)?;
    let files = packed.files()?;
    let there: Vec<PathBuf> =
        files.iter().map(|name| directory.join(name)).filter(|path| path.exists()).collect();
    if existing == Existing::Refuse && !there.is_empty() {
        let files = there.iter().map(|path| path.display().to_string()).collect();
        return Err(Invalid::WouldOverwrite { files }.into());
    }
    fs::create_dir_all(directory).map_err(cannot)?;
    let staging = Staging::beside(&directory.join("restore"))?;
    packed.unpack(&staging, &mut progress)?;
    for name in &files {
        progress(Progress { doing: "checking what was unpacked", done: 0, of: 1 });
        let checkup = check(&staging.file(name), name)?;
        if !checkup.problems.is_empty() {
            let problems = checkup.problems.join("; ");
            return Err(Error::operation(format!("the backup's {name} is damaged: {problems}")));
        }
    }
    there.iter().try_for_each(|path| check_idle(path))?;
    let mut moves = Moves(Vec::new());
    let suffix = format!(".before-restore-{}", now.format("%Y%m%dT%H%M%SZ"));
    let set_aside = files.iter().map(|name| moves.set_aside(&directory.join(name), &suffix));
    let set_aside = set_aside.collect::<std::io::Result<Vec<_>>>().map_err(cannot)?;
    let set_aside = set_aside.into_iter().flatten().collect();
    for name in &files {
        moves.rename(staging.file(name), directory.join(name)).map_err(cannot)?;
    }
    moves.keep();
    // The marker of the accounts, which opening them made.
    let marker = Path::new(ACCOUNTS).with_extension("made");
    let _ = fs::rename(staging.0.join(&marker), directory.join(&marker));
    // Best effort: not every system can sync a directory.
    let _ = File::open(directory).and_then(|directory| directory.sync_all());
    Ok(Restored { manifest: packed.manifest(), files, set_aside })
}

/// A backup of either kind.
enum BackupFile<'p> {
    Archive(&'p Path, Manifest),
    /// The accounts alone, as a database.
    Accounts(&'p Path),
}

impl BackupFile<'_> {
    fn read(backup: &Path) -> Result<BackupFile<'_>> {
        let unreadable =
            |err| Error::operation(format!("{} cannot be read: {err}", backup.display()));
        let mut start = Vec::new();
        let file = File::open(backup).map_err(unreadable)?;
        file.take(DATABASE.len() as u64).read_to_end(&mut start).map_err(unreadable)?;
        if start == DATABASE {
            return Ok(BackupFile::Accounts(backup));
        }
        let no_backup = |why: &dyn std::fmt::Display| {
            Error::operation(format!("{} is not a backup: {why}", backup.display()))
        };
        let mut archive = open(backup).map_err(|err| no_backup(&err))?;
        let manifest = archive.by_name(MANIFEST).map_err(|err| no_backup(&err))?;
        let manifest: Manifest =
            serde_json::from_reader(manifest.take(MOST_MANIFEST)).map_err(|err| no_backup(&err))?;
        if manifest.format != FORMAT {
            return Err(no_backup(&"a newer program made it"));
        }
        Ok(BackupFile::Archive(backup, manifest))
    }

    /// The names of its databases.
    fn files(&self) -> Result<Vec<&'static str>> {
        let BackupFile::Archive(_, manifest) = self else { return Ok(vec![ACCOUNTS]) };
        let known = |name: &str| [ACCOUNTS, CATALOGUE].into_iter().find(|known| *known == name);
        let files = manifest.files.iter().map(|member| {
            let name = crate::values::truncate(&member.name);
            known(&member.name).ok_or_else(|| {
                Error::operation(format!("the backup has a file that is none of ours: {name:?}"))
            })
        });
        let files: Vec<&str> = files.collect::<Result<_>>()?;
        let is_twice = |at: usize| files[..at].contains(&files[at]);
        if files.is_empty() || (0..files.len()).any(is_twice) {
            let why = if files.is_empty() { "it has no files" } else { "it has a file twice" };
            return Err(Error::operation(format!("this backup cannot be restored: {why}")));
        }
        Ok(files)
    }

    fn manifest(self) -> Option<Manifest> {
        match self {
            BackupFile::Archive(_, manifest) => Some(manifest),
            BackupFile::Accounts(_) => None,
        }
    }

    fn unpack(&self, staging: &Staging, progress: &mut impl FnMut(Progress)) -> Result<()> {
        let create = |name: &str| {
            let file =
                sqlite_file::owner_only().write(true).create_new(true).open(staging.file(name));
            file.map_err(|err| Error::storage("cannot unpack the backup", err))
        };
        match self {
            BackupFile::Accounts(backup) => {
                let copied = File::open(backup).and_then(|mut file| {
                    std::io::copy(&mut file, &mut create(ACCOUNTS).map_err(std::io::Error::other)?)
                });
                copied.map(drop).map_err(|err| Error::storage("cannot copy the backup", err))
            }
            BackupFile::Archive(backup, manifest) => {
                let mut archive = open(backup)?;
                for member in &manifest.files {
                    let file = create(&member.name)?;
                    unpack(&mut archive, member, &file, |done| {
                        progress(Progress { doing: "unpacking", done, of: member.bytes });
                    })?;
                    file.sync_all()
                        .map_err(|err| Error::storage("cannot unpack the backup", err))?;
                }
                Ok(())
            }
        }
    }
}

/// Compares the schema of an unpacked database with ours, opens it, which migrates it to the present version, and checks all
/// of it.
fn check(path: &Path, name: &str) -> Result<Checkup> {
    deadline::for_at_most(LONGEST_CHECK, || {
        if name == ACCOUNTS {
            sqlite_file::check_schema(path, &sqlite_store::SCHEMA)?;
            return Accounts::open(path)?.check();
        }
        sqlite_file::check_schema(path, &CATALOGUE_SCHEMA)?;
        Catalogue::open(path)?.check()
    })
}

/// Fails if another program is writing to a database. One that is too damaged to be opened passes.
fn check_idle(path: &Path) -> Result<()> {
    let busy = sqlite_file::attach(path).and_then(|connection| {
        connection.busy_timeout(Duration::from_secs(1))?;
        connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK")
    });
    match busy {
        Err(err) if err.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
            Err(Error::Busy(format!("another program is writing to {}", path.display())))
        }
        _ => Ok(()),
    }
}

/// Files that were renamed; they get their old names back unless everything succeeds.
struct Moves(Vec<(PathBuf, PathBuf)>);

impl Moves {
    fn rename(&mut self, from: PathBuf, to: PathBuf) -> std::io::Result<()> {
        fs::rename(&from, &to)?;
        self.0.push((from, to));
        Ok(())
    }

    /// Renames a database, if there is one, together with what SQLite keeps beside it: without its log it would lack the
    /// newest rows. A log without a database goes too: SQLite would write it into the next one of that name.
    fn set_aside(&mut self, path: &Path, suffix: &str) -> std::io::Result<Option<PathBuf>> {
        let was_there = path.exists();
        let named = |path: &Path, suffix: &str| {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            PathBuf::from(name)
        };
        let aside = named(path, suffix);
        for part in ["", "-wal", "-shm"] {
            let from = named(path, part);
            if from.exists() {
                self.rename(from, named(&aside, part))?;
            }
        }
        Ok(was_there.then_some(aside))
    }

    fn keep(&mut self) {
        self.0.clear();
    }
}

impl Drop for Moves {
    fn drop(&mut self) {
        for (from, to) in self.0.drain(..).rev() {
            // Nothing better can be done: the error that led here is reported.
            let _ = fs::rename(to, from);
        }
    }
}
