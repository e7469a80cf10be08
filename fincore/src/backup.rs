//! Backups: the accounts and the catalogue of a data directory in one file, made while they are in use, and put back.
//!
//! The file is a ZIP archive with `accounts.db`, `catalogue.db` and `manifest.json`, which says what they should be.
//! The databases can be unpacked and used without this library.
use std::{fs, path::Path};

use chrono::{DateTime, Utc};
use zip::result::ZipError;

use crate::{
    accounts::{self, Accounts},
    catalogue,
    error::{Error, Result},
    sqlite::{self, CopyProgress},
};

mod archive;
mod restore;
mod staging;
pub use archive::{ACCOUNTS, CATALOGUE, Manifest, Member, Progress};
use archive::{FORMAT, pack, verify};
pub use restore::{Existing, Restored, restore};
use staging::Staging;

/// What a backup holds.
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
        sqlite::copy(&accounts, &staging.file(ACCOUNTS), &accounts::SCHEMA, &mut report)?;
        names.push((ACCOUNTS, "packing accounts.db"));
    }
    if contents == Contents::All {
        let copy = staging.file(CATALOGUE);
        let mut report = report_pages("copying catalogue.db", &mut progress);
        sqlite::copy(&directory.join(CATALOGUE), &copy, &catalogue::SCHEMA, &mut report)?;
        manifest.data_version = Some(catalogue::version_of(&sqlite::attach(&copy)?)?);
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

#[cfg(test)]
#[cfg(feature = "import")]
mod tests;
