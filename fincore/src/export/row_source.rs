//! The rows of a dataset, read in batches and found by their keys.
use std::fmt::Debug;

use crate::{
    catalogue::Snapshot,
    error::Result,
    table::{Cell, Heading},
    types::Date,
};

/// A function that is called with the cells of a row.
pub(super) type VisitRow<'v> = &'v mut dyn FnMut(&[Cell<'_>]) -> Result<()>;

/// The number of rows read at a time: enough to make the cost of a query small, few enough to be held in memory.
pub(super) const BATCH_ROWS: usize = 500;

/// The rows of a dataset, and how far they were read.
///
/// Each row has a key of at most 62 bits; rows are in the order of their keys.
pub(super) trait RowSource: Debug + Send {
    fn headings(&self) -> Vec<Heading>;

    /// The number of stored rows, including those that cannot be read.
    fn count(&self, snapshot: &Snapshot) -> Result<u64>;

    /// Visits the next rows, at most `limit`; returns `false` if there are no more.
    fn next_rows(&mut self, snapshot: &Snapshot, limit: usize, visit: VisitRow<'_>)
    -> Result<bool>;

    /// The name of the dataset in the change log, if it is one dataset there.
    fn change_log_name(&self) -> Option<String>;

    /// The key of the row that an entry of the change log is about; `None` if this dataset has no such row.
    fn key(&self, dataset: &str, key: &str) -> Option<u64>;

    /// The day before which the row of a key is hidden; `None` if rows of this dataset are never hidden.
    fn hidden_until(&self, key: u64) -> Option<Date>;

    /// The keys of rows that were hidden on a day and are visible now.
    fn keys_shown_after(&self, snapshot: &Snapshot, day: Date) -> Result<Vec<u64>>;

    /// Visits the row of a key; returns `false` if there is none that can be read.
    fn find(&self, snapshot: &Snapshot, key: u64, visit: VisitRow<'_>) -> Result<bool>;

    /// How many rows a key stands for, where that is not always one; 0 if there are none.
    fn rows_of_key(&self, _: &Snapshot, _: u64) -> Result<Option<u64>> {
        Ok(None)
    }

    /// The cells of a removed row: the columns of its key, and otherwise empty ones.
    fn removed_row(&self, key: u64) -> Vec<Cell<'static>>;
}
