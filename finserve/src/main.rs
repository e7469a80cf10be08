//! The `finserve` program: serves Brazil's financial data over HTTP, and looks after that data.
mod answer;
mod cli;
mod encoding;
mod import;
mod params;
mod reply;
mod routes;
mod server;

use std::{path::Path, process::ExitCode};

use clap::Parser;
use fincore::{Catalogue, Error, bundle};

use crate::cli::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = match cli.command.unwrap_or(Command::Serve(cli.serve)) {
        Command::Serve(args) => server::run(&args),
        Command::Import(args) => import::run(&args),
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
fn open_catalogue(data: &Path) -> fincore::Result<Catalogue> {
    std::fs::create_dir_all(data).map_err(|err| Error::Storage {
        context: format!("cannot create the data directory {}", data.display()),
        source: err.into(),
    })?;
    let catalogue = Catalogue::open(data.join("catalogue.db"))?;
    bundle::fill(&catalogue)?;
    Ok(catalogue)
}
