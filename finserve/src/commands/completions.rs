//! `finserve completions`: what a shell needs to complete commands and flags.
use clap::CommandFactory;

use super::{Failure, terminal::print};
use crate::cli::{self, Cli};

pub(crate) fn run(args: &cli::Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "finserve", &mut script);
    print(&String::from_utf8_lossy(&script))
}
