//! A quick scan for values that cannot be read, so that the totals of answers leave them out from the start.
use rusqlite::Row;

use crate::{
    catalogue::{Catalogue, Snapshot},
    companies,
    error::Result,
    sqlite::{parsed, parsed_if_any},
    types::{Currency, Date, Decimal},
};

impl Catalogue {
    /// Reads every rate, quote and company once, which takes some ten milliseconds. Returns how many of them
    /// cannot be read.
    ///
    /// Answers leave such rows out in any case. But the total of a list includes them until this call, or until an answer
    /// has come across the first one. The totals of filings include them until [`Catalogue::rebuild`] removes them.
    pub fn count_corrupt_values(&self) -> Result<u64> {
        const RATES: &str = "SELECT date, value FROM rate";
        const QUOTES: &str = "SELECT currency, date, buy, sell FROM fx";
        let before = self.skipped_corrupt_values();
        let snapshot = self.snapshot(Date::MAX)?;
        scan(&snapshot, RATES, |row| {
            parsed::<Date>(row, 0)?;
            parsed::<Decimal>(row, 1).map(|_| ())
        })?;
        scan(&snapshot, QUOTES, |row| {
            parsed::<Currency>(row, 0)?;
            parsed::<Date>(row, 1)?;
            parsed_if_any::<Decimal>(row, 2)?;
            parsed_if_any::<Decimal>(row, 3).map(|_| ())
        })?;
        companies::each(&snapshot, |_| Ok(()))?;
        snapshot.release_memory()?;
        Ok(self.skipped_corrupt_values() - before)
    }
}

fn scan(
    snapshot: &Snapshot,
    sql: &str,
    read: impl Fn(&Row<'_>) -> rusqlite::Result<()>,
) -> Result<()> {
    snapshot.for_each(sql, [], read, Ok)
}
