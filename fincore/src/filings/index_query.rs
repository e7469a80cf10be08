//! Queries of the search index of a snapshot.
use crate::{
    catalogue::Snapshot,
    error::Result,
    index::{DirectoryCache, Executor},
    names::Names,
};

/// Calls `query` with the search index of a snapshot.
pub(super) fn with_index<T>(
    snapshot: &Snapshot,
    query: impl FnOnce(&Executor<'_>) -> Result<T>,
) -> Result<T> {
    let names = snapshot.memo(Names::read)?;
    let directories = snapshot.memo(|_| Ok(DirectoryCache::default()))?;
    snapshot.read(|connection| {
        let directory = directories.directory(connection)?;
        query(&Executor::new(connection, &directory, &names))
    })
}
