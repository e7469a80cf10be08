//! The way of a request, from its first line to what is sent back. Who may wait or take long makes
//! room for others.
use std::{
    collections::hash_map::{DefaultHasher, RandomState},
    hash::{BuildHasher, Hash, Hasher},
    sync::atomic::{AtomicU64, Ordering},
};

use fincore::{Catalogue, Error, Plan, Result, Snapshot, limits::Standing, usage::Ended};
use http_body_util::Full;
use hyper::{
    Method, Response,
    body::Bytes,
    header::{ACCEPT, HOST, HeaderValue},
    http::request::Parts,
};

use crate::{
    access::{Access, Call},
    pages::{
        Visit,
        front::{self, AssetQuery, Guest, PageQuery},
    },
    params::{self, Params},
    reply::{self, Caching, Envelope, Outcome},
    request::{Client, Now, Request},
    routes::{Answer, Found, Route, Routes},
};

/// Everything that requests share.
pub(crate) struct App {
    catalogue: Catalogue,
    pub(crate) access: Access,
    routes: Routes,
    /// Request ids are this, which differs from start to start, and a count.
    start: u32,
    requests: AtomicU64,
}

impl App {
    pub(crate) fn new(catalogue: Catalogue, access: Access) -> App {
        let start = RandomState::new().hash_one("request id") >> 32;
        let start = u32::try_from(start).unwrap_or_default();
        App { catalogue, access, routes: Routes::new(), start, requests: AtomicU64::new(0) }
    }

    /// Answers a request that arrives `now`.
    pub(crate) fn answer(&self, request: &Request, now: Now) -> Response<Full<Bytes>> {
        let count = self.requests.fetch_add(1, Ordering::Relaxed);
        let id = format!("{:08x}-{count:x}", self.start);
        let headers = &request.head.headers;
        let (client, identified) = self.access.identify(request.peer, headers);
        let (outcome, standing) = self.outcome(request, &client, identified, now);
        reply::respond(outcome, headers, &Envelope { id: &id, client, standing, now })
    }

    /// The steps that every request goes through, in order; the first that fails answers.
    fn outcome(
        &self,
        request: &Request,
        client: &Client,
        identified: Result<()>,
        now: Now,
    ) -> (Outcome, Standing) {
        let peek = || self.access.peek(client, now);
        let target = match self.target(&request.head) {
            Ok(target) => target,
            Err(outcome) => return (outcome, peek()),
        };
        match identified {
            Ok(()) => (),
            // Charged to the address, so that guessing keys uses up what the guesser has.
            Err(err @ Error::InvalidKey) => {
                let standing = self.access.admit(client, now).unwrap_or_else(|standing| standing);
                return (Outcome::Failed(err), standing);
            }
            Err(err) => return (Outcome::Failed(err), peek()),
        }
        let Route { feature, path, .. } = target.route;
        let run = || self.run(target, request, client, now).unwrap_or_else(Outcome::Failed);
        if feature.is_none() {
            return (run(), peek());
        }
        let (outcome, ended, standing) = match self.access.admit(client, now) {
            Ok(standing) => {
                let outcome = run();
                let ended = if outcome.is_error() { Ended::InError } else { Ended::Well };
                (outcome, ended, standing)
            }
            Err(standing) => {
                (Outcome::Failed(too_many(client.plan, &standing)), Ended::Refused, standing)
            }
        };
        self.access.count(client, path, ended, now);
        (outcome, standing)
    }

    /// What a request is about, if its grammar is right and there is such a thing.
    fn target<'r>(&self, request: &'r Parts) -> Result<Target<'_, 'r>, Outcome> {
        check_grammar(request)?;
        let path = request.uri.path();
        let readable = params::decode(path)?;
        let params = Params::from_query(request.uri.query().unwrap_or(""))?;
        let options = request.method == Method::OPTIONS;
        match self.routes.find(&request.method, path)? {
            Found::Row(route, captures) => Ok(Target { route, captures, params }),
            Found::OtherMethods(allow) if options => Err(Outcome::Options(allow)),
            Found::OtherMethods(allow) => Err(Outcome::NoSuchMethod(allow)),
            Found::Nothing if options && path == "*" => Err(Outcome::Options(self.routes.allow())),
            Found::Nothing if wants_page(request) => Err(front::not_found(
                &Visit::new(&request.headers, None),
                &params::short(&readable),
            )),
            Found::Nothing => Err(Outcome::NoSuchPath(params::short(&readable).into_owned())),
        }
    }

    /// The plan, the parameters, the answer.
    fn run(
        &self,
        Target { route, captures, params }: Target<'_, '_>,
        Request { head, upload, .. }: &Request,
        client: &Client,
        now: Now,
    ) -> Result<Outcome> {
        route.feature.map_or(Ok(()), |feature| client.plan.need(feature))?;
        params.only(route.params)?;
        let params = captures.and(params)?;
        match &route.answer {
            Answer::Fixed(answer) => Ok(Outcome::Found(answer()?, Caching::Never)),
            Answer::Query(answer) | Answer::Search(answer) => {
                let query = || {
                    let snapshot = self.catalogue.snapshot(now.today())?.for_plan(client.plan);
                    let body = answer(&snapshot, params)?;
                    Ok(Outcome::Found(body, Caching::Tagged(tag(&snapshot, head))))
                };
                match route.answer {
                    Answer::Search(_) => tokio::task::block_in_place(query),
                    _ => query(),
                }
            }
            Answer::Own(answer) => {
                let call = Call { client: *client, headers: &head.headers, upload, now };
                // It may have to wait for the disk, and nobody else is to wait with it.
                tokio::task::block_in_place(|| answer(&self.access, &call, params))
            }
            Answer::Page(page) => {
                let PageQuery { lang } = params.read()?;
                let call = Call { client: *client, headers: &head.headers, upload, now };
                let visit = Visit::new(&head.headers, lang);
                let guest = Guest { catalogue: &self.catalogue, access: &self.access, call, visit };
                if head.method == Method::POST {
                    return tokio::task::block_in_place(|| page(&guest));
                }
                page(&guest)
            }
            Answer::Asset(asset) => asset(&params.read::<AssetQuery>()?.name),
        }
    }
}

/// What a request is about: a row of the table, and the parameters of its path and its query string.
struct Target<'t, 'r> {
    route: &'t Route,
    captures: Params<'r>,
    params: Params<'r>,
}

fn too_many(plan: Plan, standing: &Standing) -> Error {
    Error::RateLimited {
        limit: standing.limit,
        per: format!("requests a minute on the {} plan", plan.name()),
        retry_after: standing.retry_after,
    }
}

/// Whether a browser asks, for something that is not part of the API.
fn wants_page(request: &Parts) -> bool {
    let accepts =
        |value: &HeaderValue| value.to_str().is_ok_and(|types| types.contains("text/html"));
    !request.uri.path().starts_with("/api/") && request.headers.get_all(ACCEPT).iter().any(accepts)
}

/// The methods that HTTP has, known here or not.
const METHODS: [&str; 10] =
    ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "QUERY"];

/// What hyper lets through and HTTP does not.
fn check_grammar(request: &Parts) -> Result<()> {
    if request.headers.get_all(HOST).iter().count() != 1 {
        return Err(Error::Invalid("the Host header must be given exactly once".into()));
    }
    if !METHODS.contains(&request.method.as_str()) {
        return Err(Error::Invalid("the method is not one of HTTP's".into()));
    }
    Ok(())
}

/// The same for the same question on the same day and plan about the same data, by the same program.
fn tag(snapshot: &Snapshot, request: &Parts) -> String {
    let mut hasher = DefaultHasher::new();
    let question = (request.uri.path(), request.uri.query().unwrap_or(""));
    (env!("CARGO_PKG_VERSION"), snapshot.today(), snapshot.plan(), question).hash(&mut hasher);
    format!("W/\"{}-{:016x}\"", snapshot.tag(), hasher.finish())
}
