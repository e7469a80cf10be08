//! The command line.
use std::{net::SocketAddr, path::PathBuf};

use clap::{Args, Parser, Subcommand};

const EXAMPLES: &str = "\x1b[1mExamples:\x1b[0m
  finserve                                       serve on http://127.0.0.1:8080
  finserve --listen 0.0.0.0:80 --data /var/lib/finserve
  finserve import bcdata.sgs.432.json            add newer figures of the central bank
  finserve import cad_cia_aberta.csv ipe_cia_aberta_2026.zip
  curl http://127.0.0.1:8080/api/v1/market/overview";

/// Brazil's financial data over HTTP: market rates, companies and their filings.
///
/// The data comes with the program. Without a command it serves.
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) serve: Serve,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answer HTTP requests until stopped (the default)
    Serve(Serve),
    /// Add official files to the data, all of them or none
    ///
    /// A file is recognised by its content and name: SGS series of the central bank
    /// (bcdata.sgs.NUMBER.json or .csv), PTAX bulletins and period files (.csv), PTAX answers of Olinda
    /// (CotacaoDolarPeriodo, CotacaoMoedaPeriodo.CURRENCY); of CVM the registry of companies
    /// (cad_cia_aberta.csv), filings (ipe_cia_aberta_YEAR, dfp_…, itr_…, fre_…, fca_…, .zip or .csv) and
    /// tickers (fca_cia_aberta_valor_mobiliario_YEAR.csv). A running server serves the new data
    /// within a second. A file that is damaged or unknown ends the import with exit code 1, and the
    /// data stays exactly as it was.
    Import(Import),
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", env = "FINSERVE_LISTEN", default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,
    #[command(flatten)]
    pub(crate) data: Data,
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// Files as downloaded
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Take a registry of companies that is older than the known one, or lacks many of its companies
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) data: Data,
}

#[derive(Debug, Args)]
pub(crate) struct Data {
    /// Directory of the data; created and filled with the bundled figures on first use
    #[arg(
        long = "data",
        value_name = "DIR",
        env = "FINSERVE_DATA",
        default_value = "finserve-data"
    )]
    pub(crate) dir: PathBuf,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn serves_without_a_command() {
        let cli = Cli::try_parse_from(["finserve", "--listen", "127.0.0.1:0"]).unwrap();
        assert!(cli.command.is_none());
        assert_eq!(cli.serve.listen.port(), 0);
    }

    /// Each command and flag stands in the README's tables.
    #[test]
    fn the_readme_names_every_command_and_flag() {
        let readme = include_str!("../../README.md");
        let root = Cli::command();
        for command in root.get_subcommands().chain([&root]) {
            let named = format!("`finserve {}", command.get_name());
            assert!(command.get_name() == "finserve" || readme.contains(&named), "{named}");
            for argument in command.get_arguments().filter_map(|argument| argument.get_long()) {
                let skip = ["help", "version"].contains(&argument);
                assert!(skip || readme.contains(&format!("`--{argument}")), "--{argument}");
            }
        }
    }
}
