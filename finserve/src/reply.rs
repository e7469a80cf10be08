//! Answers and errors as HTTP responses: only here and in `refusal` are status codes known.
use fincore::{Error, Result, limits::Standing, plans::WINDOW};
use http_body_util::Full;
use hyper::{
    Response, StatusCode,
    body::Bytes,
    header::{self, HeaderMap, HeaderName, HeaderValue},
};
use serde::Serialize;

use crate::{access::Client, answer::Now, encoding, server::MAX_UPLOAD};

mod refusal;

use refusal::{error, refuse};

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
    let opaque = |tag: &str| {
        let tag = tag.trim();
        tag.strip_prefix("W/").unwrap_or(tag).to_owned()
    };
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
