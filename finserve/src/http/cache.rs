//! Answers that are kept until the data changes, so that a question asked again costs no query.
//!
//! An answer is a pure function of the data, the day, the plan and the question, so it is kept under these. Nobody
//! asks under an old fingerprint again, so the answers to what the data was leave by themselves; a server also drops
//! them soon after the data has changed. An answer is kept when it is asked for the second time: most that are asked
//! for once, by those who read everything, are never asked for again.
use std::{
    hash::{BuildHasher, Hash},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use hyper::{
    Response,
    body::Bytes,
    header::{CONTENT_ENCODING, HeaderMap, HeaderName, HeaderValue},
};
use quick_cache::{DefaultHashBuilder, Equivalent, Weighter, sync};

use super::{
    encoding::{Encoded, Encodings},
    envelope::Envelope,
    formats,
    payload::Payload,
    render::Media,
    request::Request,
    routes::RouteId,
};

/// The most that is kept, in bytes. A day of one catalogue's most frequent questions needs a small part of it.
pub(crate) const CAPACITY: u64 = 16 * 1024 * 1024;

/// About how many answers fill the capacity; more are no problem.
const ANSWERS: usize = 8 * 1024;

/// How many questions are remembered that were asked once, each in the place of another.
const REMEMBERED: usize = 16 * 1024;

/// What an answer takes besides its body and its question: itself, its headers and its places in the cache.
const OVERHEAD: u64 = 512;

/// What an answer is kept under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Question<'r> {
    /// Data, day and plan.
    pub(crate) fingerprint: u64,
    /// Path and query string, as they were sent below the base path: all links begin with that, sent or not.
    pub(crate) target: &'r str,
    /// Whether `Accept` asks for CSV, where the target leaves that open.
    pub(crate) csv: bool,
}

impl Question<'_> {
    /// What an answer to this request from the data with this fingerprint is kept under.
    pub(crate) fn of(fingerprint: u64, request: &Request) -> Question<'_> {
        let uri = &request.head.uri;
        let target = uri.path_and_query().map_or(uri.path(), |target| target.as_str());
        Question { fingerprint, target, csv: formats::prefers_csv(&request.head.headers) }
    }
}

/// The same, for as long as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Asked {
    fingerprint: u64,
    target: Box<str>,
    csv: bool,
}

impl Equivalent<Asked> for Question<'_> {
    fn equivalent(&self, asked: &Asked) -> bool {
        let Question { fingerprint, target, csv } = *self;
        fingerprint == asked.fingerprint && *target == *asked.target && csv == asked.csv
    }
}

/// An answer as it is kept.
pub(crate) struct Kept {
    /// What answered.
    pub(crate) route: RouteId,
    pub(crate) media: Media,
    pub(crate) tag: HeaderValue,
    /// The headers of its own.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) body: Encodings,
}

/// A kept answer as it is sent to one of those who ask for it.
pub(crate) struct Sent {
    kept: Arc<Kept>,
    body: Encoded,
}

impl Sent {
    /// The answer in the encoding that the request prefers; compressing it is work.
    pub(crate) fn new(kept: Arc<Kept>, request: &HeaderMap) -> Sent {
        let body = kept.body.preferred(request);
        Sent { kept, body }
    }

    /// The response.
    pub(crate) fn respond(self, envelope: &Envelope<'_>) -> Response<Payload> {
        let Encoded { encoding, bytes } = self.body;
        let mut headers = envelope.tagged(self.kept.media.content_type(), self.kept.tag.clone());
        for (name, value) in &self.kept.headers {
            headers.insert(name, value.clone());
        }
        if let Some(encoding) = encoding {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        let mut response = Response::new(Payload::whole(bytes));
        *response.headers_mut() = headers;
        response
    }
}

impl Kept {
    pub(crate) fn new(
        route: RouteId,
        media: Media,
        tag: HeaderValue,
        headers: Vec<(HeaderName, HeaderValue)>,
        body: Vec<u8>,
    ) -> Kept {
        let body = Encodings::of(Bytes::from(body));
        Kept { route, media, tag, headers, body }
    }
}

/// What an answer weighs: what is compressed later is counted too, as no more than the body itself.
#[derive(Clone)]
struct Weight;

impl Weighter<Asked, Arc<Kept>> for Weight {
    fn weight(&self, asked: &Asked, kept: &Arc<Kept>) -> u64 {
        let headers: usize = kept.headers.iter().map(|(_, value)| value.len()).sum();
        (asked.target.len() + headers + 2 * kept.body.plain().len()) as u64 + OVERHEAD
    }
}

/// Answers up to a number of bytes; those that are asked for least go first.
pub(crate) struct Cache {
    answers: sync::Cache<Asked, Arc<Kept>, Weight>,
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

    pub(crate) fn get(&self, question: &Question<'_>) -> Option<Arc<Kept>> {
        self.answers.get(question)
    }

    /// Keeps an answer, if the question has been asked before.
    pub(crate) fn keep(&self, question: &Question<'_>, answer: &Arc<Kept>) {
        let hash = self.hasher.hash_one(question);
        let place = usize::try_from(hash % REMEMBERED as u64).unwrap_or_default();
        if self.once[place].swap(hash, Ordering::Relaxed) != hash {
            return;
        }
        let (Question { fingerprint, target, csv }, answer) = (*question, answer.clone());
        self.answers.insert(Asked { fingerprint, target: target.into(), csv }, answer);
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

    fn ask<'r>(target: &'r str, fingerprint: u64) -> Question<'r> {
        Question { fingerprint, target, csv: false }
    }

    fn answer(length: usize) -> Arc<Kept> {
        let tag = HeaderValue::from_static("W/\"1\"");
        Arc::new(Kept::new(RouteId::default(), Media::Json, tag, Vec::new(), vec![b'x'; length]))
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
        for other in [other_data, ask("/a?", 1), Question { csv: true, ..one }] {
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
        // One that is larger than all of it is not kept.
        for _ in 0..2 {
            cache.keep(&ask("/large", 1), &answer(2_000_000));
        }
        assert!(cache.get(&ask("/large", 1)).is_none());
    }
}
