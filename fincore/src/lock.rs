//! A mutex lock that ignores poisoning.
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A panic elsewhere does no harm: what we guard is consistent after every step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
