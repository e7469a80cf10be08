//! The flags of `backup` and `restore`.
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use fincore::backup::{Contents, Existing};

#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// The file to write; it must not exist yet
    pub(crate) file: PathBuf,
    /// Back up only this part: accounts, which cannot be downloaded again
    #[arg(long, value_name = "PART")]
    only: Option<BackupPart>,
}

/// A part of a backup.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum BackupPart {
    /// Keys, usage and webhooks
    Accounts,
}

impl Backup {
    pub(crate) fn contents(&self) -> Contents {
        match self.only {
            Some(BackupPart::Accounts) => Contents::Accounts,
            None => Contents::All,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// A file written by backup
    pub(crate) file: PathBuf,
    /// Replace existing data; the old files are kept as ….before-restore-TIME
    #[arg(long)]
    replace: bool,
}

impl Restore {
    pub(crate) fn existing_files(&self) -> Existing {
        if self.replace { Existing::SetAside } else { Existing::Refuse }
    }
}
