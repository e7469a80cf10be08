//! The status of all datasets, with row counts that are computed once for each state of the data.
use std::sync::{Arc, Mutex};

use super::{Status, row_counts::RowCounts, status_with};
use crate::{catalogue::Snapshot, error::Result, lock::lock, types::Date};

/// Returns the status, and counts rows only when the data or the date has changed. For programs that are asked often; one
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

/// Row counts, and the data and date that they are of.
#[derive(Debug)]
struct CachedCounts {
    tag: String,
    today: Date,
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
        let (tag, today) = (snapshot.tag(), snapshot.today());
        if let Some(counted) = &*last
            && (counted.tag == tag && counted.today == today)
        {
            return Ok(Arc::clone(&counted.counts));
        }
        let counts = Arc::new(RowCounts::read(snapshot)?);
        *last = Some(CachedCounts { tag: tag.to_owned(), today, counts: Arc::clone(&counts) });
        Ok(counts)
    }
}
