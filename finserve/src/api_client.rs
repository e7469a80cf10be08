//! Asks questions of the API for commands and agents: of the local data, or of a server.
//!
//! Both answer with the same JSON, because both run the same route.
use std::time::Duration;

use fincore::{Catalogue, Snapshot};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::{
    coordination::clock::Now,
    http::{Heading, LocalQueries},
    openapi,
};

pub(crate) mod bundled_data;
mod remote;
pub(crate) use remote::Server;

/// Where answers come from.
pub(crate) struct Origin {
    table: LocalQueries,
    source: Source,
}

enum Source {
    /// The local data, all of it.
    Data(Catalogue),
    /// A server, within the plan of a key.
    Server(Server),
}

/// Why there is no answer, as a sentence for the user.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Failure {
    pub(crate) kind: FailureKind,
    pub(crate) message: String,
    /// The error of the API, as JSON, if the API refused.
    pub(crate) error: Option<String>,
}

/// Who can do something about a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// The question is wrong.
    Question,
    NotFound,
    /// The server asks to try again after this time: the limit is used up, or the server is busy.
    Later(Duration),
    /// Anything else: the key, the plan, the server, the data.
    Other,
}

impl FailureKind {
    /// The kind of an error with this code of the API.
    fn from_code(code: &str) -> FailureKind {
        match code {
            "bad_request" => FailureKind::Question,
            "not_found" => FailureKind::NotFound,
            _ => FailureKind::Other,
        }
    }
}

impl Failure {
    fn other(message: impl Into<String>) -> Failure {
        Failure { kind: FailureKind::Other, message: message.into(), error: None }
    }

    /// The failure for an error of the API that this process made itself.
    fn from_local_error(json: String) -> Failure {
        let kind = openapi::Error::read(&json)
            .map_or(FailureKind::Other, |error| FailureKind::from_code(&error.error));
        Failure { kind, message: openapi::error_message(&json, ""), error: Some(json) }
    }
}

impl Origin {
    pub(crate) fn data(catalogue: Catalogue) -> Origin {
        Origin { table: LocalQueries::new(), source: Source::Data(catalogue) }
    }

    pub(crate) fn server(server: Server) -> Origin {
        Origin { table: LocalQueries::new(), source: Source::Server(server) }
    }

    /// The JSON at this path of the API, whose parts are percent-encoded; the parameters are as typed.
    pub(crate) fn ask(&self, path: &str, query: &[(&str, &str)]) -> Result<String, Failure> {
        self.view()?.ask(path, query)
    }

    /// A view for several questions: of local data, all are answered from one snapshot.
    pub(crate) fn view(&self) -> Result<View<'_>, Failure> {
        match &self.source {
            Source::Data(catalogue) => {
                let snapshot = catalogue.snapshot(Now::read().today());
                let snapshot = snapshot.map_err(|err| Failure::other(err.to_string()))?;
                Ok(View::Data(&self.table, Box::new(snapshot)))
            }
            Source::Server(server) => Ok(View::Server(server)),
        }
    }

    /// The columns of the list at this path, as this program knows them; none if there is no list.
    pub(crate) fn columns(&self, path: &str, query: &[(&str, String)]) -> &[Heading] {
        self.table.columns(path, query)
    }

    /// The address of the server that is asked; empty for local data.
    pub(crate) fn address(&self) -> &str {
        match &self.source {
            Source::Data(_) => "",
            Source::Server(server) => server.address(),
        }
    }
}

/// Answers several questions from the same data.
pub(crate) enum View<'o> {
    Data(&'o LocalQueries, Box<Snapshot>),
    Server(&'o Server),
}

impl View<'_> {
    /// The JSON at this path of the API, whose parts are percent-encoded; the parameters are as typed.
    pub(crate) fn ask(&self, path: &str, query: &[(&str, &str)]) -> Result<String, Failure> {
        let pair = |(name, value): &(&str, &str)| format!("{name}={}", percent_encode(value));
        let query = query.iter().map(pair).collect::<Vec<_>>().join("&");
        match self {
            View::Data(inside, snapshot) => {
                inside.answer(snapshot, path, &query).map_err(Failure::from_local_error)
            }
            View::Server(server) => server.get(path, &query),
        }
    }
}

/// Characters that are percent-encoded: all but letters, digits and the marks that mean themselves everywhere. Dots are
/// encoded too, because a path segment of dots alone would lead up.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'~');

/// Encodes a text as a part of a path or of a query string.
pub(crate) fn percent_encode(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}
