//! The command line.
use std::{
    fmt,
    io::{self, Write},
    path::PathBuf,
};

use clap::{
    ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand, parser::ValueSource,
};
use fincore::{Date, Email, Key, KeyPrefix, Name, Plan, chrono::TimeDelta};

use crate::{build, log, typed::TypedAddress};

mod asked;
mod backup;
mod calc;
mod complete;
mod doctor;
mod export;
mod generate;
mod get;
mod mcp;
mod publish;
mod serve;
mod sync;
pub(crate) use asked::{Drawn, Format, Part, Question, Shown, Whom};
pub(crate) use backup::{Backup, Restore};
pub(crate) use calc::Calc;
pub(crate) use complete::VARIABLE as COMPLETE_VARIABLE;
pub(crate) use doctor::Doctor;
use export::CsvDialect;
pub(crate) use export::Export;
pub(crate) use generate::{Completions, Man};
pub(crate) use get::{Get, Wanted};
pub(crate) use mcp::Mcp;
pub(crate) use publish::Publish;
pub(crate) use serve::Serve;
pub(crate) use sync::{Sources, Sync};

pub(crate) const EXAMPLES: &str = "\x1b[1mExamples:\x1b[0m
  finserve                                       serve on http://127.0.0.1:8080
  finserve --listen 0.0.0.0:80 --data /var/lib/finserve
  finserve import bcdata.sgs.432.json            add newer figures of the central bank
  finserve serve --sync                          serve, and keep the data fresh
  finserve sync --only selic,fx                  download what is new
  finserve import cad_cia_aberta.csv ipe_cia_aberta_2026.zip
  finserve keys create --plan gold --name Ana --email ana@example.com
  finserve export fx --format csv --dialect br --out cambio.csv
  finserve get series igp-m --chart              draw a series in the terminal
  finserve get filings --company VALE3 --category 'fato relevante' --from 2024-01-01
  curl http://127.0.0.1:8080/api/v1/market/overview";

/// Brazil's financial data over HTTP: market rates, companies and their filings.
///
/// The data comes with the program. Without a command it serves.
#[derive(Debug, Parser)]
#[command(version = build::VERSION.as_str(), after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// Directory of the data; serve, sync and import create it, and fill it with the bundled figures
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "FINSERVE_DATA",
        default_value = "finserve-data"
    )]
    pub(crate) data: PathBuf,
    /// Whether nobody named that directory
    #[arg(skip)]
    pub(crate) data_by_default: bool,
    /// The accounts are in this PostgreSQL, which several servers share, and not in the data directory
    ///
    /// postgres://user:password@host/database, with ?sslmode=require to insist on TLS. Everyone on this machine can see
    /// what is typed here: better set the variable.
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "FINSERVE_ACCOUNTS",
        hide_env_values = true
    )]
    pub(crate) accounts: Option<TypedAddress>,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) serve: Serve,
}

impl Cli {
    /// Answers a shell that asks what may come next, and ends the program, if that is what it was started for.
    pub(crate) fn complete() {
        complete::answer(Cli::command);
    }

    /// The command line of this program. Ends the program where it is wrong or only asks for help.
    pub(crate) fn read() -> Cli {
        let matches = Cli::command().try_get_matches();
        matches.and_then(Cli::of).unwrap_or_else(|err| refuse(&err))
    }

    fn of(matches: ArgMatches) -> Result<Cli, clap::Error> {
        if let Some(command) = matches.subcommand_name() {
            let given = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
            if let Some(flag) = serve::FLAGS.into_iter().find(given) {
                let flag = flag.replace('_', "-");
                let message = format!(
                    "--{flag} is a flag of serve: give it after that command, not before {command}"
                );
                return Err(Cli::command().error(clap::error::ErrorKind::ArgumentConflict, message));
            }
        }
        let data_by_default = matches.value_source("data") == Some(ValueSource::DefaultValue);
        Ok(Cli { data_by_default, ..Cli::from_arg_matches(&matches)? })
    }

    /// What is logged, and how, if this serves.
    pub(crate) fn log(&self) -> Option<log::Settings> {
        match &self.command {
            None => Some(self.serve.log()),
            Some(Command::Serve(serve)) => Some(serve.log()),
            Some(_) => None,
        }
    }
}

/// Prints help, or what is wrong with the command line, and ends the program. What was typed may hold a key,
/// which is not repeated.
fn refuse(err: &clap::Error) -> ! {
    if !err.use_stderr() {
        err.exit();
    }
    let message = Key::redact(&err.render().to_string());
    // Without a terminal there is nobody to tell.
    let _ = io::stderr().write_all(message.as_bytes());
    std::process::exit(err.exit_code())
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
    /// data stays exactly as it was. Single bad rows of CVM's tables are left out and reported. A table of your own
    /// with the header company;tickers sets the tickers of companies by CVM code or CNPJ.
    Import(Import),
    /// Download what is new from the central bank and CVM, and import it
    ///
    /// Everything that is missing since the newest stored day is asked for, and only what has changed is
    /// downloaded. A failure of one publisher stops no other, and never removes anything. Exit code 0: everything
    /// that was asked for is current; 1: something failed, the rest was done. serve --sync does this by itself.
    Sync(Sync),
    /// Write a whole dataset to a file, or only what changed since a data version
    ///
    /// The datasets are selic, cdi, ipca and every other series by name or number, series (all of them), fx, companies and
    /// filings. Rows come from one consistent state of the data, also while an import runs.
    Export(Export),
    /// Show figures, companies and filings, of the data directory or of a server
    ///
    /// The queries, parameters and answers are those of the API. A table on a terminal, CSV elsewhere. Without a data
    /// directory, and without --data, the bundled data is read, from a copy in the cache of the user. Exit code 1: there is
    /// no answer; 2: the question is wrong.
    Get(Get),
    /// Calculate with the figures: correct an amount, accumulate a series, convert currencies
    ///
    /// On a terminal the facts are listed, and with --steps a table of the steps follows. As CSV, it is the steps where
    /// they are asked for, and one row of facts otherwise.
    Calc(Calc),
    /// Let agents ask: the Model Context Protocol over the standard input and output
    ///
    /// Desktop clients start this by themselves. Answers come from the data directory, with all of the data and without
    /// limits, or with --server from a server, within the plan of the key. Messages are lines of JSON; whatever else there
    /// is to say goes to the error output.
    Mcp(Mcp),
    /// List the webhooks of all keys, and disable one
    #[command(subcommand)]
    Webhooks(Webhooks),
    /// Create, list and revoke API keys, and set their plans; a running server accepts new ones at once, and applies changes
    /// within a second
    #[command(subcommand)]
    Keys(Keys),
    /// Copy the accounts to a PostgreSQL
    #[command(subcommand)]
    Accounts(Accounts),
    /// Show the requests of a key by day, up to a second ago
    Usage(Usage),
    /// Copy the accounts and the data to one new file while they are in use, and verify the copy
    ///
    /// The file is a ZIP archive with both databases and a manifest; only its owner can read it. Servers and imports may
    /// run meanwhile.
    Backup(Backup),
    /// Write a copy of the data for servers that follow it with --catalogue-from
    ///
    /// A compact copy is checked, compressed and stored in a directory or an S3-compatible store, and then named by a
    /// manifest, so that nobody ever reads half of it. The copy before stays, older ones are removed. What is published
    /// already is not published again.
    Publish(Publish),
    /// Put a backup back, where no server is running
    ///
    /// All of it is verified first, and put back as a whole or not at all. Databases that are there stay, unless --replace
    /// is given. A backup that an earlier version made of the accounts alone is taken too.
    Restore(Restore),
    /// Show what imports and synchronising have added, changed and removed, oldest first
    Log(Log),
    /// Check both databases for damage, and show what is in them
    ///
    /// Every stored value is parsed, and everything that imports derive from the rows (columns for filters,
    /// search indexes, counts, computed rates) is computed anew and compared. Takes seconds, and can be
    /// done while a server runs. Exit code 1 if something is wrong; the message says what helps.
    Check,
    /// Repair the catalogue: make anew whatever imports derive from the rows
    ///
    /// Rows that cannot be read are removed, and filled in again where the bundled data has them. All of it is
    /// one transaction, and a running server answers with the old data or the new. If everything is sound,
    /// nothing changes. An import that is running is waited for.
    Rebuild,
    /// Say what is wrong with this server and what to do: files, disk, descriptors, clock, stale data, publishers, proxy
    ///
    /// Looks at the data directory and the machine, and asks each publisher for a sign of life. With --url it also
    /// asks the server as the public does, with an address that is made up: nobody may choose by whom they are
    /// counted. Changes nothing. Exit code 1 if something is wrong.
    Doctor(Doctor),
    /// Print what a shell needs to complete commands, flags, series, categories and companies
    ///
    /// The shell then asks this program for what may come next: companies and categories are those of the data directory.
    Completions(Completions),
    /// Write the manual pages
    Man(Man),
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// Files as downloaded; - is the standard input, which needs --name
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The file name of what comes through the standard input, such as bcdata.sgs.432.json
    #[arg(long, value_name = "FILE")]
    pub(crate) name: Option<String>,
    /// Accept figures that are implausible for their series, and a registry of companies that is older than the stored one
    /// or lacks many of its companies
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) changes: Changes,
}

/// How long the change log reaches back.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Changes {
    /// Days for which the log of changes is kept; older changes are forgotten when data comes in
    #[arg(long, value_name = "DAYS", env = "FINSERVE_KEEP_CHANGES", default_value_t = 90)]
    keep_changes: u16,
}

impl Changes {
    pub(crate) fn keep(self) -> TimeDelta {
        TimeDelta::days(self.keep_changes.into())
    }
}

/// The first characters of a key as they were typed. They stay text here, and are never printed: what clap
/// refuses it repeats on the terminal, and it might be a whole key.
#[derive(Clone)]
pub(crate) struct TypedPrefix(String);

impl TypedPrefix {
    /// Fails where this is no prefix of a key.
    pub(crate) fn read(&self) -> fincore::Result<KeyPrefix> {
        self.0.parse()
    }
}

impl From<String> for TypedPrefix {
    fn from(text: String) -> TypedPrefix {
        TypedPrefix(text)
    }
}

impl fmt::Debug for TypedPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TypedPrefix(…)")
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Keys {
    /// Create a key and print it; it cannot be shown again
    Create {
        /// free, bronze, gold or platinum
        #[arg(long)]
        plan: Plan,
        /// Who it is for
        #[arg(long)]
        name: Name,
        /// How to reach them
        #[arg(long, value_name = "ADDRESS")]
        email: Email,
    },
    /// List all keys by their first characters
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Move a key to another plan
    SetPlan {
        /// The first characters of the key, enough to tell it from all others
        prefix: TypedPrefix,
        /// free, bronze, gold or platinum
        plan: Plan,
    },
    /// Revoke a key permanently
    Revoke {
        /// The first characters of the key, enough to tell it from all others
        prefix: TypedPrefix,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Accounts {
    /// Copy keys, usage and webhooks to a PostgreSQL, and compare every row
    ///
    /// Can be repeated: what has changed since is brought over. Refused where the target has keys, usage or webhooks that
    /// are not in these accounts. Stop the servers before the last copy, and start them with --accounts after it.
    Copy {
        /// postgres://user:password@host/database
        #[arg(long, value_name = "URL", env = "FINSERVE_COPY_TO", hide_env_values = true)]
        to: TypedAddress,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Usage {
    /// The first characters of the key, enough to tell it from all others
    pub(crate) prefix: TypedPrefix,
    /// First day, YYYY-MM-DD; by default 29 days before the last
    #[arg(long, value_name = "DATE")]
    pub(crate) from: Option<Date>,
    /// Last day, YYYY-MM-DD; by default today
    #[arg(long, value_name = "DATE")]
    pub(crate) to: Option<Date>,
    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn data_version(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "a data version is a whole number, as `finserve log` shows it".into())
}

#[derive(Debug, Args)]
pub(crate) struct Log {
    /// Only changes after this data version; by default all that the log has
    #[arg(long, value_name = "VERSION", value_parser = data_version)]
    pub(crate) since: Option<u64>,
    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Webhooks {
    /// List the webhooks of all keys
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Disable a webhook permanently
    Disable {
        /// The id of the webhook
        id: String,
        /// Why, as its owner sees it
        #[arg(long, default_value = "disabled by the operator")]
        reason: String,
    },
}

#[cfg(test)]
mod tests;
