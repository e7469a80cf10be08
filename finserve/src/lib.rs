//! The `finserve` program as a library: serves Brazil's financial data over HTTP, and looks after that data.
mod api_client;
mod cli;
mod cluster;
mod commands;
mod coordination;
mod delivery;
mod errors;
mod http;
mod mcp;
mod net;
mod observe;
mod openapi;
mod pages;
mod site;
mod sources;

use std::process::ExitCode;

pub use commands::{serve::embedded::Server, sync::run_in_process as sync};
pub use coordination::clock::Clock;

/// Runs the command that the arguments of this process name, and says how it ended.
pub fn run() -> ExitCode {
    cli::Cli::complete();
    let cli = cli::Cli::read();
    match cli.log() {
        Some(settings) => observe::log::start_for_server(settings),
        None => observe::log::start_for_command(),
    }
    let code = match commands::run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            tracing::error!("{failure}");
            failure.code()
        }
    };
    observe::log::finish();
    code
}
