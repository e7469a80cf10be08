//! The arguments of `completions` and `man`.
use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell that is to read them
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Where to write them; it is made if it is missing
    #[arg(value_name = "DIRECTORY")]
    pub(crate) directory: PathBuf,
}
