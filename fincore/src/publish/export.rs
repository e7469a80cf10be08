//! Whole datasets as a stream of rows from one snapshot, as NDJSON, CSV or Parquet; or only the changes since a version.
//!
//! An [`Export`] is pulled: every call of [`Export::write`] appends the next rows to a buffer, and nothing happens in
//! between. It reads from one snapshot, so what it writes is consistent even while an import commits, and it needs
//! the same memory for a thousand rows as for a million. A series comes newest first, as in its history; quotes by
//! currency, then newest first; companies by code; filings newest first.
//!
//! ```
//! use fincore::export::{Export, Format, Query};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let catalogue = fincore::bundle::filled_copy(dir.path())?;
//! let query = Query { to: Some("1980-02-29".parse()?), ..Query::new("ipca".parse()?, Format::Ndjson) };
//! let mut export = Export::begin(catalogue.snapshot("2026-10-05".parse()?)?, query)?;
//! let mut out = Vec::new();
//! while export.write(&mut out)? {
//!     // Send the content of `out`, and clear it.
//! }
//! assert_eq!(export.total(), 2);
//! assert_eq!(
//!     out,
//!     b"{\"date\":\"1980-02-01\",\"value\":4.62,\"origin\":\"published\"}\n\
//!       {\"date\":\"1980-01-01\",\"value\":6.62,\"origin\":\"published\"}\n"
//! );
//! # Ok::<(), fincore::Error>(())
//! ```
//!
//! With [`Query::since`], it holds what changed after a data version: apply the rows of one export after the other
//! to an old export, and you have the new one. Each row says in its first column whether it was `added`, `changed`
//! or `removed`; one that was removed has only the columns that identify it.
use std::fmt::Debug;

use crate::{
    answers::{
        Cell, ColumnKind, Heading,
        table::{self, Csv, Dialect},
    },
    market::{
        all_transformed,
        transform::{Transformation, TransformedRate},
    },
    publish::export::delta::Delta,
    store::{Knowledge, Snapshot},
    values::{Date, DateRange, Error, ExportFault, Resource, Result},
};

pub use dataset::{Dataset, DatasetSize, sizes};

#[cfg(feature = "parquet")]
use crate::answers::table::parquet::Parquet;

pub(crate) mod companies;
pub(crate) mod dataset;
mod delta;
pub(crate) mod market;

/// The dataset to export, and its filters.
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
    /// How the rows of one series are transformed: by period, in other units, or only some of them.
    pub transformation: Option<Transformation>,
    /// How rows are written.
    pub format: Format,
}

impl Query {
    /// All rows of a dataset.
    #[must_use]
    pub fn new(dataset: Dataset, format: Format) -> Query {
        Query { dataset, from: None, to: None, since: None, transformation: None, format }
    }

    /// The range of days. Fails if it cannot be combined with the other fields.
    fn days(&self) -> Result<DateRange> {
        let some = self.from.is_some() || self.to.is_some();
        if some && self.since.is_some() {
            return Err(ExportFault::SinceWithDays.into());
        }
        if some && self.dataset == Dataset::Companies {
            return Err(ExportFault::Undated.into());
        }
        DateRange::new(self.from, self.to)
    }
}

/// The transformed rows of one series. Fails for any other dataset, and where the transformation has no meaning.
fn transformed(
    snapshot: &Snapshot,
    query: &Query,
    how: &Transformation,
) -> Result<Vec<TransformedRate>> {
    if query.since.is_some() {
        return Err(ExportFault::SinceTransformed.into());
    }
    let Dataset::One(number) = query.dataset else {
        return Err(ExportFault::NotOneSeries.into());
    };
    if !dataset::exists(snapshot, query.dataset)? {
        return Err(Error::not_found(Resource::Dataset, &query.dataset.to_string()));
    }
    all_transformed(snapshot, number, query.from, query.to, how)
}

/// Fails where a snapshot of the past cannot answer the query.
fn check_past(snapshot: &Snapshot, query: &Query) -> Result<()> {
    match (snapshot.knowledge(), query.since, query.dataset) {
        (Knowledge::Present, ..) => Ok(()),
        (_, Some(_), _) => Err(ExportFault::SinceInThePast.into()),
        (_, None, Dataset::Filings | Dataset::Statements | Dataset::Financials) => {
            Err(ExportFault::NoPast.into())
        }
        (_, None, Dataset::One(_) | Dataset::Series | Dataset::Fx | Dataset::Companies) => Ok(()),
    }
}

/// An export in progress.
#[derive(Debug)]
pub struct Export {
    snapshot: Snapshot,
    rows: Rows,
    headings: Vec<Heading>,
    writer: RowWriter,
    stage: Stage,
    version: u64,
    total: u64,
    written: u64,
}

#[derive(Debug)]
enum Rows {
    All(Box<dyn RowSource>),
    Changes(Delta),
    /// Those that are left.
    Transformed(std::vec::IntoIter<TransformedRate>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nothing is written yet.
    New,
    Rows,
    Ended,
}

impl Export {
    /// Begins an export: counts its rows, but reads none of them yet. The plan of the caller is not checked.
    ///
    /// Fails with [`Error::NotFound`] if the dataset is a series without observations, with [`Error::Invalid`] if the
    /// days are in the wrong order or do not apply, or if the change log does not reach back to `since`.
    pub fn begin(snapshot: Snapshot, query: Query) -> Result<Export> {
        let days = query.days()?;
        check_past(&snapshot, &query)?;
        let version = snapshot.version()?;
        let source = dataset::row_source(&snapshot, query.dataset, days)?;
        let mut headings = source.headings();
        let (rows, total) = match (query.since, &query.transformation) {
            (_, Some(how)) => {
                headings = table::headings::<TransformedRate>();
                let rows = transformed(&snapshot, &query, how)?;
                let total = rows.len() as u64;
                (Rows::Transformed(rows.into_iter()), total)
            }
            (None, None) => {
                let total = dataset::total(&snapshot, query.dataset, days)?;
                (Rows::All(source), total)
            }
            (Some(since), None) => {
                headings.insert(0, ("change", ColumnKind::Text));
                let delta = Delta::collect(&snapshot, source, since, version)?;
                let total = delta.total();
                (Rows::Changes(delta), total)
            }
        };
        if total == 0 && !dataset::exists(&snapshot, query.dataset)? {
            return Err(Error::not_found(Resource::Dataset, &query.dataset.to_string()));
        }
        let notes = [("dataset", query.dataset.to_string()), ("version", version.to_string())];
        let writer = RowWriter::new(query.format, &headings, &notes)?;
        let stage = Stage::New;
        Ok(Export { snapshot, rows, headings, writer, stage, version, total, written: 0 })
    }

    /// The number of rows of the whole export.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The number of rows written so far.
    #[must_use]
    pub fn rows_written(&self) -> u64 {
        self.written
    }

    /// The data version of the snapshot: what a later export takes as `since`.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Appends the next rows to `out`, some hundred (of Parquet some thousand); returns `false` after the last ones.
    ///
    /// Fails if the data cannot be read, and at the end if fewer rows were written than [`total`](Export::total): then the
    /// export is not complete. Do not call it again after a failure.
    pub fn write(&mut self, out: &mut Vec<u8>) -> Result<bool> {
        let Export { snapshot, rows, headings, writer, written, .. } = self;
        match self.stage {
            Stage::New => writer.begin(headings, out)?,
            Stage::Rows => (),
            Stage::Ended => return Ok(false),
        }
        self.stage = Stage::Rows;
        let more = writer.rows(headings, out, |visit| {
            let visit = &mut |cells: &[Cell<'_>]| {
                *written += 1;
                visit(cells)
            };
            match rows {
                Rows::All(source) => source.next_rows(snapshot, BATCH_ROWS, visit),
                Rows::Changes(delta) => delta.next_rows(snapshot, BATCH_ROWS, visit),
                Rows::Transformed(rows) => {
                    rows.by_ref()
                        .take(BATCH_ROWS)
                        .try_for_each(|row| visit(&table::cells(&row)))?;
                    Ok(rows.len() > 0)
                }
            }
        })?;
        if !more {
            self.end(out)?;
        }
        self.snapshot.release_memory()?;
        Ok(more)
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let (written, total) = (self.written, self.total);
        if written != total {
            let reason = format!("{written} of {total} rows can be read");
            return Err(Error::storage("the export is not complete", reason));
        }
        self.writer.end(out)?;
        self.stage = Stage::Ended;
        Ok(())
    }
}

/// A function that is called with the cells of a row.
pub(crate) type VisitRow<'v> = &'v mut dyn FnMut(&[Cell<'_>]) -> Result<()>;

/// The number of rows read at a time: enough to make the cost of a query small, few enough to be held in memory.
pub(crate) const BATCH_ROWS: usize = 500;

/// The rows of a dataset, and how far they were read.
///
/// Each row has a key of at most 62 bits; rows are in the order of their keys.
pub(crate) trait RowSource: Debug + Send {
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
    fn hidden_until(&self, _: u64) -> Option<Date> {
        None
    }

    /// The keys of rows that were hidden on a day and are visible now.
    fn keys_shown_after(&self, _: &Snapshot, _: Date) -> Result<Vec<u64>> {
        Ok(Vec::new())
    }

    /// Visits the row of a key; returns `false` if there is none that can be read.
    fn find(&self, snapshot: &Snapshot, key: u64, visit: VisitRow<'_>) -> Result<bool>;

    /// How many rows a key stands for, where that is not always one; 0 if there are none.
    fn rows_of_key(&self, _: &Snapshot, _: u64) -> Result<Option<u64>> {
        Ok(None)
    }

    /// The cells of a removed row: the columns of its key, and otherwise empty ones.
    fn removed_row(&self, key: u64) -> Vec<Cell<'static>>;
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

/// A table that is being written.
#[derive(Debug)]
pub(crate) enum RowWriter {
    Ndjson,
    Csv(Dialect),
    #[cfg(feature = "parquet")]
    Parquet(Box<Parquet>),
}

impl RowWriter {
    /// A table with these columns; `notes` are names and values for formats that have metadata.
    pub(crate) fn new(
        format: Format,
        headings: &[Heading],
        notes: &[(&str, String)],
    ) -> Result<RowWriter> {
        // Only Parquet has metadata.
        let _ = (headings, notes);
        Ok(match format {
            Format::Ndjson => RowWriter::Ndjson,
            Format::Csv(dialect) => RowWriter::Csv(dialect),
            #[cfg(feature = "parquet")]
            Format::Parquet => RowWriter::Parquet(Box::new(Parquet::begin(headings, notes)?)),
        })
    }

    /// Appends what comes before the first row.
    pub(crate) fn begin(&mut self, headings: &[Heading], out: &mut Vec<u8>) -> Result<()> {
        match self {
            RowWriter::Ndjson => Ok(()),
            RowWriter::Csv(dialect) => {
                let names: Vec<&str> = headings.iter().map(|(name, _)| *name).collect();
                Csv::begin(&names, *dialect, out)?.end()
            }
            #[cfg(feature = "parquet")]
            RowWriter::Parquet(_) => Ok(()),
        }
    }

    /// Appends the rows that `read` visits, and returns whether there are more. For Parquet, `read` is called until a row
    /// group is full, so that no rows are held between two calls.
    pub(crate) fn rows(
        &mut self,
        headings: &[Heading],
        out: &mut Vec<u8>,
        mut read: impl FnMut(VisitRow<'_>) -> Result<bool>,
    ) -> Result<bool> {
        match self {
            RowWriter::Ndjson => read(&mut |cells| table::write_row(headings, cells, out)),
            RowWriter::Csv(dialect) => {
                let mut csv = Csv::resume(*dialect, out);
                let more = read(&mut |cells| csv.row(cells))?;
                csv.end()?;
                Ok(more)
            }
            #[cfg(feature = "parquet")]
            RowWriter::Parquet(parquet) => {
                let mut more = true;
                while more && !parquet.is_full() {
                    more = read(&mut |cells| parquet.row(cells))?;
                }
                parquet.end_group(out)?;
                Ok(more)
            }
        }
    }

    /// Appends what comes after the last row.
    pub(crate) fn end(&mut self, out: &mut Vec<u8>) -> Result<()> {
        // Only Parquet has an end.
        let _ = &out;
        match self {
            RowWriter::Ndjson | RowWriter::Csv(_) => Ok(()),
            #[cfg(feature = "parquet")]
            RowWriter::Parquet(parquet) => parquet.end(out),
        }
    }
}

#[cfg(test)]
mod tests;
