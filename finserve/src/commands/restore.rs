//! `finserve restore`: puts a backup back, where no server runs.
use std::path::Path;

use fincore::{
    Error,
    backup::{self, Existing},
};

use super::{Failure, backup::show, data::lock_against_servers, terminal::print};
use crate::{cli, now::Now};

pub(crate) fn run(data: &Path, args: &cli::Restore) -> Result<(), Failure> {
    let _lock = lock_against_servers(data)?;
    let mut bar = None;
    let restored = backup::restore(&args.file, data, args.existing(), Now::read().utc, |step| {
        show(&mut bar, step);
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let restored = restored.map_err(|err| match (err, args.existing()) {
        (Error::Invalid(why), Existing::Refuse) if why.ends_with("would be overwritten") => {
            Failure::Said(format!(
                "{why}; --replace keeps what is there beside, and puts the backup in its place"
            ))
        }
        (err, _) => err.into(),
    })?;
    let mut report = format!("{} restored and verified\n", restored.files.join(" and "));
    for path in restored.set_aside {
        report += &format!("  what was there before is now {}\n", path.display());
    }
    print(&report)
}
