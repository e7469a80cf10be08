//! The command line of this bench.
use std::path::PathBuf;

use clap::Parser;

/// Requests over HTTP, beside a bare hyper server that sends copies of our answers. Needs wrk.
#[derive(Parser)]
pub(crate) struct Arguments {
    /// How often each row is measured; the median counts
    #[arg(long, value_name = "NUMBER", default_value_t = 5)]
    pub(crate) rounds: usize,
    /// How long each measurement takes
    #[arg(long, value_name = "SECONDS", default_value_t = 3)]
    pub(crate) seconds: u64,
    /// Only rows with one of these texts in their names, separated by commas
    #[arg(long, value_name = "TEXT", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Only these data: bundled, or filings (1.5 million of them)
    #[arg(long, value_name = "DATA")]
    pub(crate) on: Option<On>,
    /// A data directory to use for 1.5 million filings; keys are added to its accounts
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// The finserve to measure, such as one from before a change; by default the one just built
    #[arg(long, value_name = "FILE", default_value = env!("CARGO_BIN_EXE_finserve"))]
    pub(crate) program: PathBuf,
    /// One round of a second on the bundled data: does it run?
    #[arg(long, visible_alias = "test")]
    pub(crate) quick: bool,
    /// Costs against sizes instead: filings, callers, connections; and short requests beside long ones
    #[arg(long)]
    pub(crate) growth: bool,
    /// Compare with Datasette too; needs Python 3 and its package index
    #[arg(long)]
    pub(crate) datasette: bool,
    /// Be the bare server
    #[arg(long, hide = true)]
    pub(crate) bare: bool,
    /// Given by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

/// The data to measure on.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum On {
    Bundled,
    Filings,
}

impl Arguments {
    /// The command line of this program. Ends the program where it is wrong or only asks for help.
    pub(crate) fn read() -> Arguments {
        let arguments = Arguments::parse();
        if arguments.quick {
            return Arguments { rounds: 1, seconds: 1, on: Some(On::Bundled), ..arguments };
        }
        arguments
    }

    /// Whether the row of this name is wanted.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|text| name.contains(text.as_str()))
    }

    /// Whether these data are wanted.
    pub(crate) fn is_on(&self, data: On) -> bool {
        self.on.is_none_or(|on| on == data)
    }
}
