//! Whole datasets as a stream of rows from one snapshot: NDJSON, CSV or Parquet; or only what changed since a version.
use std::{fmt, str::FromStr};

use serde::Serialize;

use crate::{
    catalogue::Snapshot,
    error::{Error, Result},
    table::Dialect,
    types::Date,
};

/// A dataset that can be exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dataset {
    /// One series, by its number in SGS: rows of [`Rate`](crate::market::Rate).
    One(u32),
    /// Every observation of every series.
    Series,
    /// Closing quotes of all currency pairs.
    Fx,
    /// Companies.
    Companies,
    /// Filings.
    Filings,
}

impl FromStr for Dataset {
    type Err = Error;

    fn from_str(_text: &str) -> Result<Dataset> {
        unimplemented!()
    }
}

impl fmt::Display for Dataset {
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        unimplemented!()
    }
}

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One JSON object a line.
    Ndjson,
    /// Comma-separated values with a header line.
    Csv(Dialect),
    /// Parquet with typed columns.
    #[cfg(feature = "parquet")]
    Parquet,
}

/// What to export.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    /// The dataset.
    pub dataset: Dataset,
    /// The first day, where the dataset is dated.
    pub from: Option<Date>,
    /// The last day, where the dataset is dated.
    pub to: Option<Date>,
    /// Only what changed after this data version.
    pub since: Option<u64>,
    /// How rows are written.
    pub format: Format,
}

/// An export under way.
#[derive(Debug)]
pub struct Export {
    _snapshot: Snapshot,
}

impl Export {
    /// Begins an export.
    pub fn begin(_snapshot: Snapshot, _query: Query) -> Result<Export> {
        unimplemented!()
    }

    /// The number of rows that the whole export has.
    #[must_use]
    pub fn total(&self) -> u64 {
        unimplemented!()
    }

    /// The number of rows written so far.
    #[must_use]
    pub fn written(&self) -> u64 {
        unimplemented!()
    }

    /// The data version of the snapshot: what a later export takes as `since`.
    #[must_use]
    pub fn version(&self) -> u64 {
        unimplemented!()
    }

    /// Appends the next part to `out`, some hundred rows; `false` if that was the last.
    pub fn write(&mut self, _out: &mut Vec<u8>) -> Result<bool> {
        unimplemented!()
    }
}

/// A dataset, and what an export of it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Exportable {
    /// Its name: `selic`.
    pub dataset: String,
    /// The number of its rows.
    pub rows: u64,
    /// The day of its newest row, if it is dated and not empty.
    pub newest: Option<Date>,
    /// The length of it as NDJSON, uncompressed.
    pub bytes: u64,
}

/// Tells every dataset again and again, and measures them only when the data or the date has changed.
#[derive(Debug, Default)]
pub struct Shelf;

impl Shelf {
    /// Every dataset.
    pub fn list(&self, _snapshot: &Snapshot) -> Result<Vec<Exportable>> {
        unimplemented!()
    }
}
