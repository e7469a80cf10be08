//! Locking, also after a panic.
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex whose value is whole after each step, so that a panic elsewhere does not matter.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
