//! Every way in which a request can fail, and how each is answered.
use fincore::{
    Caller, Error, ErrorKind, Invalid, Key, LinkFault, limits::Standing, plans::Upgrade,
};
use hyper::{
    StatusCode,
    header::{ALLOW, CONNECTION, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE},
};
use maud::Markup;
use serde_json::{Value, json};

use super::{
    header_names::TEXT,
    reply::{Body, OWN_FILES, Reply},
    response_headers::RequestId,
};
use crate::{
    errors::{BadRequest, NotFound, Problem},
    http::transport::concurrency_slots::Full,
    observe::{log, metrics::Reason},
    site::upgrade_contact::UpgradeContact,
};

/// Why a request is not answered with what it asked for.
pub(crate) enum Refusal {
    /// The request is wrong.
    BadRequest(BadRequest),
    /// The requested item does not exist.
    NotFound(NotFound),
    /// The path answers these methods, as in `Allow`.
    MethodNotAllowed(String),
    /// The key is malformed, unknown or revoked.
    InvalidKey,
    /// The link token is malformed, unknown or revoked.
    InvalidLink,
    /// The link may not read this.
    LinkScope(LinkScope),
    /// The key has as many links as it may.
    TooManyLinks(LinkFault),
    /// The endpoint needs a key, and none was given.
    KeyRequired,
    /// The plan does not include what is asked for.
    PlanRequired(Box<Upgrade>),
    /// Too many requests; the text says how many are allowed, and in what time.
    RateLimited { allowed: String, retry_after: u64 },
    /// The body is longer than this many bytes.
    TooLarge { most: usize },
    /// The body did not arrive in time.
    TooSlow,
    /// Path and query string are longer than this many bytes.
    UriTooLong { most: usize },
    /// There are more header fields than this.
    TooManyHeaders { most: usize },
    /// A page of another site sent a form of ours.
    OtherSite,
    /// A page of another site asks for what only programs may ask for.
    OtherOrigin,
    /// The body must be of this media type.
    WrongMedia(&'static str),
    /// The answer is of this media type, which the request does not accept.
    NotAcceptable(&'static str),
    /// All callers together have too many of these open. It is no fault of ours, so it is not logged.
    Crowded { what: &'static str, reason: Reason, retry_after: u64 },
    /// The data is locked for longer than we wait. The text is for the operator.
    Busy(String),
    /// A file or a disk is in trouble. The text is for the operator.
    Unavailable(String),
    /// Something of ours failed. The text is for the operator.
    Internal(String),
    /// A failure that a page shows.
    Shown(Box<Refusal>, Markup),
}

/// Why a link may not read something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkScope {
    /// No link may.
    Endpoint,
    /// This one is bound to something else. What that is, is not told: only its holder needs to know.
    Bound,
}

impl From<Error> for Refusal {
    fn from(err: Error) -> Refusal {
        match err.kind() {
            ErrorKind::Invalid(Invalid::Link(fault)) => Refusal::TooManyLinks(*fault),
            ErrorKind::Invalid(invalid) => {
                BadRequest::Value(Problem::Library(invalid.clone())).into()
            }
            ErrorKind::NotFound(what, id) => NotFound::Data { what, id: id.to_owned() }.into(),
            ErrorKind::InvalidKey => Refusal::InvalidKey,
            ErrorKind::PlanRequired(upgrade) => Refusal::PlanRequired(Box::new(upgrade.clone())),
            ErrorKind::Busy => Refusal::Busy(err.to_string()),
            ErrorKind::Unavailable
            | ErrorKind::Outdated
            | ErrorKind::Newer
            | ErrorKind::NotPermitted => Refusal::Unavailable(err.to_string()),
            // Requests import no files, so the library cannot refuse one here.
            ErrorKind::Refused | ErrorKind::Storage => Refusal::Internal(err.to_string()),
        }
    }
}

impl Refusal {
    /// There is no slot for a caller. `what` is what a slot is for: `exports`.
    pub(crate) fn full(full: Full, what: &'static str) -> Refusal {
        /// Streams end at any time.
        const RETRY_AFTER: u64 = 5;
        match full {
            Full::Caller(most) => Refusal::RateLimited {
                allowed: format!("a key may have {most} {what} at a time"),
                retry_after: RETRY_AFTER,
            },
            Full::All => Refusal::Crowded { what, reason: Reason::Slots, retry_after: RETRY_AFTER },
        }
    }

    /// There is no place in the queue of long work.
    pub(crate) fn queue() -> Refusal {
        /// The queue is done in a second or two.
        const RETRY_AFTER: u64 = 1;
        let (what, reason) = ("long requests", Reason::Queue);
        Refusal::Crowded { what, reason, retry_after: RETRY_AFTER }
    }
}

impl From<BadRequest> for Refusal {
    fn from(wrong: BadRequest) -> Refusal {
        Refusal::BadRequest(wrong)
    }
}

impl From<NotFound> for Refusal {
    fn from(missing: NotFound) -> Refusal {
        Refusal::NotFound(missing)
    }
}

impl From<Upgrade> for Refusal {
    fn from(upgrade: Upgrade) -> Refusal {
        Refusal::PlanRequired(Box::new(upgrade))
    }
}

/// How an error is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorFormat {
    /// The flat object of JSON.
    Json,
    /// Its message alone, as text.
    Text,
}

/// The parts of an error response.
struct ErrorParts {
    status: StatusCode,
    code: &'static str,
    message: String,
    more: Vec<(&'static str, Value)>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Refusal {
    /// A caller has used up what its plan allows.
    pub(crate) fn too_many(caller: &Caller, standing: Standing) -> Refusal {
        let (plan, limit) = (caller.plan.name(), standing.limit);
        let allowed = format!("the {plan} plan allows {limit} requests per minute");
        Refusal::RateLimited { allowed, retry_after: standing.retry_after }
    }

    /// The error as JSON for the operator, who runs a command of this program: the cause is no secret there.
    pub(crate) fn operator_json(&self) -> String {
        let parts = self.parts(RequestId::Given("none"), UpgradeContact::default());
        match self.cause() {
            Some(cause) => ErrorParts { message: cause.to_owned(), ..parts }.json(),
            None => parts.json(),
        }
    }

    /// The cause, where only the operator may know it.
    fn cause(&self) -> Option<&str> {
        match self {
            Refusal::Busy(cause) | Refusal::Unavailable(cause) | Refusal::Internal(cause) => {
                Some(cause)
            }
            Refusal::Shown(refusal, _) => refusal.cause(),
            Refusal::BadRequest(_)
            | Refusal::NotFound(_)
            | Refusal::MethodNotAllowed(_)
            | Refusal::InvalidKey
            | Refusal::InvalidLink
            | Refusal::LinkScope(_)
            | Refusal::TooManyLinks(_)
            | Refusal::KeyRequired
            | Refusal::PlanRequired(_)
            | Refusal::RateLimited { .. }
            | Refusal::TooLarge { .. }
            | Refusal::TooSlow
            | Refusal::UriTooLong { .. }
            | Refusal::TooManyHeaders { .. }
            | Refusal::OtherSite
            | Refusal::OtherOrigin
            | Refusal::WrongMedia(_)
            | Refusal::NotAcceptable(_)
            | Refusal::Crowded { .. } => None,
        }
    }

    /// The error as JSON, as a part of another answer.
    pub(crate) fn json(&self) -> String {
        self.parts(RequestId::Given("here"), UpgradeContact::default()).json()
    }

    /// The reason it is counted under, where the request is not to blame.
    pub(crate) fn reason(&self) -> Option<Reason> {
        match self {
            Refusal::RateLimited { .. } => Some(Reason::RateLimit),
            Refusal::Crowded { reason, .. } => Some(*reason),
            Refusal::Busy(_) => Some(Reason::Busy),
            Refusal::Unavailable(_) => Some(Reason::Unavailable),
            Refusal::Shown(refusal, _) => refusal.reason(),
            Refusal::BadRequest(_)
            | Refusal::NotFound(_)
            | Refusal::MethodNotAllowed(_)
            | Refusal::InvalidKey
            | Refusal::InvalidLink
            | Refusal::LinkScope(_)
            | Refusal::TooManyLinks(_)
            | Refusal::KeyRequired
            | Refusal::PlanRequired(_)
            | Refusal::TooLarge { .. }
            | Refusal::TooSlow
            | Refusal::UriTooLong { .. }
            | Refusal::TooManyHeaders { .. }
            | Refusal::OtherSite
            | Refusal::OtherOrigin
            | Refusal::WrongMedia(_)
            | Refusal::NotAcceptable(_)
            | Refusal::Internal(_) => None,
        }
    }

    /// The reply to the request `id` on this route; as text where a single value was asked for. What only the operator can fix is logged here.
    pub(crate) fn reply(
        self,
        id: RequestId<'_>,
        route: &str,
        upgrade_contact: UpgradeContact,
        format: ErrorFormat,
    ) -> Reply {
        let (refusal, page) = match self {
            Refusal::Shown(refusal, page) => (*refusal, Some(page)),
            refusal => (refusal, None),
        };
        if let Refusal::Internal(cause) = &refusal {
            tracing::error!("request {id} ({route}): {cause}");
        }
        // All requests meet it while it lasts.
        if let Refusal::Busy(cause) = &refusal
            && log::is_new(cause)
        {
            tracing::error!("request {id} ({route}) and perhaps others: {cause}");
        }
        // The watcher of the files logs it.
        if let Refusal::Unavailable(cause) = &refusal {
            tracing::debug!("request {id} ({route}): {cause}");
        }
        let parts = refusal.parts(id, upgrade_contact);
        let (status, headers) = (parts.status, parts.headers.clone());
        let body = match (page, format) {
            (Some(page), _) => Body::page(page, OWN_FILES),
            (None, ErrorFormat::Json) => parts.body(),
            // Cells show it.
            (None, ErrorFormat::Text) => Body::new(TEXT, Key::redact(&parts.message)),
        };
        Reply::refused(status, body).with_headers(headers)
    }

    /// The status, body and headers of every refusal, decided here and nowhere else.
    fn parts(&self, id: RequestId<'_>, upgrade_contact: UpgradeContact) -> ErrorParts {
        let free_key = "POST /api/v1/plans/register issues a free one";
        match self {
            Refusal::BadRequest(wrong) => {
                ErrorParts::new(StatusCode::BAD_REQUEST, "bad_request", wrong.to_string())
            }
            Refusal::NotFound(missing) => {
                ErrorParts::new(StatusCode::NOT_FOUND, "not_found", missing.to_string())
            }
            Refusal::MethodNotAllowed(allow) => {
                let message = format!("this path only answers {allow}");
                ErrorParts::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
                    .header(ALLOW, allow)
            }
            Refusal::InvalidKey => {
                let message = format!("the API key is malformed, unknown or revoked; {free_key}");
                ErrorParts::new(StatusCode::UNAUTHORIZED, "invalid_api_key", message)
                    .header(WWW_AUTHENTICATE, "Bearer realm=\"finserve\", error=\"invalid_token\"")
            }
            Refusal::InvalidLink => {
                let message = "the link token is malformed, unknown or revoked; the holder of a key makes \
                    another on /usage or by POST /api/v1/links";
                ErrorParts::new(StatusCode::UNAUTHORIZED, "invalid_link", message)
                    .header(WWW_AUTHENTICATE, "Bearer realm=\"finserve\", error=\"invalid_token\"")
            }
            Refusal::LinkScope(scope) => {
                let message = match scope {
                    LinkScope::Endpoint => {
                        "a link only reads data: GET of market data, calculators, calendar, companies, filings, \
                         statements, searches and exports; use the key itself for this"
                    }
                    LinkScope::Bound => {
                        "this link is bound to another path or to other parameters; its holder sees them on /usage"
                    }
                };
                ErrorParts::new(StatusCode::FORBIDDEN, "link_scope", message)
            }
            Refusal::TooManyLinks(fault) => {
                ErrorParts::new(StatusCode::CONFLICT, "too_many_links", fault.to_string())
            }
            Refusal::KeyRequired => {
                let message = format!("this endpoint needs an API key; {free_key}");
                ErrorParts::new(StatusCode::UNAUTHORIZED, "api_key_required", message)
                    .header(WWW_AUTHENTICATE, "Bearer realm=\"finserve\"")
            }
            Refusal::PlanRequired(upgrade) => {
                let message = upgrade.message.as_str();
                let parts = ErrorParts::new(StatusCode::FORBIDDEN, "plan_required", message)
                    .member("feature", json!(upgrade.feature))
                    .member("current_plan", json!(upgrade.current_plan))
                    .member("required_plan", json!(upgrade.required_plan))
                    .member("upgrade_url", json!(upgrade_contact.upgrade_url()));
                match upgrade_contact.contact() {
                    Some(contact) => parts.member("contact", json!(contact.shown())),
                    None => parts,
                }
            }
            Refusal::RateLimited { allowed, retry_after } => {
                let message = format!("rate limit exceeded: {allowed}; retry in {retry_after} s");
                ErrorParts::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", message)
                    .member("retry_after", json!(retry_after))
                    .header(RETRY_AFTER, &retry_after.to_string())
            }
            Refusal::TooLarge { most } => {
                let message = format!("the body is longer than {most} bytes");
                ErrorParts::new(StatusCode::PAYLOAD_TOO_LARGE, "payload_too_large", message)
            }
            Refusal::TooSlow => {
                let message = "the body took too long to arrive";
                // The rest of the body must not be taken for the next request.
                ErrorParts::new(StatusCode::REQUEST_TIMEOUT, "request_timeout", message)
                    .header(CONNECTION, "close")
            }
            Refusal::UriTooLong { most } => {
                let message = format!("path and query string are longer than {most} bytes");
                ErrorParts::new(StatusCode::URI_TOO_LONG, "uri_too_long", message)
            }
            Refusal::TooManyHeaders { most } => {
                let message = format!("there are more than {most} header fields");
                let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
                ErrorParts::new(status, "headers_too_large", message)
            }
            Refusal::OtherSite => {
                let message = "only pages of this service may send this form";
                ErrorParts::new(StatusCode::FORBIDDEN, "other_site", message)
            }
            Refusal::OtherOrigin => {
                let message =
                    "pages of other sites may not send this; programs must leave out Origin";
                ErrorParts::new(StatusCode::FORBIDDEN, "other_origin", message)
            }
            Refusal::NotAcceptable(media) => {
                let message = format!("the answer is {media}, and Accept must include it");
                ErrorParts::new(StatusCode::NOT_ACCEPTABLE, "not_acceptable", message)
            }
            Refusal::WrongMedia(wanted) => {
                let message = format!("the body must be {wanted}, and Content-Type must say so");
                ErrorParts::new(
                    StatusCode::UNSUPPORTED_MEDIA_TYPE,
                    "unsupported_media_type",
                    message,
                )
            }
            Refusal::Crowded { what, retry_after, .. } => {
                let message = format!("too many {what} are open; please try again in a moment");
                ErrorParts::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message)
                    .header(RETRY_AFTER, &retry_after.to_string())
            }
            Refusal::Busy(_) => {
                let message = "the service is busy; please try again in a second";
                ErrorParts::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message)
                    .header(RETRY_AFTER, "1")
            }
            Refusal::Unavailable(_) => {
                let message = "the service cannot do this at the moment; please try again later";
                ErrorParts::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message)
                    .header(RETRY_AFTER, "5")
            }
            Refusal::Internal(_) => {
                let message = format!("something went wrong here; please report request {id}");
                ErrorParts::new(StatusCode::INTERNAL_SERVER_ERROR, "internal_error", message)
            }
            Refusal::Shown(refusal, _) => refusal.parts(id, upgrade_contact),
        }
    }
}

impl ErrorParts {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> ErrorParts {
        ErrorParts { status, code, message: message.into(), more: Vec::new(), headers: Vec::new() }
    }

    fn member(mut self, name: &'static str, value: Value) -> ErrorParts {
        self.more.push((name, value));
        self
    }

    fn header(mut self, name: HeaderName, value: &str) -> ErrorParts {
        let value = HeaderValue::from_str(value).expect("our own texts are plain ASCII");
        self.headers.push((name, value));
        self
    }

    fn body(self) -> Body {
        Body::new("application/json", self.json())
    }

    /// The one shape of every error: a flat object, its code and message first.
    fn json(self) -> String {
        // Messages repeat invalid input, which may be a key sent in the wrong place.
        let message = Key::redact(&self.message);
        let members = [("error", json!(self.code)), ("message", json!(message))];
        let members = members.iter().chain(&self.more);
        let members: Vec<String> =
            members.map(|(name, value)| format!("{}:{value}", json!(name))).collect();
        format!("{{{}}}", members.join(","))
    }
}
