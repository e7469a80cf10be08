//! Webhooks of the caller's key.
use fincore::{
    KeyId,
    webhooks::{self, DeliveryId, NewWebhook, Secret, Webhook, WebhookId},
};
use hyper::header::{HeaderValue, LINK, LOCATION};
use serde::{Deserialize, Serialize};

use super::{context::Context, webhook_hosts};
use crate::errors::BadRequest;
use crate::http::message::{
    links::{self, Extent},
    parameters::Params,
    refusal::Refusal,
    render::{Answer, JSON, Media},
    reply::{Body, Caching, Reply},
};

/// One webhook, by its id.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneWebhook {
    id: WebhookId,
}

/// One delivery of a webhook.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneDelivery {
    id: WebhookId,
    delivery: DeliveryId,
}

/// A new subscription with its secret, which is shown only now.
#[derive(Serialize)]
struct Created {
    #[serde(flatten)]
    webhook: Webhook,
    secret: String,
}

/// All subscriptions of a key.
#[derive(Serialize)]
struct Listed {
    data: Vec<Webhook>,
    total: usize,
}

/// `POST /api/v1/webhooks`: a new subscription.
pub(crate) fn create(context: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    let Context { catalogue, access, request, targets, base, .. } = context;
    let (key, wanted) = (key(context)?, wanted(request.body("application/json")?)?);
    // No name with a secret in it is resolved.
    targets.check_address(&wanted.url)?;
    webhook_hosts::check(&wanted.url, *targets)?;
    let snapshot = catalogue.snapshot(request.now.today())?;
    let now = request.now.utc;
    let created = webhooks::create(access.accounts(), &snapshot, key, wanted, *targets, now)?;
    let (webhook, secret): (Webhook, Secret) = created;
    let location = base.link(&format!("/api/v1/webhooks/{}", webhook.id));
    let location = HeaderValue::try_from(location)
        .map_err(|err| Refusal::Internal(format!("an id cannot be sent: {err}")))?;
    let body = Answer::json(Created { webhook, secret: secret.reveal() })?;
    Ok(Reply::created(body).with_headers([(LOCATION, location)]))
}

/// `GET /api/v1/webhooks`: the subscriptions of the key.
pub(crate) fn list(context: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    let data = webhooks::list(context.access.accounts(), key(context)?)?;
    let total = data.len();
    let json = Answer::object(Listed { data, total }).render(&Media::Json, None)?;
    Ok(Reply::ok(Body::new(JSON, links::with_next(json, None)), Caching::Never))
}

/// `GET /api/v1/webhooks/{id}`: one of them.
pub(crate) fn find(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let OneWebhook { id } = params.read()?;
    let webhook = webhooks::find(context.access.accounts(), key(context)?, &id)?;
    Ok(Reply::ok(Answer::json(webhook)?, Caching::Never))
}

/// `DELETE /api/v1/webhooks/{id}`: ends it.
pub(crate) fn remove(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let OneWebhook { id } = params.read()?;
    webhooks::remove(context.access.accounts(), key(context)?, &id)?;
    Ok(Reply::no_content())
}

/// `POST /api/v1/webhooks/{id}/test`: a call to try it out.
pub(crate) fn test(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let OneWebhook { id } = params.read()?;
    let Context { access, request, .. } = context;
    let delivery = webhooks::send_test(access.accounts(), key(context)?, &id, request.now.utc)?;
    access.outbox().wake();
    Ok(Reply::accepted(Answer::json(delivery)?))
}

/// `GET /api/v1/webhooks/{id}/deliveries`: what was called, and how that went.
pub(crate) fn deliveries(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let page =
        webhooks::list_deliveries(context.access.accounts(), key(context)?, &params.read()?)?;
    let extent = Extent::of(page.total, page.limit, page.offset);
    let links = links::links(context.base, &context.request.head.uri, extent);
    let (link, next) = links.map(|links| ((LINK, links.header), links.next)).unzip();
    let json = Answer::object(page).render(&Media::Json, None)?;
    let body = Body::new(JSON, links::with_next(json, next.flatten().as_deref()));
    Ok(Reply::ok(body, Caching::Never).with_headers(link))
}

/// `POST /api/v1/webhooks/{id}/deliveries/{delivery}/replay`: the same call again.
pub(crate) fn replay(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let OneDelivery { id, delivery } = params.read()?;
    let Context { access, request, .. } = context;
    let (accounts, key, now) = (access.accounts(), key(context)?, request.now.utc);
    let delivery = webhooks::replay(accounts, key, &id, delivery, now)?;
    access.outbox().wake();
    Ok(Reply::accepted(Answer::json(delivery)?))
}

/// The key of the caller. Plans that include webhooks have one.
fn key(context: &Context<'_>) -> Result<KeyId, Refusal> {
    context.caller.key.ok_or(Refusal::KeyRequired)
}

fn wanted(bytes: &[u8]) -> Result<NewWebhook, Refusal> {
    const EXAMPLE: &str = r#"{"url": "https://example.com/hook", "events": ["filing.published"]}"#;
    let wrong = |error| BadRequest::Json { example: EXAMPLE, error };
    // serde would also read the members from an array, in order.
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        return Err(wrong(None).into());
    }
    serde_json::from_slice(bytes).map_err(|err| wrong(Some(err.to_string())).into())
}
