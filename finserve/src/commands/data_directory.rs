//! The data directory.
use std::{
    fs, io,
    path::{Path, PathBuf},
};

pub(crate) use fincore::backup::{ACCOUNTS, CATALOGUE};
use fincore::{Accounts, Catalogue, ErrorKind, Remedy, bundle};
use indicatif::ProgressBar;
use tempfile::TempDir;

use super::{Failure, descriptor_limits, output::terminal};
use crate::{
    api_client::bundled_data,
    cluster::publication::{holds_publication, served_file},
    coordination::directory_lock::{ExclusiveTask, Lock, Sharing},
};

/// Opens the catalogue of a data directory; a new one is filled with the bundled data.
pub(crate) fn open_catalogue(data: &Path) -> Result<Catalogue, Failure> {
    Ok(open_or_fill(data)?.0)
}

/// A data directory that is only read.
#[derive(Clone, Copy)]
pub(crate) struct ReadOnlyData<'a> {
    pub(crate) data: &'a Path,
    pub(crate) by_default: bool,
}

impl ReadOnlyData<'_> {
    /// Opens its catalogue without changing it. If there is none and the command line names no directory, opens the bundled
    /// data: in the user's cache, or else in a temporary directory that lasts as long as the second value.
    pub(crate) fn open(self) -> Result<(Catalogue, Option<TempDir>), Failure> {
        let path = find_catalogue(self.data);
        if path.is_ok() || !self.by_default {
            return Ok((self.open_to_read(&path?)?, None));
        }
        let mut bar = None;
        let (path, temporary) = match bundled_data::store(|step| show_progress(&mut bar, step)) {
            Ok(path) => (path, None),
            Err(_) => {
                let directory = TempDir::new().map_err(cannot_store())?;
                let path =
                    bundled_data::fill(directory.path(), |step| show_progress(&mut bar, step));
                (path.map_err(cannot_store())?, Some(directory))
            }
        };
        clear(bar);
        tracing::info!(
            "there is no {}: using the bundled data; `finserve sync` downloads newer data",
            self.data.display()
        );
        Ok((Catalogue::open(path)?, temporary))
    }

    /// Opens a catalogue without changing it; a failure says what to run.
    fn open_to_read(self, path: &Path) -> Result<Catalogue, Failure> {
        let data = self.data.display();
        Catalogue::open_to_read(path).map_err(|err| match err.kind() {
            ErrorKind::Outdated => Failure::Message(format!(
                "{err}: stop all servers of that version, then run finserve check --data {data} once to bring it up to date"
            )),
            _ => err.into(),
        })
    }
}

fn cannot_store() -> impl FnOnce(io::Error) -> Failure {
    Failure::system("the bundled data cannot be stored; name a data directory with --data")
}

/// Opens the catalogue of a data directory, and returns whether it was new and had to be filled.
pub(crate) fn open_or_fill(data: &Path) -> Result<(Catalogue, bool), Failure> {
    create(data)?;
    let catalogue =
        Catalogue::open_with_readers(data.join(CATALOGUE), descriptor_limits::readers())?;
    let mut bar = None;
    let filled = bundle::fill_with(&catalogue, |step| show_progress(&mut bar, step));
    let filled = filled.map_err(|err| explain_unusable(data, err))?;
    clear(bar);
    Ok((catalogue, filled))
}

fn show_progress(bar: &mut Option<ProgressBar>, step: bundle::FillStep) {
    let bar = bar.get_or_insert_with(|| terminal::progress(step.tables as u64, "tables"));
    bar.set_position(step.done as u64);
    bar.set_message(format!("first start: storing {}", step.table));
}

fn clear(bar: Option<ProgressBar>) {
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

/// Says why a catalogue that can be opened cannot be used, and what helps.
pub(crate) fn explain_unusable(data: &Path, err: fincore::Error) -> Failure {
    if !err.is_damage() {
        return err.into();
    }
    let path = data.join(CATALOGUE);
    Failure::Message(format!(
        "{} is damaged ({err}): {}",
        path.display(),
        advice(CATALOGUE, Remedy::Restore)
    ))
}

/// The advice for a damaged file.
pub(super) fn advice(file: &str, remedy: Remedy) -> String {
    match (file, remedy) {
        (CATALOGUE, Remedy::Rebuild) => "`finserve rebuild` repairs it".to_owned(),
        (CATALOGUE, Remedy::Restore) => format!(
            "restore a backup of {CATALOGUE}, or move it away to start again from the bundled \
             data, and import your files again"
        ),
        (file, _) => format!("restore a backup of {file}"),
    }
}

/// Locks the data directory for a server: for it alone, or together with other servers that share it.
pub(crate) fn lock_for_server(data: &Path, sharing: Sharing) -> Result<Lock, Failure> {
    create(data)?;
    Lock::for_server(data, sharing).map_err(|err| Failure::Message(err.to_string()))
}

/// Makes sure that no server runs on a data directory, and that none starts meanwhile. Returns what had to be created for that.
pub(crate) fn lock_against_servers(data: &Path) -> Result<(Lock, NewPaths), Failure> {
    let new = NewPaths::missing(data);
    create(data)?;
    let lock = Lock::for_server(data, Sharing::Alone).map_err(|_| {
        Failure::Message(format!("a server is running on {}: stop it first", data.display()))
    })?;
    Ok((lock, new))
}

/// The lock and the directories that did not exist before a command began.
pub(crate) struct NewPaths {
    lock: Option<PathBuf>,
    /// The innermost first.
    directories: Vec<PathBuf>,
}

impl NewPaths {
    fn missing(data: &Path) -> NewPaths {
        let lock = data.join(ExclusiveTask::Serve.file());
        let is_named = |path: &&Path| !path.as_os_str().is_empty();
        let missing = data.ancestors().take_while(is_named).take_while(|path| !path.exists());
        NewPaths {
            lock: (!lock.exists()).then_some(lock),
            directories: missing.map(Path::to_owned).collect(),
        }
    }

    /// Removes them again, while the lock is held. A directory that something else was put into stays.
    pub(crate) fn remove(self) {
        if let Some(lock) = self.lock {
            let _ = fs::remove_file(lock);
        }
        for directory in self.directories {
            let _ = fs::remove_dir(directory);
        }
    }
}

/// The path of a file of the data directory. Fails if there is none: a command that only reads must not create it.
pub(crate) fn find_file(data: &Path, name: &str) -> Result<PathBuf, Failure> {
    let path = data.join(name);
    // A dangling link counts as a file, and so do lost accounts: opening them reports what is wrong.
    let is_lost = name == ACCOUNTS && Accounts::are_missing(&path);
    if path.exists() || path.is_symlink() || is_lost {
        return Ok(path);
    }
    Err(Failure::Message(format!(
        "there is no {}; name the data directory with --data",
        path.display()
    )))
}

/// The failure where there is no data directory.
pub(crate) fn no_directory(data: &Path) -> Failure {
    Failure::Message(format!("there is no directory {}; name it with --data", data.display()))
}

/// The path of the catalogue to read: the local copy, if the servers of this directory follow a published catalogue.
pub(crate) fn find_catalogue(data: &Path) -> Result<PathBuf, Failure> {
    served_file(data).map_or_else(|| find_file(data, CATALOGUE), Ok)
}

/// Refuses to change a catalogue that no server serves, because the servers follow a published one.
pub(crate) fn refuse_followed(data: &Path) -> Result<(), Failure> {
    if !holds_publication(data) {
        return Ok(());
    }
    let data = data.display();
    Err(Failure::Message(format!(
        "the servers of {data} follow a published catalogue: do this in the data directory that it is published from; to \
         stop following it, delete {data}/published"
    )))
}

/// Refuses to change a data directory that a newer version has used: it may have changed more than the accounts.
pub(crate) fn refuse_newer(data: &Path) -> Result<(), Failure> {
    Ok(Accounts::refuse_newer(&data.join(ACCOUNTS))?)
}

pub(super) fn create(data: &Path) -> Result<(), Failure> {
    let cannot = format!("cannot create the data directory {}", data.display());
    fs::create_dir_all(data).map_err(Failure::system(cannot))
}
