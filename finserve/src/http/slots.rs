//! How many streams may be open at a time: so many per caller, so many in all.
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use fincore::CallerId;

use super::refusal::Refusal;

/// After how many seconds a refused caller should try again: streams end at any time.
const RETRY_AFTER: u64 = 5;

/// Slots for streams. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    per_caller: usize,
    total: usize,
    taken: Arc<Mutex<Taken>>,
}

/// What is taken now.
#[derive(Debug, Default)]
struct Taken {
    total: usize,
    /// Only callers that hold a slot are listed, so this is never longer than all slots.
    by_caller: HashMap<CallerId, usize>,
}

/// Why there is no slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// The caller holds as many as one may.
    Caller,
    /// All of them are taken.
    All,
}

/// A slot that is taken; dropping it frees it, however the stream ends.
#[derive(Debug)]
pub(crate) struct Guard {
    caller: CallerId,
    taken: Arc<Mutex<Taken>>,
}

impl Slots {
    pub(crate) fn new(per_caller: usize, total: usize) -> Slots {
        Slots { per_caller, total, taken: Arc::default() }
    }

    /// A slot for the caller, unless it holds its share already or all are taken.
    pub(crate) fn take(&self, caller: CallerId) -> Result<Guard, Full> {
        let mut taken = lock(&self.taken);
        if taken.by_caller.get(&caller).is_some_and(|held| *held >= self.per_caller) {
            return Err(Full::Caller);
        }
        if taken.total >= self.total {
            return Err(Full::All);
        }
        taken.total += 1;
        *taken.by_caller.entry(caller).or_default() += 1;
        Ok(Guard { caller, taken: self.taken.clone() })
    }

    /// How many are taken now.
    #[cfg(test)]
    pub(crate) fn taken(&self) -> usize {
        lock(&self.taken).total
    }

    /// The same as [`Slots::take`]; a failure is worded for the caller. `what` is what a slot is for: `exports`.
    pub(crate) fn open(&self, caller: CallerId, what: &'static str) -> Result<Guard, Refusal> {
        self.take(caller).map_err(|full| match full {
            Full::Caller => Refusal::RateLimited {
                allowed: format!("a key may have {} {what} at a time", self.per_caller),
                retry_after: RETRY_AFTER,
            },
            Full::All => Refusal::Crowded { what, retry_after: RETRY_AFTER },
        })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let mut taken = lock(&self.taken);
        taken.total -= 1;
        if let Some(held) = taken.by_caller.get_mut(&self.caller) {
            *held -= 1;
            if *held == 0 {
                taken.by_caller.remove(&self.caller);
            }
        }
    }
}

/// Counting cannot panic half-way, so what a poisoned lock holds is right.
fn lock(taken: &Mutex<Taken>) -> MutexGuard<'_, Taken> {
    taken.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(number: u8) -> CallerId {
        CallerId::address([192, 0, 2, number].into())
    }

    #[test]
    fn a_caller_gets_its_share_and_gets_it_again_once_it_is_free() {
        let slots = Slots::new(2, 10);
        let (first, second) = (slots.take(caller(1)).unwrap(), slots.take(caller(1)).unwrap());
        assert_eq!(slots.take(caller(1)).unwrap_err(), Full::Caller);
        assert!(slots.take(caller(2)).is_ok());
        drop(first);
        assert!(slots.take(caller(1)).is_ok(), "the refused attempt took nothing");
        drop(second);
        assert!(lock(&slots.taken).by_caller.is_empty());
        assert_eq!(lock(&slots.taken).total, 0);
    }

    #[test]
    fn all_callers_share_the_total() {
        let slots = Slots::new(2, 3);
        let held: Vec<_> = [1, 1, 2].map(|number| slots.take(caller(number)).unwrap()).into();
        assert_eq!(slots.take(caller(3)).unwrap_err(), Full::All);
        assert_eq!(slots.take(caller(1)).unwrap_err(), Full::Caller);
        drop(held);
        assert!(slots.take(caller(3)).is_ok());
    }

    #[test]
    fn a_panic_frees_the_slot() {
        let slots = Slots::new(1, 1);
        let thread = std::thread::spawn({
            let slots = slots.clone();
            move || {
                let _held = slots.take(caller(1)).unwrap();
                panic!("on purpose");
            }
        });
        assert!(thread.join().is_err());
        assert!(slots.take(caller(1)).is_ok());
    }
}
