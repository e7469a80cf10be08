//! The flags of `doctor`.
use clap::Args;

use super::{serve::host_and_port, sync::Addresses};
use crate::sources::Base;

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Ask no publisher
    #[arg(long)]
    pub(crate) offline: bool,
    /// Public address of the server, such as example.org by https: is TLS valid, do callers' addresses arrive?
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<Base>,
    /// Only ask whether the server with this --admin address is ready
    #[arg(long, value_name = "ADDRESS", value_parser = host_and_port, conflicts_with = "url")]
    pub(crate) ready: Option<String>,
    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Where the server listens behind its proxy, to compare it with --url
    #[arg(
        long,
        value_name = "ADDRESS",
        env = "FINSERVE_LISTEN",
        default_value = "127.0.0.1:8080",
        value_parser = host_and_port
    )]
    pub(crate) listen: String,
    /// The most connections that the server is to have
    #[arg(long, value_name = "NUMBER", env = "FINSERVE_MAX_CONNECTIONS", default_value_t = 4096)]
    pub(crate) max_connections: u32,
    #[command(flatten)]
    pub(crate) addresses: Addresses,
}
