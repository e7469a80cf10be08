//! Corrupt values in the data file: answers leave them out and count them.
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::atomic::{AtomicU64, Ordering},
};

/// The values that snapshots of a file could not read.
#[derive(Debug, Default)]
pub(super) struct CorruptValues {
    skipped: AtomicU64,
    /// A fingerprint of the tag of the data that the last one was found in; 0 before the first one.
    data: AtomicU64,
}

impl CorruptValues {
    /// Counts one more, in the data with this tag.
    pub(super) fn note(&self, tag: &str) {
        self.data.store(fingerprint(tag), Ordering::Relaxed);
        self.skipped.fetch_add(1, Ordering::Relaxed);
    }

    /// How often one was skipped.
    pub(super) fn skipped_count(&self) -> u64 {
        self.skipped.load(Ordering::Relaxed)
    }

    /// Whether the data with this tag is known to have some.
    pub(super) fn is_in(&self, tag: &str) -> bool {
        self.skipped_count() > 0 && self.data.load(Ordering::Relaxed) == fingerprint(tag)
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
