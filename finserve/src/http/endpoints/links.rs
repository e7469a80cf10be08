//! Links of the caller's key.
use fincore::{
    KeyId, LinkId, LinkPath, Name,
    chrono::{DateTime, Utc},
    links::{self, Link, NewLink},
};
use serde::{Deserialize, Serialize};

use super::context::Context;
use crate::{
    errors::BadRequest,
    http::message::{
        links::with_next,
        parameters::Params,
        refusal::Refusal,
        render::{Answer, JSON, Media},
        reply::{Body, Caching, Reply},
    },
};

/// One link, by its id.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneLink {
    id: LinkId,
}

/// The body for a new link. The path may begin with the base path, as `next` and `Link` do.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    name: Name,
    path: Option<String>,
}

/// A new link with its token, which is shown only now.
#[derive(Serialize)]
struct Created {
    id: LinkId,
    token: String,
    name: Name,
    path: Option<LinkPath>,
    created: DateTime<Utc>,
}

/// All links of a key.
#[derive(Serialize)]
struct Listed {
    data: Vec<Link>,
    total: usize,
}

/// `POST /api/v1/links`: a new link.
pub(crate) fn create(context: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    let Context { access, request, .. } = context;
    let key = key(context)?;
    let Wanted { name, path } = wanted(request.body("application/json")?)?;
    let path = path.map(|path| context.link_paths.link_path(&path)).transpose()?;
    let new = NewLink { name, path };
    let (link, token) = links::create(access.accounts(), key, &new, request.now.utc)?;
    let Link { id, name, path, created, .. } = link;
    let token = token.reveal().to_owned();
    Ok(Reply::created(Answer::json(Created { id, token, name, path, created })?))
}

/// `GET /api/v1/links`: the links of the key.
pub(crate) fn list(context: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    let data = links::list(context.access.accounts(), key(context)?)?;
    let total = data.len();
    let json = Answer::object(Listed { data, total }).render(&Media::Json, None)?;
    Ok(Reply::ok(Body::new(JSON, with_next(json, None)), Caching::Never))
}

/// `DELETE /api/v1/links/{id}`: ends it.
pub(crate) fn revoke(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let OneLink { id } = params.read()?;
    links::revoke(context.access.accounts(), key(context)?, &id, context.request.now.utc)?;
    Ok(Reply::no_content())
}

/// The key of the caller.
fn key(context: &Context<'_>) -> Result<KeyId, Refusal> {
    context.caller.key.ok_or(Refusal::KeyRequired)
}

fn wanted(bytes: &[u8]) -> Result<Wanted, Refusal> {
    const EXAMPLE: &str = r#"{"name": "Budget", "path": "/api/v1/market/selic"}"#;
    let wrong = |error| BadRequest::Json { example: EXAMPLE, error };
    // serde would also read the members from an array, in order.
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        return Err(wrong(None).into());
    }
    serde_json::from_slice(bytes).map_err(|err| wrong(Some(err.to_string())).into())
}
