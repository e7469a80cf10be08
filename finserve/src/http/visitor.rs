//! Who is signed in, and what that changes about a page.
use fincore::SessionToken;
use hyper::{
    Method,
    header::{AUTHORIZATION, CACHE_CONTROL, COOKIE, HeaderMap, HeaderValue, SET_COOKIE, VARY},
};

use super::{
    app::App,
    cookie,
    headers::X_API_KEY,
    request::{Request, Visitor},
    routes::{Match, Route},
    target,
};
use crate::base_path::BasePath;

impl App {
    /// The session that a request names, where one counts: on pages, and only where no key is sent.
    pub(crate) fn session(&self, request: &Request) -> Option<SessionToken> {
        let (head, headers) = (&request.head, &request.head.headers);
        let has = |name| headers.contains_key(name);
        if !has(COOKIE) || has(X_API_KEY) || has(AUTHORIZATION) || head.method == Method::OPTIONS {
            return None;
        }
        let is_page = match self.routes.find(&head.method, head.uri.path()) {
            Ok(Match::Row(_, route, _)) => route.is_page,
            Ok(Match::Nothing) => target::leads_to_page(head),
            Ok(Match::OtherMethods(..)) | Err(_) => false,
        };
        is_page.then(|| cookie::session(request, self.routes.base)).flatten()
    }
}

/// Says that a page depends on who is signed in, and one of data also on the plan of a key; keeps those of somebody out of
/// caches that others read, and makes the browser forget a session that is over.
pub(crate) fn mark(headers: &mut HeaderMap, request: &Request, route: &Route, base: BasePath) {
    let own = match route.feature {
        Some(_) => "X-API-Key, Authorization, Cookie",
        None => "Cookie",
    };
    let varies = headers.get(VARY).and_then(|value| value.to_str().ok());
    let varies = varies.map_or_else(|| own.to_owned(), |known| format!("{known}, {own}"));
    headers.insert(VARY, HeaderValue::try_from(varies).expect("names of headers are ASCII"));
    let is_stored = headers.get(CACHE_CONTROL).is_none_or(|value| value != "no-store");
    match &request.visitor {
        Visitor::SignedIn(_) if is_stored => {
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        }
        Visitor::Gone => {
            if is_stored {
                headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
            }
            headers.entry(SET_COOKIE).or_insert_with(|| cookie::taken(request, base));
        }
        Visitor::SignedIn(_) | Visitor::Nobody => (),
    }
}

#[cfg(test)]
mod tests;
