//! Errors as HTTP responses, all in one shape.
use fincore::{Error, Key};
use http_body_util::Full;
use hyper::{Response, StatusCode, body::Bytes, header};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Body, response, set, set_text};
use crate::log;

/// The response to what failed. Where only the operator can help, it is logged under the request's id.
pub(super) fn refuse(err: &Error, id: &str) -> Response<Full<Bytes>> {
    match err {
        Error::Invalid(message) => error(StatusCode::BAD_REQUEST, "bad_request", message),
        Error::NotFound(message) => error(StatusCode::NOT_FOUND, "not_found", message),
        Error::UnknownPair(_) => {
            let message = format!("{err}; GET /api/v1/market/fx/pairs lists the pairs there are");
            error(StatusCode::NOT_FOUND, "not_found", &message)
        }
        Error::InvalidKey => {
            let message = format!("{err}; POST /api/v1/plans/register gives a free one");
            let mut response = error(StatusCode::UNAUTHORIZED, "invalid_api_key", &message);
            let challenge = "Bearer realm=\"finserve\", error=\"invalid_token\"";
            set(&mut response, header::WWW_AUTHENTICATE, challenge);
            response
        }
        Error::KeyRequired => {
            let message = format!("{err}; POST /api/v1/plans/register gives a free one");
            let mut response = error(StatusCode::UNAUTHORIZED, "api_key_required", &message);
            set(&mut response, header::WWW_AUTHENTICATE, "Bearer realm=\"finserve\"");
            response
        }
        Error::RateLimited { retry_after, .. } => {
            let more = json!({ "retry_after": retry_after });
            let (status, message) = (StatusCode::TOO_MANY_REQUESTS, err.to_string());
            let mut response = error_with(status, "rate_limited", &message, more);
            set_text(&mut response, header::RETRY_AFTER, &retry_after.to_string());
            response
        }
        Error::PlanRequired { feature, current } => {
            let upgrade = current.upgrade(*feature);
            let more = json!({
                "feature": feature,
                "current_plan": current,
                "required_plan": upgrade.required_plan,
                "upgrade_url": upgrade.upgrade_url,
            });
            error_with(StatusCode::FORBIDDEN, "plan_required", &upgrade.message, more)
        }
        Error::Busy(_) => {
            log(format_args!("request {id}: {err}"));
            let message = "the service is busy; please try again in a second";
            let mut response = error(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message);
            set(&mut response, header::RETRY_AFTER, "1");
            response
        }
        _ => {
            log(format_args!("request {id}: {err}"));
            let message = format!("something went wrong here; please report request {id}");
            error(StatusCode::INTERNAL_SERVER_ERROR, "internal_error", &message)
        }
    }
}

/// The one shape of every error.
#[derive(Serialize)]
struct ErrorBody<'e> {
    error: &'static str,
    message: &'e str,
    #[serde(flatten)]
    more: Value,
}

pub(super) fn error(
    status: StatusCode,
    code: &'static str,
    message: &str,
) -> Response<Full<Bytes>> {
    error_with(status, code, message, json!({}))
}

/// An error with further members.
fn error_with(
    status: StatusCode,
    code: &'static str,
    message: &str,
    more: Value,
) -> Response<Full<Bytes>> {
    // Messages repeat what is wrong, which may be a key that was sent in a wrong place.
    let body = Body::json(&ErrorBody { error: code, message: &Key::redact(message), more });
    let mut response = response(status, body.expect("texts and numbers can be written as JSON"));
    set(&mut response, header::CACHE_CONTROL, "no-store");
    response
}
