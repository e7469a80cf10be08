//! `finserve restore`: puts a backup back, where no server runs.
use std::path::Path;

use fincore::{
    Error, Invalid,
    backup::{self, Existing},
};

use super::{
    Failure, backup::show_progress, data_directory::lock_against_servers, output::terminal::print,
};
use crate::{cli, coordination::clock::Now};

pub(crate) fn run(data: &Path, args: &cli::Restore) -> Result<(), Failure> {
    let (lock, new) = lock_against_servers(data)?;
    let mut bar = None;
    let restored =
        backup::restore(&args.file, data, args.existing_files(), Now::read().utc, |step| {
            show_progress(&mut bar, step);
        });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    if restored.is_err() {
        new.remove();
    }
    drop(lock);
    let restored = restored.map_err(|err| match (err, args.existing_files()) {
        (Error::Invalid(why @ Invalid::WouldOverwrite { .. }), Existing::Refuse) => {
            Failure::Message(format!(
                "{why}; --replace sets the existing files aside and puts the backup in their place"
            ))
        }
        (err, _) => err.into(),
    })?;
    let mut report = format!("{} restored and verified\n", restored.files.join(" and "));
    for path in restored.set_aside {
        report += &format!("  the previous file is now {}\n", path.display());
    }
    print(&report)
}
