//! The command line.
use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
};

use clap::{Args, Parser, Subcommand};
use fincore::{Date, Email, Name, Plan};
use ipnet::IpNet;

const EXAMPLES: &str = "\x1b[1mExamples:\x1b[0m
  finserve                                       serve on http://127.0.0.1:8080
  finserve --listen 0.0.0.0:80 --data /var/lib/finserve
  finserve import bcdata.sgs.432.json            add newer figures of the central bank
  finserve import cad_cia_aberta.csv ipe_cia_aberta_2026.zip
  finserve keys create --plan gold --name Ana --email ana@example.com
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
    /// Create, list, upgrade and revoke API keys; a running server obeys within a second
    #[command(subcommand)]
    Keys(Keys),
    /// Show what a key has asked for, until a second ago
    Usage(Usage),
    /// Copy the accounts to a new file while they are in use, and check the copy
    Backup(Backup),
    /// Look through both databases for damage, and tell what is in them
    Check(Check),
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", env = "FINSERVE_LISTEN", default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,
    /// Network of a proxy whose X-Forwarded-For is believed; may be given several times
    #[arg(
        long,
        value_name = "CIDR",
        env = "FINSERVE_TRUSTED_PROXY",
        value_delimiter = ',',
        value_parser = network
    )]
    pub(crate) trusted_proxy: Vec<IpNet>,
    /// New keys that one address may register in an hour
    #[arg(
        long,
        value_name = "NUMBER",
        env = "FINSERVE_REGISTRATIONS_PER_HOUR",
        default_value_t = 20
    )]
    pub(crate) registrations_per_hour: u32,
    #[command(flatten)]
    pub(crate) data: Data,
}

/// A network, or one address as a network of its own.
fn network(text: &str) -> Result<IpNet, String> {
    let one = || text.parse::<IpAddr>().map(IpNet::from);
    text.parse()
        .or_else(|_| one())
        .map_err(|_| "a network is written 10.0.0.0/8 or fd00::/8".into())
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

/// A prefix stays text here: what is refused while the command line is read is repeated on the
/// terminal, and it might be a whole key.
#[derive(Debug, Subcommand)]
pub(crate) enum Keys {
    /// Make a key and print it, this once
    Create {
        /// free, bronze, gold or platinum
        #[arg(long)]
        plan: Plan,
        /// Who it is for
        #[arg(long)]
        name: Name,
        /// Where they are reached
        #[arg(long, value_name = "ADDRESS")]
        email: Email,
        #[command(flatten)]
        data: Data,
    },
    /// List all keys by their first characters
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        data: Data,
    },
    /// Move a key to another plan
    SetPlan {
        /// The first characters of the key, enough to tell it from all others
        prefix: String,
        /// free, bronze, gold or platinum
        plan: Plan,
        #[command(flatten)]
        data: Data,
    },
    /// Make a key useless for good
    Revoke {
        /// The first characters of the key, enough to tell it from all others
        prefix: String,
        #[command(flatten)]
        data: Data,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Usage {
    /// The first characters of the key, enough to tell it from all others
    pub(crate) prefix: String,
    /// First day, YYYY-MM-DD; by default 29 days before the last
    #[arg(long, value_name = "DATE")]
    pub(crate) from: Option<Date>,
    /// Last day, YYYY-MM-DD; by default today
    #[arg(long, value_name = "DATE")]
    pub(crate) to: Option<Date>,
    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) data: Data,
}

#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// The file to write; it must not exist yet
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) data: Data,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
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
        let mut root = Cli::command();
        root.build();
        named(&root, "finserve");
    }

    fn named(command: &clap::Command, name: &str) {
        let readme = include_str!("../../README.md");
        assert!(command.has_subcommands() || readme.contains(&format!("`{name}")), "{name}");
        for argument in command.get_arguments().filter_map(|argument| argument.get_long()) {
            let skip = ["help", "version"].contains(&argument);
            assert!(skip || readme.contains(&format!("`--{argument}")), "{name} --{argument}");
        }
        for command in command.get_subcommands().filter(|command| command.get_name() != "help") {
            named(command, &format!("{name} {}", command.get_name()));
        }
    }

    #[test]
    fn a_proxy_is_a_network_or_an_address() {
        let proxies = |list: &str| {
            let cli = Cli::try_parse_from(["finserve", "--trusted-proxy", list]).ok()?;
            Some(cli.serve.trusted_proxy.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert_eq!(proxies("10.0.0.0/8"), Some(vec!["10.0.0.0/8".into()]));
        assert_eq!(proxies("::1,192.0.2.1"), Some(vec!["::1/128".into(), "192.0.2.1/32".into()]));
        assert_eq!(proxies("example.com"), None);
        assert_eq!(proxies("10.0.0.0/33"), None);
    }
}
