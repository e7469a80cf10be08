//! Answers that are cached until the data changes, so that a question asked again costs no query.
//!
//! An answer is a pure function of the data, the day, the plan and the question, which are its key. After a change of the
//! data no request has an old key, so old answers leave by themselves; a server also drops them soon after the change. An
//! answer is cached when it is asked for the second time: most that are asked for once, by programs that read everything,
//! are never asked for again.
use std::{
    hash::{BuildHasher, Hash},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use fincore::Plan;
use hyper::{
    Response,
    body::Bytes,
    header::{CONTENT_ENCODING, HeaderMap, HeaderName, HeaderValue},
};
use quick_cache::{DefaultHashBuilder, Equivalent, Weighter, sync};

use super::route_table::RouteId;
use crate::http::message::{
    encoding::{Encoded, Encodings},
    formats,
    payload::Payload,
    render::Media,
    request::Request,
    response_headers::{Envelope, tagged},
};

/// The most that is cached, in bytes. A day of one catalogue's most frequent questions needs a small part of it.
pub(crate) const CAPACITY: u64 = 16 * 1024 * 1024;

/// About how many answers fill the capacity; more are no problem.
const ANSWERS: usize = 8 * 1024;

/// How many questions are remembered that were asked once, each in the place of another.
const REMEMBERED: usize = 16 * 1024;

/// The memory of an answer besides its body and its key: itself, its headers and its places in the cache.
const OVERHEAD: u64 = 3 * 1024;

/// The key of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CacheKey<'r> {
    /// Data, day and plan.
    pub(crate) fingerprint: u64,
    /// Path and query string, as they were sent below the base path: all links begin with that, sent or not.
    pub(crate) target: &'r str,
    /// Whether `Accept` prefers CSV. What the query string says of the format is in the target.
    pub(crate) csv: bool,
}

impl CacheKey<'_> {
    /// The key of the answer to this request from the data with this fingerprint.
    pub(crate) fn new(fingerprint: u64, request: &Request) -> CacheKey<'_> {
        let uri = &request.head.uri;
        let target = uri.path_and_query().map_or(uri.path(), |target| target.as_str());
        CacheKey { fingerprint, target, csv: formats::prefers_csv(&request.head.headers) }
    }
}

/// A key that the cache owns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct StoredKey {
    fingerprint: u64,
    target: Box<str>,
    csv: bool,
}

impl Equivalent<StoredKey> for CacheKey<'_> {
    fn equivalent(&self, asked: &StoredKey) -> bool {
        let CacheKey { fingerprint, target, csv } = *self;
        fingerprint == asked.fingerprint && *target == *asked.target && csv == asked.csv
    }
}

/// An answer in the cache.
pub(crate) struct CachedAnswer {
    /// The row of the table that it is the answer of.
    pub(crate) route: RouteId,
    pub(crate) tag: HeaderValue,
    /// Its headers, without those for its caller alone: the plan is part of the key.
    headers: HeaderMap,
    pub(crate) body: Encodings,
}

/// A cached answer in the encoding that one client prefers.
pub(crate) struct EncodedAnswer {
    answer: Arc<CachedAnswer>,
    body: Encoded,
}

impl EncodedAnswer {
    /// The answer in the encoding that the request prefers; compressing it is work.
    pub(crate) fn new(answer: Arc<CachedAnswer>, request: &HeaderMap) -> EncodedAnswer {
        let body = answer.body.preferred(request);
        EncodedAnswer { answer, body }
    }

    /// The response.
    pub(crate) fn respond(self, envelope: &Envelope<'_>) -> Response<Payload> {
        let Encoded { encoding, bytes } = self.body;
        let mut headers = envelope.complete(&self.answer.headers);
        if let Some(encoding) = encoding {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        let mut response = Response::new(Payload::whole(bytes));
        *response.headers_mut() = headers;
        response
    }
}

impl CachedAnswer {
    pub(crate) fn new(
        route: RouteId,
        (plan, media): (Plan, &Media),
        tag: HeaderValue,
        headers: Vec<(HeaderName, HeaderValue)>,
        body: Vec<u8>,
    ) -> CachedAnswer {
        let body = Encodings::of(Bytes::from(body));
        let headers = tagged(plan, media.content_type(), tag.clone(), headers);
        CachedAnswer { route, tag, headers, body }
    }
}

/// The weight of an answer: its later compression is counted too, as no more than the body itself.
#[derive(Clone)]
struct Weight;

impl Weighter<StoredKey, Arc<CachedAnswer>> for Weight {
    fn weight(&self, asked: &StoredKey, answer: &Arc<CachedAnswer>) -> u64 {
        (asked.target.len() + 2 * answer.body.plain().len()) as u64 + OVERHEAD
    }
}

/// Answers up to a number of bytes; those that are asked for least go first.
pub(crate) struct Cache {
    answers: sync::Cache<StoredKey, Arc<CachedAnswer>, Weight>,
    /// Hashes of questions that were asked once.
    once: Box<[AtomicU64]>,
    hasher: DefaultHashBuilder,
    /// The data that was asked about last.
    data: AtomicU64,
}

impl Cache {
    pub(crate) fn new(capacity: u64) -> Cache {
        let answers = sync::Cache::with_weighter(ANSWERS, capacity, Weight);
        let once = (0..REMEMBERED).map(|_| AtomicU64::new(0)).collect();
        Cache { answers, once, hasher: DefaultHashBuilder::default(), data: AtomicU64::new(0) }
    }

    pub(crate) fn get(&self, question: &CacheKey<'_>) -> Option<Arc<CachedAnswer>> {
        self.answers.get(question)
    }

    /// Keeps an answer, if the question has been asked before.
    pub(crate) fn keep(&self, question: &CacheKey<'_>, answer: &Arc<CachedAnswer>) {
        let hash = self.hasher.hash_one(question);
        let place = usize::try_from(hash % REMEMBERED as u64).unwrap_or_default();
        if self.once[place].swap(hash, Ordering::Relaxed) != hash {
            return;
        }
        let (CacheKey { fingerprint, target, csv }, answer) = (*question, answer.clone());
        self.answers.insert(StoredKey { fingerprint, target: target.into(), csv }, answer);
    }

    /// Drops everything, if these are not the data that was asked about last.
    pub(crate) fn follow(&self, data: u64) {
        if self.data.swap(data, Ordering::Relaxed) != data {
            self.answers.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask<'r>(target: &'r str, fingerprint: u64) -> CacheKey<'r> {
        CacheKey { fingerprint, target, csv: false }
    }

    fn answer(length: usize) -> Arc<CachedAnswer> {
        let tag = HeaderValue::from_static("W/\"1\"");
        let (route, body) = (RouteId::default(), vec![b'x'; length]);
        Arc::new(CachedAnswer::new(route, (Plan::Free, &Media::Json), tag, Vec::new(), body))
    }

    #[test]
    fn keeps_what_is_asked_for_twice_until_the_data_changes() {
        let cache = Cache::new(CAPACITY);
        cache.follow(1);
        let (one, other_data) = (ask("/a", 1), ask("/a", 2));
        cache.keep(&one, &answer(10));
        assert!(cache.get(&one).is_none());
        cache.keep(&one, &answer(10));
        assert!(cache.get(&one).is_some());
        for other in [other_data, ask("/a?", 1), CacheKey { csv: true, ..one }] {
            assert!(cache.get(&other).is_none(), "{other:?}");
        }
        cache.follow(1);
        assert!(cache.get(&one).is_some());
        cache.follow(2);
        assert!(cache.get(&one).is_none());
    }

    #[test]
    fn never_takes_more_than_its_capacity() {
        const CAPACITY: u64 = 1024 * 1024;
        let cache = Cache::new(CAPACITY);
        for number in 0..2000 {
            let target = format!("/{number}");
            for _ in 0..2 {
                cache.keep(&ask(&target, 1), &answer(10_000));
            }
            assert!(cache.answers.weight() <= CAPACITY);
        }
        assert!(cache.answers.weight() > CAPACITY / 2 && cache.answers.len() < 60);
        // One that is larger than all of it is not answer.
        for _ in 0..2 {
            cache.keep(&ask("/large", 1), &answer(2_000_000));
        }
        assert!(cache.get(&ask("/large", 1)).is_none());
    }
}
