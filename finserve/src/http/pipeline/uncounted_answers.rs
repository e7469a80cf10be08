//! Answers that are not counted, kept until the data changes: pages without a session, the sitemap, the status.
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use quick_cache::{Weighter, sync};

use super::route_table::RouteId;
use crate::http::message::reply::KeptReply;

/// The most that is kept, in bytes: the sitemap and some pages, in both languages and some encodings.
const CAPACITY: u64 = 8 * 1024 * 1024;

/// About how many answers fill the capacity; more are no problem.
const ANSWERS: usize = 256;

/// The memory of an answer besides its body and its key.
const OVERHEAD: u64 = 512;

/// The key of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct UncountedKey {
    pub(crate) route: RouteId,
    /// Data and day.
    pub(crate) fingerprint: u64,
    /// Of a page, its path and parameters, the language and the kind of visitor.
    pub(crate) shown: String,
}

#[derive(Clone)]
struct Weight;

impl Weighter<UncountedKey, Arc<KeptReply>> for Weight {
    fn weight(&self, key: &UncountedKey, kept: &Arc<KeptReply>) -> u64 {
        (key.shown.len() + kept.weight()) as u64 + OVERHEAD
    }
}

/// Answers up to a number of bytes; those that are asked for least go first.
pub(crate) struct UncountedAnswers {
    answers: sync::Cache<UncountedKey, Arc<KeptReply>, Weight>,
    /// The data that was asked about last.
    data: AtomicU64,
}

impl Default for UncountedAnswers {
    fn default() -> UncountedAnswers {
        let answers = sync::Cache::with_weighter(ANSWERS, CAPACITY, Weight);
        UncountedAnswers { answers, data: AtomicU64::new(0) }
    }
}

impl UncountedAnswers {
    pub(crate) fn get(&self, key: &UncountedKey) -> Option<Arc<KeptReply>> {
        self.answers.get(key)
    }

    pub(crate) fn keep(&self, key: UncountedKey, kept: Arc<KeptReply>) {
        self.answers.insert(key, kept);
    }

    /// Drops everything, if these are not the data that was asked about last.
    pub(crate) fn follow(&self, data: u64) {
        if self.data.swap(data, Ordering::Relaxed) != data {
            self.answers.clear();
        }
    }
}
