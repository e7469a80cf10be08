//! The names of headers that the `http` crate does not know.
use hyper::header::HeaderName;

pub(crate) const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");
pub(crate) const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
pub(crate) const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
pub(crate) const X_PLAN: HeaderName = HeaderName::from_static("x-plan");
pub(crate) const X_RATELIMIT_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
pub(crate) const X_RATELIMIT_REMAINING: HeaderName =
    HeaderName::from_static("x-ratelimit-remaining");
pub(crate) const X_RATELIMIT_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
pub(crate) const RATELIMIT: HeaderName = HeaderName::from_static("ratelimit");
pub(crate) const RATELIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Headers of ours that scripts of any origin may read.
pub(crate) const EXPOSED: [HeaderName; 11] = [
    X_RATELIMIT_LIMIT,
    X_RATELIMIT_REMAINING,
    X_RATELIMIT_RESET,
    RATELIMIT,
    RATELIMIT_POLICY,
    X_PLAN,
    X_REQUEST_ID,
    hyper::header::ETAG,
    hyper::header::RETRY_AFTER,
    hyper::header::LINK,
    hyper::header::CONTENT_DISPOSITION,
];

/// Headers that scripts of any origin may send. The star allows all others but `Authorization`; clients that
/// do not know it read the names.
pub(crate) const ACCEPTED: [&str; 12] = [
    "*",
    "X-API-Key",
    "Authorization",
    "Content-Type",
    "Accept",
    "Accept-Language",
    "Cache-Control",
    "Pragma",
    "If-None-Match",
    "If-Modified-Since",
    "X-Requested-With",
    "X-Request-Id",
];
