//! What every response carries besides its body.
use std::sync::LazyLock;

use fincore::{Caller, Plan, limits::Standing, plans::WINDOW};
use hyper::{
    body::Bytes,
    header::{self, HeaderMap, HeaderName, HeaderValue},
};

use super::headers::{
    EXPOSED, RATELIMIT, RATELIMIT_POLICY, X_PLAN, X_RATELIMIT_LIMIT, X_RATELIMIT_REMAINING,
    X_RATELIMIT_RESET, X_REQUEST_ID,
};
use crate::now::Now;

/// The headers whose values differ from response to response.
const VARIABLE: [HeaderName; 4] =
    [X_REQUEST_ID, X_RATELIMIT_REMAINING, X_RATELIMIT_RESET, RATELIMIT];

/// The headers of a tagged answer, whose values differ from answer to answer.
const TAGGED: [HeaderName; 4] =
    [header::CONTENT_TYPE, header::ETAG, header::VARY, header::CACHE_CONTROL];

/// Headers that a response may have besides, without the table of names having to grow.
const ROOM: usize = 4;

/// What every response to a caller on a plan carries, by the plan: the variable headers first, without values yet.
/// Setting a value by its place takes a tenth of the time that looking up its name takes.
static EVERY: LazyLock<[HeaderMap; Plan::ALL.len()]> =
    LazyLock::new(|| Plan::ALL.map(|plan| prepared(plan, &VARIABLE)));

/// The same with the headers of a tagged answer after the variable ones.
static OF_TAGGED: LazyLock<[HeaderMap; Plan::ALL.len()]> =
    LazyLock::new(|| Plan::ALL.map(|plan| prepared(plan, &[VARIABLE, TAGGED].concat())));

/// The plan and what is left of its limit, in the names that everyone knows and in those of the IETF's draft, and
/// what lets scripts of any origin read the response; before them these names, without values.
fn prepared(plan: Plan, without_values: &[HeaderName]) -> HeaderMap {
    let (id, limit, window) = (plan.id(), plan.limit(), WINDOW.as_secs());
    // Copies of a static text share no counter, for which the workers would compete.
    let text = |text: String| HeaderValue::from_static(text.leak());
    let fixed = [
        (X_PLAN, HeaderValue::from_static(id)),
        (X_RATELIMIT_LIMIT, text(limit.to_string())),
        (RATELIMIT_POLICY, text(format!("\"{id}\";q={limit};w={window}"))),
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*")),
        (header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED)),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    let mut headers = HeaderMap::with_capacity(fixed.len() + without_values.len() + ROOM);
    for name in without_values {
        headers.insert(name, HeaderValue::from_static(""));
    }
    headers.extend(fixed);
    headers
}

/// The values of [`TAGGED`], in this order.
pub(crate) struct Tagged {
    pub(crate) media: &'static str,
    pub(crate) tag: HeaderValue,
    pub(crate) vary: &'static str,
    pub(crate) cache: &'static str,
}

/// To whom a response goes, and how they stand after it.
pub(crate) struct Envelope<'r> {
    pub(crate) id: &'r str,
    pub(crate) caller: Caller,
    pub(crate) standing: Standing,
    pub(crate) now: Now,
}

impl Envelope<'_> {
    /// The headers of every response.
    pub(crate) fn headers(&self) -> HeaderMap {
        let mut headers = EVERY[self.caller.plan as usize].clone();
        headers.reserve(ROOM);
        // A map yields its values in the order in which their names were inserted.
        for (value, new) in headers.values_mut().zip(self.variable()) {
            *value = new;
        }
        headers
    }

    /// The headers of a tagged answer.
    pub(crate) fn tagged(&self, Tagged { media, tag, vary, cache }: Tagged) -> HeaderMap {
        let mut headers = OF_TAGGED[self.caller.plan as usize].clone();
        let [vary, cache] = [vary, cache].map(HeaderValue::from_static);
        let tagged = [HeaderValue::from_static(media), tag, vary, cache];
        for (value, new) in headers.values_mut().zip(self.variable().into_iter().chain(tagged)) {
            *value = new;
        }
        headers
    }

    /// The values of the variable headers, all in one piece of memory.
    fn variable(&self) -> [HeaderValue; 4] {
        let Standing { remaining, free_after, .. } = self.standing;
        let free_at = self.now.utc + free_after;
        let reset = free_at.timestamp() + i64::from(free_at.timestamp_subsec_nanos() > 0);
        let seconds = free_after.as_secs() + u64::from(free_after.subsec_nanos() > 0);
        let (mut numbers, mut text) = (itoa::Buffer::new(), String::with_capacity(96));
        text.push_str(self.id);
        let id = text.len();
        text.push_str(numbers.format(remaining));
        let left = text.len();
        text.push_str(numbers.format(reset));
        let start = text.len();
        for part in ["\"", self.caller.plan.id(), "\";r="] {
            text.push_str(part);
        }
        text.push_str(numbers.format(remaining));
        text.push_str(";t=");
        text.push_str(numbers.format(seconds));
        let text = Bytes::from(text);
        [0..id, id..left, left..start, start..text.len()].map(|part| {
            let value = HeaderValue::from_maybe_shared(text.slice(part));
            value.expect("our own texts are plain ASCII")
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use fincore::{chrono::DateTime, limits::Limits};

    use super::*;

    #[test]
    fn every_response_tells_the_plan_and_what_is_left_of_it() {
        for plan in Plan::ALL {
            let start = Instant::now();
            let caller = Caller { plan, ..Caller::at([192, 0, 2, 1].into()) };
            let limits = Limits::new(WINDOW, start);
            let standing = limits.admit(&caller, start + Duration::from_millis(1)).unwrap();
            let now = Now { instant: start, utc: DateTime::from_timestamp(1_000_000, 5).unwrap() };
            let envelope = Envelope { id: "a-7", caller, standing, now };
            let (media, tag) = ("text/csv", HeaderValue::from_static("W/\"7\""));
            let tagged = Tagged { media, tag, vary: "Accept", cache: "private" };
            let all = [envelope.headers(), envelope.tagged(tagged)];
            let (id, limit) = (plan.id(), plan.limit());
            let left = limit - 1;
            let wanted = [
                (X_REQUEST_ID, "a-7".to_owned()),
                (X_PLAN, id.to_owned()),
                (X_RATELIMIT_LIMIT, limit.to_string()),
                (X_RATELIMIT_REMAINING, left.to_string()),
                (X_RATELIMIT_RESET, "1000061".to_owned()),
                (RATELIMIT_POLICY, format!("\"{id}\";q={limit};w=60")),
                (RATELIMIT, format!("\"{id}\";r={left};t=60")),
            ];
            for headers in &all {
                for (name, value) in &wanted {
                    assert_eq!(headers[name], value.as_str(), "{plan}: {name}");
                }
            }
            let own = ["content-type", "etag", "vary", "cache-control"];
            assert_eq!(own.map(|name| &all[1][name]), ["text/csv", "W/\"7\"", "Accept", "private"]);
            assert!(own.iter().all(|name| !all[0].contains_key(*name)));
            assert_eq!(all[1].len(), all[0].len() + own.len());
        }
    }
}
