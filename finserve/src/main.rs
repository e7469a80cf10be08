//! The `finserve` program: serves Brazil's financial data over HTTP, and looks after that data.
mod admin;
mod api;
mod ask;
mod base_path;
mod bell;
mod build;
mod bundled;
mod cli;
mod cluster;
mod commands;
mod deliver;
mod election;
mod housekeeping;
mod http;
mod jitter;
mod lock;
mod log;
mod mcp;
mod metrics;
mod names;
mod now;
mod offer;
mod ordered;
mod outgoing;
mod pages;
mod ready;
mod sources;
mod stop;
mod tls;
mod turn;
mod typed;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::Cli::complete();
    let cli = cli::Cli::read();
    match cli.log() {
        Some(settings) => log::for_server(settings),
        None => log::for_commands(),
    }
    let code = match commands::run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            tracing::error!("{failure}");
            failure.code()
        }
    };
    log::finish();
    code
}
