//! Answers and errors as HTTP responses: the only file that knows status codes.
use fincore::{Error, Result, limits::Standing, plans::WINDOW};
use http_body_util::Full;
use hyper::{
    Response, StatusCode,
    body::Bytes,
    header::{self, HeaderMap, HeaderName, HeaderValue},
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{access::Client, answer::Now, encoding, server::MAX_UPLOAD};

/// Browsers of any origin may call the service and see these headers.
const EXPOSED: &str = "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit, \
    RateLimit-Policy, X-Plan, X-Request-Id, ETag, Retry-After, Link";

/// Bytes ready to send, with their media type.
#[derive(Debug)]
pub(crate) struct Body {
    media: &'static str,
    bytes: Bytes,
}

impl Body {
    pub(crate) fn json(answer: &impl Serialize) -> Result<Body> {
        let bytes = serde_json::to_vec(answer).map_err(|err| Error::Storage {
            context: "the answer cannot be written as JSON".into(),
            source: err.into(),
        })?;
        Ok(Body { media: "application/json", bytes: bytes.into() })
    }
}

/// How an answer may be kept by others.
#[derive(Debug)]
pub(crate) enum Caching {
    /// Not at all.
    Never,
    /// For a minute, and longer while this tag is confirmed.
    Tagged(String),
}

/// What came of a request.
#[derive(Debug)]
pub(crate) enum Outcome {
    Found(Body, Caching),
    /// Something new, which is told this once.
    Created(Body),
    /// The answer to `OPTIONS`, with the methods there are.
    Options(String),
    NoSuchPath(String),
    /// The path has these methods.
    NoSuchMethod(String),
    TooLarge,
    WrongMedia,
    Failed(Error),
}

impl Outcome {
    /// Whether it is answered with a status of 400 or more.
    pub(crate) fn is_error(&self) -> bool {
        !matches!(self, Outcome::Found(..) | Outcome::Created(_) | Outcome::Options(_))
    }
}

impl From<Error> for Outcome {
    fn from(err: Error) -> Outcome {
        Outcome::Failed(err)
    }
}

/// What every response says besides its answer.
pub(crate) struct Envelope<'r> {
    pub(crate) id: &'r str,
    pub(crate) client: Client,
    pub(crate) standing: Standing,
    pub(crate) now: Now,
}

/// The response to a request with these headers.
pub(crate) fn respond(
    outcome: Outcome,
    request: &HeaderMap,
    envelope: &Envelope<'_>,
) -> Response<Full<Bytes>> {
    let mut response = match outcome {
        Outcome::Found(body, caching) => found(body, caching, request, envelope),
        Outcome::Created(body) => {
            let mut response = response(StatusCode::CREATED, body);
            set(&mut response, header::CACHE_CONTROL, "no-store");
            response
        }
        Outcome::Options(allow) => options(&allow),
        Outcome::NoSuchPath(path) => {
            let message = format!("there is nothing at {path:?}; see /docs for what there is");
            error(StatusCode::NOT_FOUND, "not_found", &message)
        }
        Outcome::NoSuchMethod(allow) => {
            let message = format!("the method is not one of {allow}");
            let mut response =
                error(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", &message);
            set_text(&mut response, header::ALLOW, &allow);
            response
        }
        Outcome::TooLarge => {
            let message = format!("the body is longer than {MAX_UPLOAD} bytes");
            error(StatusCode::PAYLOAD_TOO_LARGE, "payload_too_large", &message)
        }
        Outcome::WrongMedia => {
            let message = "the body must be JSON, with Content-Type: application/json";
            error(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message)
        }
        Outcome::Failed(err) => refuse(&err, envelope.id),
    };
    set(&mut response, header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    set(&mut response, header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    set(&mut response, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set_text(&mut response, HeaderName::from_static("x-request-id"), envelope.id);
    set_standing(&mut response, envelope);
    response
}

/// The plan, and what is left of its limit: in the names that everyone knows, and in those of the IETF's
/// draft.
fn set_standing<T>(response: &mut Response<T>, envelope: &Envelope<'_>) {
    let Envelope { client, standing, now, .. } = envelope;
    let Standing { limit, remaining, free_after, .. } = *standing;
    let plan = client.plan.id();
    let free_at = now.utc + free_after;
    let reset = free_at.timestamp() + i64::from(free_at.timestamp_subsec_nanos() > 0);
    let seconds = free_after.as_secs() + u64::from(free_after.subsec_nanos() > 0);
    let window = WINDOW.as_secs();
    let headers = [
        ("x-plan", plan.to_owned()),
        ("x-ratelimit-limit", limit.to_string()),
        ("x-ratelimit-remaining", remaining.to_string()),
        ("x-ratelimit-reset", reset.to_string()),
        ("ratelimit-policy", format!("\"{plan}\";q={limit};w={window}")),
        ("ratelimit", format!("\"{plan}\";r={remaining};t={seconds}")),
    ];
    for (name, value) in headers {
        set_text(response, HeaderName::from_static(name), &value);
    }
}

fn found(
    body: Body,
    caching: Caching,
    request: &HeaderMap,
    envelope: &Envelope<'_>,
) -> Response<Full<Bytes>> {
    let tag = match caching {
        Caching::Never => {
            let mut response = response(StatusCode::OK, body);
            set(&mut response, header::CACHE_CONTROL, "no-store");
            return response;
        }
        Caching::Tagged(tag) => tag,
    };
    let mut response = if confirms(request, &tag) {
        let mut response = Response::new(Full::default());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        encoded(body, request)
    };
    let whose = match envelope.client.key {
        Some(_) => "private, max-age=60",
        None => "public, max-age=60",
    };
    set_text(&mut response, header::ETAG, &tag);
    set(&mut response, header::CACHE_CONTROL, whose);
    set(&mut response, header::VARY, "X-API-Key, Authorization, Accept-Encoding");
    response
}

/// Whether `If-None-Match` names the tag. Tags are compared weakly: the data is the same in any encoding.
fn confirms(request: &HeaderMap, tag: &str) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    request
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|list| list.split(','))
        .any(|given| given.trim() == "*" || opaque(given) == opaque(tag))
}

fn encoded(body: Body, request: &HeaderMap) -> Response<Full<Bytes>> {
    let Some((name, bytes)) = encoding::encode(&body.bytes, request) else {
        return response(StatusCode::OK, body);
    };
    let mut response = response(StatusCode::OK, Body { bytes: bytes.into(), ..body });
    set(&mut response, header::CONTENT_ENCODING, name);
    response
}

fn options(allow: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = StatusCode::NO_CONTENT;
    set_text(&mut response, header::ALLOW, allow);
    set_text(&mut response, header::ACCESS_CONTROL_ALLOW_METHODS, allow);
    let headers = "X-API-Key, Authorization, Content-Type, If-None-Match";
    set(&mut response, header::ACCESS_CONTROL_ALLOW_HEADERS, headers);
    set(&mut response, header::ACCESS_CONTROL_MAX_AGE, "86400");
    response
}

fn refuse(err: &Error, id: &str) -> Response<Full<Bytes>> {
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
            eprintln!("finserve: request {id}: {err}");
            let message = "the service is busy; please try again in a second";
            let mut response = error(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message);
            set(&mut response, header::RETRY_AFTER, "1");
            response
        }
        _ => {
            eprintln!("finserve: request {id}: {err}");
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

fn error(status: StatusCode, code: &'static str, message: &str) -> Response<Full<Bytes>> {
    error_with(status, code, message, json!({}))
}

/// An error with further members.
fn error_with(
    status: StatusCode,
    code: &'static str,
    message: &str,
    more: Value,
) -> Response<Full<Bytes>> {
    let body = Body::json(&ErrorBody { error: code, message: &without_keys(message), more });
    let mut response = response(status, body.expect("texts and numbers can be written as JSON"));
    set(&mut response, header::CACHE_CONTROL, "no-store");
    response
}

/// Messages repeat what is wrong. A key that was sent in a wrong place is cut to what may be shown.
fn without_keys(message: &str) -> String {
    const MARK: &str = "fin_";
    const SHOWN: usize = 12;
    let (mut told, mut rest) = (String::with_capacity(message.len()), message);
    while let Some(at) = rest.find(MARK) {
        let (before, key) = rest.split_at(at);
        let after = |c: char| !c.is_ascii_alphanumeric() && c != '_';
        let end = key[MARK.len()..].find(after).map_or(key.len(), |end| MARK.len() + end);
        let (shown, more) = if end > SHOWN { (SHOWN, "…") } else { (end, "") };
        told.extend([before, &key[..shown], more]);
        rest = &key[end..];
    }
    told + rest
}

fn response(status: StatusCode, body: Body) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.bytes));
    *response.status_mut() = status;
    set(&mut response, header::CONTENT_TYPE, body.media);
    response
}

fn set<T>(response: &mut Response<T>, name: HeaderName, value: &'static str) {
    response.headers_mut().insert(name, HeaderValue::from_static(value));
}

fn set_text<T>(response: &mut Response<T>, name: HeaderName, value: &str) {
    let value = HeaderValue::from_str(value).expect("what we make ourselves is plain ASCII");
    response.headers_mut().insert(name, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_message_repeats_a_key() {
        let key = fincore::Key::generate().unwrap();
        let (key, prefix) = (key.reveal(), format!("{}…", key.prefix()));
        let cases = [
            ("nothing at all".to_owned(), "nothing at all".to_owned()),
            (format!("{key:?} is not a date"), format!("\"{prefix}\" is not a date")),
            (format!("{key}{key}"), prefix.clone()),
            (format!("{key}, fin_{key}é"), format!("{prefix}, fin_{}…é", &key[..8])),
            ("fin_AbCdEfGh… fin_".to_owned(), "fin_AbCdEfGh… fin_".to_owned()),
        ];
        for (message, told) in cases {
            assert_eq!(without_keys(&message), told);
        }
    }
}
