//! What a request with a link may read, and what its response must not leave behind.
use std::borrow::Cow;

use fincore::LinkPath;
use hyper::{
    Uri,
    header::{CACHE_CONTROL, HeaderMap, HeaderValue, REFERRER_POLICY},
};

use super::route_table::Route;
use crate::http::message::{
    link_parameter::LinkCredential,
    parameters::{decode, decode_query},
    refusal::{LinkScope, Refusal},
    request::Request,
};

/// Fails where a request carries a link that may not read what it asks for.
pub(super) fn check(route: &Route, request: &Request) -> Result<(), Refusal> {
    let LinkCredential::Valid(holder) = &request.link else { return Ok(()) };
    if !route.takes_links() {
        return Err(Refusal::LinkScope(LinkScope::Endpoint));
    }
    match &holder.path {
        Some(path) if !opens(path, &request.head.uri) => Err(Refusal::LinkScope(LinkScope::Bound)),
        Some(_) | None => Ok(()),
    }
}

/// Whether an address has exactly the path and the parameters that a link is bound to, whatever their order and escapes.
fn opens(path: &LinkPath, uri: &Uri) -> bool {
    let asked = uri.path_and_query().map_or(uri.path(), |target| target.as_str());
    asked == path.as_str()
        || meaning(asked).is_some_and(|asked| Some(asked) == meaning(path.as_str()))
}

type NameValue<'t> = (Cow<'t, str>, Cow<'t, str>);

/// The path of a target and its parameters, decoded and in order; nothing if it cannot be decoded.
fn meaning(target: &str) -> Option<(Cow<'_, str>, Vec<NameValue<'_>>)> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let pair = |piece| {
        let (name, value) = str::split_once(piece, '=').unwrap_or((piece, ""));
        Some((decode_query(name).ok()?, decode_query(value).ok()?))
    };
    let pieces = query.split('&').filter(|piece| !piece.is_empty());
    let mut pairs = pieces.map(pair).collect::<Option<Vec<_>>>()?;
    pairs.sort_unstable();
    Some((decode(path).ok()?, pairs))
}

/// Keeps a response out of caches, and its address out of what a browser tells other sites. Errors are in no cache anyway.
pub(super) fn mark(headers: &mut HeaderMap, request: &Request) {
    if !request.link.is_given() {
        return;
    }
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if headers.get(CACHE_CONTROL).is_none_or(|value| value != "no-store") {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_link_opens_its_path_with_its_parameters_and_nothing_else() {
        let bound: LinkPath = "/api/v1/filings?q=S%C3%A3o+Paulo&limit=5".parse().unwrap();
        let opened = [
            "/api/v1/filings?q=S%C3%A3o+Paulo&limit=5",
            "/api/v1/filings?limit=5&q=S%c3%a3o%20Paulo",
            "/api/v1/%66ilings?&limit=5&&q=S%C3%A3o+Paulo&",
            "http://localhost/api/v1/filings?q=S%C3%A3o+Paulo&limit=5",
        ];
        for uri in opened {
            assert!(opens(&bound, &uri.parse().unwrap()), "{uri}");
        }
        let others = [
            "/api/v1/filings",
            "/api/v1/filings?q=S%C3%A3o+Paulo",
            "/api/v1/filings?q=S%C3%A3o+Paulo&limit=6",
            "/api/v1/filings?q=S%C3%A3o+Paulo&limit=5&offset=5",
            "/api/v1/filings?q=S%C3%A3o+Paulo&limit=5&limit=5",
            "/api/v1/filings?q=Sao+Paulo&limit=5",
            "/api/v1/filings/?q=S%C3%A3o+Paulo&limit=5",
            "/api/v1/filings/search?q=S%C3%A3o+Paulo&limit=5",
            "/api/v1/filings?q=%zz&limit=5",
        ];
        for uri in others {
            assert!(!opens(&bound, &uri.parse().unwrap()), "{uri}");
        }
        let without: LinkPath = "/api/v1/market/selic".parse().unwrap();
        assert!(opens(&without, &"/api/v1/market/selic?".parse().unwrap()));
    }
}
