//! The rows that a repair has removed.
use std::fmt::Display;

use crate::{
    catalogue::{Change, Writer},
    error::Result,
};

/// The rows that were removed.
#[derive(Debug, Default)]
pub(super) struct RemovedRows(Vec<String>);

impl RemovedRows {
    /// Adds a removed row of a dataset, and logs the removal.
    pub(super) fn log(&mut self, writer: &Writer, dataset: &str, key: &str) -> Result<()> {
        writer.log(dataset, key, Change::Removed)?;
        self.add(format_args!("{dataset} {key}"));
        Ok(())
    }

    /// Adds a removed row that the change log does not cover.
    pub(super) fn add(&mut self, row: impl Display) {
        self.0.push(row.to_string());
    }

    /// The names of all removed rows.
    pub(super) fn into_names(self) -> Vec<String> {
        self.0
    }
}
