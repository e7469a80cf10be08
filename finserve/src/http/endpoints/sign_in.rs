//! Signing in with a key, and out.
use fincore::SessionToken;
use hyper::header::HeaderValue;
use serde::Deserialize;

use super::{
    context::Context,
    page_handlers::{self, shown, view},
};
use crate::{
    errors::BadRequest,
    http::message::{
        cookies, parameters::Params, refusal::Refusal, reply::Reply, return_path::ReturnPath,
    },
    pages::{self, Language, SignInForm},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignInQuery {
    lang: Option<Language>,
    /// Where to go on afterwards.
    next: Option<ReturnPath>,
}

/// `GET /sign-in`
pub(crate) fn form(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let SignInQuery { lang, next } = params.read()?;
    let view = view(context, lang);
    let next = next.as_ref().map(ReturnPath::as_str);
    Ok(shown(pages::sign_in(&view, &SignInForm { next, is_wrong: false })))
}

/// `POST /sign-in`: a session for the key in the form.
pub(crate) fn sign_in(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sent {
        key: String,
        next: Option<ReturnPath>,
    }
    let Context { request, access, base, .. } = *context;
    request.check_site()?;
    let SignInQuery { lang, next } = params.read()?;
    let sent: Sent = request.form()?.read()?;
    let next = sent.next.or(next);
    let key = sent.key.trim().parse().map_err(Refusal::from);
    match key.and_then(|key| access.sign_in(&key, request.now)) {
        Ok(token) => {
            // The browser can hold one session only, so the one before could never be ended.
            leave(context, cookies::session(request, base));
            let path = next.as_ref().map_or("/", ReturnPath::as_str);
            go_on(context, path, cookies::given(request, base, &token))
        }
        Err(refusal @ Refusal::InvalidKey) => {
            // Guessing here costs as much as guessing elsewhere.
            access.charge_guess(&access.by_address(request), request.now);
            let next = next.as_ref().map(ReturnPath::as_str);
            let view = view(context, lang);
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
    let lang = page_handlers::chosen(params)?;
    if let Some(token) = cookies::session(request, base) {
        access.sign_out(&token, request.now)?;
    }
    let home = lang.map_or_else(|| "/".to_owned(), |lang| format!("/?lang={}", lang.code()));
    go_on(context, &home, cookies::taken(request, base))
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
    let path = path.map_err(|_| BadRequest::NotAPath)?;
    Ok(Reply::see_other(path, cookie))
}
