//! The `finserve` program: serves Brazil's financial data over HTTP, and looks after that data.
mod access;
mod accounts;
mod answer;
mod cli;
mod client;
mod encoding;
mod housekeeping;
mod import;
mod params;
mod reply;
mod routes;
mod server;

use std::{path::Path, process::ExitCode};

use clap::Parser;
use fincore::{Accounts, Catalogue, Error, Result, bundle};

use crate::cli::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = match cli.command.unwrap_or(Command::Serve(cli.serve)) {
        Command::Serve(args) => server::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Keys(args) => accounts::keys(args),
        Command::Usage(args) => accounts::usage(&args),
        Command::Backup(args) => accounts::backup(&args),
        Command::Check(args) => accounts::check(&args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(err) => {
            eprintln!("finserve: {err}");
            ExitCode::FAILURE
        }
    }
}

/// Opens the catalogue of a data directory; a new one is given the bundled data.
fn open_catalogue(data: &Path) -> Result<Catalogue> {
    create(data)?;
    let catalogue = Catalogue::open(data.join("catalogue.db"))?;
    bundle::fill(&catalogue)?;
    Ok(catalogue)
}

/// Opens the accounts of a data directory; a new one has none.
fn open_accounts(data: &Path) -> Result<Accounts> {
    create(data)?;
    Accounts::open(data.join("accounts.db"))
}

fn create(data: &Path) -> Result<()> {
    std::fs::create_dir_all(data).map_err(|err| Error::Storage {
        context: format!("cannot create the data directory {}", data.display()),
        source: err.into(),
    })
}
