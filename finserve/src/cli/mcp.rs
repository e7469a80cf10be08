//! The arguments of `mcp`.
use clap::Args;

use super::Whom;

#[derive(Debug, Args)]
pub(crate) struct Mcp {
    #[command(flatten)]
    pub(crate) whom: Whom,
}
