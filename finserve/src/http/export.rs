//! Bulk export: the datasets, and each as a stream.
use fincore::Date;
use serde::Deserialize;

use super::{context::Context, params::Params, refusal::Refusal, reply::Reply};

/// What can be chosen of an export.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "scaffold")]
pub(crate) struct ExportQuery {
    dataset: String,
    from: Option<Date>,
    to: Option<Date>,
    since: Option<String>,
    format: Option<String>,
    dialect: Option<String>,
}

/// `GET /api/v1/export`
pub(crate) fn list(_: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    Err(Refusal::Internal("scaffold".into()))
}

/// `GET /api/v1/export/{dataset}`
pub(crate) fn dataset(_: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    Err(Refusal::Internal("scaffold".into()))
}
