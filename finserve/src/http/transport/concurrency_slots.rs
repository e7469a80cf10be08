//! How much may be open at a time, streams or bytes: so much per caller, so much in all.
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use fincore::CallerId;

/// Slots for streams, or for bytes. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    per_caller: usize,
    total: usize,
    taken: Arc<Mutex<Taken>>,
}

/// The taken slots.
#[derive(Debug, Default)]
struct Taken {
    total: usize,
    /// Only callers that hold a slot are listed, so this is never longer than all slots.
    by_caller: HashMap<CallerId, usize>,
}

/// Why there is no slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// The caller holds as many as one may, which is this many.
    Caller(usize),
    /// All of them are taken.
    All,
}

/// A slot that is taken; dropping it frees it, however the stream ends.
#[derive(Debug)]
pub(crate) struct Guard {
    caller: CallerId,
    slots: usize,
    taken: Arc<Mutex<Taken>>,
}

impl Slots {
    pub(crate) fn new(per_caller: usize, total: usize) -> Slots {
        Slots { per_caller, total, taken: Arc::default() }
    }

    /// A slot for the caller, unless it holds its share already or all are taken.
    pub(crate) fn take(&self, caller: CallerId) -> Result<Guard, Full> {
        self.take_many(caller, 1)
    }

    /// So many slots for the caller. One who holds none gets more than its share, if there are as many: otherwise
    /// it would never get them.
    pub(crate) fn take_many(&self, caller: CallerId, slots: usize) -> Result<Guard, Full> {
        let mut taken = lock(&self.taken);
        if taken.by_caller.get(&caller).is_some_and(|held| held + slots > self.per_caller) {
            return Err(Full::Caller(self.per_caller));
        }
        if taken.total > 0 && taken.total + slots > self.total {
            return Err(Full::All);
        }
        taken.total += slots;
        *taken.by_caller.entry(caller).or_default() += slots;
        Ok(Guard { caller, slots, taken: self.taken.clone() })
    }

    /// How many are taken now.
    #[cfg(test)]
    pub(crate) fn taken(&self) -> usize {
        lock(&self.taken).total
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let mut taken = lock(&self.taken);
        taken.total -= self.slots;
        if let Some(held) = taken.by_caller.get_mut(&self.caller) {
            *held -= self.slots;
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
        assert_eq!(slots.take(caller(1)).unwrap_err(), Full::Caller(2));
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
        assert_eq!(slots.take(caller(1)).unwrap_err(), Full::Caller(2));
        drop(held);
        assert!(slots.take(caller(3)).is_ok());
    }

    #[test]
    fn one_that_is_larger_than_a_share_is_taken_alone() {
        let slots = Slots::new(10, 20);
        let large = slots.take_many(caller(1), 15).unwrap();
        assert_eq!(slots.take_many(caller(1), 1).unwrap_err(), Full::Caller(10));
        assert_eq!(slots.take_many(caller(2), 6).unwrap_err(), Full::All);
        let rest = slots.take_many(caller(2), 5).unwrap();
        drop((large, rest));
        assert!(slots.take_many(caller(1), 25).is_ok());
        assert_eq!(slots.taken(), 0);
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
