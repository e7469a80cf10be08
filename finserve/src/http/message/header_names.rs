//! The names of headers that the `http` crate does not know.
use hyper::header::HeaderName;

use crate::site::api_key_header::x_api_key;

pub(crate) const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");
pub(crate) const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
pub(crate) const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
pub(crate) const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
pub(crate) const X_PLAN: HeaderName = HeaderName::from_static("x-plan");
pub(crate) const X_RATELIMIT_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
pub(crate) const X_RATELIMIT_REMAINING: HeaderName =
    HeaderName::from_static("x-ratelimit-remaining");
pub(crate) const X_RATELIMIT_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
pub(crate) const X_TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");
pub(crate) const X_FUZZY: HeaderName = HeaderName::from_static("x-fuzzy");
pub(crate) const X_DATA_VERSION: HeaderName = HeaderName::from_static("x-data-version");
pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
pub(crate) const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
pub(crate) const MCP_PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(crate) const MCP_METHOD: HeaderName = HeaderName::from_static("mcp-method");
pub(crate) const MCP_NAME: HeaderName = HeaderName::from_static("mcp-name");
pub(crate) const RATELIMIT: HeaderName = HeaderName::from_static("ratelimit");
pub(crate) const RATELIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Headers of ours that scripts of any origin may read.
pub(crate) const EXPOSED: &str = "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit, \
    RateLimit-Policy, X-Plan, X-Request-Id, X-Total-Count, X-Fuzzy, X-Data-Version, \
    Content-Disposition, ETag, Retry-After, Link";

/// Headers that scripts of any origin may send. The star allows all others but `Authorization`; clients that
/// do not know it read the names.
pub(crate) const ACCEPTED: &str = concat!(
    "*, ",
    x_api_key!(),
    ", Authorization, Content-Type, Accept, Accept-Language, Cache-Control, Pragma, If-None-Match, \
     If-Modified-Since, X-Requested-With, X-Request-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name"
);

/// The request headers that data responses depend on. A session counts for scripts of our own pages.
pub(crate) const BY_CALLER: &str =
    concat!(x_api_key!(), ", Authorization, Cookie, Sec-Fetch-Site, Accept, Accept-Encoding");

/// The value of `Content-Type` of plain text.
pub(crate) const TEXT: &str = "text/plain; charset=utf-8";
