//! `finserve backup`: copies both databases into one file while they are in use.
use std::path::Path;

use fincore::backup::{self, Progress};
use indicatif::ProgressBar;

use super::{
    Failure,
    data::{ACCOUNTS, CATALOGUE, existing},
    terminal::{print, progress},
};
use crate::{cli, now::Now};

pub(crate) fn run(data: &Path, args: &cli::Backup) -> Result<(), Failure> {
    let needed = match args.contents() {
        backup::Contents::All => CATALOGUE,
        backup::Contents::Accounts => ACCOUNTS,
    };
    existing(data, needed)?;
    let mut bar = None;
    let written = backup::write(data, &args.file, args.contents(), Now::read().utc, |step| {
        show(&mut bar, step);
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let files: Vec<String> = written?.files.into_iter().map(|member| member.name).collect();
    let (file, files) = (args.file.display(), files.join(" and "));
    print(&format!("{file}: backup of {files} complete and verified\n"))
}

/// Shows how far it is.
pub(super) fn show(bar: &mut Option<ProgressBar>, step: Progress) {
    let bar = bar.get_or_insert_with(|| progress(100, "%"));
    bar.set_position(100 * step.done / step.of.max(1));
    bar.set_message(step.doing);
}
