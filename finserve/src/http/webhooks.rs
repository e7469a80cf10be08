//! Webhooks of the caller's key.
use fincore::webhooks::{DeliveryId, WebhookId};
use serde::Deserialize;

use super::{context::Context, params::Params, refusal::Refusal, reply::Reply};

/// One webhook, by its id.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "scaffold")]
pub(crate) struct OneWebhook {
    id: WebhookId,
}

/// One delivery of a webhook.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "scaffold")]
pub(crate) struct OneDelivery {
    id: WebhookId,
    delivery: DeliveryId,
}

/// `POST /api/v1/webhooks`
pub(crate) fn create(_: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    Err(Refusal::Internal("scaffold".into()))
}

/// `GET /api/v1/webhooks`
pub(crate) fn list(_: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    Err(Refusal::Internal("scaffold".into()))
}

/// `GET /api/v1/webhooks/{id}`
pub(crate) fn find(_: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    Err(Refusal::Internal("scaffold".into()))
}

/// `DELETE /api/v1/webhooks/{id}`
pub(crate) fn remove(_: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    Err(Refusal::Internal("scaffold".into()))
}

/// `POST /api/v1/webhooks/{id}/test`
pub(crate) fn test(_: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    Err(Refusal::Internal("scaffold".into()))
}

/// `GET /api/v1/webhooks/{id}/deliveries`
pub(crate) fn deliveries(_: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    Err(Refusal::Internal("scaffold".into()))
}

/// `POST /api/v1/webhooks/{id}/deliveries/{delivery}/replay`
pub(crate) fn replay(_: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    Err(Refusal::Internal("scaffold".into()))
}
