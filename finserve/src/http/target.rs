//! What a request is about: its grammar, its row of the table and its parameters.
use fincore::excerpt;
use hyper::{Method, Version, header::HOST, http::request::Parts};

use super::{
    accept,
    formats::{self, Formats},
    front,
    params::{self, Params},
    refusal::Refusal,
    render::Media,
    request::Request,
    routes::{Match, Route, RouteId, Routes},
};

/// What a request is about.
pub(crate) enum Target<'t, 'r> {
    Matched(Matched<'t, 'r>),
    /// It only asks which methods there are, as in `Allow`: of one path, by a row of it, or of all.
    Options(String, Option<RouteId>),
    /// There is no such thing.
    Nowhere(Refusal),
}

/// A row of the table, and the parameters of the path and of the query string.
pub(crate) struct Matched<'t, 'r> {
    pub(crate) id: RouteId,
    pub(crate) route: &'t Route,
    pub(crate) captures: Params<'r>,
    pub(crate) params: Params<'r>,
}

impl Matched<'_, '_> {
    /// In which media type a query is answered. Takes the parameters that choose it out of those of a list.
    pub(crate) fn media(&mut self, request: &Request) -> Result<Media, Refusal> {
        match self.route.formats {
            Formats::One | Formats::Dataset => Ok(Media::Json),
            Formats::List => {
                let [format, dialect] = formats::PARAMS.map(|name| self.params.take(name));
                formats::of_list(format.as_deref(), dialect.as_deref(), &request.head.headers)
            }
        }
    }
}

/// What a request is about, if its grammar is right.
pub(crate) fn target<'t, 'r>(
    routes: &'t Routes,
    request: &'r Request,
) -> Result<Target<'t, 'r>, Refusal> {
    let head = &request.head;
    check_grammar(head)?;
    let path = head.uri.path();
    let readable = params::decode(path)?;
    let params = Params::from_query(head.uri.query().unwrap_or(""))?;
    let options = head.method == Method::OPTIONS;
    match routes.find(&head.method, path)? {
        Match::Row(id, route, captures) => {
            Ok(Target::Matched(Matched { id, route, captures, params }))
        }
        Match::OtherMethods(allow, id) if options => Ok(Target::Options(allow, Some(id))),
        Match::OtherMethods(allow, _) => Ok(Target::Nowhere(Refusal::MethodNotAllowed(allow))),
        Match::Nothing if options && path == "*" => Ok(Target::Options(routes.allow(), None)),
        Match::Nothing => {
            let path = excerpt(&readable);
            let message = format!("there is nothing at {path:?}; see /docs for what there is");
            let refusal = Refusal::NotFound(message);
            Ok(Target::Nowhere(if leads_to_page(head) {
                front::not_found(request, routes.offer, refusal, &path)
            } else {
                refusal
            }))
        }
    }
}

/// Whether a browser asks, for something that is not part of the API.
pub(crate) fn leads_to_page(head: &Parts) -> bool {
    !head.uri.path().starts_with("/api/") && accept::wants_page(&head.headers)
}

/// The longest path and query string, in bytes: as long as what other servers and proxies take.
const MAX_TARGET: usize = 8 * 1024;

/// The most header fields. Browsers send some twenty, and proxies add a few.
const MAX_HEADERS: usize = 64;

/// The methods that HTTP has, known here or not.
const METHODS: [&str; 10] =
    ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "QUERY"];

/// Whether a request asks for something without changing it, and in good grammar.
pub(crate) fn is_plain(head: &Parts) -> bool {
    matches!(head.method, Method::GET | Method::HEAD) && check_grammar(head).is_ok()
}

/// Whether a request has good grammar.
pub(crate) fn is_grammatical(head: &Parts) -> bool {
    check_grammar(head).is_ok()
}

/// What hyper lets through and HTTP does not.
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
        return Err(Refusal::BadRequest("the Host header must be given exactly once".into()));
    }
    if !METHODS.contains(&head.method.as_str()) {
        return Err(Refusal::BadRequest("the method is not one of HTTP's".into()));
    }
    Ok(())
}
