//! Writes rows as NDJSON, CSV or Parquet.
use super::row_source::VisitRow;
#[cfg(feature = "parquet")]
use crate::table::parquet::Parquet;
use crate::{
    error::Result,
    table::{Csv, Dialect, Heading, ndjson},
};

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
pub(super) enum RowWriter {
    Ndjson,
    Csv(Dialect),
    #[cfg(feature = "parquet")]
    Parquet(Box<Parquet>),
}

impl RowWriter {
    /// A table with these columns; `notes` are names and values for formats that have metadata.
    pub(super) fn new(
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
    pub(super) fn begin(&mut self, headings: &[Heading], out: &mut Vec<u8>) -> Result<()> {
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
    pub(super) fn rows(
        &mut self,
        headings: &[Heading],
        out: &mut Vec<u8>,
        mut read: impl FnMut(VisitRow<'_>) -> Result<bool>,
    ) -> Result<bool> {
        match self {
            RowWriter::Ndjson => read(&mut |cells| ndjson::write_row(headings, cells, out)),
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
    pub(super) fn end(&mut self, out: &mut Vec<u8>) -> Result<()> {
        // Only Parquet has an end.
        let _ = &out;
        match self {
            RowWriter::Ndjson | RowWriter::Csv(_) => Ok(()),
            #[cfg(feature = "parquet")]
            RowWriter::Parquet(parquet) => parquet.end(out),
        }
    }
}
