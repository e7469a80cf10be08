//! The `finserve` program: serves Brazil's financial data over HTTP, and looks after that data.
mod bell;
mod cli;
mod commands;
mod deliver;
mod housekeeping;
mod http;
mod jitter;
mod lock;
mod log;
mod names;
mod now;
mod pages;
mod sources;
mod stop;
mod tls;
mod turn;

use std::process::ExitCode;

fn main() -> ExitCode {
    match commands::run(cli::Cli::read()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            log::log(format_args!("{failure}"));
            ExitCode::FAILURE
        }
    }
}
