//! A view of the data at one moment, through which everything is read.
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    path::Path,
    sync::Arc,
    time::Instant,
};

use rusqlite::{Connection, OptionalExtension, Params, Row};

use crate::{
    store::{
        Knowledge, OpenFile, ReadTransaction, deadline,
        open_file::MemoSource,
        readers::{is_about_a_value, read_meta, tag_fingerprint, version_of},
    },
    values::{Date, Error, Offset, Plan, Result},
};

#[cfg(doc)]
use crate::store::Catalogue;

/// A consistent, read-only view of a [`Catalogue`], made by [`Catalogue::snapshot`].
///
/// A snapshot is `Send` but not `Sync`: it can move to another thread, but threads cannot share it.
/// Threads that read in parallel take one snapshot each.
#[derive(Debug)]
pub struct Snapshot {
    /// `None` only while the snapshot is dropped.
    transaction: Option<ReadTransaction>,
    /// When the transaction was begun, if the next snapshot may reuse it.
    reusable_since: Option<Instant>,
    tag: Arc<str>,
    today: Date,
    plan: Plan,
    pub(crate) knowledge: Knowledge,
    /// The date of the snapshot that one of the past was made from.
    pub(crate) present_day: Date,
    pub(crate) file: Arc<OpenFile>,
}

impl Snapshot {
    pub(crate) fn new(
        transaction: ReadTransaction,
        reusable_since: Option<Instant>,
        today: Date,
        file: Arc<OpenFile>,
    ) -> Snapshot {
        let tag = transaction.tag.clone();
        let (transaction, plan) = (Some(transaction), Plan::Platinum);
        let knowledge = Knowledge::Present;
        let present_day = today;
        Snapshot { transaction, reusable_since, tag, today, plan, knowledge, present_day, file }
    }

    /// Restricts the snapshot to what `plan` includes: market history goes back 12 months without
    /// [`Feature::HistoricalData`](crate::Feature::HistoricalData), and the global search omits filings
    /// without [`Feature::Filings`](crate::Feature::Filings). A snapshot without a plan reads everything.
    ///
    /// Nothing else is restricted here: check [`Plan::need`] before you call a function on behalf of a
    /// caller.
    #[must_use]
    pub fn for_plan(mut self, plan: Plan) -> Snapshot {
        self.plan = plan;
        self
    }

    /// The plan of this snapshot.
    #[must_use]
    pub fn plan(&self) -> Plan {
        self.plan
    }

    /// The date of this snapshot.
    #[must_use]
    pub fn today(&self) -> Date {
        self.today
    }

    /// The date of the snapshot that this one of the past was made from; otherwise its own.
    pub(crate) fn present_day(&self) -> Date {
        self.present_day
    }

    /// A fingerprint of everything imported so far, in order. Two files with the same tag hold the same
    /// data, whichever machine made them.
    #[must_use]
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// A number that two snapshots of a catalogue share only if every query gives the same answer from both. Use it as
    /// the key of a cache of answers; it is valid for as long as the program runs.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let of_present = fingerprint(self.data(), self.today, self.plan, self.integrity());
        match self.knowledge {
            Knowledge::Present => of_present,
            Knowledge::AsOf(_) | Knowledge::FirstRelease => {
                let mut hasher = DefaultHasher::new();
                // Plans are restricted by the present day.
                (of_present, self.knowledge, self.present_day).hash(&mut hasher);
                hasher.finish()
            }
        }
    }

    /// A number that increases with every import that changed something.
    pub fn version(&self) -> Result<u64> {
        Ok(self.note(version_of(self.connection()))?.unsigned_abs())
    }

    /// The id of this catalogue, which stays the same for as long as the file exists. Data versions are comparable only
    /// within one catalogue.
    pub fn catalogue_id(&self) -> Result<String> {
        Ok(self.meta("catalogue_id")?.unwrap_or_default())
    }

    pub(crate) fn shared_tag(&self) -> Arc<str> {
        self.tag.clone()
    }

    /// A number that no other data has.
    pub(crate) fn data(&self) -> u64 {
        self.transaction.as_ref().map_or(0, |transaction| transaction.data)
    }

    /// The value that `make` computes from the data, cached for as long as the data is the same.
    pub(crate) fn memo<T: Send + Sync + 'static>(
        &self,
        make: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<Arc<T>> {
        self.memo_of(MemoSource { data: self.data(), day: None }, make)
    }

    /// The value that `make` computes from the data and the snapshot's date, cached for as long as both are the same.
    pub(crate) fn memo_of_day<T: Send + Sync + 'static>(
        &self,
        make: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<Arc<T>> {
        self.memo_of(MemoSource { data: self.data(), day: Some(self.today) }, make)
    }

    /// The value that `make` computes from the rows of datasets up to the snapshot's date, whatever its plan. It stays while
    /// a synchronisation records that there is nothing new, which leaves the tag as it is.
    pub(crate) fn memo_of_rows<T: Send + Sync + 'static>(
        &self,
        make: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<Arc<T>> {
        self.memo_of(MemoSource { data: tag_fingerprint(&self.tag), day: Some(self.today) }, make)
    }

    fn memo_of<T: Send + Sync + 'static>(
        &self,
        source: MemoSource,
        make: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<Arc<T>> {
        // Point-in-time reads are rare, and must not evict the present from the cache.
        if self.knowledge != Knowledge::Present {
            return self.read(make).map(Arc::new);
        }
        // Without a deadline: if this query gave up, the next one would have to begin again.
        self.file.memo.get(source, || deadline::without(|| self.read(make)))
    }

    /// The directory of the file, for files that are needed for a while.
    pub(crate) fn directory(&self) -> &Path {
        self.file.readers.path().parent().unwrap_or(Path::new("."))
    }

    /// Reads from the file through the connection. An error of the database is one of this file: `read` must not work
    /// with others.
    pub(crate) fn read<'s, T>(
        &'s self,
        read: impl FnOnce(&'s Connection) -> Result<T>,
    ) -> Result<T> {
        self.note(read(self.connection()))
    }

    /// Notes a fault of the file in the outcome.
    fn note<T, E>(&self, outcome: Result<T, E>) -> Result<T>
    where
        Error: From<E>,
    {
        self.file.readers.note(outcome)
    }

    fn connection(&self) -> &Connection {
        self.transaction.as_ref().expect("only dropping takes the transaction out").connection()
    }

    /// All rows of a query, each read into a value; rows that cannot be read are left out.
    pub(crate) fn rows<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        self.first_rows(usize::MAX, sql, params, read)
    }

    /// The first row of a query that can be read. The query needs no limit: no row after that is looked at.
    pub(crate) fn first<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        Ok(self.first_rows(1, sql, params, read)?.pop())
    }

    /// The first `limit` rows of a query that can be read. The query needs no limit: no row after them is looked at.
    pub(crate) fn first_rows<T>(
        &self,
        limit: usize,
        sql: &str,
        params: impl Params,
        mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query(params)?;
            let mut values = Vec::new();
            while values.len() < limit
                && let Some(row) = rows.next()?
            {
                values.extend(self.skip_corrupt(read(row))?);
            }
            Ok(values)
        })
    }

    /// Gives back the memory of the page cache, for callers that keep the snapshot while they wait for something else.
    pub(crate) fn release_memory(&self) -> Result<()> {
        self.read(|connection| {
            Ok(connection.prepare_cached("PRAGMA shrink_memory")?.query([])?.next().map(drop)?)
        })
    }

    /// One page of a list with `total` rows, and its total without rows that cannot be read.
    ///
    /// `rows` takes a limit and an offset. If the data is known to have corrupt values, it reads the whole list, so use
    /// this for lists of some thousand rows.
    pub(crate) fn page<T>(
        &self,
        total: u64,
        limit: u32,
        offset: Offset,
        rows: impl Fn(i64, i64) -> Result<Vec<T>>,
    ) -> Result<(Vec<T>, u64)> {
        let in_list = offset.get() < total;
        let page = if in_list { rows(limit.into(), offset.sql())? } else { Vec::new() };
        if !self.has_corrupt_values() {
            return Ok((page, total));
        }
        // A negative limit is none.
        let mut all = rows(-1, 0)?;
        let total = all.len() as u64;
        all.drain(..usize::try_from(offset.get()).unwrap_or(usize::MAX).min(all.len()));
        all.truncate(limit as usize);
        Ok((all, total))
    }

    pub(crate) fn has_corrupt_values(&self) -> bool {
        self.file.corrupt_values.is_in(&self.tag)
    }

    fn integrity(&self) -> Integrity {
        if self.has_corrupt_values() { Integrity::Corrupt } else { Integrity::Sound }
    }

    /// The value that was read; `None` if it is corrupt, which is counted.
    fn skip_corrupt<T>(&self, read: rusqlite::Result<T>) -> Result<Option<T>> {
        match read {
            Ok(value) => Ok(Some(value)),
            Err(err) if is_about_a_value(&err) => {
                self.file.corrupt_values.note(&self.tag);
                Ok(None)
            }
            Err(err) => Err(err.into()),
        }
    }

    /// The number that a query returns; 0 if it returns no row.
    pub(crate) fn count(&self, sql: &str, params: impl Params) -> Result<u64> {
        let number: Option<i64> = self.read(|connection| {
            Ok(connection.prepare_cached(sql)?.query_row(params, |row| row.get(0)).optional()?)
        })?;
        Ok(number.and_then(|number| u64::try_from(number).ok()).unwrap_or_default())
    }

    /// A value from the catalogue's own metadata.
    pub(crate) fn meta(&self, name: &str) -> Result<Option<String>> {
        self.note(read_meta(self.connection(), name))
    }
}

/// The rows of a long list, of which `read` returns the next ones, at most as many as it is given, until there are none.
pub(crate) fn in_batches<T>(
    mut read: impl FnMut(usize) -> Result<Vec<T>>,
) -> impl Iterator<Item = Result<T>> {
    // Small at first: many callers want no more than a few rows.
    const LARGEST: usize = 512;
    let (mut batch, mut ended, mut size) = (Vec::new().into_iter(), false, 16);
    std::iter::from_fn(move || {
        if batch.len() == 0 && !ended {
            size = LARGEST.min(2 * size);
            match read(size) {
                Ok(rows) => (ended, batch) = (rows.is_empty(), rows.into_iter()),
                Err(err) => {
                    ended = true;
                    return Some(Err(err));
                }
            }
        }
        batch.next().map(Ok)
    })
}

/// Whether data is known to have corrupt values: then lists have other totals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Integrity {
    Sound,
    Corrupt,
}

/// The fingerprint of a snapshot of these data.
pub(crate) fn fingerprint(data: u64, today: Date, plan: Plan, integrity: Integrity) -> u64 {
    // The data is a number of 64 random bits, so days and plans of the same data get different sums.
    let day = u64::from(today.day_number().unsigned_abs());
    let integrity = match integrity {
        Integrity::Sound => 0,
        Integrity::Corrupt => 1,
    };
    data.wrapping_add(day << 8 | (plan as u64) << 1 | integrity)
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        if let (Some(begun), Some(transaction)) = (self.reusable_since, self.transaction.take()) {
            self.file.idle.keep(begun, transaction);
        }
    }
}
