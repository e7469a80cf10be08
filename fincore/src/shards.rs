//! A map that many threads change at once: split into parts, each under its own lock.
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Enough that threads seldom meet and that a sweep holds each lock for a moment only.
const PARTS: usize = 64;

#[derive(Debug)]
pub(crate) struct Shards<K, V>(Box<[Mutex<HashMap<K, V>>]>);

impl<K, V> Default for Shards<K, V> {
    fn default() -> Shards<K, V> {
        Shards((0..PARTS).map(|_| Mutex::default()).collect())
    }
}

impl<K, V> Shards<K, V> {
    /// The part that everything with this number belongs to.
    ///
    /// Numbers are spread without a secret: who picks them can make threads wait for one another, no
    /// more. Inside a part the keys are hashed with one.
    pub(crate) fn part(&self, number: u64) -> MutexGuard<'_, HashMap<K, V>> {
        // The golden ratio of 2^64; its product's top bits depend on every bit of the number.
        let top = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - PARTS.ilog2());
        lock(&self.0[usize::try_from(top).unwrap_or_default()])
    }

    /// Every part, one after the other; each is locked only until the next is asked for.
    pub(crate) fn parts(&self) -> impl Iterator<Item = MutexGuard<'_, HashMap<K, V>>> {
        self.0.iter().map(lock)
    }
}

/// Locks also after a panic elsewhere: counters are whole after each step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
