//! Locks that survive a panic elsewhere.
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks also after a thread panicked while it held the lock: what we guard is consistent after each step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
