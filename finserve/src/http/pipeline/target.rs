//! The target of a request, parsed once: its route, its parameters, its media type, its language, and its cost.
use fincore::{Caller, Feature, Key, truncate};
use hyper::{
    Method, Version,
    header::{HOST, HeaderValue},
    http::request::Parts,
};
use percent_encoding::percent_decode;

use super::route_table::{Match, Route, RouteId, Routes};
use crate::{
    errors::BadRequest,
    http::{
        access::Charge,
        message::{
            accept,
            parameters::{self, Params},
            refusal::Refusal,
            render::Media,
        },
    },
    pages::Language,
    site::host_header,
};

/// A parsed request. The session, the limit, the plan, the cache and the handler read it; nothing else looks at the
/// path or the query string.
pub(crate) struct Target<'r> {
    /// Where the request leads, if its grammar is right.
    pub(crate) destination: Result<Destination<'r>, Refusal>,
    /// The language that the query string chooses for a page.
    pub(crate) language: Option<Language>,
    /// Whether a page answers it, or would if there were one.
    pub(crate) is_page: bool,
}

/// Where a request leads.
pub(crate) enum Destination<'r> {
    Route(RouteTarget<'r>),
    /// It only asks which methods there are, as in `Allow`: of one path, by a row of it, or of all.
    Options(String, Option<RouteId>),
    /// To a page whose path has no slash at its end: its path and query string.
    Moved(HeaderValue),
    OtherMethods(String),
    /// Nothing is at this path.
    Nothing(String),
}

/// A route of the table, and what is asked of it.
pub(crate) struct RouteTarget<'r> {
    pub(crate) id: RouteId,
    /// The feature that the format needs, besides the endpoint itself.
    pub(crate) format_feature: Option<Feature>,
    /// The input, or its fault, which is reported only after the limit and the plan.
    pub(crate) input: Result<Input<'r>, Refusal>,
    /// The answer takes microseconds.
    pub(crate) is_short: bool,
}

/// The input of a route: parts of the path and parameters, and the media type of the answer.
pub(crate) struct Input<'r> {
    pub(crate) params: Params<'r>,
    pub(crate) media: Media,
}

impl<'r> Target<'r> {
    /// Parses a request. What is wrong with it is part of the result.
    pub(crate) fn parse(routes: &Routes, head: &'r Parts) -> Target<'r> {
        let params = Params::from_query(head.uri.query().unwrap_or_default());
        let language = params.as_ref().ok().and_then(|params| params.get("lang")?.parse().ok());
        let destination = check_grammar(head).and_then(|()| find(routes, head, params));
        let is_page = match &destination {
            Ok(Destination::Route(target)) => routes.row(target.id).is_page,
            Ok(Destination::Moved(_)) => true,
            Ok(Destination::Options(..) | Destination::OtherMethods(_)) => false,
            Ok(Destination::Nothing(_)) | Err(_) => leads_to_page(head),
        };
        Target { destination, language, is_page }
    }

    /// The route, if the request leads to one.
    pub(crate) fn route(&self) -> Option<RouteId> {
        match &self.destination {
            Ok(Destination::Route(target)) => Some(target.id),
            Ok(
                Destination::Options(..)
                | Destination::Moved(_)
                | Destination::OtherMethods(_)
                | Destination::Nothing(_),
            )
            | Err(_) => None,
        }
    }

    /// Whether it leads to what a link may read.
    pub(crate) fn takes_links(&self, routes: &Routes) -> bool {
        self.route().is_some_and(|id| routes.row(id).takes_links())
    }

    pub(crate) fn charge(&self, routes: &Routes, caller: Caller) -> Charge {
        match self.route() {
            Some(id) if routes.row(id).feature.is_some() => Charge::Counted(caller),
            Some(_) | None => Charge::Free(caller),
        }
    }
}

impl Input<'_> {
    /// Copies the input for another thread.
    pub(crate) fn into_owned(self) -> Input<'static> {
        Input { params: self.params.into_owned(), media: self.media }
    }
}

fn find<'r>(
    routes: &Routes,
    head: &'r Parts,
    params: Result<Params<'r>, Refusal>,
) -> Result<Destination<'r>, Refusal> {
    let path = head.uri.path();
    if path.len() > LONGEST_PATH {
        return Ok(Destination::Nothing(beginning(path)));
    }
    let readable = parameters::decode(path)?;
    let params = params?;
    let options = head.method == Method::OPTIONS;
    Ok(match routes.find(&head.method, path)? {
        Match::Row(id, route, captures) => {
            Destination::Route(route_target((id, route), captures, params, head))
        }
        Match::OtherMethods(allow, id) if options => Destination::Options(allow, Some(id)),
        Match::OtherMethods(allow, _) => Destination::OtherMethods(allow),
        Match::Nothing if options && path == "*" => Destination::Options(routes.allow(), None),
        Match::Nothing => match without_slash(routes, head)? {
            Some(moved) => Destination::Moved(moved),
            None => Destination::Nothing(truncate(&readable).into_owned()),
        },
    })
}

fn route_target<'r>(
    (id, route): (RouteId, &Route),
    captures: Params<'r>,
    mut params: Params<'r>,
    head: &Parts,
) -> RouteTarget<'r> {
    let is_short = route.cost.is_short(&params);
    let format_feature = route.formats.feature(&params, &head.headers);
    let known = if route.is_drawn() {
        params.retain(&route.params, &captures);
        Ok(())
    } else {
        params.only(&route.params, &captures)
    };
    let input = known.and_then(|()| {
        let media = route.formats.media(&mut params, &route.params, &head.headers)?;
        Ok(Input { params: captures.and(params)?, media })
    });
    RouteTarget { id, format_feature, input, is_short }
}

/// The path and query string of the page that a path with slashes too many at its end means.
fn without_slash(routes: &Routes, head: &Parts) -> Result<Option<HeaderValue>, Refusal> {
    let path = head.uri.path().trim_end_matches('/');
    if path.len() == head.uri.path().len() || path.is_empty() {
        return Ok(None);
    }
    let is_page =
        matches!(routes.find(&head.method, path)?, Match::Row(_, route, _) if route.is_page);
    // A key that was sent in an address by mistake is not repeated.
    if Key::may_be_in(path) {
        return Ok(None);
    }
    let query = head.uri.query().filter(|query| !Key::may_be_in(query));
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    let reads = matches!(head.method, Method::GET | Method::HEAD);
    // A request target is a valid header value.
    Ok((is_page && reads).then(|| (routes.base.link(path) + &query).try_into().ok()).flatten())
}

/// Whether a browser asks, for something that is not part of the API.
pub(crate) fn leads_to_page(head: &Parts) -> bool {
    !head.uri.path().starts_with("/api/") && accept::wants_page(&head.headers)
}

/// The longest path that can lead anywhere, in bytes: several times the longest one of the table with names in it, all escaped.
const LONGEST_PATH: usize = 1024;

/// The start of a long path that a refusal shows, decoded as far as possible.
fn beginning(path: &str) -> String {
    let shown = percent_decode(&path.as_bytes()[..LONGEST_PATH]).decode_utf8_lossy();
    truncate(&shown).into_owned()
}

/// The longest path and query string, in bytes: as long as what other servers and proxies take.
const MAX_TARGET: usize = 8 * 1024;

/// The most header fields. Browsers send some twenty, and proxies add a few.
const MAX_HEADERS: usize = 64;

/// The methods that HTTP has, known here or not.
const METHODS: [&str; 10] =
    ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "QUERY"];

/// Whether a request only reads, and in good grammar.
pub(crate) fn is_plain(head: &Parts) -> bool {
    matches!(head.method, Method::GET | Method::HEAD) && check_grammar(head).is_ok()
}

/// Fails on what hyper lets through and HTTP does not.
fn check_grammar(head: &Parts) -> Result<(), Refusal> {
    if head.uri.path_and_query().is_some_and(|target| target.as_str().len() > MAX_TARGET) {
        return Err(Refusal::UriTooLong { most: MAX_TARGET });
    }
    if head.headers.len() > MAX_HEADERS {
        return Err(Refusal::TooManyHeaders { most: MAX_HEADERS });
    }
    let hosts = head.headers.get_all(HOST).iter().count();
    // HTTP/1.0 does not know the header, and the probes of old load balancers do not send it.
    if hosts != 1 && !(hosts == 0 && head.version == Version::HTTP_10) {
        return Err(BadRequest::Host.into());
    }
    let is_host = |value: &HeaderValue| value.to_str().ok().and_then(host_header::host).is_some();
    if !head.headers.get(HOST).is_none_or(is_host) {
        return Err(BadRequest::HostName.into());
    }
    if !METHODS.contains(&head.method.as_str()) {
        return Err(BadRequest::Method.into());
    }
    Ok(())
}
