//! The flags of `publish`.
use clap::Args;

use crate::cluster::publication::{Direction, TypedTarget};

#[derive(Debug, Args)]
pub(crate) struct Publish {
    /// A directory, or s3://bucket/prefix with the store's endpoint, region and keys in AWS_* variables
    pub(crate) target: TypedTarget,
    /// Publish also what is older than what is published, or another catalogue
    #[arg(long)]
    force: bool,
}

impl Publish {
    /// What it may take the place of.
    pub(crate) fn direction(&self) -> Direction {
        if self.force { Direction::Anywhere } else { Direction::Forwards }
    }
}
