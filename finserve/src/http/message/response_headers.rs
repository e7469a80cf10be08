//! Headers of every response.
use std::{
    cell::Cell,
    fmt,
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering},
    },
};

use fincore::{Caller, Key, Plan, limits::Standing, plans::WINDOW};
use hyper::{
    body::Bytes,
    header::{self, HeaderMap, HeaderName, HeaderValue},
};

use super::header_names::{
    BY_CALLER, EXPOSED, RATELIMIT, RATELIMIT_POLICY, X_PLAN, X_RATELIMIT_LIMIT,
    X_RATELIMIT_REMAINING, X_RATELIMIT_RESET, X_REQUEST_ID,
};
use crate::coordination::clock::Now;

/// The headers whose values differ from response to response.
const VARIABLE: [HeaderName; 4] =
    [X_REQUEST_ID, X_RATELIMIT_REMAINING, X_RATELIMIT_RESET, RATELIMIT];

/// Nanoseconds of a second.
const NANOS: u32 = 1_000_000_000;

/// Headers that a response may have besides, without the table of names having to grow.
const ROOM: usize = 4;

/// Headers of every response to a caller on a plan, by the plan: the variable headers first, without values yet.
/// Setting a value by its place takes a tenth of the time that looking up its name takes.
static EVERY: LazyLock<[HeaderMap; Plan::ALL.len()]> =
    LazyLock::new(|| Plan::ALL.map(|plan| prepared(plan, &VARIABLE)));

/// Headers of a tagged answer, which differs for callers with a key.
static OF_TAGGED: LazyLock<[HeaderMap; Plan::ALL.len()]> = LazyLock::new(|| {
    Plan::ALL.map(|plan| prepared(plan, &[&VARIABLE[..], &[header::CACHE_CONTROL]].concat()))
});

/// The headers of a tagged answer for callers on a plan, with all values that are the same in every response.
pub(crate) fn tagged(
    plan: Plan,
    media: &'static str,
    tag: HeaderValue,
    own: impl IntoIterator<Item = (HeaderName, HeaderValue)>,
) -> HeaderMap {
    let mut headers = OF_TAGGED[plan as usize].clone();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert(header::ETAG, tag);
    headers.insert(header::VARY, HeaderValue::from_static(BY_CALLER));
    headers.extend(own);
    headers
}

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

/// Who may read a response in a browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// Scripts of any origin.
    Any,
    /// Our own pages only.
    Own,
}

/// The headers that give rights to scripts of other origins.
const RIGHTS: [HeaderName; 5] = [
    header::ACCESS_CONTROL_ALLOW_ORIGIN,
    header::ACCESS_CONTROL_EXPOSE_HEADERS,
    header::ACCESS_CONTROL_ALLOW_METHODS,
    header::ACCESS_CONTROL_ALLOW_HEADERS,
    header::ACCESS_CONTROL_MAX_AGE,
];

impl Sharing {
    /// Takes away the rights that this does not give.
    pub(crate) fn restrict(self, headers: &mut HeaderMap) {
        match self {
            Sharing::Any => (),
            Sharing::Own => RIGHTS.iter().for_each(|right| drop(headers.remove(right))),
        }
    }
}

/// Tells requests apart, also those of other starts of the server.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RequestId<'r> {
    /// The caller's own, by which a request is traced through several programs.
    Given(&'r str),
    /// The prefix of all ids of this start, and a number.
    Ours(&'r str, u64),
}

/// The longest id that is taken over.
const MAX_GIVEN: usize = 64;

impl<'r> RequestId<'r> {
    /// The one that the request carries, if it is plain text and no key or session, which would be logged; or else one
    /// that no other request of this program has.
    pub(crate) fn of(request: &'r HeaderMap, start: &'r str) -> RequestId<'r> {
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
        let given = request.get(X_REQUEST_ID).map(HeaderValue::as_bytes).unwrap_or_default();
        let is_plain = (1..=MAX_GIVEN).contains(&given.len()) && given.iter().all(plain);
        match str::from_utf8(given) {
            Ok(given) if is_plain && !Key::may_be_in(given) => RequestId::Given(given),
            Ok(_) | Err(_) => RequestId::Ours(start, number()),
        }
    }
}

/// How many numbers of requests a thread takes at a time: threads compete for the count of all.
const NUMBERS: u64 = 1024;

/// A number that no other request of this program has.
fn number() -> u64 {
    static TAKEN: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        static NEXT: Cell<u64> = const { Cell::new(0) };
    }
    let next = match NEXT.get() {
        used_up if used_up % NUMBERS == 0 => TAKEN.fetch_add(NUMBERS, Ordering::Relaxed),
        next => next,
    };
    NEXT.set(next + 1);
    next
}

impl fmt::Display for RequestId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestId::Given(id) => f.write_str(id),
            RequestId::Ours(start, number) => write!(f, "{start}{number}"),
        }
    }
}

/// To whom a response goes, and how they stand after it.
pub(crate) struct Envelope<'r> {
    pub(crate) id: RequestId<'r>,
    pub(crate) caller: Caller,
    pub(crate) standing: Standing,
    pub(crate) now: Now,
    /// Who may read it in a browser.
    pub(crate) sharing: Sharing,
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

    /// How long a tagged answer may be used without asking again, and by whom.
    pub(crate) fn kept_for(&self) -> &'static str {
        let with_key = self.caller.key.is_some();
        if with_key { "private, max-age=60" } else { "public, max-age=60" }
    }

    /// The headers of a [`tagged`] answer for callers on this one's plan.
    pub(crate) fn complete(&self, tagged: &HeaderMap) -> HeaderMap {
        let (mut headers, kept_for) = (tagged.clone(), HeaderValue::from_static(self.kept_for()));
        for (value, new) in headers.values_mut().zip(self.variable().into_iter().chain([kept_for]))
        {
            *value = new;
        }
        headers
    }

    /// The values of the variable headers, all in one piece of memory.
    fn variable(&self) -> [HeaderValue; 4] {
        let Standing { remaining, free_after, .. } = self.standing;
        // In whole seconds, rounded up.
        let nanos = self.now.utc.timestamp_subsec_nanos() + free_after.subsec_nanos();
        let reset = self.now.utc.timestamp().saturating_add_unsigned(free_after.as_secs())
            + i64::from(nanos.div_ceil(NANOS));
        let seconds = free_after.as_secs() + u64::from(free_after.subsec_nanos() > 0);
        let (mut numbers, mut text) = (itoa::Buffer::new(), String::with_capacity(96));
        match self.id {
            RequestId::Given(id) => text.push_str(id),
            RequestId::Ours(start, number) => {
                text.push_str(start);
                text.push_str(numbers.format(number));
            }
        }
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
            let (id, sharing) = (RequestId::Ours("a-", 7), Sharing::Any);
            let envelope = Envelope { id, caller, standing, now, sharing };
            let (media, tag) = ("text/csv", HeaderValue::from_static("W/\"7\""));
            let all = [envelope.headers(), envelope.complete(&tagged(plan, media, tag, []))];
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
            assert_eq!(
                own.map(|name| &all[1][name]),
                ["text/csv", "W/\"7\"", BY_CALLER, "public, max-age=60"]
            );
            assert!(own.iter().all(|name| !all[0].contains_key(*name)));
            assert_eq!(all[1].len(), all[0].len() + own.len());
            let mut page = envelope.headers();
            Sharing::Own.restrict(&mut page);
            assert_eq!(page.len(), all[0].len() - 2);
        }
    }

    #[test]
    fn takes_over_an_id_that_is_plain_text() {
        let long = "a".repeat(MAX_GIVEN);
        let id = |given: &str| {
            let value = HeaderValue::from_bytes(given.as_bytes()).unwrap();
            RequestId::of(&HeaderMap::from_iter([(X_REQUEST_ID, value)]), "ours-").to_string()
        };
        for given in ["a", "7f3e-4b_A.9", &long] {
            assert_eq!(id(given), given);
        }
        for given in ["", "a b", "a\tb", "é", "<b>", "a,b", &format!("{long}a")] {
            assert!(id(given).starts_with("ours-"), "{given}");
        }
    }
}
