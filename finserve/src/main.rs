//! The `finserve` program: serves Brazil's financial data over HTTP, and looks after that data.
mod cli;
mod commands;
mod housekeeping;
mod http;
mod log;
mod names;
mod now;
mod pages;
mod sources;
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
