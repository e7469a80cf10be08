//! The way of a request, from its first line to what is sent back. Nothing here waits.
use std::{
    collections::hash_map::{DefaultHasher, RandomState},
    hash::{BuildHasher, Hash, Hasher},
    sync::atomic::{AtomicU64, Ordering},
};

use fincore::{Catalogue, Date, Error, Result, Snapshot};
use http_body_util::Full;
use hyper::{
    Method, Response,
    body::Bytes,
    header::HOST,
    http::{Version, request::Parts},
};

use crate::{
    params::{self, Params},
    reply::{self, Caching, Outcome},
    routes::{Answer, Route, routes},
};

/// Everything that requests share.
pub(crate) struct App {
    catalogue: Catalogue,
    routes: Vec<Route>,
    /// Request ids are this, which differs from start to start, and a count.
    start: u32,
    requests: AtomicU64,
}

impl App {
    pub(crate) fn new(catalogue: Catalogue) -> App {
        let start = RandomState::new().hash_one("request id") >> 32;
        let start = u32::try_from(start).unwrap_or_default();
        App { catalogue, routes: routes(), start, requests: AtomicU64::new(0) }
    }

    /// Answers a request that arrives on the day `today`.
    pub(crate) fn answer(&self, request: &Parts, today: Date) -> Response<Full<Bytes>> {
        let count = self.requests.fetch_add(1, Ordering::Relaxed);
        let id = format!("{:08x}-{count:x}", self.start);
        let outcome = self.outcome(request, today).unwrap_or_else(Outcome::Failed);
        reply::respond(outcome, &request.headers, &id)
    }

    /// The steps that every request goes through, in order.
    fn outcome(&self, request: &Parts, today: Date) -> Result<Outcome> {
        check_grammar(request)?;
        let path = request.uri.path();
        let (query, readable) = (request.uri.query().unwrap_or(""), params::decode(path)?);
        let params = Params::from_query(query)?;
        let asks_options = request.method == Method::OPTIONS;
        let (route, captures) = match self.find(path)? {
            Some(found) => found,
            None if asks_options && path == "*" => return Ok(Outcome::Options),
            None => return Ok(Outcome::NoSuchPath(readable.into_owned())),
        };
        if asks_options {
            return Ok(Outcome::Options);
        }
        if !Route::allows(&request.method) {
            return Ok(Outcome::NoSuchMethod);
        }
        params.only(route.params)?;
        match &route.answer {
            Answer::Fixed(answer) => Ok(Outcome::Found(answer()?, Caching::Never)),
            Answer::Query(answer) => {
                let snapshot = self.catalogue.snapshot(today)?;
                let body = answer(&snapshot, captures.and(params)?)?;
                Ok(Outcome::Found(body, Caching::Tagged(tag(&snapshot, path, query)?)))
            }
        }
    }

    fn find<'p>(&self, path: &'p str) -> Result<Option<(&Route, Params<'p>)>> {
        for route in &self.routes {
            if let Some(captures) = route.captures(path)? {
                return Ok(Some((route, captures)));
            }
        }
        Ok(None)
    }
}

/// What hyper lets through and HTTP does not.
fn check_grammar(request: &Parts) -> Result<()> {
    let known = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::DELETE,
        Method::PATCH,
        Method::OPTIONS,
        Method::TRACE,
        Method::CONNECT,
    ];
    if request.headers.get_all(HOST).iter().count() != 1 {
        return Err(Error::Invalid("the Host header must be given exactly once".into()));
    }
    if !known.contains(&request.method) {
        return Err(Error::Invalid("the method is not one of HTTP's".into()));
    }
    if request.version > Version::HTTP_11 {
        return Err(Error::Invalid("only HTTP/1 is spoken here".into()));
    }
    Ok(())
}

/// The same for the same question on the same day about the same data, by the same program.
fn tag(snapshot: &Snapshot, path: &str, query: &str) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    (env!("CARGO_PKG_VERSION"), snapshot.today(), path, query).hash(&mut hasher);
    Ok(format!("W/\"{:x}-{:016x}\"", snapshot.version()?, hasher.finish()))
}
