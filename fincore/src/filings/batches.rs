//! Filings in batches, for readers that go through all of them and pause in between.
use super::{filing::Filing, index_query::with_index, reader};
use crate::{
    catalogue::Snapshot,
    error::Result,
    index::Condition,
    types::{Date, DateRange, FilingId, first_key, last_key},
};

/// How many filings were delivered in a range of days.
pub(crate) fn count(snapshot: &Snapshot, days: DateRange) -> Result<u64> {
    let keys = (first_key(days.from()), last_key(days.to()));
    with_index(snapshot, |index| index.count(&Condition::All(Vec::new()), keys))
}

/// The newest filings with keys in a range, at most `limit` of them. A key is made of delivery day and id.
pub(crate) fn read(
    snapshot: &Snapshot,
    (from, to): (i64, i64),
    limit: usize,
) -> Result<Vec<Filing>> {
    const SQL: &str =
        concat!(reader::select_filing!(), "WHERE key BETWEEN ?1 AND ?2 ORDER BY key DESC");
    snapshot.first_rows(limit, SQL, (from, to), reader::read)
}

/// The filing with this id, if it can be read.
pub(crate) fn find(snapshot: &Snapshot, id: FilingId) -> Result<Option<Filing>> {
    reader::find(snapshot, id)
}

/// The first day by whose end at least this many filings were delivered, counted from the oldest.
pub(crate) fn day_of(snapshot: &Snapshot, filings: u64) -> Result<Option<Date>> {
    let key = with_index(snapshot, |index| Ok(index.nth_oldest(filings.saturating_sub(1))))?;
    Ok(key.and_then(FilingId::of_key).map(|(_, day)| day))
}
