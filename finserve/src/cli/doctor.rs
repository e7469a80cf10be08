//! The flags of `doctor`.
use clap::Args;

use super::{
    serve::{Socket, host_and_port},
    sync::Addresses,
};
use crate::sources::BaseUrl;

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Do not contact the publishers
    #[arg(long)]
    pub(crate) offline: bool,
    /// Public URL of the server: check that its certificate is valid and that callers' addresses arrive
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<BaseUrl>,
    /// Only check whether the server with this --admin address is ready
    #[arg(long, value_name = "ADDRESS", value_parser = host_and_port, conflicts_with = "url")]
    pub(crate) ready: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) socket: Socket,
    #[command(flatten)]
    pub(crate) addresses: Addresses,
}
