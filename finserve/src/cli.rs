//! The command line.
use std::{
    ffi::OsString,
    io::{self, Write},
    path::PathBuf,
};

use clap::{
    ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand, parser::ValueSource,
};
use clap_complete::engine::ArgValueCompleter;
use fincore::{Date, Email, Key, LinkPath, Name, Plan, chrono::TimeDelta};

use self::redacted::Redacted;
use crate::observe::{build_info, log};

mod backup;
mod calc;
mod complete;
mod completions_and_man;
mod doctor;
mod export;
mod get;
mod mcp;
mod publish;
mod query_options;
pub(crate) mod redacted;
mod serve;
mod sync;
pub(crate) use backup::{Backup, Restore};
pub(crate) use calc::Calc;
pub(crate) use complete::VARIABLE as COMPLETE_VARIABLE;
pub(crate) use completions_and_man::{Completions, Man};
pub(crate) use doctor::Doctor;
pub(crate) use export::{CsvDialect, Export};
pub(crate) use get::{Get, GetRequest};
pub(crate) use mcp::Mcp;
pub(crate) use publish::Publish;
pub(crate) use query_options::{
    ChartMode, Format, OutputOptions, PageOptions, Question, RemoteOptions,
};
pub(crate) use serve::{Retention, Serve};
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
/// The data comes with the program. Without a command, it runs serve.
#[derive(Debug, Parser)]
#[command(version = build_info::VERSION.as_str(), after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// Data directory; serve, sync and import create it and fill it with the bundled data
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "FINSERVE_DATA",
        default_value = "finserve-data"
    )]
    pub(crate) data: PathBuf,
    /// Whether that is the default, because neither a flag nor the environment names a directory
    #[arg(skip)]
    pub(crate) data_by_default: bool,
    /// Keep the accounts in this PostgreSQL database, which several servers can share, instead of the data directory;
    /// needs a build with the feature `cluster`
    ///
    /// postgres://user:password@host/database, with ?sslmode=require to insist on TLS. Other users of this machine
    /// can see what is typed on the command line; set the variable instead.
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "FINSERVE_ACCOUNTS",
        hide_env_values = true
    )]
    pub(crate) accounts: Option<Redacted>,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) serve: Serve,
}

impl Cli {
    /// If a shell started the program for completions, prints them and ends the program.
    pub(crate) fn complete() {
        complete::answer(Cli::command);
    }

    /// Parses the command line of this program. Ends the program if it is wrong or only asks for help.
    pub(crate) fn read() -> Cli {
        let matches = Cli::command().try_get_matches();
        matches.and_then(Cli::from_matches).unwrap_or_else(|err| refuse(&err))
    }

    /// Parses the arguments of a server inside another program. Fails with a message for people.
    pub(crate) fn parse_arguments(
        arguments: impl Iterator<Item = OsString>,
    ) -> Result<Cli, String> {
        let matches = Cli::command().try_get_matches_from(arguments);
        matches.and_then(Cli::from_matches).map_err(|err| Key::redact(&err.render().to_string()))
    }

    fn from_matches(matches: ArgMatches) -> Result<Cli, clap::Error> {
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

    /// The log settings, if this command line serves.
    pub(crate) fn log(&self) -> Option<log::Settings> {
        match &self.command {
            None => Some(self.serve.log()),
            Some(Command::Serve(serve)) => Some(serve.log()),
            Some(_) => None,
        }
    }
}

/// Prints help, or what is wrong with the command line, and ends the program. Keys in the command line are not repeated.
fn refuse(err: &clap::Error) -> ! {
    if !err.use_stderr() {
        err.exit();
    }
    let message = Key::redact(&err.render().to_string());
    // If the standard error is closed, the exit code says enough.
    let _ = io::stderr().write_all(message.as_bytes());
    std::process::exit(err.exit_code())
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answer HTTP requests until stopped (the default)
    Serve(Serve),
    /// Add official files to the data, all of them or none
    ///
    /// Files are recognised by name and content. From the central bank: SGS series (bcdata.sgs.NUMBER.json or .csv), PTAX
    /// bulletins and period files (.csv), PTAX answers of Olinda (CotacaoDolarPeriodo, CotacaoMoedaPeriodo.CURRENCY), and the
    /// calendar of Copom meetings (iCalendar, or a table with the header first_day,second_day).
    /// From CVM: the registry of companies (cad_cia_aberta.csv), filings (ipe_cia_aberta_YEAR, dfp_…, itr_…, fre_…, fca_…,
    /// .zip or .csv) and tickers (fca_cia_aberta_valor_mobiliario_YEAR.csv). Your own table with the header
    /// company;tickers sets the tickers of companies by CVM code or CNPJ. A running server serves the new data within a
    /// second. A damaged or unknown file ends the import with exit code 1, and the data stays exactly as it was. Single bad
    /// rows of CVM's tables are skipped and reported.
    Import(Import),
    /// Download new data from the central bank and CVM, and import it
    ///
    /// Each dataset is requested from its newest stored day on, and only what has changed is downloaded. If one publisher
    /// fails, the others continue, and nothing is removed. Exit code 0: everything requested is up to date; 1: something
    /// failed, and the rest is up to date. serve --sync does this by itself.
    Sync(Sync),
    /// Write a whole dataset to a file, or only what changed since a data version
    ///
    /// The datasets are selic, cdi, ipca and every other series by name or number, series (all of them), fx, companies and
    /// filings. All rows come from one consistent state of the data, even while an import runs.
    Export(Export),
    /// Show figures, companies and filings, from the data directory or from a server
    ///
    /// The queries, parameters and answers are those of the API. The output is a table on a terminal and CSV elsewhere.
    /// Without a data directory and without --data, it reads the bundled data from a copy in the user's cache. Exit code 1:
    /// there is no answer; 2: the request is wrong.
    Get(Get),
    /// Calculate: adjust an amount for inflation, accumulate a series, convert currencies
    ///
    /// On a terminal, the result is a list of facts, followed by a table of the steps with --steps. CSV has one row with
    /// the result, or one row per step with --steps.
    Calc(Calc),
    /// Serve agents: the Model Context Protocol over standard input and output
    ///
    /// Desktop clients start this command themselves. Answers come from the data directory, with all of the data and no
    /// limits; with --server they come from a server, within the plan of the key. Each message is a line of JSON; everything
    /// else goes to standard error.
    Mcp(Mcp),
    /// List the webhooks of all keys, or disable one
    #[command(subcommand)]
    Webhooks(Webhooks),
    /// Create, list and revoke API keys, and set their plans; a running server accepts new keys at once and applies
    /// changes within a second
    #[command(subcommand)]
    Keys(Keys),
    /// Make, list and revoke the links of a key: tokens in addresses, for programs that cannot send headers
    #[command(subcommand)]
    Links(Links),
    /// Copy the accounts to a PostgreSQL database; needs a build with the feature `cluster`
    #[command(subcommand)]
    Accounts(Accounts),
    /// Show the requests of a key by day, complete up to a second ago
    Usage(Usage),
    /// Copy the accounts and the data to one new file while they are in use, and verify the copy
    ///
    /// The file is a ZIP archive with both databases and a manifest; only its owner can read it. Servers and imports can
    /// keep running.
    Backup(Backup),
    /// Write a copy of the data for servers that follow it with --catalogue-from
    ///
    /// A compact copy is checked, compressed and stored in a directory or an S3-compatible store. A manifest then names it,
    /// so that no server ever reads half a copy. The previous copy stays; older ones are removed. Data that is already
    /// published is not published again.
    Publish(Publish),
    /// Restore a backup, while no server is running
    ///
    /// The whole backup is verified first, and restored completely or not at all. Existing databases are not overwritten
    /// unless --replace is given. Backups of the accounts alone, as earlier versions wrote them, are accepted too.
    Restore(Restore),
    /// Show what imports and synchronising have added, changed and removed, oldest first
    Log(Log),
    /// Check both databases for damage, and show what is in them
    ///
    /// Every stored value is parsed. Everything that imports derive from the rows (columns for filters, search indexes,
    /// counts, computed rates) is computed again and compared. This takes seconds, and a server can keep running. Exit
    /// code 1 if something is wrong; the message says how to repair it.
    Check,
    /// Repair the catalogue: rebuild everything that imports derive from the rows
    ///
    /// Rows that cannot be read are removed, and restored if the bundled data has them. The repair is one transaction: a
    /// running server answers with the old data or with the new. If everything is sound, nothing changes. The command waits
    /// for an import that is running.
    Rebuild,
    /// Find problems of this server and say how to fix them: files, disk, descriptors, clock, stale data, publishers, proxy
    ///
    /// Checks the data directory and the machine, and whether each publisher answers. With --url it also calls the server
    /// at its public address, with a forged client address: callers must not be able to choose the address under which
    /// they are counted. Changes nothing. Exit code 1 if something is wrong.
    Doctor(Doctor),
    /// Print the shell script that completes commands, flags, series, categories and companies
    ///
    /// The shell then runs this program for its suggestions; companies and categories come from the data directory.
    Completions(Completions),
    /// Write the manual pages
    Man(Man),
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// Files as downloaded; - is standard input, which needs --name
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// File name of the data on standard input, such as bcdata.sgs.432.json
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
    /// Number of days to keep changes in the change log; older ones are deleted when new data comes in
    #[arg(long, value_name = "DAYS", env = "FINSERVE_KEEP_CHANGES", default_value_t = 90)]
    keep_changes: u16,
}

impl Changes {
    pub(crate) fn keep(self) -> TimeDelta {
        TimeDelta::days(self.keep_changes.into())
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Keys {
    /// Create a key and print it; it cannot be shown again
    Create {
        /// free, bronze, gold or platinum
        #[arg(long, add = ArgValueCompleter::new(complete::plan))]
        plan: Plan,
        /// Name of the key's holder
        #[arg(long)]
        name: Name,
        /// E-mail address of the key's holder
        #[arg(long, value_name = "ADDRESS")]
        email: Email,
    },
    /// List all keys by their first characters
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Move a key to another plan
    SetPlan {
        /// The first characters of the key, enough to identify it
        prefix: Redacted,
        /// free, bronze, gold or platinum
        #[arg(add = ArgValueCompleter::new(complete::plan))]
        plan: Plan,
    },
    /// Revoke a key permanently
    Revoke {
        /// The first characters of the key, enough to identify it
        prefix: Redacted,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Links {
    /// Make a link of a key and print its token; it cannot be shown again
    Create {
        /// The first characters of the key, enough to identify it
        prefix: Redacted,
        /// What its holder calls the link
        #[arg(long)]
        name: Name,
        /// Bind the link to a path of the API with its parameters, such as /api/v1/market/selic?limit=10
        #[arg(long)]
        path: Option<LinkPath>,
    },
    /// List the links of a key
    List {
        /// The first characters of the key, enough to identify it
        prefix: Redacted,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Revoke a link permanently
    Revoke {
        /// The id of the link
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Accounts {
    /// Copy keys, usage, links and webhooks to a PostgreSQL database, and compare every row
    ///
    /// Can be repeated to copy what has changed since. Refused if the target has keys, usage, links or webhooks that are not in
    /// these accounts. Stop the servers before the last copy, and start them with --accounts after it.
    Copy {
        /// postgres://user:password@host/database
        #[arg(long, value_name = "URL", env = "FINSERVE_COPY_TO", hide_env_values = true)]
        to: Redacted,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Usage {
    /// The first characters of the key, enough to identify it
    pub(crate) prefix: Redacted,
    /// First day, YYYY-MM-DD; by default 29 days before the last
    #[arg(long, value_name = "DATE")]
    pub(crate) from: Option<Date>,
    /// Last day, YYYY-MM-DD; by default today
    #[arg(long, value_name = "DATE")]
    pub(crate) to: Option<Date>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn data_version(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| "expected a data version: a whole number, as `finserve log` shows it".into())
}

#[derive(Debug, Args)]
pub(crate) struct Log {
    /// All changes after this data version, without the summary
    #[arg(long, value_name = "VERSION", value_parser = data_version)]
    pub(crate) since: Option<u64>,
    /// All changes of the log, without the summary
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Webhooks {
    /// List the webhooks of all keys
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Disable a webhook permanently
    Disable {
        /// The id of the webhook
        id: String,
        /// Reason shown to the owner of the webhook
        #[arg(long, default_value = "disabled by the operator")]
        reason: String,
    },
}

#[cfg(test)]
mod tests;
