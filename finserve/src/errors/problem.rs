//! Values of a request that are wrong.
use std::fmt;

use fincore::{Error, ErrorKind, Invalid, truncate};

/// A fault of a value in a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Problem {
    /// The library refuses it, and may say which field of the query is at fault.
    #[error("{}{_0}", .0.parameter().map(|name| format!("parameter {name:?}: ")).unwrap_or_default())]
    Library(Invalid),
    /// It is not what the server wants. The text is truncated.
    #[error("{given:?} is not {wanted}")]
    Value { given: String, wanted: Wanted },
    /// A dialect of CSV is named, and another format is asked for.
    #[error("only CSV has dialects; ask for format=csv too")]
    DialectWithoutCsv,
    /// A single value is asked for, and the answer is a list.
    #[error("\"value\" is for one answer, and this is a list: limit=1 asks for one row of it")]
    ValueOfList,
    /// A single value is asked for, and the answer has several rows whatever its limit.
    #[error(
        "\"value\" is for one row, and this list has several even with limit=1: layout=wide has a row for each account; leave \
         it out, and choose an account by its code (field=3.01)"
    )]
    ValueOfRows,
    /// A parameter of single values is given, and another format is asked for.
    #[error("it goes with format=value")]
    WithoutValue,
    /// The answer does not have this field; these it has. What was given is truncated.
    #[error("{given:?} is no field of this answer: {there}")]
    NoSuchField { given: String, there: String },
    /// No field is named, and the answer has no usual one.
    #[error("this answer has several figures: choose one of {there}")]
    FieldNeeded { there: String },
    /// A parameter of several series is given, and no series are named.
    #[error("it is for several series at once: name them with ids=ipca,igp-m")]
    WithoutIds,
    /// A parameter of the list of series is given, and series are named.
    #[error("ids names the series: leave one of the two out")]
    WithIds,
    /// A header has other characters than visible ASCII.
    #[error("it is not plain text")]
    NotPlainText,
}

impl Problem {
    pub(crate) fn value(given: &str, wanted: Wanted) -> Problem {
        Problem::Value { given: truncate(given).into_owned(), wanted }
    }

    /// The problem that a parser of the library reports; `None` for an error that is no fault of the text.
    pub(crate) fn of_library(err: &Error) -> Option<Problem> {
        let ErrorKind::Invalid(invalid) = err.kind() else { return None };
        Some(Problem::Library(invalid.clone()))
    }
}

/// The kind of value that the server wanted, where the library does not parse it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// A language of the pages.
    Language,
    /// A path that signing in leads to.
    Path,
    /// A range of the page of a series.
    Range,
    /// The number of a page of a list.
    PageNumber { most: u64 },
    /// Some companies, separated by commas.
    Companies { most: usize },
    /// A format of lists.
    ListFormat { has_value: bool },
    /// A format of tables.
    TableFormat { has_value: bool },
    /// A format of single answers.
    AnswerFormat,
    /// A decimal mark.
    DecimalMark,
    /// A format of exports.
    ExportFormat,
    /// A dialect of CSV.
    Dialect,
    /// A data version.
    DataVersion,
    /// A path that a link may be bound to.
    LinkPath,
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Wanted::Language => "a language of the pages (en or pt)",
            Wanted::Path => "a path of this service (/pricing)",
            Wanted::Range => "a range (3m, 12m, 5y or all)",
            Wanted::PageNumber { most } => return write!(f, "a page (1 to {most})"),
            Wanted::Companies { most } => {
                return write!(f, "a list of one to {most} companies, separated by commas");
            }
            Wanted::ListFormat { has_value: true } => {
                "a format of lists (json or csv; with limit=1 also value)"
            }
            Wanted::ListFormat { has_value: false } => "a format of lists (json or csv)",
            Wanted::TableFormat { has_value } => {
                let names = match cfg!(feature = "parquet") {
                    true => "json, csv or parquet",
                    false => "json or csv",
                };
                let value = if *has_value { "; with limit=1 also value" } else { "" };
                return write!(f, "a format of tables ({names}{value})");
            }
            Wanted::AnswerFormat => "a format of single answers (json or value)",
            Wanted::DecimalMark => "a decimal mark (point or comma)",
            Wanted::ExportFormat if cfg!(feature = "parquet") => {
                "a format of exports (ndjson, csv or parquet)"
            }
            Wanted::ExportFormat => "a format of exports (ndjson or csv)",
            Wanted::Dialect => "a dialect of CSV (standard or br)",
            Wanted::LinkPath => {
                "a path that links read: data of the API with parameters that it takes, each once (/api/v1/market/selic?limit=10), without a token"
            }
            Wanted::DataVersion => "a data version (a whole number, as in X-Data-Version)",
        })
    }
}
