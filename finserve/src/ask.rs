//! Questions of the API and their answers, for faces that are not HTTP: from the data at hand, or from a server.
//!
//! Both answer with the same JSON, because both run the row of the table that the path leads to.
use fincore::{Catalogue, Snapshot};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::{
    http::{Heading, Inside},
    now::Now,
};

mod server;
pub(crate) use server::Server;

/// Where answers come from.
pub(crate) enum Origin {
    /// The data at hand, all of it.
    Data(Box<(Inside, Catalogue)>),
    /// A server, within the plan of a key.
    Server(Box<(Inside, Server)>),
}

/// Why there is no answer, as a sentence for whoever asked.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Failure {
    pub(crate) kind: Kind,
    pub(crate) message: String,
}

/// Who can do something about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The question is wrong.
    Question,
    /// There is no such thing.
    NotFound,
    /// Anything else: the key, the plan, the limit, the server, the data.
    Other,
}

impl Failure {
    fn other(message: impl Into<String>) -> Failure {
        Failure { kind: Kind::Other, message: message.into() }
    }

    /// A refusal with this code of the API.
    fn refused(code: &str, message: impl Into<String>) -> Failure {
        let kind = match code {
            "bad_request" => Kind::Question,
            "not_found" => Kind::NotFound,
            _ => Kind::Other,
        };
        Failure { kind, message: message.into() }
    }
}

impl Origin {
    pub(crate) fn data(catalogue: Catalogue) -> Origin {
        Origin::Data(Box::new((Inside::new(), catalogue)))
    }

    pub(crate) fn server(server: Server) -> Origin {
        Origin::Server(Box::new((Inside::new(), server)))
    }

    /// The JSON at this path of the API, whose parts are percent-encoded; the parameters are as typed.
    pub(crate) fn ask(&self, path: &str, query: &[(&str, &str)]) -> Result<String, Failure> {
        self.view()?.ask(path, query)
    }

    /// For several questions: all about one state of the data, where it is at hand.
    pub(crate) fn view(&self) -> Result<View<'_>, Failure> {
        match self {
            Origin::Data(desk) => {
                let snapshot = desk.1.snapshot(Now::read().today());
                let snapshot = snapshot.map_err(|err| Failure::other(err.to_string()))?;
                Ok(View::Data(&desk.0, Box::new(snapshot)))
            }
            Origin::Server(desk) => Ok(View::Server(&desk.1)),
        }
    }

    /// The columns of the list at this path, as this program knows them; none where there is no list.
    pub(crate) fn columns(&self, path: &str) -> &[Heading] {
        match self {
            Origin::Data(desk) => desk.0.columns(path),
            Origin::Server(desk) => desk.0.columns(path),
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
            View::Data(inside, snapshot) => inside
                .answer(snapshot, path, &query)
                .map_err(|(code, message)| Failure::refused(code, message)),
            View::Server(server) => server.get(path, &query),
        }
    }
}

/// A text as a part of a path or of a query string.
pub(crate) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}
