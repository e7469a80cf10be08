//! Where the rows of a dataset come from: read part by part, and found by their keys.
use std::fmt::Debug;

use crate::{
    catalogue::Snapshot,
    error::Result,
    table::{Cell, Heading},
    types::Date,
};

/// What is done with a row.
pub(super) type Visit<'v> = &'v mut dyn FnMut(&[Cell<'_>]) -> Result<()>;

/// A dataset, and how far it was read.
///
/// A key of at most 62 bits tells each row from all others; rows are in the order of their keys.
pub(super) trait Source: Debug + Send {
    fn headings(&self) -> Vec<Heading>;

    /// The number of stored rows, whether they can be read or not.
    fn count(&self, snapshot: &Snapshot) -> Result<u64>;

    /// Visits the next rows, at most so many; `false` if there are no more.
    fn part(&mut self, snapshot: &Snapshot, limit: usize, visit: Visit<'_>) -> Result<bool>;

    /// The name of its dataset in the change log, if it is one there.
    fn logged_as(&self) -> Option<String>;

    /// The key of the row that an entry of the change log is about; `None` if it has no such row.
    fn key(&self, dataset: &str, key: &str) -> Option<u64>;

    /// The day before which the row of a key is hidden, if it is one that is hidden.
    fn day(&self, key: u64) -> Option<Date>;

    /// The keys of its rows that were hidden on a day, and are no longer.
    fn shown_after(&self, snapshot: &Snapshot, day: Date) -> Result<Vec<u64>>;

    /// Visits the row of a key; `false` if there is none that can be read.
    fn find(&self, snapshot: &Snapshot, key: u64, visit: Visit<'_>) -> Result<bool>;

    /// The cells of a row that is not there any more: its key, and otherwise nothing.
    fn removed(&self, key: u64) -> Vec<Cell<'static>>;
}
