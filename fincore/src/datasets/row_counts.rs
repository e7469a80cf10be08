//! How many rows each dataset has, and how new they are.
use crate::{
    catalogue::Snapshot,
    error::Result,
    market::freshness::{StoredSeries, stored_series},
    sqlite::parsed,
    types::Date,
};

/// The part of the status that takes time to compute. It depends on the data and the date only.
#[derive(Debug)]
pub(super) struct RowCounts {
    pub(super) series: Vec<StoredSeries>,
    /// The number of exchange rates with both sides.
    pub(super) quotes: u64,
    pub(super) companies: u64,
    /// The newest change in the registry of companies.
    pub(super) newest_event: Option<Date>,
}

impl RowCounts {
    pub(super) fn read(snapshot: &Snapshot) -> Result<RowCounts> {
        const QUOTES: &str =
            "SELECT COUNT(*) FROM fx WHERE date <= ?1 AND buy IS NOT NULL AND sell IS NOT NULL";
        const COMPANIES: &str = "SELECT COUNT(*) FROM company";
        Ok(RowCounts {
            series: stored_series(snapshot)?,
            quotes: snapshot.count(QUOTES, [snapshot.today().to_string()])?,
            companies: snapshot.count(COMPANIES, [])?,
            newest_event: newest_event(snapshot)?,
        })
    }
}

/// The newest change in the registry of companies. Later dates than the snapshot's are typing errors.
fn newest_event(snapshot: &Snapshot) -> Result<Option<Date>> {
    const SQL: &str = "SELECT day FROM (
            SELECT registered_on AS day FROM company UNION ALL
            SELECT cancelled_on FROM company UNION ALL
            SELECT status_since FROM company) WHERE day <= ?1 ORDER BY day DESC";
    snapshot.first(SQL, [snapshot.today().to_string()], |row| parsed(row, 0))
}
