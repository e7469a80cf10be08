//! A quick look for values that cannot be read, so that answers know of them from the start.
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
    /// Answers leave those out in any case. But the total of a list includes one until it is known that the
    /// data has any: after this call, or after any answer that would have shown one. The totals of filings
    /// include those that cannot be read until [`Catalogue::rebuild`] removes them.
    pub fn look_for_unreadable(&self) -> Result<u64> {
        const RATES: &str = "SELECT date, value FROM rate";
        const QUOTES: &str = "SELECT currency, date, buy, sell FROM fx";
        let before = self.unreadable();
        let snapshot = self.snapshot(Date::MAX)?;
        look(&snapshot, RATES, |row| {
            parsed::<Date>(row, 0)?;
            parsed::<Decimal>(row, 1).map(|_| ())
        })?;
        look(&snapshot, QUOTES, |row| {
            parsed::<Currency>(row, 0)?;
            parsed::<Date>(row, 1)?;
            parsed_if_any::<Decimal>(row, 2)?;
            parsed_if_any::<Decimal>(row, 3).map(|_| ())
        })?;
        companies::each(&snapshot, |_| Ok(()))?;
        Ok(self.unreadable() - before)
    }
}

fn look(
    snapshot: &Snapshot,
    sql: &str,
    read: impl Fn(&Row<'_>) -> rusqlite::Result<()>,
) -> Result<()> {
    snapshot.for_each(sql, [], read, Ok)
}
