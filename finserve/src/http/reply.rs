//! Replies: status, headers and body of a response. Only this file and `refusal` know status codes.
use std::{io, sync::LazyLock, time::Instant};

use fincore::{Caller, limits::Standing, plans::WINDOW};
use http_body_util::{BodyExt, Full, combinators::UnsyncBoxBody};
use hyper::{
    Response, StatusCode,
    body::Bytes,
    header::{self, HeaderMap, HeaderName, HeaderValue},
};
use maud::Markup;

use super::{
    encoding::{self, Encoded},
    headers::{self, ACCEPTED, BY_CALLER, EXPOSED},
};
use crate::now::Now;

/// What is sent: a body that is whole, or a stream.
pub(crate) type Payload = UnsyncBoxBody<Bytes, io::Error>;

/// What a page of ours may load: nothing but our own files.
pub(crate) const OWN_FILES: &str = "default-src 'none'; style-src 'self'; script-src 'self'; \
    img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// A body with its media type.
pub(crate) struct Body {
    media: &'static str,
    held: Held,
    /// The value of `Content-Encoding`, once the body is encoded.
    encoding: Option<&'static str>,
    /// What the page may load, if it is one.
    policy: Option<&'static str>,
}

/// How a body is held until it is sent.
enum Held {
    Plain(Bytes),
    /// Compressed when the program was built; unpacked once, if ever.
    Gzip(&'static [u8], &'static LazyLock<Vec<u8>>),
    /// Made while it is sent.
    Stream(Payload),
}

impl Body {
    pub(crate) fn new(media: &'static str, bytes: impl Into<Bytes>) -> Body {
        Body { media, held: Held::Plain(bytes.into()), encoding: None, policy: None }
    }

    /// A page that may load what its policy says.
    pub(crate) fn page(page: Markup, policy: &'static str) -> Body {
        let body = Body::new("text/html; charset=utf-8", page.into_string());
        Body { policy: Some(policy), ..body }
    }

    /// A file that is kept compressed by gzip, and the same file unpacked.
    pub(crate) fn packed(
        media: &'static str,
        packed: &'static [u8],
        unpacked: &'static LazyLock<Vec<u8>>,
    ) -> Body {
        Body { held: Held::Gzip(packed, unpacked), ..Body::new(media, Bytes::new()) }
    }

    /// A body that is made while it is sent, in this encoding already.
    pub(crate) fn stream(
        media: &'static str,
        encoding: Option<&'static str>,
        payload: Payload,
    ) -> Body {
        Body { held: Held::Stream(payload), encoding, ..Body::new(media, Bytes::new()) }
    }

    fn empty() -> Body {
        Body::new("", Bytes::new())
    }

    /// The body in the encoding that the request prefers.
    fn encode(self, request: &HeaderMap) -> Body {
        let Encoded { encoding, bytes } = match self.held {
            Held::Stream(_) => return self,
            Held::Plain(bytes) => encoding::encode(bytes, request),
            Held::Gzip(packed, _) if encoding::accepts_gzip(request) => {
                Encoded { encoding: Some("gzip"), bytes: Bytes::from_static(packed) }
            }
            Held::Gzip(_, unpacked) => {
                Encoded { encoding: None, bytes: Bytes::from_static(unpacked.as_slice()) }
            }
        };
        Body { held: Held::Plain(bytes), encoding, ..self }
    }

    fn respond(self, status: StatusCode) -> Response<Payload> {
        let whole = |bytes| Full::new(bytes).map_err(|never| match never {}).boxed_unsync();
        let payload = match self.held {
            Held::Plain(bytes) => whole(bytes),
            Held::Gzip(_, unpacked) => whole(Bytes::from_static(unpacked.as_slice())),
            Held::Stream(payload) => payload,
        };
        let mut response = Response::new(payload);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        if !self.media.is_empty() {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.media));
        }
        if let Some(encoding) = self.encoding {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        if let Some(policy) = self.policy {
            headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
            headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
            headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
        }
        response
    }
}

/// How a reply may be cached.
pub(crate) enum Caching {
    /// Not at all.
    Never,
    /// Only until it is asked for again; it depends on these headers of the request.
    Refetched(&'static str),
    /// For good, under this tag: the address changes with the content.
    Forever(String),
    /// For a minute, and longer while this tag is confirmed.
    Tagged(String),
}

/// When a response must have been read, among its extensions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(pub(crate) Instant);

/// The answer to a request, whether it got what it asked for or not.
pub(crate) struct Reply {
    status: StatusCode,
    body: Body,
    caching: Caching,
    headers: Vec<(HeaderName, HeaderValue)>,
    deadline: Option<Deadline>,
}

impl Reply {
    pub(crate) fn ok(body: Body, caching: Caching) -> Reply {
        Reply { status: StatusCode::OK, body, caching, headers: Vec::new(), deadline: None }
    }

    /// What the client has already, if its request confirms this tag.
    pub(crate) fn unchanged(tag: &str, request: &HeaderMap) -> Option<Reply> {
        let reply = || Reply::ok(Body::empty(), Caching::Tagged(tag.to_owned()));
        confirms(request, tag).then(reply)
    }

    /// Something new, which is shown only once.
    pub(crate) fn created(body: Body) -> Reply {
        Reply { status: StatusCode::CREATED, ..Reply::ok(body, Caching::Never) }
    }

    /// Something that will be done soon.
    pub(crate) fn accepted(body: Body) -> Reply {
        Reply { status: StatusCode::ACCEPTED, ..Reply::ok(body, Caching::Never) }
    }

    /// Done, and nothing to say about it.
    pub(crate) fn no_content() -> Reply {
        Reply { status: StatusCode::NO_CONTENT, ..Reply::ok(Body::empty(), Caching::Never) }
    }

    pub(crate) fn refused(status: StatusCode, body: Body) -> Reply {
        Reply { status, ..Reply::ok(body, Caching::Never) }
    }

    /// The answer to `OPTIONS` where these methods are known, as in `Allow`.
    pub(crate) fn options(allow: &str) -> Reply {
        let value = |text: &str| HeaderValue::from_str(text).expect("our own texts are ASCII");
        let headers = vec![
            (header::ALLOW, value(allow)),
            (header::ACCESS_CONTROL_ALLOW_METHODS, value(allow)),
            (header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(ACCEPTED)),
            (header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400")),
        ];
        let reply = Reply::ok(Body::empty(), Caching::Never);
        Reply { status: StatusCode::NO_CONTENT, headers, ..reply }
    }

    pub(crate) fn with_headers(
        mut self,
        headers: impl IntoIterator<Item = (HeaderName, HeaderValue)>,
    ) -> Reply {
        self.headers.extend(headers);
        self
    }

    /// The same reply, which browsers save as a file of this name. What has no place in one is left out.
    pub(crate) fn saved_as(self, name: &str) -> Reply {
        let plain = |c: &char| c.is_ascii_alphanumeric() || "._-".contains(*c);
        let name: String = name.chars().filter(plain).collect();
        let value = HeaderValue::try_from(format!("attachment; filename=\"{name}\""));
        let value = value.expect("letters, digits and marks are plain ASCII");
        self.with_headers([(header::CONTENT_DISPOSITION, value)])
    }

    /// The same reply, cut off if it has not been read by then.
    pub(crate) fn until(self, deadline: Instant) -> Reply {
        Reply { deadline: Some(Deadline(deadline)), ..self }
    }

    /// Whether the request failed.
    pub(crate) fn is_error(&self) -> bool {
        self.status.is_client_error() || self.status.is_server_error()
    }

    /// The same reply, compressed or left out as the request allows. This is work, so it belongs where the
    /// answer itself is made.
    pub(crate) fn encode(mut self, request: &HeaderMap) -> Reply {
        let tag = match &self.caching {
            // Never compressed: compressing a secret beside text that the client chose can reveal it.
            Caching::Never => return self,
            Caching::Refetched(_) => None,
            Caching::Forever(tag) | Caching::Tagged(tag) => Some(tag),
        };
        if tag.is_some_and(|tag| confirms(request, tag)) {
            self.status = StatusCode::NOT_MODIFIED;
            self.body = Body::empty();
        } else {
            self.body = self.body.encode(request);
        }
        self
    }

    /// The response.
    pub(crate) fn respond(self, envelope: &Envelope<'_>) -> Response<Payload> {
        let Reply { status, body, caching, headers, deadline } = self;
        let with_key = envelope.caller.id.key().is_some();
        let (cache, vary, tag) = match caching {
            Caching::Never => ("no-store", None, None),
            Caching::Refetched(vary) => ("no-cache", Some(vary), None),
            Caching::Forever(tag) => {
                ("public, max-age=31536000, immutable", Some("Accept-Encoding"), Some(tag))
            }
            Caching::Tagged(tag) if with_key => ("private, max-age=60", Some(BY_CALLER), Some(tag)),
            Caching::Tagged(tag) => ("public, max-age=60", Some(BY_CALLER), Some(tag)),
        };
        let mut response = body.respond(status);
        let all = response.headers_mut();
        if let Some(tag) = tag {
            insert(all, header::ETAG, &tag);
        }
        if let Some(vary) = vary {
            all.insert(header::VARY, HeaderValue::from_static(vary));
        }
        all.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
        all.extend(headers);
        envelope.write(all);
        if let Some(deadline) = deadline {
            response.extensions_mut().insert(deadline);
        }
        response
    }
}

/// What every response carries besides its body.
pub(crate) struct Envelope<'r> {
    pub(crate) id: &'r str,
    pub(crate) caller: Caller,
    pub(crate) standing: Standing,
    pub(crate) now: Now,
}

impl Envelope<'_> {
    /// The plan and what is left of its limit, in the names that everyone knows and in those of the IETF's
    /// draft, and what lets scripts of any origin read the response.
    fn write(&self, response: &mut HeaderMap) {
        let Standing { limit, remaining, free_after, .. } = self.standing;
        let plan = self.caller.plan.id();
        let free_at = self.now.utc + free_after;
        let reset = free_at.timestamp() + i64::from(free_at.timestamp_subsec_nanos() > 0);
        let seconds = free_after.as_secs() + u64::from(free_after.subsec_nanos() > 0);
        let window = WINDOW.as_secs();
        let own = [
            (headers::X_PLAN, plan.to_owned()),
            (headers::X_RATELIMIT_LIMIT, limit.to_string()),
            (headers::X_RATELIMIT_REMAINING, remaining.to_string()),
            (headers::X_RATELIMIT_RESET, reset.to_string()),
            (headers::RATELIMIT_POLICY, format!("\"{plan}\";q={limit};w={window}")),
            (headers::RATELIMIT, format!("\"{plan}\";r={remaining};t={seconds}")),
            (headers::X_REQUEST_ID, self.id.to_owned()),
        ];
        for (name, value) in own {
            insert(response, name, &value);
        }
        response.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        response.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
        response.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    }
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

fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    let value = HeaderValue::from_str(value).expect("our own texts are plain ASCII");
    headers.insert(name, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_plain_name() {
        let reply = Reply::ok(Body::empty(), Caching::Never).saved_as("a\"\r\nb/ç;-1_x.csv");
        assert_eq!(reply.headers[0].1, "attachment; filename=\"ab-1_x.csv\"");
    }
}
