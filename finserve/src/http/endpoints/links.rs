//! Links of the caller's key.
use fincore::{
    KeyId, LinkId, LinkPath, Name,
    chrono::{DateTime, Utc},
    links::{self, Link, NewLink},
};
use serde::{Deserialize, Serialize};

use super::context::Context;
use crate::{
    errors::{BadRequest, Problem, Wanted},
    http::message::{
        parameters::Params,
        refusal::Refusal,
        render::Answer,
        reply::{Caching, Reply},
    },
};

/// One link, by its id.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneLink {
    id: LinkId,
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
    let (key, new) = (key(context)?, wanted(request.body("application/json")?)?);
    let new = NewLink { path: new.path.map(|path| readable(context, path)).transpose()?, ..new };
    let (link, token) = links::create(access.accounts(), key, &new, request.now.utc)?;
    let Link { id, name, path, created, .. } = link;
    let token = token.reveal().to_owned();
    Ok(Reply::created(Answer::json(Created { id, token, name, path, created })?))
}

/// `GET /api/v1/links`: the links of the key.
pub(crate) fn list(context: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    let data = links::list(context.access.accounts(), key(context)?)?;
    let total = data.len();
    Ok(Reply::ok(Answer::json(Listed { data, total })?, Caching::Never))
}

/// `DELETE /api/v1/links/{id}`: ends it.
pub(crate) fn revoke(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let OneLink { id } = params.read()?;
    links::revoke(context.access.accounts(), key(context)?, &id, context.request.now.utc)?;
    Ok(Reply::no_content())
}

/// A path that a link may be bound to, without the base path. Fails where no link reads anything at it.
pub(super) fn readable(context: &Context<'_>, path: LinkPath) -> Result<LinkPath, Refusal> {
    let below = path.as_str().split('?').next().unwrap_or_default();
    let fits = |template: &&&str| {
        let (mut have, mut want) = (below.split('/'), template.split('/'));
        let same = |(have, want): (&str, &str)| {
            have == want || (want.starts_with('{') && !have.is_empty())
        };
        have.by_ref().zip(want.by_ref()).all(same) && have.next().is_none() && want.next().is_none()
    };
    if context.link_paths.iter().any(|path| fits(&path)) && !has_token(path.as_str()) {
        return Ok(path);
    }
    let problem = Problem::value(path.as_str(), Wanted::LinkPath);
    Err(BadRequest::Value(problem).into())
}

/// Whether a path already names the parameter of tokens.
fn has_token(path: &str) -> bool {
    let query = path.split_once('?').map_or("", |(_, query)| query);
    query.split('&').any(|piece| piece.split('=').next() == Some("token"))
}

/// The key of the caller.
fn key(context: &Context<'_>) -> Result<KeyId, Refusal> {
    context.caller.id.key().ok_or(Refusal::KeyRequired)
}

fn wanted(bytes: &[u8]) -> Result<NewLink, Refusal> {
    const EXAMPLE: &str = r#"{"name": "Budget", "path": "/api/v1/market/selic"}"#;
    let wrong = |error| BadRequest::Json { example: EXAMPLE, error };
    // serde would also read the members from an array, in order.
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        return Err(wrong(None).into());
    }
    serde_json::from_slice(bytes).map_err(|err| wrong(Some(err.to_string())).into())
}
