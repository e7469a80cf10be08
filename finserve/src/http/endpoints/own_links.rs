//! The links of the key that is signed in: what the forms of the usage page do.
use fincore::{
    Error, Invalid, LinkId, LinkPath,
    links::{self, NewLink},
};
use hyper::header::HeaderValue;
use serde::Deserialize;

use super::{context::Context, own_key::signed_in};
use crate::{
    errors::BadRequest,
    http::message::{
        parameters::Params,
        refusal::Refusal,
        reply::{Body, OWN_FILES, Reply},
    },
    pages::{self, LinkFault, LinkForm, Shows},
};

/// `POST /usage/links`: a new link, whose token is shown this once.
pub(crate) fn create(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sent {
        name: String,
        path: Option<String>,
        /// The value that a cell shows, where a page with formulas asks.
        shows: Option<String>,
    }
    let (view, key, _) = signed_in(context, params)?;
    let request = context.request;
    let Sent { name, path, shows } = request.form()?.read()?;
    let path = path.unwrap_or_default();
    let refused = |fault, refusal| {
        let form = LinkForm { name: &name, path: &path, fault: Some(fault) };
        Refusal::Shown(Box::new(refusal), pages::link_not_made(&view, &form))
    };
    let new = NewLink {
        name: name.parse().map_err(|err: Error| refused(LinkFault::Name, err.into()))?,
        path: bound(context, &path).map_err(|refusal| refused(LinkFault::Path, refusal))?,
    };
    let made = links::create(context.access.accounts(), key, &new, request.now.utc);
    let (link, token) = made.map_err(|err| match err {
        Error::Invalid(Invalid::Link(_)) => refused(LinkFault::TooMany, err.into()),
        err => err.into(),
    })?;
    let shows = shows.as_deref().and_then(Shows::named);
    let page = pages::link_made(&view, &link, &token, shows);
    Ok(Reply::created(Body::page(page, OWN_FILES)))
}

/// `POST /usage/links/revoke`: ends a link. One that has ended already is no error.
pub(crate) fn revoke(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sent {
        id: LinkId,
    }
    let (view, key, _) = signed_in(context, params)?;
    let request = context.request;
    let Sent { id } = request.form()?.read()?;
    match links::revoke(context.access.accounts(), key, &id, request.now.utc) {
        Ok(()) | Err(Error::NotFound { .. }) => (),
        Err(err) => return Err(err.into()),
    }
    let back = HeaderValue::try_from(format!("{}#links", view.link("/usage")));
    Ok(Reply::elsewhere(back.map_err(|_| BadRequest::NotAPath)?))
}

/// The path that a link is bound to, if one was typed. It may be copied from the address line of a browser.
fn bound(context: &Context<'_>, typed: &str) -> Result<Option<LinkPath>, Refusal> {
    let typed = typed.trim();
    if typed.is_empty() {
        return Ok(None);
    }
    let whole = typed.starts_with("https://") || typed.starts_with("http://");
    let at = if whole { typed.find("/api/v1/").unwrap_or_default() } else { 0 };
    context.link_paths.link_path(&typed[at..]).map(Some)
}
