//! Filings part by part, for those who read all of them and pause in between.
use super::{Filing, indexed, served, served::read};
use crate::{
    catalogue::Snapshot,
    error::Result,
    index::Want,
    types::{Date, DateRange, FilingId, first_key, last_key},
};

/// How many filings were delivered in a range of days.
pub(crate) fn count(snapshot: &Snapshot, days: DateRange) -> Result<u64> {
    let keys = (first_key(days.from()), last_key(days.to()));
    indexed(snapshot, |index| index.count(&Want::All(Vec::new()), keys))
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
    served::with_id(snapshot, id)
}

/// The first day by whose end at least so many filings were delivered, counted from the oldest.
pub(crate) fn day_of(snapshot: &Snapshot, filings: u64) -> Result<Option<Date>> {
    let key = indexed(snapshot, |index| Ok(index.nth_oldest(filings.saturating_sub(1))))?;
    Ok(key.and_then(FilingId::of_key).map(|(_, day)| day))
}
