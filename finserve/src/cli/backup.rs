//! The flags of `backup` and `restore`.
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use fincore::backup::{Contents, Existing};

#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// The file to write; it must not exist yet
    pub(crate) file: PathBuf,
    /// Only this part: accounts, which cannot be had again
    #[arg(long, value_name = "PART")]
    only: Option<Part>,
}

/// A part of a backup.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Part {
    /// Keys, usage and webhooks
    Accounts,
}

impl Backup {
    pub(crate) fn contents(&self) -> Contents {
        match self.only {
            Some(Part::Accounts) => Contents::Accounts,
            None => Contents::All,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// A file that backup has written
    pub(crate) file: PathBuf,
    /// Put it in the place of data that is there, which is kept beside as ….before-restore-TIME
    #[arg(long)]
    replace: bool,
}

impl Restore {
    pub(crate) fn existing(&self) -> Existing {
        if self.replace { Existing::SetAside } else { Existing::Refuse }
    }
}
