//! The data directory.
use std::{
    fs, io,
    path::{Path, PathBuf},
};

pub(crate) use fincore::backup::{ACCOUNTS, CATALOGUE};
use fincore::{Accounts, Catalogue, ErrorKind, bundle};
use indicatif::ProgressBar;
use tempfile::TempDir;

use super::{Failure, descriptors, terminal};
use crate::{
    bundled,
    cluster::publication::{follows, served},
    lock::{Lock, Sharing},
};

/// Opens the catalogue of a data directory; a new one is filled with the bundled data.
pub(crate) fn open_catalogue(data: &Path) -> Result<Catalogue, Failure> {
    Ok(open_or_fill(data)?.0)
}

/// A data directory that is only looked at.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) data: &'a Path,
    /// Whether nobody named it.
    pub(crate) by_default: bool,
}

impl Seen<'_> {
    /// Opens its catalogue, and changes nothing about it. Where there is none and nobody named a directory, that is the bundled data, in the cache of the
    /// user, or in a directory that lasts as long as the second value.
    pub(crate) fn open(self) -> Result<(Catalogue, Option<TempDir>), Failure> {
        let path = existing_catalogue(self.data);
        if path.is_ok() || !self.by_default {
            return Ok((self.look(&path?)?, None));
        }
        let mut bar = None;
        let (path, kept) = match bundled::store(|step| show_step(&mut bar, step)) {
            Ok(path) => (path, None),
            Err(_) => {
                let directory = TempDir::new().map_err(cannot_store())?;
                let path = bundled::fill(directory.path(), |step| show_step(&mut bar, step));
                (path.map_err(cannot_store())?, Some(directory))
            }
        };
        clear(bar);
        tracing::info!(
            "no {} here: this is the bundled data; finserve sync fetches what is new",
            self.data.display()
        );
        Ok((Catalogue::open(path)?, kept))
    }

    /// Opens a catalogue without changing anything about it, and says what to run where that cannot be.
    fn look(self, path: &Path) -> Result<Catalogue, Failure> {
        let data = self.data.display();
        Catalogue::open_to_read(path).map_err(|err| match err.kind() {
            ErrorKind::Outdated => Failure::Said(format!(
                "{err}: stop servers of that version, then run finserve check --data {data} once, which brings it up to date"
            )),
            ErrorKind::Unavailable if path.is_file() && !is_writable(path.parent()) => {
                Failure::Said(format!(
                    "{err}: {data} cannot be written to, which SQLite needs where no server has the file open; start a \
                     server, run this as the owner of the directory, or name a copy of it with --data"
                ))
            }
            _ => err.into(),
        })
    }
}

/// Whether files can be created in a directory.
fn is_writable(directory: Option<&Path>) -> bool {
    directory.is_some_and(|directory| tempfile::tempfile_in(directory).is_ok())
}

fn cannot_store() -> impl FnOnce(io::Error) -> Failure {
    Failure::system("the bundled data cannot be stored; name a data directory with --data")
}

/// The same, and whether it was filled.
pub(crate) fn open_or_fill(data: &Path) -> Result<(Catalogue, bool), Failure> {
    create(data)?;
    let catalogue = Catalogue::open_with_readers(data.join(CATALOGUE), descriptors::readers())?;
    let mut bar = None;
    let filled = bundle::fill_with(&catalogue, |step| show_step(&mut bar, step));
    let filled = filled.map_err(|err| unusable(data, err))?;
    clear(bar);
    Ok((catalogue, filled))
}

fn show_step(bar: &mut Option<ProgressBar>, step: bundle::Step) {
    let bar = bar.get_or_insert_with(|| terminal::progress(step.tables as u64, "tables"));
    bar.set_position(step.done as u64);
    bar.set_message(format!("first start: storing {}", step.table));
}

fn clear(bar: Option<ProgressBar>) {
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

/// Why a catalogue that can be opened cannot be used, and what helps.
pub(crate) fn unusable(data: &Path, err: fincore::Error) -> Failure {
    if !matches!(err.kind(), ErrorKind::Unavailable) {
        return err.into();
    }
    let path = data.join(CATALOGUE);
    Failure::Said(format!(
        "{} is damaged or cannot be read ({err}): restore a backup, or delete it to start again from the bundled data, \
         and repeat your imports",
        path.display()
    ))
}

/// Takes the data directory for a server, alone or together with others that agree to that.
pub(crate) fn lock_for_server(data: &Path, sharing: Sharing) -> Result<Lock, Failure> {
    create(data)?;
    Lock::serve(data, sharing).map_err(|taken| Failure::Said(taken.to_string()))
}

/// Makes sure that no server runs on a data directory, and that none starts meanwhile.
pub(crate) fn lock_against_servers(data: &Path) -> Result<Lock, Failure> {
    create(data)?;
    Lock::serve(data, Sharing::Alone).map_err(|_| {
        Failure::Said(format!("a server is running on {}: stop it first", data.display()))
    })
}

/// A look at data must not create it.
pub(crate) fn existing(data: &Path, name: &str) -> Result<PathBuf, Failure> {
    let path = data.join(name);
    // A link to nothing counts, and so do accounts that are lost: whoever opens it says what is wrong.
    let is_lost = name == ACCOUNTS && Accounts::are_missing(&path);
    if path.exists() || path.is_symlink() || is_lost {
        return Ok(path);
    }
    Err(Failure::Said(format!(
        "there is no {}; name the data directory with --data",
        path.display()
    )))
}

/// The catalogue of a data directory, to look at: what a server that follows a published one serves.
pub(crate) fn existing_catalogue(data: &Path) -> Result<PathBuf, Failure> {
    served(data).map_or_else(|| existing(data, CATALOGUE), Ok)
}

/// Refuses to change data that nobody would see.
pub(crate) fn refuse_followed(data: &Path) -> Result<(), Failure> {
    if !follows(data) {
        return Ok(());
    }
    let data = data.display();
    Err(Failure::Said(format!(
        "the servers of {data} follow a published catalogue: do this in the data directory that it is published from; to \
         end following, delete {data}/published"
    )))
}

pub(super) fn create(data: &Path) -> Result<(), Failure> {
    let cannot = format!("cannot create the data directory {}", data.display());
    fs::create_dir_all(data).map_err(Failure::system(cannot))
}
