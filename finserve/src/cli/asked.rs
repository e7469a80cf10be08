//! What `get` and `calc` share: where to ask, how to show the answer, and the question of the API that arguments become.
use clap::{Args, ValueEnum};

use crate::{sources::Base, typed::TypedKey};

/// Whom to ask.
#[derive(Debug, Args)]
pub(crate) struct Whom {
    /// Ask the server at this URL instead of the data directory
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "FINSERVE_SERVER",
        help_heading = "Where"
    )]
    pub(crate) server: Option<Base>,
    /// The key for the server
    ///
    /// Everyone on this machine can see what is typed here: better set the variable.
    #[arg(
        long,
        global = true,
        value_name = "KEY",
        env = "FINSERVE_KEY",
        hide_env_values = true,
        help_heading = "Where"
    )]
    pub(crate) key: Option<TypedKey>,
}

/// How the answer is shown.
#[derive(Debug, Args)]
pub(crate) struct Shown {
    /// By default table on a terminal and csv elsewhere
    #[arg(long, global = true, value_name = "FORMAT", help_heading = "Output")]
    pub(crate) format: Option<Format>,
    /// The dialect of CSV; br is what Excel opens in Brazil
    #[arg(long, global = true, value_name = "DIALECT", help_heading = "Output")]
    pub(crate) dialect: Option<super::CsvDialect>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Aligned columns, cut to the width of the terminal
    Table,
    /// Comma-separated values, as the API writes them
    Csv,
    /// The answer of the API
    Json,
    /// One JSON object a line
    Ndjson,
}

/// Which part of a list.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct Part {
    /// The most rows; more than the API gives at once are asked for page by page [default: 20]
    #[arg(long, value_name = "ROWS", value_parser = rows)]
    pub(crate) limit: Option<u64>,
    /// The number of rows to skip
    #[arg(long, value_name = "ROWS")]
    pub(crate) offset: Option<u64>,
    /// All rows, page by page
    #[arg(long, conflicts_with = "limit")]
    pub(crate) all: bool,
}

fn rows(text: &str) -> Result<u64, String> {
    let wanted = || format!("{:?} is not a whole number from 1", fincore::excerpt(text));
    text.parse().ok().filter(|rows| *rows > 0).ok_or_else(wanted)
}

/// A question of the API.
#[derive(Debug)]
pub(crate) struct Question {
    /// Its parts are percent-encoded.
    pub(crate) path: String,
    /// The parameters as typed.
    pub(crate) query: Vec<(&'static str, String)>,
    /// Which part of a list; nothing for what has no pages.
    pub(crate) part: Option<Part>,
    /// The most rows that the API gives at once.
    pub(crate) page: u64,
    pub(crate) drawn: Drawn,
}

/// Whether a history is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drawn {
    Chart,
    Rows,
    /// A chart is wanted of what has no history.
    Impossible,
}

impl Question {
    /// A question at this path below the version of the API.
    pub(super) fn at(path: &str) -> Question {
        let (path, drawn) = (format!("/api/v1/{path}"), Drawn::Rows);
        Question { path, query: Vec::new(), part: None, page: 1_000, drawn }
    }

    /// The question for the company with this id, which is percent-encoded.
    pub(crate) fn company(id: &str) -> Question {
        Question::at(&format!("companies/{id}"))
    }

    /// With these parameters, those that were given.
    pub(super) fn with<const N: usize>(
        mut self,
        given: [(&'static str, &Option<String>); N],
    ) -> Question {
        let given = given.into_iter().filter_map(|(name, value)| Some((name, value.clone()?)));
        self.query.extend(given);
        self
    }

    pub(super) fn part(self, part: Part) -> Question {
        Question { part: Some(part), ..self }
    }
}
