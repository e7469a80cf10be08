//! What was computed from the data and is good until the data changes.
use std::{
    any::{Any, TypeId},
    collections::HashMap,
    sync::{Arc, Mutex},
};

use crate::{error::Result, lock::lock};

/// One value of each type, computed from the data with a certain number.
#[derive(Debug, Default)]
pub(super) struct Memo {
    values: Mutex<HashMap<TypeId, Made>>,
}

#[derive(Debug)]
struct Made {
    /// The number of the data that it was computed from.
    of: u64,
    value: Arc<dyn Any + Send + Sync>,
}

impl Memo {
    /// The value for the data with this number; made if there is none. Two that ask at the same time may both make it.
    pub(super) fn get<T: Send + Sync + 'static>(
        &self,
        data: u64,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<T>> {
        let known = {
            let values = lock(&self.values);
            let made = values.get(&TypeId::of::<T>()).filter(|made| made.of == data);
            made.map(|made| made.value.clone())
        };
        if let Some(Ok(value)) = known.map(Arc::downcast) {
            return Ok(value);
        }
        let value = Arc::new(make()?);
        let made = Made { of: data, value: value.clone() };
        lock(&self.values).insert(TypeId::of::<T>(), made);
        Ok(value)
    }
}
