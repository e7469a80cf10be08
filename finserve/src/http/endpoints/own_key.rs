//! Actions of a key's holder who is signed in: exchange and revocation.
use fincore::{KeyId, KeyPrefix, sessions::Holder};
use hyper::header::SET_COOKIE;
use serde::Deserialize;

use super::{
    context::Context,
    page_handlers::{self, view},
};
use crate::{
    errors::BadRequest,
    http::message::{
        cookies,
        parameters::Params,
        refusal::Refusal,
        reply::{Body, Caching, OWN_FILES, Reply},
    },
    pages::{self, SignInForm, View},
};

/// The fields of the forms.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sent {
    confirm: Option<String>,
}

/// `POST /usage/rotate`: a new key in the place of the one that is signed in, shown this once.
pub(crate) fn rotate(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let (view, id, old) = checked(context, params)?;
    let Context { request, access, base, .. } = *context;
    let key = access.rotate(request, id)?;
    // The new key is shown even if no session can begin: it cannot be read again.
    let token = access.sign_in(&key, request.now).ok();
    let visitor = token.as_ref().and_then(|token| access.holder(token, request.now));
    let page = pages::exchanged(&View { visitor, ..view }, &old, &key);
    let cookie = match &token {
        Some(token) => cookies::given(request, base, token),
        None => cookies::taken(request, base),
    };
    Ok(Reply::created(Body::page(page, OWN_FILES)).with_headers([(SET_COOKIE, cookie)]))
}

/// `POST /usage/revoke`: ends the key that is signed in, and with it the session.
pub(crate) fn revoke(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let (view, id, old) = checked(context, params)?;
    let Context { request, access, base, .. } = *context;
    access.revoke(id, request.now)?;
    let page = pages::revoked(&View { visitor: None, ..view }, &old);
    let reply = Reply::ok(Body::page(page, OWN_FILES), Caching::Never);
    Ok(reply.with_headers([(SET_COOKIE, cookies::taken(request, base))]))
}

/// The view and the key, if a page of ours sent the form, and its holder is signed in and has confirmed.
fn checked(context: &Context<'_>, params: Params<'_>) -> Result<(View, KeyId, KeyPrefix), Refusal> {
    let (view, id, key) = signed_in(context, params)?;
    let Sent { confirm } = context.request.form()?.read()?;
    if confirm.as_deref() != Some("yes") {
        let wrong = Box::new(BadRequest::Form.into());
        return Err(Refusal::Shown(wrong, pages::unconfirmed(&view)));
    }
    Ok((view, id, key))
}

/// How the page is shown and the key that is signed in, if a page of ours sent the form.
pub(super) fn signed_in(
    context: &Context<'_>,
    params: Params<'_>,
) -> Result<(View, KeyId, KeyPrefix), Refusal> {
    let request = context.request;
    request.check_site()?;
    let view = view(context, page_handlers::chosen(params)?);
    let signed_in = request.session.holder();
    let id = signed_in.and_then(|holder| holder.caller.key);
    let (Some(Holder { key, .. }), Some(id)) = (signed_in, id) else {
        let form = SignInForm { next: Some("/usage"), is_wrong: false };
        let page = pages::sign_in(&view, &form);
        return Err(Refusal::Shown(Box::new(Refusal::KeyRequired), page));
    };
    Ok((view, id, key.clone()))
}
