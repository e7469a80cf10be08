//! Filings part by part, for those who read all of them and pause in between.
use super::{ALL_CATEGORIES, Filing, Wanted, key, served, served::read};
use crate::{
    catalogue::Snapshot,
    error::Result,
    types::{Date, DateRange, FilingId},
};

/// How many filings were delivered in a range of days.
pub(crate) fn count(snapshot: &Snapshot, days: DateRange) -> Result<u64> {
    Wanted { category: ALL_CATEGORIES, days }.total(snapshot)
}

/// The newest filings with keys in a range, so many. A key is made of delivery day and id.
pub(crate) fn part(
    snapshot: &Snapshot,
    (from, to): (i64, i64),
    limit: usize,
) -> Result<Vec<Filing>> {
    const SQL: &str =
        concat!(served::select_filing!(), "WHERE key BETWEEN ?1 AND ?2 ORDER BY key DESC");
    snapshot.some(limit, SQL, (from, to), read)
}

/// The filing with this id, if it can be read.
pub(crate) fn with_id(snapshot: &Snapshot, id: FilingId) -> Result<Option<Filing>> {
    const SQL: &str = "SELECT key FROM filing WHERE id = ?1";
    let keys = snapshot.rows(SQL, [id.packed()], key)?;
    Ok(served::served(snapshot, &keys)?.pop())
}

/// The first day by whose end at least so many filings were delivered, counted from the oldest.
pub(crate) fn day_of(snapshot: &Snapshot, filings: u64) -> Result<Option<Date>> {
    const SQL: &str = "SELECT day FROM filing_total WHERE category = ?1 AND filings >= ?2
        ORDER BY day";
    let filings = i64::try_from(filings).unwrap_or(i64::MAX);
    let day = snapshot.first(SQL, (ALL_CATEGORIES, filings), |row| row.get(0))?;
    Ok(day.and_then(Date::from_day_number))
}
