//! The data directory.
use std::{
    fs,
    path::{Path, PathBuf},
};

use fincore::{Accounts, Catalogue, bundle};

use super::{Failure, terminal};

pub(crate) const CATALOGUE: &str = "catalogue.db";
pub(crate) const ACCOUNTS: &str = "accounts.db";

/// Opens the catalogue of a data directory; a new one is filled with the bundled data.
pub(crate) fn open_catalogue(data: &Path) -> Result<Catalogue, Failure> {
    Ok(open_or_fill(data)?.0)
}

/// The same, and whether it was filled.
pub(crate) fn open_or_fill(data: &Path) -> Result<(Catalogue, bool), Failure> {
    create(data)?;
    let catalogue = Catalogue::open(data.join(CATALOGUE))?;
    let mut bar = None;
    let filled = bundle::fill_with(&catalogue, |step| {
        let bar = bar.get_or_insert_with(|| terminal::progress(step.tables as u64, "tables"));
        bar.set_position(step.done as u64);
        bar.set_message(format!("first start: storing {}", step.table));
    })?;
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    Ok((catalogue, filled))
}

/// Opens the accounts of a data directory; a new one has none.
pub(crate) fn open_accounts(data: &Path) -> Result<Accounts, Failure> {
    create(data)?;
    Ok(Accounts::open(data.join(ACCOUNTS))?)
}

/// A look at data must not create it.
pub(crate) fn existing(data: &Path, name: &str) -> Result<PathBuf, Failure> {
    let path = data.join(name);
    // A link to nothing counts: whoever opens it says what is wrong.
    if path.exists() || path.is_symlink() {
        return Ok(path);
    }
    Err(Failure::Said(format!(
        "there is no {}; name the data directory with --data",
        path.display()
    )))
}

fn create(data: &Path) -> Result<(), Failure> {
    let cannot = format!("cannot create the data directory {}", data.display());
    fs::create_dir_all(data).map_err(Failure::system(cannot))
}
