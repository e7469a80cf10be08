//! Events by polling and by listening.
use super::{context::Context, params::Params, refusal::Refusal, reply::Reply};

/// `GET /api/v1/events`
pub(crate) fn events(_: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    Err(Refusal::Internal("scaffold".into()))
}
