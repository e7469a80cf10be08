//! `finserve backup`: copies both databases into one file while they are in use.
use fincore::backup::{self, Progress};
use indicatif::ProgressBar;

use super::{
    Failure,
    accounts::AccountsLocation,
    data_directory::{ACCOUNTS, CATALOGUE, find_file},
    output::terminal::{print, progress},
};
use crate::{cli, cluster::publication::holds_publication, coordination::clock::Now};

pub(crate) fn run(location: AccountsLocation<'_>, args: &cli::Backup) -> Result<(), Failure> {
    match args.contents() {
        backup::Contents::All if holds_publication(location.data) => {
            let message = "this server follows a published catalogue, which is backed up where it \
                is published: --only accounts backs up the rest";
            return Err(Failure::Message(message.to_owned()));
        }
        backup::Contents::All => drop(find_file(location.data, CATALOGUE)?),
        backup::Contents::Accounts if location.are_in_directory() => {
            find_file(location.data, ACCOUNTS)?;
        }
        backup::Contents::Accounts => (),
    }
    let in_postgres =
        if location.are_in_directory() { None } else { Some(location.open_existing()?) };
    let mut bar = None;
    let (contents, now) = (args.contents(), Now::read().utc);
    let written =
        backup::write(location.data, in_postgres.as_ref(), &args.file, contents, now, |step| {
            show_progress(&mut bar, step);
        });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let files: Vec<String> = written?.files.into_iter().map(|member| member.name).collect();
    let (file, files) = (args.file.display(), files.join(" and "));
    print(&format!("{file}: backup of {files} complete and verified\n"))
}

/// Shows the progress of a backup.
pub(super) fn show_progress(bar: &mut Option<ProgressBar>, step: Progress) {
    let bar = bar.get_or_insert_with(|| progress(100, "%"));
    bar.set_position(100 * step.done / step.of.max(1));
    bar.set_message(step.doing);
}
