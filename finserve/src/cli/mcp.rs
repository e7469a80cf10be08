//! The arguments of `mcp`.
use clap::Args;

use super::RemoteOptions;

#[derive(Debug, Args)]
pub(crate) struct Mcp {
    #[command(flatten)]
    pub(crate) remote: RemoteOptions,
}
