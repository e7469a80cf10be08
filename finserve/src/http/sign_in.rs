//! Signing in with a key, and out.
use std::str::FromStr;

use fincore::{Key, SessionToken, excerpt};
use hyper::header::HeaderValue;
use serde::{Deserialize, Deserializer, de};

use super::{
    context::Context,
    cookie,
    front::{self, shown, view},
    params::Params,
    refusal::Refusal,
    reply::Reply,
};
use crate::pages::{self, Language, SignInForm};

/// What can be chosen on the page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignInQuery {
    lang: Option<Language>,
    /// Where to go on afterwards.
    next: Option<Next>,
}

/// A path of this service, with its query: nothing that a browser would take for the address of another.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Next(String);

/// The longest path and query that can be gone on to, like the longest that are answered.
const MAX_NEXT: usize = 8 * 1024;

impl FromStr for Next {
    type Err = String;

    /// Browsers read a backslash as a slash, and leave out tabs and line breaks.
    fn from_str(text: &str) -> Result<Next, String> {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
        let is_path = text.starts_with('/') && !text.starts_with("//");
        // Nobody is led to an address with a key, and no page repeats one.
        if Key::may_be_in(text) {
            return Ok(Next("/".to_owned()));
        }
        if is_plain && is_path && text.len() <= MAX_NEXT {
            return Ok(Next(text.to_owned()));
        }
        Err(format!("{:?} is not a path of this service (/pricing)", excerpt(text)))
    }
}

impl<'de> Deserialize<'de> for Next {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Next, D::Error> {
        // An empty field of a form is none.
        let text = String::deserialize(deserializer)?;
        if text.is_empty() { "/".parse() } else { text.parse() }.map_err(de::Error::custom)
    }
}

/// `GET /sign-in`
pub(crate) fn form(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let SignInQuery { lang, next } = params.read()?;
    let view = view(context.request, context.offer, lang);
    let next = next.as_ref().map(|Next(path)| path.as_str());
    Ok(shown(pages::sign_in(&view, &SignInForm { next, is_wrong: false })))
}

/// `POST /sign-in`: a session for the key in the form.
pub(crate) fn sign_in(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sent {
        key: String,
        next: Option<Next>,
    }
    let Context { request, access, base, .. } = *context;
    request.check_site()?;
    let SignInQuery { lang, next } = params.read()?;
    let sent: Sent = request.form()?.read()?;
    let next = sent.next.or(next);
    let key = sent.key.trim().parse().map_err(Refusal::from);
    match key.and_then(|key| access.sign_in(&key, request.now)) {
        Ok(token) => {
            // The browser can hold one session only, so nobody would ever end the one before.
            leave(context, cookie::session(request, base));
            let Next(path) = next.unwrap_or_else(|| Next("/".to_owned()));
            go_on(context, &path, cookie::given(request, base, &token))
        }
        Err(refusal @ Refusal::InvalidKey) => {
            // Guessing here costs as much as guessing elsewhere.
            access.charge_guess(&access.by_address(request), request.now);
            let next = next.as_ref().map(|Next(path)| path.as_str());
            let view = view(request, context.offer, lang);
            let page = pages::sign_in(&view, &SignInForm { next, is_wrong: true });
            Err(Refusal::Shown(Box::new(refusal), page))
        }
        Err(refusal) => Err(refusal),
    }
}

/// `POST /sign-out`: ends the session of this browser, whatever else it sends.
pub(crate) fn sign_out(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let Context { request, access, base, .. } = *context;
    request.check_site()?;
    let lang = front::chosen(params)?;
    if let Some(token) = cookie::session(request, base) {
        access.sign_out(&token, request.now)?;
    }
    let home = lang.map_or_else(|| "/".to_owned(), |lang| format!("/?lang={}", lang.code()));
    go_on(context, &home, cookie::taken(request, base))
}

/// Ends a session that is not needed any more. Where that fails, it ends by itself.
fn leave(context: &Context<'_>, token: Option<SessionToken>) {
    if let Some(token) = token {
        let _ = context.access.sign_out(&token, context.request.now);
    }
}

/// Goes on to a path of ours, with this cookie.
fn go_on(context: &Context<'_>, path: &str, cookie: HeaderValue) -> Result<Reply, Refusal> {
    let path = HeaderValue::try_from(context.base.link(path));
    let path = path.map_err(|_| Refusal::BadRequest("this is not a path".into()))?;
    Ok(Reply::see_other(path, cookie))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_on_to_paths_of_this_service_only() {
        for path in [
            "/",
            "/pricing",
            "/companies?q=vale%20s.a.&lang=pt",
            "/a//b",
            "/@evil.example",
            "/%2f/evil.example",
        ] {
            assert_eq!(path.parse(), Ok(Next(path.to_owned())));
        }
        let long = format!("/{}", "a".repeat(MAX_NEXT));
        for path in [
            "",
            "pricing",
            "//evil.example",
            "///evil.example",
            "/\\evil.example",
            "\\/evil.example",
            "\\\\evil.example",
            "https://evil.example",
            "https:/evil.example",
            "javascript:alert(1)",
            "/\t/evil.example",
            "/\n/evil.example",
            "/\r\nSet-Cookie: a=b",
            " /",
            "/ ",
            "/é",
            "@evil.example",
            ".evil.example",
            &long,
        ] {
            assert!(path.parse::<Next>().is_err(), "{path:?}");
        }
    }
}
