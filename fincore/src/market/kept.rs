//! Series and quotes in memory, newest first, with the JSON of their rows: a page is a part of them.
use std::{
    collections::HashMap,
    hash::Hash,
    ops::Range,
    sync::{Arc, Mutex},
};

use rusqlite::{Params, Row};

use super::{FxRate, Rate, window::Days};
use crate::{
    answers::{Kept, Rows},
    catalogue::Snapshot,
    error::Result,
    lock::lock,
    types::{Currency, Date, Offset},
};

/// The most memory that series take, and as much again for quotes. All known series take about half of it; what does not
/// fit is read for every page.
const MOST_BYTES: usize = 4 << 20;

/// A row of a history.
pub(super) trait Dated: serde::Serialize {
    fn date(&self) -> Date;
}

impl Dated for Rate {
    fn date(&self) -> Date {
        self.date
    }
}

impl Dated for FxRate {
    fn date(&self) -> Date {
        self.date
    }
}

/// All observations of a series, or all quotes of a currency, whatever their day.
#[derive(Debug)]
pub(super) struct Whole<T> {
    kept: Arc<Kept<T>>,
    /// For every row whether it was computed.
    computed: Vec<bool>,
}

/// One page of a history.
pub(super) struct Cut<T> {
    pub(super) rows: Rows<T>,
    pub(super) total: u64,
    /// How many of the rows were computed.
    pub(super) computed: usize,
}

impl<T: Dated> Whole<T> {
    /// The newest row that is not after a day.
    pub(super) fn newest(&self, today: Date) -> Option<&T> {
        let rows = self.kept.rows();
        rows.get(rows.partition_point(|row| row.date() > today))
    }

    /// Some of the rows in a range of days, newest first.
    pub(super) fn page(&self, days: Days, limit: u32, offset: Offset) -> Cut<T> {
        let Range { start, end } = self.within(days);
        let offset = usize::try_from(offset.get()).unwrap_or(usize::MAX);
        let first = start.saturating_add(offset).min(end);
        let last = first.saturating_add(limit as usize).min(end);
        let computed = self.computed[first..last].iter().filter(|computed| **computed).count();
        Cut { rows: self.kept.part(first..last), total: (end - start) as u64, computed }
    }

    /// The places of the rows in a range of days, which may be empty.
    fn within(&self, days: Days) -> Range<usize> {
        let rows = self.kept.rows();
        let start = rows.partition_point(|row| row.date() > days.to());
        let end = rows.partition_point(|row| row.date() >= days.from());
        start..end.max(start)
    }
}

/// Those that were asked for since the data changed.
#[derive(Debug)]
struct Shelf<K, T> {
    places: Mutex<Places<K, T>>,
}

#[derive(Debug)]
struct Places<K, T> {
    /// `None` for what has rows, but does not fit or cannot be read.
    wholes: HashMap<K, Option<Arc<Whole<T>>>>,
    bytes: usize,
}

impl<K, T> Default for Shelf<K, T> {
    fn default() -> Shelf<K, T> {
        Shelf { places: Mutex::new(Places { wholes: HashMap::new(), bytes: 0 }) }
    }
}

/// A series by its number.
pub(super) fn series(
    snapshot: &Snapshot,
    number: u32,
    sql: &str,
    params: impl Params,
    read: impl Fn(&Row<'_>) -> rusqlite::Result<(Rate, bool)>,
) -> Result<Option<Arc<Whole<Rate>>>> {
    find(snapshot, number, sql, params, read)
}

/// The quotes of a currency.
pub(super) fn quotes(
    snapshot: &Snapshot,
    currency: Currency,
    sql: &str,
    params: impl Params,
    read: impl Fn(&Row<'_>) -> rusqlite::Result<FxRate>,
) -> Result<Option<Arc<Whole<FxRate>>>> {
    find(snapshot, currency, sql, params, |row| Ok((read(row)?, false)))
}

/// The rows of a query, newest first, from memory; `None` if they are not kept there, or if there are none.
fn find<K: Copy + Eq + Hash + Send + 'static, T: Dated + Send + Sync + 'static>(
    snapshot: &Snapshot,
    key: K,
    sql: &str,
    params: impl Params,
    read: impl Fn(&Row<'_>) -> rusqlite::Result<(T, bool)>,
) -> Result<Option<Arc<Whole<T>>>> {
    let shelf = snapshot.memo(|_| Ok(Shelf::<K, T>::default()))?;
    let left = {
        let places = lock(&shelf.places);
        if let Some(known) = places.wholes.get(&key) {
            return Ok(known.clone());
        }
        MOST_BYTES - places.bytes
    };
    let (whole, bytes) = match whole(snapshot, left, sql, params, read)? {
        // Anybody may ask for any number: what has no rows takes no place.
        Outcome::Empty => return Ok(None),
        Outcome::Unfit => (None, 0),
        Outcome::Whole(whole, bytes) => (Some(Arc::new(whole)), bytes),
    };
    let mut places = lock(&shelf.places);
    // Another thread may have been faster, or have taken the room.
    if let Some(known) = places.wholes.get(&key) {
        return Ok(known.clone());
    }
    let fits = places.bytes + bytes <= MOST_BYTES;
    places.bytes += if fits { bytes } else { 0 };
    places.wholes.insert(key, whole.clone().filter(|_| fits));
    Ok(whole)
}

/// What became of reading all rows.
enum Outcome<T> {
    Empty,
    /// They take more memory than is left, or one of them cannot be read: then every answer leaves it out and notes it.
    Unfit,
    /// With its size.
    Whole(Whole<T>, usize),
}

fn whole<T: Dated>(
    snapshot: &Snapshot,
    left: usize,
    sql: &str,
    params: impl Params,
    read: impl Fn(&Row<'_>) -> rusqlite::Result<(T, bool)>,
) -> Result<Outcome<T>> {
    let mut statement = snapshot.connection().prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let (mut kept, mut computed, mut bytes) = (Kept::default(), Vec::new(), 0);
    while let Some(row) = rows.next()? {
        let Ok((row, is_computed)) = read(row) else { return Ok(Outcome::Unfit) };
        bytes += kept.push(row)? + size_of::<bool>();
        computed.push(is_computed);
        if bytes > left {
            return Ok(Outcome::Unfit);
        }
    }
    if computed.is_empty() {
        return Ok(Outcome::Empty);
    }
    kept.shrink();
    computed.shrink_to_fit();
    Ok(Outcome::Whole(Whole { kept: Arc::new(kept), computed }, bytes))
}

#[cfg(test)]
#[cfg(feature = "bundle")]
mod tests;
