//! Whole histories in memory, newest first, with the JSON of their rows: a page is a slice of one.
use std::{
    collections::HashMap,
    hash::Hash,
    ops::Range,
    sync::{Arc, Mutex},
};

use rusqlite::{Params, Row};

use crate::{
    answers::{CachedRows, Rows},
    market::{DateWindow, FxRate, Origin, OriginCounts, Rate},
    store::Snapshot,
    values::{Date, Offset, Result, lock},
};

/// The most memory that series take, and as much again for quotes. All known series take about half of it; a history that
/// does not fit is read from the file for every page.
const MOST_BYTES: usize = 4 << 20;

/// A row of a history.
pub(crate) trait Dated: serde::Serialize {
    fn date(&self) -> Date;

    fn origin(&self) -> Origin;
}

impl Dated for Rate {
    fn date(&self) -> Date {
        self.date
    }

    fn origin(&self) -> Origin {
        self.origin
    }
}

impl Dated for FxRate {
    fn date(&self) -> Date {
        self.date
    }

    fn origin(&self) -> Origin {
        Origin::Published
    }
}

/// All observations of a series, or all quotes of a currency, whatever their day.
#[derive(Debug)]
pub(crate) struct CachedHistory<T> {
    rows: Arc<CachedRows<T>>,
}

/// One page of a history.
pub(crate) struct HistoryPage<T> {
    pub(crate) rows: Rows<T>,
    pub(crate) total: u64,
    /// How many of the rows are not as published.
    pub(crate) origins: OriginCounts,
}

impl<T: Dated> CachedHistory<T> {
    /// The newest row that is not after a day.
    pub(crate) fn newest(&self, today: Date) -> Option<&T> {
        let rows = self.rows.all();
        rows.get(rows.partition_point(|row| row.date() > today))
    }

    /// The first day, and the newest that is not after a day.
    pub(crate) fn ends(&self, today: Date) -> Option<(Date, Date)> {
        let first = self.rows.all().last()?.date();
        self.newest(today).map(|newest| (first, newest.date()))
    }

    /// The rows of these days, both included, newest first.
    pub(crate) fn between(&self, first: Date, last: Date) -> &[T] {
        &self.rows.all()[self.positions(first, last)]
    }

    /// One page of the rows in a range of days, newest first.
    pub(crate) fn page(&self, days: DateWindow, limit: u32, offset: Offset) -> HistoryPage<T> {
        let Range { start, end } = self.positions(days.from(), days.to());
        let offset = usize::try_from(offset.get()).unwrap_or(usize::MAX);
        let first = start.saturating_add(offset).min(end);
        let last = first.saturating_add(limit as usize).min(end);
        let rows = self.rows.slice(first..last);
        let origins = rows.iter().map(Dated::origin).collect();
        HistoryPage { rows, total: (end - start) as u64, origins }
    }

    /// The positions of the rows in a range of days, which may be empty.
    fn positions(&self, first: Date, last: Date) -> Range<usize> {
        let rows = self.rows.all();
        let start = rows.partition_point(|row| row.date() > last);
        let end = rows.partition_point(|row| row.date() >= first);
        start..end.max(start)
    }
}

/// The histories that were read since the data changed.
#[derive(Debug)]
struct HistoryCache<K, T> {
    entries: Mutex<CacheEntries<K, T>>,
}

#[derive(Debug)]
struct CacheEntries<K, T> {
    /// `None` for a history that has rows, but does not fit or cannot be read.
    histories: HashMap<K, Option<Arc<CachedHistory<T>>>>,
    bytes: usize,
}

impl<K, T> Default for HistoryCache<K, T> {
    fn default() -> HistoryCache<K, T> {
        HistoryCache { entries: Mutex::new(CacheEntries { histories: HashMap::new(), bytes: 0 }) }
    }
}

/// The rows of a query, newest first, from memory; `None` if they do not fit there, or if there are none. The key is the
/// number of a series or a currency.
pub(crate) fn get_or_load<
    K: Copy + Eq + Hash + Send + 'static,
    T: Dated + Send + Sync + 'static,
>(
    snapshot: &Snapshot,
    key: K,
    sql: &str,
    params: impl Params,
    read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Option<Arc<CachedHistory<T>>>> {
    let cache = snapshot.memo(|_| Ok(HistoryCache::<K, T>::default()))?;
    let left = {
        let entries = lock(&cache.entries);
        if let Some(cached) = entries.histories.get(&key) {
            return Ok(cached.clone());
        }
        MOST_BYTES - entries.bytes
    };
    let (history, bytes) = match load(snapshot, left, sql, params, read)? {
        // Requests may name any number: a series without rows must not fill the cache.
        LoadOutcome::Empty => return Ok(None),
        LoadOutcome::Unfit => (None, 0),
        LoadOutcome::Loaded(history, bytes) => (Some(Arc::new(history)), bytes),
    };
    let mut entries = lock(&cache.entries);
    // Another thread may have been faster, or have taken the room.
    if let Some(cached) = entries.histories.get(&key) {
        return Ok(cached.clone());
    }
    let fits = entries.bytes + bytes <= MOST_BYTES;
    entries.bytes += if fits { bytes } else { 0 };
    entries.histories.insert(key, history.clone().filter(|_| fits));
    Ok(history)
}

enum LoadOutcome<T> {
    Empty,
    /// The rows take more memory than is left, or one of them cannot be read: then every answer leaves it out and counts it.
    Unfit,
    /// With its size.
    Loaded(CachedHistory<T>, usize),
}

fn load<T: Dated>(
    snapshot: &Snapshot,
    left: usize,
    sql: &str,
    params: impl Params,
    read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<LoadOutcome<T>> {
    snapshot.read(|connection| {
        let mut statement = connection.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        let (mut cached, mut bytes) = (CachedRows::default(), 0);
        while let Some(row) = rows.next()? {
            let Ok(row) = read(row) else { return Ok(LoadOutcome::Unfit) };
            bytes += cached.push(row)?;
            if bytes > left {
                return Ok(LoadOutcome::Unfit);
            }
        }
        if bytes == 0 {
            return Ok(LoadOutcome::Empty);
        }
        cached.shrink();
        Ok(LoadOutcome::Loaded(CachedHistory { rows: Arc::new(cached) }, bytes))
    })
}

#[cfg(test)]
mod tests;
