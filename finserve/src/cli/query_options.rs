//! Shared by `get` and `calc`: the server to ask, how to print the answer, and the request that arguments become.
use clap::{Args, ValueEnum};

use super::redacted::Redacted;
use crate::sources::BaseUrl;

/// The server to ask instead of the data directory.
#[derive(Debug, Args)]
pub(crate) struct RemoteOptions {
    /// Query the server at this URL instead of the data directory
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "FINSERVE_SERVER",
        help_heading = "Source"
    )]
    pub(crate) server: Option<BaseUrl>,
    /// API key for the server
    ///
    /// Other users of this machine can see what is typed on the command line; set the variable instead.
    #[arg(
        long,
        global = true,
        value_name = "KEY",
        env = "FINSERVE_KEY",
        hide_env_values = true,
        help_heading = "Source"
    )]
    pub(crate) key: Option<Redacted>,
}

/// How the answer is printed.
#[derive(Debug, Args)]
pub(crate) struct OutputOptions {
    /// Output format; by default table on a terminal and csv elsewhere
    #[arg(long, global = true, value_name = "FORMAT", help_heading = "Output")]
    pub(crate) format: Option<Format>,
    /// CSV dialect; br is for Excel in Brazil
    #[arg(long, global = true, value_name = "DIALECT", help_heading = "Output")]
    pub(crate) dialect: Option<super::CsvDialect>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Aligned columns, cut to the width of the terminal
    Table,
    /// Comma-separated values, as the API writes them
    Csv,
    /// The API's answer
    Json,
    /// One JSON object per line
    Ndjson,
}

/// Which rows of a list, over as many pages as they take.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct PageOptions {
    /// Maximum number of rows, fetched over as many pages as needed [default: 20]
    #[arg(long, value_name = "ROWS", value_parser = rows)]
    pub(crate) limit: Option<u64>,
    /// Number of rows to skip
    #[arg(long, value_name = "ROWS")]
    pub(crate) offset: Option<u64>,
    /// Fetch all rows, page by page
    #[arg(long, conflicts_with = "limit")]
    pub(crate) all: bool,
}

pub(super) fn rows(text: &str) -> Result<u64, String> {
    let message = || format!("{:?} is not a whole number of at least 1", fincore::truncate(text));
    text.parse().ok().filter(|rows| *rows > 0).ok_or_else(message)
}

/// A question of the API.
#[derive(Debug)]
pub(crate) struct Question {
    /// Its parts are percent-encoded.
    pub(crate) path: String,
    /// The parameters as typed.
    pub(crate) query: Vec<(&'static str, String)>,
    /// Which rows of a list; `None` for an answer that has no pages.
    pub(crate) pages: Option<PageOptions>,
    /// The most rows that the API gives at once.
    pub(crate) page_size: u64,
    pub(crate) chart_mode: ChartMode,
}

/// Whether a history is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChartMode {
    Chart,
    Rows,
    /// The user wants a chart of something that has no history.
    Impossible,
}

impl Question {
    /// A question at this path below the version of the API.
    pub(super) fn at(path: &str) -> Question {
        let (path, chart_mode) = (format!("/api/v1/{path}"), ChartMode::Rows);
        Question { path, query: Vec::new(), pages: None, page_size: 1_000, chart_mode }
    }

    /// The question for the company with this id, which is percent-encoded.
    pub(crate) fn company(id: &str) -> Question {
        Question::at(&format!("companies/{id}"))
    }

    /// Adds those of these parameters that were given.
    pub(super) fn with<const N: usize>(
        mut self,
        given: [(&'static str, &Option<String>); N],
    ) -> Question {
        let given = given.into_iter().filter_map(|(name, value)| Some((name, value.clone()?)));
        self.query.extend(given);
        self
    }

    /// Whether the answer lists the steps of a calculation.
    pub(crate) fn lists_steps(&self) -> bool {
        self.query.iter().any(|(name, value)| (*name, value.as_str()) == ("steps", "true"))
    }

    pub(super) fn with_pages(self, pages: PageOptions) -> Question {
        Question { pages: Some(pages), ..self }
    }
}
