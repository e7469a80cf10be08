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
    values: Mutex<HashMap<TypeId, MemoEntry>>,
}

#[derive(Debug)]
struct MemoEntry {
    /// The number of the data that it was computed from.
    data: u64,
    value: Arc<dyn Any + Send + Sync>,
}

impl Memo {
    /// The value for the data with this number, computed if there is none. Two threads may compute it at the same time.
    pub(super) fn get<T: Send + Sync + 'static>(
        &self,
        data: u64,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<T>> {
        let known = {
            let values = lock(&self.values);
            let entry = values.get(&TypeId::of::<T>()).filter(|entry| entry.data == data);
            entry.map(|entry| entry.value.clone())
        };
        if let Some(Ok(value)) = known.map(Arc::downcast) {
            return Ok(value);
        }
        let value = Arc::new(make()?);
        let entry = MemoEntry { data, value: value.clone() };
        lock(&self.values).insert(TypeId::of::<T>(), entry);
        Ok(value)
    }
}
