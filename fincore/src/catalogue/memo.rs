//! Values that were computed from the data, and are valid until the data changes.
use std::{
    any::{Any, TypeId},
    collections::HashMap,
    sync::{Arc, Mutex},
};

use crate::{error::Result, lock::lock};

/// One value of each type, with the number of the data that it was computed from.
#[derive(Debug, Default)]
pub(super) struct Memo {
    values: Mutex<HashMap<TypeId, Arc<Mutex<Option<MemoEntry>>>>>,
}

#[derive(Debug)]
struct MemoEntry {
    /// The number of the data that it was computed from.
    data: u64,
    value: Arc<dyn Any + Send + Sync>,
}

impl Memo {
    /// The value for the data with this number, computed if there is none. While one thread computes it, others wait for it.
    /// What computes a value may ask for values of other types, but not in a circle.
    pub(super) fn get<T: Send + Sync + 'static>(
        &self,
        data: u64,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<T>> {
        let entry = lock(&self.values).entry(TypeId::of::<T>()).or_default().clone();
        let mut entry = lock(&entry);
        if let Some(MemoEntry { data: of, value }) = &*entry
            && *of == data
            && let Ok(value) = Arc::downcast(value.clone())
        {
            return Ok(value);
        }
        let value = Arc::new(make()?);
        *entry = Some(MemoEntry { data, value: value.clone() });
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        thread,
        time::Duration,
    };

    use super::*;

    #[test]
    fn threads_that_ask_at_the_same_time_share_one_computation() {
        let (memo, made) = (Memo::default(), AtomicUsize::new(0));
        let ask = |data| {
            let make = || {
                made.fetch_add(1, Ordering::Relaxed);
                thread::sleep(Duration::from_millis(20));
                Ok(data)
            };
            memo.get(data, make).unwrap()
        };
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| assert_eq!(*ask(1_u64), 1));
            }
        });
        assert_eq!(made.load(Ordering::Relaxed), 1);
        assert_eq!((*ask(2), *ask(2)), (2, 2));
        assert_eq!(made.load(Ordering::Relaxed), 2);
    }
}
