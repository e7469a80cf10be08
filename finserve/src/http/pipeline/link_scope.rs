//! The scope of a request with a link, and the headers that its response must not leave behind.
use std::borrow::Cow;

use fincore::{LinkPath, LinkToken};
use hyper::{
    Uri, Version,
    header::{CACHE_CONTROL, HeaderMap, HeaderValue, REFERRER_POLICY},
};

use super::{
    route_table::{Route, Routes},
    target::{Destination, Target},
};
use crate::{
    errors::{BadRequest, Problem, Wanted},
    http::{
        endpoints::context::LinkPaths,
        message::{
            link_parameter::LinkCredential,
            parameters::{decode, decode_query},
            refusal::{LinkScope, Refusal},
            request::Request,
        },
    },
    site::upgrade_contact::UpgradeContact,
};

impl LinkPaths for Routes {
    fn link_path(&self, text: &str) -> Result<LinkPath, Refusal> {
        let below = text.strip_prefix(&self.base.link(""));
        let below = below.filter(|path| path.starts_with('/')).unwrap_or(text);
        Ok(readable(self, below.parse()?)?)
    }
}

/// A path that the operator binds a link to. Fails, with what is wanted, where no request with a link is answered at it.
pub(crate) fn operator_link_path(path: LinkPath) -> Result<LinkPath, String> {
    readable(&Routes::new(UpgradeContact::default()), path).map_err(|wrong| wrong.to_string())
}

fn readable(routes: &Routes, path: LinkPath) -> Result<LinkPath, BadRequest> {
    match is_read_by_link(routes, path.as_str()) {
        true => Ok(path),
        false => Err(BadRequest::Value(Problem::value(path.as_str(), Wanted::LinkPath))),
    }
}

/// Whether a request with a link can be answered at a path. It is parsed as a request is, because what is refused there would
/// make a link that never works.
fn is_read_by_link(routes: &Routes, path: &str) -> bool {
    // Programs resolve these before they ask, so that no request has them.
    let below = path.split('?').next().unwrap_or_default();
    let is_dots = |part: &str| decode(part).is_ok_and(|part| [".", ".."].contains(&&*part));
    if below.split('/').any(is_dots) {
        return false;
    }
    // A request of HTTP/1.0 needs no host.
    let request = hyper::Request::get(path).version(Version::HTTP_10).body(());
    let Ok((head, ())) = request.map(hyper::Request::into_parts) else { return false };
    match Target::parse(routes, &head).destination {
        Ok(Destination::Route(target)) => {
            target.input.is_ok() && routes.row(target.id).takes_links()
        }
        Ok(
            Destination::Options(..)
            | Destination::Moved(_)
            | Destination::OtherMethods(_)
            | Destination::Nothing(_),
        )
        | Err(_) => false,
    }
}

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

/// Keeps a response out of caches, and its address out of what a browser tells other sites: also where the token stands in a
/// wrong place and is none.
pub(super) fn mark(headers: &mut HeaderMap, request: &Request) {
    if request.link.is_given() || has_token(&request.head.uri) {
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    }
}

/// Whether something that looks like a token is still in an address.
fn has_token(uri: &Uri) -> bool {
    uri.path_and_query().is_some_and(|target| LinkToken::may_be_in(target.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::base_path::BasePath;

    #[test]
    fn a_link_is_bound_only_to_what_a_request_can_ask() {
        let mut routes = Routes::new(UpgradeContact::default());
        routes.base = BasePath::new("/fin");
        for (text, path) in [
            ("/api/v1/market/cdi/current", "/api/v1/market/cdi/current"),
            ("/fin/api/v1/market/cdi/current", "/api/v1/market/cdi/current"),
            (
                "/api/v1/market/selic?%6Cimit=5&format=csv",
                "/api/v1/market/selic?%6Cimit=5&format=csv",
            ),
            ("/api/v1/companies/33.000.167%2F0001-01?format=value&field=name", ""),
            ("/api/v1/export/ipca?format=parquet", ""),
            ("/api/v1/filings/search?q=S%C3%A3o+Paulo&&", ""),
        ] {
            let found = routes.link_path(text).ok();
            let path = if path.is_empty() { text } else { path };
            assert_eq!(found.as_ref().map(LinkPath::as_str), Some(path), "{text}");
        }
        for text in [
            "/finance/api/v1/market/cdi/current",
            "/fin/fin/api/v1/market/cdi/current",
            "/api/v1/nope",
            "/api/v1/links",
            "/api/v1/events",
            "/api/v1/status",
            "/api/v1/webhooks",
            "/api/v1/plans",
            "/api/v1/market/selic?token=a",
            "/api/v1/market/selic?%74oken=abc",
            "/api/v1/market/selic?limit=1&limit=1",
            "/api/v1/market/selic?limit=1&%6Cimit=1",
            "/api/v1/market/selic?nope=1",
            "/api/v1/market/selic?format=xml",
            "/api/v1/market/selic?format=value",
            "/api/v1/companies/9512?field=%ff",
            "/api/v1/companies/9512?id=9512",
            "/api/v1/companies/..",
            "/api/v1/companies/%2e%2E/filings",
            "/api/v1/companies/./filings",
            "/api/v1/companies/9512/",
        ] {
            assert!(routes.link_path(text).is_err(), "{text}");
        }
    }

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
