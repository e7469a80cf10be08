//! `finserve backup`: copies both databases into one file while they are in use.
use fincore::backup::{self, Progress};
use indicatif::ProgressBar;

use super::{
    Failure,
    accounts::Place,
    data::{ACCOUNTS, CATALOGUE, existing},
    terminal::{print, progress},
};
use crate::{cli, cluster::publication::follows, now::Now};

pub(crate) fn run(place: Place<'_>, args: &cli::Backup) -> Result<(), Failure> {
    match args.contents() {
        backup::Contents::All if follows(place.data) => {
            let words = "this server follows a published catalogue, which is kept where it is published: --only accounts \
                backs up the rest";
            return Err(Failure::Said(words.to_owned()));
        }
        backup::Contents::All => drop(existing(place.data, CATALOGUE)?),
        backup::Contents::Accounts if place.are_in_directory() => {
            existing(place.data, ACCOUNTS)?;
        }
        backup::Contents::Accounts => (),
    }
    let elsewhere = if place.are_in_directory() { None } else { Some(place.existing()?) };
    let mut bar = None;
    let (contents, now) = (args.contents(), Now::read().utc);
    let written =
        backup::write(place.data, elsewhere.as_ref(), &args.file, contents, now, |step| {
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
