//! Answers and errors as HTTP responses: the only file that knows status codes.
use fincore::{Error, Result};
use http_body_util::Full;
use hyper::{
    Response, StatusCode,
    body::Bytes,
    header::{self, HeaderMap, HeaderName, HeaderValue},
};
use serde::Serialize;

use crate::{encoding, routes::Route};

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
    /// The answer to `OPTIONS`.
    Options,
    NoSuchPath(String),
    NoSuchMethod,
    Failed(Error),
}

/// The response to a request with these headers.
pub(crate) fn respond(outcome: Outcome, request: &HeaderMap, id: &str) -> Response<Full<Bytes>> {
    let mut response = match outcome {
        Outcome::Found(body, caching) => found(body, caching, request),
        Outcome::Options => options(),
        Outcome::NoSuchPath(path) => {
            let message = format!("there is nothing at {path:?}; see /docs for what there is");
            error(StatusCode::NOT_FOUND, "not_found", &message)
        }
        Outcome::NoSuchMethod => {
            let message = format!("the method is not one of {}", Route::ALLOW);
            let mut response =
                error(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", &message);
            set(&mut response, header::ALLOW, Route::ALLOW);
            response
        }
        Outcome::Failed(err) => refuse(&err, id),
    };
    set(&mut response, header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    set(&mut response, header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    set(&mut response, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set_text(&mut response, HeaderName::from_static("x-request-id"), id);
    response
}

fn found(body: Body, caching: Caching, request: &HeaderMap) -> Response<Full<Bytes>> {
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
    set_text(&mut response, header::ETAG, &tag);
    set(&mut response, header::CACHE_CONTROL, "public, max-age=60");
    set(&mut response, header::VARY, "Accept-Encoding");
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

fn options() -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = StatusCode::NO_CONTENT;
    set(&mut response, header::ALLOW, Route::ALLOW);
    set(&mut response, header::ACCESS_CONTROL_ALLOW_METHODS, Route::ALLOW);
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
fn error(status: StatusCode, code: &str, message: &str) -> Response<Full<Bytes>> {
    let json = serde_json::json!({ "error": code, "message": message });
    let body = Body { media: "application/json", bytes: json.to_string().into() };
    let mut response = response(status, body);
    set(&mut response, header::CACHE_CONTROL, "no-store");
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
    let value = HeaderValue::from_str(value).expect("ids and tags are plain ASCII");
    response.headers_mut().insert(name, value);
}
