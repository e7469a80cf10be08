//! Replies: status, headers and body of a response. Only this file and `refusal` know status codes.
use std::{borrow::Cow, time::Instant};

use hyper::{
    Response, StatusCode,
    body::Bytes,
    header::{self, HeaderMap, HeaderName, HeaderValue},
};
use maud::Markup;

use super::{
    encoding::{self, Encoded},
    header_names::{ACCEPTED, BY_CALLER},
    payload::Payload,
    response_headers::{Envelope, Sharing},
};
use crate::{http::transport::peer_timeouts::Permit, mcp::ReplyStatus};

mod kept_reply;
pub(crate) use kept_reply::{KeptReply, ORIGIN_MARK};

/// Lets a page load nothing but our own files.
pub(crate) const OWN_FILES: &str = "default-src 'none'; style-src 'self'; script-src 'self'; \
    img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// A body with its media type.
pub(crate) struct Body {
    media: &'static str,
    held: Held,
    /// The value of `Content-Encoding`, once the body is encoded.
    encoding: Option<&'static str>,
    /// The content security policy of a page.
    policy: Option<Cow<'static, str>>,
}

/// How a body is held until it is sent.
enum Held {
    Plain(Bytes),
    /// Made while it is sent.
    Stream(Payload),
}

impl Body {
    pub(crate) fn new(media: &'static str, bytes: impl Into<Bytes>) -> Body {
        Body { media, held: Held::Plain(bytes.into()), encoding: None, policy: None }
    }

    /// A page that may load what its policy says.
    pub(crate) fn page(page: Markup, policy: impl Into<Cow<'static, str>>) -> Body {
        let body = Body::new("text/html; charset=utf-8", page.into_string());
        Body { policy: Some(policy.into()), ..body }
    }

    /// A file that is kept compressed by gzip.
    pub(crate) fn packed(media: &'static str, packed: &'static [u8]) -> Body {
        Body { encoding: Some("gzip"), ..Body::new(media, packed) }
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

    /// The body in the encoding that the request prefers, unless it has one already.
    fn encode(self, request: &HeaderMap) -> Body {
        let Encoded { encoding, bytes } = match self.held {
            Held::Plain(bytes) if self.encoding.is_none() => encoding::encode(bytes, request),
            Held::Plain(_) | Held::Stream(_) => return self,
        };
        Body { held: Held::Plain(bytes), encoding, ..self }
    }

    /// Adds the headers of the body to the others.
    fn send(self, headers: &mut HeaderMap) -> Payload {
        if !self.media.is_empty() {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.media));
        }
        if let Some(encoding) = self.encoding {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        if let Some(policy) = self.policy {
            // A page may show a key, also one that tells of an error.
            Sharing::Own.restrict(headers);
            let policy = match policy {
                Cow::Borrowed(policy) => HeaderValue::from_static(policy),
                Cow::Owned(policy) => policy.try_into().expect("our own texts are ASCII"),
            };
            headers.insert(header::CONTENT_SECURITY_POLICY, policy);
            // Without a referrer, forms would not say either that they come from here.
            headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
            headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
        }
        match self.held {
            Held::Plain(bytes) => Payload::whole(bytes),
            Held::Stream(payload) => payload,
        }
    }
}

/// How a reply may be cached.
pub(crate) enum Caching {
    /// Not at all.
    Never,
    /// Only until it is asked for again; it depends on these headers of the request.
    Refetched(&'static str),
    /// Only until it is asked for again; the tag tells whether it has changed.
    Confirmed(&'static str, HeaderValue),
    /// For good, under this tag: the address changes with the content.
    Forever(HeaderValue),
    /// For a minute, and longer while this tag is confirmed.
    Tagged(HeaderValue),
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
    permit: Option<Permit>,
}

impl Reply {
    pub(crate) fn ok(body: Body, caching: Caching) -> Reply {
        let (status, headers) = (StatusCode::OK, Vec::new());
        Reply { status, body, caching, headers, deadline: None, permit: None }
    }

    /// 304 if the request confirms this tag.
    pub(crate) fn unchanged(tag: &HeaderValue, request: &HeaderMap) -> Option<Reply> {
        confirms(request, tag).then(|| Reply::not_modified(Caching::Tagged(tag.clone())))
    }

    /// 304 only if the request names the tag: a client that asks for anything that exists (`*`) may ask for something
    /// that does not.
    pub(crate) fn confirmed(tag: &HeaderValue, request: &HeaderMap) -> Option<Reply> {
        names(request, tag).then(|| Reply::not_modified(Caching::Tagged(tag.clone())))
    }

    fn is_plain(&self) -> bool {
        self.status == StatusCode::OK && self.headers.is_empty()
    }

    fn not_modified(caching: Caching) -> Reply {
        Reply { status: StatusCode::NOT_MODIFIED, ..Reply::ok(Body::empty(), caching) }
    }

    /// Something new, which is shown only once.
    pub(crate) fn created(body: Body) -> Reply {
        Reply { status: StatusCode::CREATED, ..Reply::ok(body, Caching::Never) }
    }

    /// Something that will be done soon.
    pub(crate) fn accepted(body: Body) -> Reply {
        Reply { status: StatusCode::ACCEPTED, ..Reply::ok(body, Caching::Never) }
    }

    /// Redirects a browser to this path of ours.
    pub(crate) fn elsewhere(path: HeaderValue) -> Reply {
        let reply = Reply::ok(Body::empty(), Caching::Never);
        Reply { status: StatusCode::SEE_OTHER, headers: vec![(header::LOCATION, path)], ..reply }
    }

    /// Done; the browser goes on to this path of ours, and keeps or forgets this cookie.
    pub(crate) fn see_other(path: HeaderValue, cookie: HeaderValue) -> Reply {
        let reply = Reply::ok(Body::empty(), Caching::Never);
        let headers = vec![(header::LOCATION, path), (header::SET_COOKIE, cookie)];
        Reply { status: StatusCode::SEE_OTHER, headers, ..reply }
    }

    /// Redirects to this address for now.
    pub(crate) fn found_at(path: HeaderValue) -> Reply {
        let headers = vec![(header::LOCATION, path)];
        let reply = Reply::ok(Body::empty(), Caching::Never);
        Reply { status: StatusCode::FOUND, headers, ..reply }
    }

    /// Redirects to this path of ours for good.
    pub(crate) fn moved_to(path: HeaderValue) -> Reply {
        Reply { status: StatusCode::PERMANENT_REDIRECT, ..Reply::found_at(path) }
    }

    /// Done, and nothing to say about it.
    pub(crate) fn no_content() -> Reply {
        Reply { status: StatusCode::NO_CONTENT, ..Reply::ok(Body::empty(), Caching::Never) }
    }

    /// The reply to a message of the protocol for agents: in that manner, or nothing.
    pub(crate) fn said(said: Option<(ReplyStatus, Body)>) -> Reply {
        let Some((manner, body)) = said else { return Reply::accepted(Body::empty()) };
        let status = match manner {
            ReplyStatus::Answered => StatusCode::OK,
            ReplyStatus::Rejected => StatusCode::BAD_REQUEST,
            ReplyStatus::Unknown => StatusCode::NOT_FOUND,
        };
        Reply { status, ..Reply::ok(body, Caching::Never) }
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

    /// Makes browsers save the reply as a file of this name.
    pub(crate) fn saved_as(self, name: &str) -> Reply {
        self.with_headers([(header::CONTENT_DISPOSITION, attachment(name))])
    }

    /// Cuts the reply off if it has not been read by then.
    pub(crate) fn until(self, deadline: Instant) -> Reply {
        Reply { deadline: Some(Deadline(deadline)), ..self }
    }

    /// Cuts the reply off once the permit ends.
    pub(crate) fn only_while(self, permit: Permit) -> Reply {
        Reply { permit: Some(permit), ..self }
    }

    /// Compresses the reply or leaves it out as the request allows. This is work, so it belongs where the answer itself
    /// is made.
    pub(crate) fn encode(mut self, request: &HeaderMap) -> Reply {
        let tag = match &self.caching {
            // Never compressed: compressing a secret beside text that the client chose can reveal it.
            Caching::Never => return self,
            Caching::Refetched(_) => None,
            Caching::Forever(tag) | Caching::Tagged(tag) | Caching::Confirmed(_, tag) => Some(tag),
        };
        if tag.is_some_and(|tag| confirms(request, tag)) {
            self.status = StatusCode::NOT_MODIFIED;
            self.body = Body::empty();
            // Headers that describe the body would describe one that is not sent.
            self.headers.clear();
        } else {
            self.body = self.body.encode(request);
        }
        self
    }

    /// The response.
    pub(crate) fn respond(self, envelope: &Envelope<'_>) -> Response<Payload> {
        let Reply { status, body, caching, headers, deadline, permit } = self;
        let mut all = match caching {
            Caching::Tagged(tag) => {
                described(envelope, envelope.kept_for(), Some(BY_CALLER), Some(tag))
            }
            Caching::Never => described(envelope, "no-store", None, None),
            Caching::Refetched(vary) => described(envelope, "no-cache", Some(vary), None),
            Caching::Confirmed(vary, tag) => described(envelope, "no-cache", Some(vary), Some(tag)),
            Caching::Forever(tag) => {
                let cache = "public, max-age=31536000, immutable";
                described(envelope, cache, Some("Accept-Encoding"), Some(tag))
            }
        };
        all.extend(headers);
        envelope.sharing.restrict(&mut all);
        let mut response = Response::new(body.send(&mut all));
        (*response.status_mut(), *response.headers_mut()) = (status, all);
        if let Some(deadline) = deadline {
            response.extensions_mut().insert(deadline);
        }
        if let Some(permit) = permit {
            response.extensions_mut().insert(permit);
        }
        response
    }
}

/// The outcome of a tool call: whether the endpoint answered, and in what words.
pub(crate) enum EndpointAnswer {
    Answered(Bytes),
    Refused(Bytes),
}

/// Takes the response of an endpoint apart, to send its content in a message of another kind: the headers that
/// are about the caller stay. A key that is not valid is no answer to a call, and stays as it is.
pub(crate) fn take_apart(
    response: Response<Payload>,
) -> Result<(HeaderMap, EndpointAnswer), Box<Response<Payload>>> {
    if response.status() == StatusCode::UNAUTHORIZED || !response.body().is_whole() {
        return Err(Box::new(response));
    }
    let (mut head, body) = response.into_parts();
    let about_the_body = [
        header::CONTENT_TYPE,
        header::CONTENT_LENGTH,
        header::ETAG,
        header::LINK,
        header::VARY,
        header::CACHE_CONTROL,
    ];
    about_the_body.iter().for_each(|name| drop(head.headers.remove(name)));
    let bytes = body.into_whole().unwrap_or_default();
    let answered = head.status.is_success();
    Ok((
        head.headers,
        if answered { EndpointAnswer::Answered(bytes) } else { EndpointAnswer::Refused(bytes) },
    ))
}

/// The response with this message, and the headers that are about the caller.
pub(crate) fn message(
    mut headers: HeaderMap,
    media: &'static str,
    body: Encoded,
) -> Response<Payload> {
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    let encoding = body.encoding.map(HeaderValue::from_static);
    headers.extend(encoding.map(|encoding| (header::CONTENT_ENCODING, encoding)));
    let mut response = Response::new(Payload::whole(body.bytes));
    *response.headers_mut() = headers;
    response
}

/// The headers of every response, and what says how it may be cached.
fn described(
    envelope: &Envelope<'_>,
    cache: &'static str,
    vary: Option<&'static str>,
    tag: Option<HeaderValue>,
) -> HeaderMap {
    let mut headers = envelope.headers();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    headers.extend(vary.map(|vary| (header::VARY, HeaderValue::from_static(vary))));
    headers.extend(tag.map(|tag| (header::ETAG, tag)));
    headers
}

/// The value of `Content-Disposition` by which browsers save a file of this name. What has no place in one is left out.
pub(crate) fn attachment(name: &str) -> HeaderValue {
    let plain = |c: &char| c.is_ascii_alphanumeric() || "._-".contains(*c);
    let name: String = name.chars().filter(plain).collect();
    let value = HeaderValue::try_from(format!("attachment; filename=\"{name}\""));
    value.expect("letters, digits and marks are plain ASCII")
}

/// Whether `If-None-Match` confirms the tag: by its name, or by a star.
fn confirms(request: &HeaderMap, tag: &HeaderValue) -> bool {
    given_tags(request).any(|given| given == "*") || names(request, tag)
}

/// Whether `If-None-Match` names the tag. Tags are compared weakly: the data is the same in any encoding.
fn names(request: &HeaderMap, tag: &HeaderValue) -> bool {
    fn opaque(tag: &[u8]) -> &[u8] {
        tag.strip_prefix(b"W/").unwrap_or(tag)
    }
    given_tags(request).any(|given| opaque(given.as_bytes()) == opaque(tag.as_bytes()))
}

fn given_tags(request: &HeaderMap) -> impl Iterator<Item = &str> {
    let values =
        request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|list| list.split(',')).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_plain_name() {
        assert_eq!(attachment("a\"\r\nb/ç;-1_x.csv"), "attachment; filename=\"ab-1_x.csv\"");
    }
}
