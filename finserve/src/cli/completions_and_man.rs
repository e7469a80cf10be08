//! The arguments of `completions` and `man`.
use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell to print completions for
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Directory to write the pages to; created if it is missing
    #[arg(value_name = "DIRECTORY")]
    pub(crate) directory: PathBuf,
}
