//! Who is signed in, and what that changes about a page.
use fincore::SessionToken;
use hyper::{
    Method,
    header::{AUTHORIZATION, CACHE_CONTROL, COOKIE, HeaderMap, HeaderValue, SET_COOKIE, VARY},
};

use super::{
    route_table::{Route, Routes},
    target::Target,
};
use crate::{
    http::message::{
        cookies,
        header_names::{SEC_FETCH_SITE, X_API_KEY},
        request::{Request, Session},
    },
    site::base_path::BasePath,
};

/// The session that a request names, where one counts: on pages, and for what a script of our own pages reads from the API;
/// only where no key and no link is sent.
pub(crate) fn token(
    request: &Request,
    target: &Target<'_>,
    routes: &Routes,
) -> Option<SessionToken> {
    let (head, headers) = (&request.head, &request.head.headers);
    let has = |name| headers.contains_key(name);
    if request.link.is_given()
        || !has(COOKIE)
        || has(X_API_KEY)
        || has(AUTHORIZATION)
        || head.method == Method::OPTIONS
    {
        return None;
    }
    let is_read = || target.route().is_some_and(|route| routes.row(route).is_read_from_api());
    let counts = target.is_page || (is_sent_by_own_page(request) && is_read());
    counts.then(|| cookies::session(request, routes.base)).flatten()
}

/// Whether a script of one of our own pages sent this request, to read something: browsers say so themselves, and let no
/// script write that header.
pub(crate) fn is_sent_by_own_page(request: &Request) -> bool {
    let headers = &request.head.headers;
    request.head.method == Method::GET
        && headers.contains_key(COOKIE)
        && headers.get(SEC_FETCH_SITE).is_some_and(|site| site == "same-origin")
}

/// Says that a page depends on its session, and a page of data also on the plan of a key; keeps pages of a session out of
/// shared caches, and makes the browser forget a session that is over.
pub(crate) fn mark(headers: &mut HeaderMap, request: &Request, route: &Route, base: BasePath) {
    let own = match route.feature {
        Some(_) => "X-API-Key, Authorization, Cookie",
        None => "Cookie",
    };
    let varies = headers.get(VARY).and_then(|value| value.to_str().ok());
    let varies = varies.map_or_else(|| own.to_owned(), |known| format!("{known}, {own}"));
    headers.insert(VARY, HeaderValue::try_from(varies).expect("names of headers are ASCII"));
    let is_stored = headers.get(CACHE_CONTROL).is_none_or(|value| value != "no-store");
    match &request.session {
        Session::SignedIn(_) if is_stored => {
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        }
        Session::Expired => {
            if is_stored {
                headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
            }
            headers.entry(SET_COOKIE).or_insert_with(|| cookies::taken(request, base));
        }
        Session::SignedIn(_) | Session::None => (),
    }
}

#[cfg(test)]
mod tests;
