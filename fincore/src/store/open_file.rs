//! An open data file, and what all snapshots of it share: connections and values computed from the data.
use std::{
    any::{Any, TypeId},
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use crate::{
    store::{
        CATALOGUE_SCHEMA, FileIdentity,
        readers::{CorruptValues, FileWatch, IdleTransactions, ReaderPool},
        sqlite_file,
    },
    values::{Date, Result, lock},
};

/// An open data file.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) readers: Arc<ReaderPool>,
    pub(crate) identity: FileIdentity,
    pub(crate) corrupt_values: CorruptValues,
    pub(crate) memo: Memo,
    pub(crate) idle: IdleTransactions,
    pub(crate) watch: FileWatch,
}

impl OpenFile {
    /// Opens a file that can be read as it is, for at most `readers` snapshots at once.
    pub(crate) fn new(path: PathBuf, readers: usize) -> Result<OpenFile> {
        let readers = Arc::new(ReaderPool::new(path.clone(), readers));
        // Its connection stays open, and with it the log.
        let watch = FileWatch::new(&readers)?;
        watch
            .read(&readers)
            .map_err(|err| sqlite_file::error_after_open(&path, &CATALOGUE_SCHEMA, err))?;
        let identity = FileIdentity::of(path)?;
        let (corrupt_values, memo, idle) = Default::default();
        Ok(OpenFile { readers, identity, corrupt_values, memo, idle, watch })
    }
}

/// One value of each type, with what it was computed from: the one cache of the library. Lists that are too long for it bound
/// themselves.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    values: Mutex<HashMap<TypeId, Arc<Mutex<Option<MemoEntry>>>>>,
}

#[derive(Debug)]
struct MemoEntry {
    source: MemoSource,
    value: Arc<dyn Any + Send + Sync>,
}

/// What a value was computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoSource {
    /// The number of the data.
    pub(crate) data: u64,
    /// The last day of its rows, of a value that depends on it.
    pub(crate) day: Option<Date>,
}

impl Memo {
    /// The value for this source, computed if there is none. While one thread computes it, others wait for it.
    /// A function that computes a value may ask for values of other types, but not in a circle.
    pub(crate) fn get<T: Send + Sync + 'static>(
        &self,
        source: MemoSource,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<T>> {
        let entry = lock(&self.values).entry(TypeId::of::<T>()).or_default().clone();
        let mut entry = lock(&entry);
        if let Some(MemoEntry { source: of, value }) = &*entry
            && *of == source
            && let Ok(value) = Arc::downcast(value.clone())
        {
            return Ok(value);
        }
        let value = Arc::new(make()?);
        *entry = Some(MemoEntry { source, value: value.clone() });
        Ok(value)
    }
}

#[cfg(test)]
mod memo_tests {
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
            memo.get(MemoSource { data, day: None }, make).unwrap()
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
