//! Questions of the API and their answers, for faces that are not HTTP: from the data at hand, or from a server.
//!
//! Both answer with the same JSON, because both run the row of the table that the path leads to.
use std::time::Duration;

use fincore::{Catalogue, Snapshot};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::{
    api,
    http::{Heading, Inside},
    now::Now,
};

mod server;
pub(crate) use server::Server;

/// Where answers come from.
pub(crate) struct Origin {
    table: Inside,
    source: Source,
}

enum Source {
    /// The data at hand, all of it.
    Data(Catalogue),
    /// A server, within the plan of a key.
    Server(Server),
}

/// Why there is no answer, as a sentence for whoever asked.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Failure {
    pub(crate) kind: Kind,
    pub(crate) message: String,
    /// The error of the API, as JSON, where it is one.
    pub(crate) error: Option<String>,
}

/// Who can do something about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The question is wrong.
    Question,
    /// There is no such thing.
    NotFound,
    /// The server asks to come again after this time: the limit is used up, or there is too much to do.
    Later(Duration),
    /// Anything else: the key, the plan, the server, the data.
    Other,
}

impl Kind {
    /// The kind of an error with this code of the API.
    fn of(code: &str) -> Kind {
        match code {
            "bad_request" => Kind::Question,
            "not_found" => Kind::NotFound,
            _ => Kind::Other,
        }
    }
}

impl Failure {
    fn other(message: impl Into<String>) -> Failure {
        Failure { kind: Kind::Other, message: message.into(), error: None }
    }

    /// An error that this program itself made.
    fn own(json: String) -> Failure {
        let kind = api::Error::read(&json).map_or(Kind::Other, |error| Kind::of(&error.error));
        Failure { kind, message: api::words(&json, ""), error: Some(json) }
    }
}

impl Origin {
    pub(crate) fn data(catalogue: Catalogue) -> Origin {
        Origin { table: Inside::new(), source: Source::Data(catalogue) }
    }

    pub(crate) fn server(server: Server) -> Origin {
        Origin { table: Inside::new(), source: Source::Server(server) }
    }

    /// The JSON at this path of the API, whose parts are percent-encoded; the parameters are as typed.
    pub(crate) fn ask(&self, path: &str, query: &[(&str, &str)]) -> Result<String, Failure> {
        self.view()?.ask(path, query)
    }

    /// For several questions: all about one state of the data, where it is at hand.
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

    /// The columns of the list at this path, as this program knows them; none where there is no list.
    pub(crate) fn columns(&self, path: &str) -> &[Heading] {
        self.table.columns(path)
    }

    /// The address of the service that is asked; none where the data is at hand.
    pub(crate) fn place(&self) -> &str {
        match &self.source {
            Source::Data(_) => "",
            Source::Server(server) => server.base.as_str(),
        }
    }
}

/// What is asked.
pub(crate) enum View<'o> {
    Data(&'o Inside, Box<Snapshot>),
    Server(&'o Server),
}

impl View<'_> {
    /// The JSON at this path of the API, whose parts are percent-encoded; the parameters are as typed.
    pub(crate) fn ask(&self, path: &str, query: &[(&str, &str)]) -> Result<String, Failure> {
        let pair = |(name, value): &(&str, &str)| format!("{name}={}", encoded(value));
        let query = query.iter().map(pair).collect::<Vec<_>>().join("&");
        match self {
            View::Data(inside, snapshot) => {
                inside.answer(snapshot, path, &query).map_err(Failure::own)
            }
            View::Server(server) => server.get(path, &query),
        }
    }
}

/// A text as a part of a path or of a query string.
pub(crate) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}
