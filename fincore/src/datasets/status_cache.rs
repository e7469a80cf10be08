//! The status of all datasets, with row counts that are computed once for each state of the data.
use std::sync::{Arc, Mutex};

use super::{Status, row_counts::RowCounts, status_with};
use crate::{
    catalogue::{KnownData, Snapshot},
    error::Result,
    lock::lock,
};

/// Returns the status, and counts rows only when the data, the date or what is known of the data has changed. For programs that are asked often; one
/// serves all threads.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
/// let cache = fincore::datasets::StatusCache::default();
/// let snapshot = catalogue.snapshot("2026-11-15".parse()?)?;
/// assert_eq!(cache.status(&snapshot)?, fincore::datasets::status(&snapshot)?);
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct StatusCache {
    last: Mutex<Option<CachedCounts>>,
}

/// Row counts, and the data that they are of.
#[derive(Debug)]
struct CachedCounts {
    data: KnownData,
    counts: Arc<RowCounts>,
}

impl StatusCache {
    /// All datasets, each with its freshness: the same as [`status`](super::status).
    pub fn status(&self, snapshot: &Snapshot) -> Result<Status> {
        status_with(snapshot, &*self.counts(snapshot)?)
    }

    /// While one thread counts, the others wait for its result instead of counting, too.
    fn counts(&self, snapshot: &Snapshot) -> Result<Arc<RowCounts>> {
        let mut last = lock(&self.last);
        let data = snapshot.known_data();
        if let Some(counted) = &*last
            && counted.data == data
        {
            return Ok(Arc::clone(&counted.counts));
        }
        let counts = Arc::new(RowCounts::read(snapshot)?);
        *last = Some(CachedCounts { data, counts: Arc::clone(&counts) });
        Ok(counts)
    }
}
