//! Stored values that cannot be read: left out of answers, and counted.
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::atomic::{AtomicU64, Ordering},
};

/// What the snapshots of a catalogue have met so far.
#[derive(Debug, Default)]
pub(super) struct Unreadable {
    met: AtomicU64,
    /// A fingerprint of the tag of the data that they were last met in; 0 before the first one.
    data: AtomicU64,
}

impl Unreadable {
    /// Notes one more, in the data with this tag.
    pub(super) fn note(&self, tag: &str) {
        self.data.store(fingerprint(tag), Ordering::Relaxed);
        self.met.fetch_add(1, Ordering::Relaxed);
    }

    /// How often one was met.
    pub(super) fn met(&self) -> u64 {
        self.met.load(Ordering::Relaxed)
    }

    /// Whether the data with this tag is known to have some.
    pub(super) fn is_in(&self, tag: &str) -> bool {
        self.met() > 0 && self.data.load(Ordering::Relaxed) == fingerprint(tag)
    }
}

fn fingerprint(tag: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    tag.hash(&mut hasher);
    hasher.finish()
}

/// Whether an error is about one value, which cannot be read, and not about the database.
pub(super) fn is_about_a_value(err: &rusqlite::Error) -> bool {
    use rusqlite::Error::{
        FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error,
    };
    matches!(
        err,
        FromSqlConversionFailure(..)
            | IntegralValueOutOfRange(..)
            | InvalidColumnType(..)
            | Utf8Error(..)
    )
}
