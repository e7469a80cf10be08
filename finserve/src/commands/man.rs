//! `finserve man`: the manual pages.
use std::fs;

use clap::CommandFactory;
use fincore::Key;

use super::{Failure, output::terminal::print};
use crate::cli::{self, Cli};

/// Writes `finserve.1`, and a page for each command, such as `finserve-keys-create.1`.
pub(crate) fn run(args: &cli::Man) -> Result<(), Failure> {
    let directory = &args.directory;
    let cannot = || Failure::system(format!("cannot write to {}", directory.display()));
    fs::create_dir_all(directory).map_err(cannot())?;
    // The examples at the end are coloured for a terminal.
    let command = Cli::command().after_help(strip_colour(cli::EXAMPLES));
    clap_mangen::generate_to(command, directory).map_err(cannot())?;
    let pages = fs::read_dir(directory).map_err(cannot())?;
    let pages =
        pages.flatten().filter(|page| page.path().extension().is_some_and(|end| end == "1"));
    print(&Key::redact(&format!("{}: {} manual pages\n", directory.display(), pages.count())))
}

/// Text without the codes for bold letters.
fn strip_colour(text: &str) -> String {
    text.replace("\x1b[1m", "").replace("\x1b[0m", "")
}
