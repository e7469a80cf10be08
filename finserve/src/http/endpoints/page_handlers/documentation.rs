//! The reference, the guide, and the description of the API for programs.
use std::hash::{BuildHasher, RandomState};

use fincore::truncate;
use serde::Deserialize;

use super::{chosen_view, shown, view};
use crate::{
    errors::NotFound,
    http::{
        endpoints::{context::Context, openapi_document},
        message::{
            parameters::Params,
            refusal::Refusal,
            reply::{Body, Caching, Reply},
        },
    },
    pages::{self, GuidePage, Language, View},
};

/// The interactive reference draws itself with styles of its own making, which carry this nonce; apart from that it is bound like
/// our pages.
///
/// Hashes instead of a nonce would change with every version of Scalar, and its style attributes, which number the
/// lines of examples, cannot all be listed. `reference.js` gives style elements the nonce and sets style attributes
/// as properties.
fn reference_files(nonce: &str) -> String {
    format!(
        "default-src 'none'; style-src 'self' 'nonce-{nonce}'; script-src 'self'; \
         img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; form-action 'self'; \
         base-uri 'none'; frame-ancestors 'none'"
    )
}

/// A text that cannot be guessed: hashes under random keys.
fn nonce() -> String {
    let half = || RandomState::new().hash_one("nonce");
    format!("{:016x}{:016x}", half(), half())
}

/// `GET /docs`
pub(crate) fn docs(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    Ok(shown(pages::reference(&chosen_view(context, params)?)))
}

/// `GET /docs/try`
pub(crate) fn interactive(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let (view, nonce) = (chosen_view(context, params)?, nonce());
    let body = Body::page(pages::interactive(&view, &nonce), reference_files(&nonce));
    Ok(Reply::ok(body, Caching::Refetched("Accept-Language, Accept-Encoding")))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GuideQuery {
    page: String,
    lang: Option<Language>,
}

/// `GET /docs/guide`
pub(crate) fn guide_index(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    guide_page(&chosen_view(context, params)?, "")
}

/// `GET /docs/guide/{page}`
pub(crate) fn guide(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let GuideQuery { page, lang } = params.read()?;
    guide_page(&view(context, lang), &page)
}

fn guide_page(view: &View, name: &str) -> Result<Reply, Refusal> {
    match GuidePage::find(name) {
        Some(page) => Ok(shown(pages::guide(view, page))),
        None => Err(NotFound::Route { path: format!("/docs/guide/{}", truncate(name)) }.into()),
    }
}

/// `GET /docs/openapi.yaml`
pub(crate) fn openapi_yaml(context: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    Ok(described(
        "application/yaml",
        openapi_document::yaml(context.origin.as_deref(), context.upgrade_contact),
    ))
}

/// `GET /docs/openapi.json`
pub(crate) fn openapi_json(context: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    Ok(described(
        "application/json",
        openapi_document::json(context.origin.as_deref(), context.upgrade_contact),
    ))
}

fn described(media: &'static str, document: String) -> Reply {
    let vary = "Host, X-Forwarded-Proto, Accept-Encoding";
    Reply::ok(Body::new(media, document), Caching::Refetched(vary))
}
