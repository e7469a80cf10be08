//! Answers and errors as HTTP responses: only here and in `refusal` are status codes known.
use fincore::{Error, Result, limits::Standing, plans::WINDOW};
use http_body_util::Full;
use hyper::{
    Response, StatusCode,
    body::Bytes,
    header::{self, HeaderMap, HeaderName, HeaderValue},
};
use maud::Markup;
use serde::Serialize;

use crate::{
    encoding,
    request::{Client, MAX_UPLOAD, Now},
};

mod refusal;

use refusal::{error, refuse};

/// Browsers of any origin may call the service and see these headers.
const EXPOSED: &str = "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit, \
    RateLimit-Policy, X-Plan, X-Request-Id, ETag, Retry-After, Link";

/// What a page of ours may load: nothing but our own files.
pub(crate) const OWN_FILES: &str = "default-src 'none'; style-src 'self'; script-src 'self'; \
    img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// What answers about data depend on besides their address.
const BY_CALLER: &str = "X-API-Key, Authorization, Accept-Encoding";

/// Bytes ready to send, with their media type.
#[derive(Debug)]
pub(crate) struct Body {
    media: &'static str,
    bytes: Bytes,
    /// What the page may load, if it is one.
    policy: Option<&'static str>,
    /// Whether the bytes are compressed already, by gzip.
    packed: bool,
}

impl Body {
    /// A page that may load what its policy says.
    pub(crate) fn page(page: Markup, policy: &'static str) -> Body {
        let (media, bytes) = ("text/html; charset=utf-8", page.into_string().into());
        Body { media, bytes, policy: Some(policy), packed: false }
    }

    /// A file of the program.
    pub(crate) fn file(media: &'static str, bytes: &'static [u8]) -> Body {
        Body { media, bytes: Bytes::from_static(bytes), policy: None, packed: false }
    }

    /// A file that was compressed by gzip when the program was built.
    pub(crate) fn packed_file(media: &'static str, bytes: &'static [u8]) -> Body {
        Body { packed: true, ..Body::file(media, bytes) }
    }

    pub(crate) fn json(answer: &impl Serialize) -> Result<Body> {
        let bytes = serde_json::to_vec(answer).map_err(|err| Error::Storage {
            context: "the answer cannot be written as JSON".into(),
            source: err.into(),
        })?;
        let media = "application/json";
        Ok(Body { media, bytes: bytes.into(), policy: None, packed: false })
    }
}

/// How an answer may be kept by others.
#[derive(Debug)]
pub(crate) enum Caching {
    /// Not at all.
    Never,
    /// Only to ask each time whether it still holds.
    Asking,
    /// For good, under this tag: the address changes with the content.
    Forever(String),
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
    /// The body must be of this media type.
    WrongMedia(&'static str),
    Failed(Error),
    /// A failure that a page shows.
    Shown(Error, Box<Body>),
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
        Outcome::WrongMedia(wanted) => {
            let message =
                format!("the body must be of the type {wanted}, and Content-Type must say so");
            error(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", &message)
        }
        Outcome::Failed(err) => refuse(&err, envelope.id),
        Outcome::Shown(err, body) => {
            let refused = refuse(&err, envelope.id);
            let mut shown = response(refused.status(), *body);
            shown.headers_mut().extend(refused.headers().clone().into_iter().filter_map(
                |(name, value)| {
                    let name = name.filter(|name| *name != header::CONTENT_TYPE)?;
                    Some((name, value))
                },
            ));
            shown
        }
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
    let (tag, cache, vary) = match (caching, envelope.client.key) {
        (Caching::Never, _) => {
            // It may hold a key: never compressed, never kept.
            let mut response = response(StatusCode::OK, body);
            set(&mut response, header::CACHE_CONTROL, "no-store");
            return response;
        }
        (Caching::Asking, _) => (None, "no-cache", "Accept-Language, Accept-Encoding"),
        (Caching::Forever(tag), _) => {
            (Some(tag), "public, max-age=31536000, immutable", "Accept-Encoding")
        }
        (Caching::Tagged(tag), None) => (Some(tag), "public, max-age=60", BY_CALLER),
        (Caching::Tagged(tag), Some(_)) => (Some(tag), "private, max-age=60", BY_CALLER),
    };
    let mut response = if tag.as_ref().is_some_and(|tag| confirms(request, tag)) {
        let mut response = Response::new(Full::default());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        encoded(body, request)
    };
    if let Some(tag) = tag {
        set_text(&mut response, header::ETAG, &tag);
    }
    set(&mut response, header::CACHE_CONTROL, cache);
    set(&mut response, header::VARY, vary);
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
    let (encoding, bytes) = match body.packed {
        true if encoding::accepts_gzip(request) => (Some("gzip"), body.bytes.clone()),
        true => (None, encoding::unpack(&body.bytes).into()),
        false => match encoding::encode(&body.bytes, request) {
            Some((name, bytes)) => (Some(name), bytes.into()),
            None => (None, body.bytes.clone()),
        },
    };
    let mut response = response(StatusCode::OK, Body { bytes, ..body });
    if let Some(encoding) = encoding {
        set(&mut response, header::CONTENT_ENCODING, encoding);
    }
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
    if let Some(policy) = body.policy {
        set(&mut response, header::CONTENT_SECURITY_POLICY, policy);
        set(&mut response, header::REFERRER_POLICY, "no-referrer");
        set(&mut response, header::X_FRAME_OPTIONS, "DENY");
    }
    response
}

fn set<T>(response: &mut Response<T>, name: HeaderName, value: &'static str) {
    response.headers_mut().insert(name, HeaderValue::from_static(value));
}

fn set_text<T>(response: &mut Response<T>, name: HeaderName, value: &str) {
    let value = HeaderValue::from_str(value).expect("what we make ourselves is plain ASCII");
    response.headers_mut().insert(name, value);
}
