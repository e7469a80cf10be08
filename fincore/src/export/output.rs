//! Rows in the format that was asked for.
use super::{Format, source::Visit};
#[cfg(feature = "parquet")]
use crate::table::parquet::Parquet;
use crate::{
    error::Result,
    table::{Csv, Dialect, Heading, ndjson},
};

/// A table that is being written.
#[derive(Debug)]
pub(super) enum Output {
    Ndjson,
    Csv(Dialect),
    #[cfg(feature = "parquet")]
    Parquet(Box<Parquet>),
}

impl Output {
    /// A table with these columns; `notes` are names and values for formats that can carry them.
    pub(super) fn new(
        format: Format,
        headings: &[Heading],
        notes: &[(&str, String)],
    ) -> Result<Output> {
        // Without Parquet, nothing carries notes.
        let _ = (headings, notes);
        Ok(match format {
            Format::Ndjson => Output::Ndjson,
            Format::Csv(dialect) => Output::Csv(dialect),
            #[cfg(feature = "parquet")]
            Format::Parquet => Output::Parquet(Box::new(Parquet::begin(headings, notes)?)),
        })
    }

    /// Appends what comes before the first row.
    pub(super) fn begin(&mut self, headings: &[Heading], out: &mut Vec<u8>) -> Result<()> {
        match self {
            Output::Ndjson => Ok(()),
            Output::Csv(dialect) => {
                let names: Vec<&str> = headings.iter().map(|(name, _)| *name).collect();
                Csv::begin(&names, *dialect, out)?.end()
            }
            #[cfg(feature = "parquet")]
            Output::Parquet(_) => Ok(()),
        }
    }

    /// Appends the rows that `read` visits; it says whether there are more. Parquet has it read until a group is
    /// full, so that no rows are held between two calls.
    pub(super) fn rows(
        &mut self,
        headings: &[Heading],
        out: &mut Vec<u8>,
        mut read: impl FnMut(Visit<'_>) -> Result<bool>,
    ) -> Result<bool> {
        match self {
            Output::Ndjson => read(&mut |cells| ndjson::write_row(headings, cells, out)),
            Output::Csv(dialect) => {
                let mut csv = Csv::resume(*dialect, out);
                let more = read(&mut |cells| csv.row(cells))?;
                csv.end()?;
                Ok(more)
            }
            #[cfg(feature = "parquet")]
            Output::Parquet(parquet) => {
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
            Output::Ndjson | Output::Csv(_) => Ok(()),
            #[cfg(feature = "parquet")]
            Output::Parquet(parquet) => parquet.end(out),
        }
    }
}
