//! The `finserve` program: serves Brazil's financial data over HTTP, and looks after that data.
mod access;
mod accounts;
mod answer;
mod cli;
mod client;
mod encoding;
mod housekeeping;
mod import;
mod pages;
mod params;
mod reply;
mod request;
mod routes;
mod server;

use std::{
    fmt,
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

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
            log(format_args!("{err}"));
            ExitCode::FAILURE
        }
    }
}

/// Writes to the output. A reader who has seen enough is no failure.
fn print(text: &str) -> Result<()> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(err) if err.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::Storage { context: "cannot write the output".into(), source: err.into() })
        }
        _ => Ok(()),
    }
}

/// Tells the operator. Where nobody listens there is nothing more to do.
fn log(message: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "finserve: {message}");
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
