//! The rows and bytes of each dataset, measured once for each state of the data.
use std::sync::Mutex;

use serde::Serialize;

use super::{
    dataset::{self, Dataset},
    market::MarketRows,
    registry::Filings,
    row_source::{BATCH_ROWS, RowSource},
};
use crate::{
    catalogue::{KnownData, Snapshot},
    error::Result,
    filings::{self, batches::day_of},
    lock::lock,
    market::{FxPairs, batches, fx_pairs},
    statements,
    table::{Cell, Heading, headings, ndjson},
    types::{Date, DateRange, first_key, last_key},
};

/// How much an export of a dataset holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DatasetSize {
    /// Its name: `selic`.
    pub dataset: String,
    /// The number of its rows.
    pub rows: u64,
    /// The day of its newest row, if it is dated.
    pub newest: Option<Date>,
    /// The length of it as NDJSON, uncompressed. Above 100,000 rows it is estimated.
    pub bytes: u64,
}

/// The sizes of all datasets, measured only when the data, the date or what is known of the data has changed. All threads share one.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// let sizes = fincore::export::DatasetSizes::default();
/// let datasets = sizes.list(&catalogue.snapshot("2026-10-05".parse()?)?)?;
/// let names: Vec<&str> = datasets.iter().map(|dataset| &*dataset.dataset).collect();
/// assert!(names.starts_with(&["selic", "cdi", "ipca"]));
/// assert!(names.ends_with(&["companies", "filings", "statements", "financials"]));
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct DatasetSizes {
    last: Mutex<Option<Measured>>,
}

/// The sizes, and the data that they were measured for.
#[derive(Debug)]
struct Measured {
    data: KnownData,
    datasets: Vec<DatasetSize>,
}

impl DatasetSizes {
    /// Every dataset that holds rows: Selic, CDI and IPCA, the other series by number, then `fx`, `series`,
    /// `companies`, `filings`, `statements` and `financials`.
    ///
    /// The first call after a change reads much of the data, which takes up to some seconds; other threads wait for the
    /// result.
    pub fn list(&self, snapshot: &Snapshot) -> Result<Vec<DatasetSize>> {
        let mut last = lock(&self.last);
        let data = snapshot.known_data();
        if let Some(measured) = &*last
            && measured.data == data
        {
            return Ok(measured.datasets.clone());
        }
        let datasets = measure_all(snapshot)?;
        let measured = Measured { data, datasets: datasets.clone() };
        *last = Some(measured);
        snapshot.release_memory()?;
        Ok(datasets)
    }
}

/// Above this many rows, the length is estimated.
///
/// An exact length would mean to render 1.5 million filings for a list.
const EXACT_ROWS: u64 = 100_000;

/// How many rows an estimate reads, and from how many days of filings it takes them.
const SAMPLE_ROWS: u64 = 5_000;
const SAMPLE_DAYS: u64 = 50;

fn measure_all(snapshot: &Snapshot) -> Result<Vec<DatasetSize>> {
    let mut numbers = batches::numbers(snapshot)?;
    // The best known ones come first.
    let first = |number: u32| {
        ["selic", "cdi", "ipca"].iter().position(|name| batches::name_of(number) == *name)
    };
    numbers.sort_by_key(|number| (first(*number).unwrap_or(usize::MAX), *number));
    let mut datasets = Vec::new();
    let mut series = AllSeries::default();
    for number in numbers {
        if let Some(one) = measure_one(snapshot, Dataset::One(number))? {
            series.add(number, &one)?;
            datasets.push(one);
        }
    }
    datasets.extend(measure_one(snapshot, Dataset::Fx)?);
    datasets.extend(series.into_size());
    datasets.extend(measure_one(snapshot, Dataset::Companies)?);
    datasets.extend(measure_one(snapshot, Dataset::Filings)?);
    datasets.extend(measure_one(snapshot, Dataset::Statements)?);
    datasets.extend(measure_one(snapshot, Dataset::Financials)?);
    Ok(datasets)
}

/// `None` for a dataset without rows.
fn measure_one(snapshot: &Snapshot, dataset: Dataset) -> Result<Option<DatasetSize>> {
    let days = DateRange::new(None, None)?;
    let rows = dataset::total(snapshot, dataset, days)?;
    if rows == 0 {
        return Ok(None);
    }
    let bytes = match dataset {
        Dataset::Fx if rows > EXACT_ROWS => quotes_length(snapshot, days)?,
        Dataset::Filings if rows > EXACT_ROWS => filings_length(snapshot, rows)?,
        Dataset::Statements | Dataset::Financials if rows > EXACT_ROWS => {
            let sample = &mut *dataset::rows(snapshot, dataset, days)?;
            length(snapshot, sample, SAMPLE_ROWS)?.scale_to(rows)
        }
        Dataset::One(_)
        | Dataset::Series
        | Dataset::Fx
        | Dataset::Companies
        | Dataset::Filings
        | Dataset::Statements
        | Dataset::Financials => {
            length(snapshot, &mut *dataset::rows(snapshot, dataset, days)?, u64::MAX)?.bytes
        }
    };
    let newest = newest(snapshot, dataset)?;
    Ok(Some(DatasetSize { dataset: dataset.to_string(), rows, newest, bytes }))
}

/// Every series in one dataset: the rows of each, with its number and name before the day.
#[derive(Default)]
struct AllSeries {
    rows: u64,
    newest: Option<Date>,
    bytes: u64,
}

impl AllSeries {
    fn add(&mut self, number: u32, one: &DatasetSize) -> Result<()> {
        let headings = headings::<batches::Observation>();
        let key = [Cell::Integer(number.into()), Cell::Text(batches::name_of(number))];
        let mut line = Vec::new();
        ndjson::write_row(&headings[..key.len()], &key, &mut line)?;
        // The braces and the end of the line are there already; the comma after the key takes the place of one brace.
        let longer = line.len() as u64 - 2;
        self.rows += one.rows;
        self.newest = self.newest.max(one.newest);
        self.bytes += one.bytes + one.rows * longer;
        Ok(())
    }

    fn into_size(self) -> Option<DatasetSize> {
        let AllSeries { rows, newest, bytes } = self;
        let dataset = Dataset::Series.to_string();
        (rows > 0).then_some(DatasetSize { dataset, rows, newest, bytes })
    }
}

/// The length of some rows as NDJSON.
#[derive(Default)]
struct Length {
    rows: u64,
    bytes: u64,
}

impl Length {
    /// The length that `rows` rows like these have.
    fn scale_to(&self, rows: u64) -> u64 {
        (self.bytes * rows).checked_div(self.rows).unwrap_or_default()
    }
}

/// The length of the first rows, at most `limit`.
fn length(snapshot: &Snapshot, source: &mut dyn RowSource, limit: u64) -> Result<Length> {
    let headings: Vec<Heading> = source.headings();
    let (mut length, mut line) = (Length::default(), Vec::new());
    let mut more = true;
    while more && length.rows < limit {
        let part = usize::try_from(limit - length.rows).unwrap_or(BATCH_ROWS).min(BATCH_ROWS);
        more = source.next_rows(snapshot, part, &mut |cells| {
            line.clear();
            ndjson::write_row(&headings, cells, &mut line)?;
            length.rows += 1;
            length.bytes += line.len() as u64;
            Ok(())
        })?;
    }
    Ok(length)
}

/// Estimates the length of all quotes: those of one currency are about equally long.
fn quotes_length(snapshot: &Snapshot, days: DateRange) -> Result<u64> {
    let currencies = batches::currencies(snapshot)?;
    let sample = (SAMPLE_ROWS / currencies.len().max(1) as u64).max(1);
    let mut bytes = 0;
    for currency in currencies {
        let mut quotes = MarketRows::quotes(snapshot, currency, days);
        let rows = quotes.count(snapshot)?;
        bytes += length(snapshot, &mut quotes, sample)?.scale_to(rows);
    }
    Ok(bytes)
}

/// Estimates the length of all filings from some of days with about equally many filings between them.
fn filings_length(snapshot: &Snapshot, rows: u64) -> Result<u64> {
    let mut sample = Length::default();
    for sample_day in 0..SAMPLE_DAYS {
        let day = day_of(snapshot, rows * (2 * sample_day + 1) / (2 * SAMPLE_DAYS))?;
        let mut filings = Filings::new(DateRange::new(None, day)?);
        let Length { rows, bytes } = length(snapshot, &mut filings, SAMPLE_ROWS / SAMPLE_DAYS)?;
        sample.rows += rows;
        sample.bytes += bytes;
    }
    Ok(sample.scale_to(rows))
}

/// The newest day of a dataset.
fn newest(snapshot: &Snapshot, dataset: Dataset) -> Result<Option<Date>> {
    Ok(match dataset {
        Dataset::One(number) => {
            let days = (Date::MIN, snapshot.today());
            batches::rates(snapshot, number, days, 1)?.first().map(|rate| rate.date)
        }
        Dataset::Fx => {
            let pairs = fx_pairs(snapshot, FxPairs::default())?.data;
            pairs.into_iter().map(|covered| covered.to).max()
        }
        Dataset::Filings => {
            let keys = (first_key(Date::MIN), last_key(Date::MAX));
            filings::batches::read(snapshot, keys, 1)?.first().map(|filing| filing.date)
        }
        Dataset::Statements | Dataset::Financials => statements::batches::newest_end(snapshot)?,
        Dataset::Series | Dataset::Companies => None,
    })
}
