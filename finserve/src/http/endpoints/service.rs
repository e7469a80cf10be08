//! The endpoints that are about the caller's own key, and about the service itself.
use std::time::Instant;

use fincore::{
    Plan,
    datasets::{self, Status},
    keys::Registration,
};
use serde::Serialize;

use super::context::Context;
use crate::errors::BadRequest;
use crate::http::message::{
    parameters::Params,
    refusal::Refusal,
    render::{Answer, JSON},
    reply::{Body, Caching, Reply},
};

/// `GET /health`: the service is up.
pub(crate) fn health(_: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    // A version is plain text, so nothing needs to be escaped.
    const HEALTH: &str =
        concat!(r#"{"status":"ok","version":""#, env!("CARGO_PKG_VERSION"), r#""}"#);
    Ok(Reply::ok(Body::new(JSON, HEALTH), Caching::Never))
}

/// `GET /api/v1/status`: how fresh the data is.
pub(crate) fn status(context: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    let snapshot = context.catalogue.snapshot(context.request.now.today())?;
    let status = datasets::status(&snapshot)?;
    let late = context.workers.late(Instant::now());
    Ok(Reply::ok(
        Answer::json(ServerStatus { status, late, next: None })?,
        Caching::Refetched("Accept-Encoding"),
    ))
}

/// How fresh the data is, and what is late of the work that keeps it so.
#[derive(Serialize)]
struct ServerStatus {
    #[serde(flatten)]
    status: Status,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    late: Vec<&'static str>,
    /// Always null: this list is not paginated.
    next: Option<()>,
}

/// `GET /api/v1/plans/usage`: the usage of the caller's key.
pub(crate) fn usage(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let Context { access, caller, request, .. } = context;
    let report = access.report(caller, &params.read()?, request.now)?;
    Ok(Reply::ok(Answer::json(report)?, Caching::Never))
}

/// The answer to a registration.
#[derive(Serialize)]
struct Registered {
    message: &'static str,
    api_key: String,
    plan: Plan,
    rate_limit: u32,
}

/// `POST /api/v1/plans/register`: a new key on the Free plan.
pub(crate) fn register(context: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    let Context { access, request, .. } = context;
    let who = registration(request.body("application/json")?)?;
    let key = access.register(request, &who)?;
    let registered = Registered {
        message: "Welcome! Store this key safely: it is shown only once.",
        api_key: key.reveal().to_owned(),
        plan: Plan::Free,
        rate_limit: Plan::Free.limit(),
    };
    Ok(Reply::created(Answer::json(registered)?))
}

fn registration(bytes: &[u8]) -> Result<Registration, Refusal> {
    const EXAMPLE: &str = r#"{"name": "Ana", "email": "ana@example.com"}"#;
    let wrong = |error| BadRequest::Json { example: EXAMPLE, error };
    // serde would also read the members from an array, in order.
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        return Err(wrong(None).into());
    }
    serde_json::from_slice(bytes).map_err(|err| wrong(Some(err.to_string())).into())
}
