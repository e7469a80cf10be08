//! The flags of `publish`.
use clap::Args;

use crate::cluster::publication::{Direction, TypedTarget};

#[derive(Debug, Args)]
pub(crate) struct Publish {
    /// Where to publish: a directory or, in a build with the feature `cluster`, s3://bucket/prefix, with the store's
    /// endpoint, region and keys in AWS_* variables
    pub(crate) target: TypedTarget,
    /// Publish even if the published copy is newer or comes from another catalogue
    #[arg(long)]
    force: bool,
}

impl Publish {
    /// Which published catalogues it may replace.
    pub(crate) fn direction(&self) -> Direction {
        if self.force { Direction::Anywhere } else { Direction::Forwards }
    }
}
