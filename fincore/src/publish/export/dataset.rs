//! The datasets that can be exported: their names, their rows, and how large each is.
use std::{fmt, str::FromStr};

use serde::Serialize;

use crate::{
    answers::{
        Cell, Heading,
        table::{self, headings},
    },
    companies::company,
    filings::filing::{self, day_of},
    market::{FxPairs, freshness, fx_pairs, series_definitions, whole_histories},
    publish::{
        RowSource,
        export::{
            BATCH_ROWS,
            companies::{Companies, Filings, Financials, Statements},
            market::MarketRows,
        },
    },
    statements::{FINANCIALS, STATEMENTS, batches},
    store::Snapshot,
    values::{Date, DateRange, Error, KeyRange, Resource, Result, SeriesId},
};

/// A dataset that can be exported.
///
/// ```
/// use fincore::export::Dataset;
///
/// assert_eq!("filings".parse::<Dataset>()?, Dataset::Filings);
/// assert_eq!("IGPM".parse::<Dataset>()?.to_string(), "igp-m");
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dataset {
    /// One series, by its number in SGS: rows of [`Rate`](crate::market::rows::Rate).
    One(u32),
    /// Every observation of every series.
    Series,
    /// Closing quotes of all currency pairs.
    Fx,
    /// Companies.
    Companies,
    /// Filings.
    Filings,
    /// Every value of every financial statement.
    Statements,
    /// The figures that compare companies.
    Financials,
}

/// The datasets that are not one series, and their names.
const NAMES: [(&str, Dataset); 6] = [
    (freshness::FX, Dataset::Fx),
    ("series", Dataset::Series),
    (company::DATASET, Dataset::Companies),
    (filing::DATASET, Dataset::Filings),
    (STATEMENTS, Dataset::Statements),
    (FINANCIALS, Dataset::Financials),
];

impl FromStr for Dataset {
    type Err = Error;

    /// Reads a name, or the number of a series, whether it has observations or not. Fails with
    /// [`Error::NotFound`] if there is no dataset with this name.
    fn from_str(text: &str) -> Result<Dataset> {
        let unknown = || Error::not_found(Resource::Dataset, text);
        let id: SeriesId = text.parse().map_err(|_| unknown())?;
        let named = NAMES.iter().find(|(name, _)| id.is_named(name));
        let series = || series_definitions::number(&id).map(Dataset::One);
        named.map(|(_, dataset)| *dataset).or_else(series).ok_or_else(unknown)
    }
}

impl fmt::Display for Dataset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dataset::One(number) => f.pad(&series_definitions::dataset(*number)),
            Dataset::Series => f.pad("series"),
            Dataset::Fx => f.pad(freshness::FX),
            Dataset::Companies => f.pad(company::DATASET),
            Dataset::Filings => f.pad(filing::DATASET),
            Dataset::Statements => f.pad(STATEMENTS),
            Dataset::Financials => f.pad(FINANCIALS),
        }
    }
}

/// Whether there is such a dataset: any number may be that of a series, but only some have observations.
pub(crate) fn exists(snapshot: &Snapshot, dataset: Dataset) -> Result<bool> {
    match dataset {
        Dataset::One(_) => Ok(newest(snapshot, dataset)?.is_some()),
        Dataset::Series
        | Dataset::Fx
        | Dataset::Companies
        | Dataset::Filings
        | Dataset::Statements
        | Dataset::Financials => Ok(true),
    }
}

/// The rows of a dataset in a range of days.
pub(crate) fn row_source(
    snapshot: &Snapshot,
    dataset: Dataset,
    days: DateRange,
) -> Result<Box<dyn RowSource>> {
    Ok(match dataset {
        Dataset::One(number) => Box::new(MarketRows::one(snapshot, number, days)),
        Dataset::Series => Box::new(MarketRows::series(snapshot, days)?),
        Dataset::Fx => Box::new(MarketRows::fx(snapshot, days)?),
        Dataset::Companies => Box::new(Companies::default()),
        Dataset::Filings => Box::new(Filings::new(days)),
        Dataset::Statements => Box::new(Statements::new(days)),
        Dataset::Financials => Box::new(Financials::new(days)),
    })
}

/// The number of rows that can be read.
pub(crate) fn total(snapshot: &Snapshot, dataset: Dataset, days: DateRange) -> Result<u64> {
    let mut source = row_source(snapshot, dataset, days)?;
    if !snapshot.has_corrupt_values() {
        return source.count(snapshot);
    }
    let mut total = 0;
    let mut count = |_: &[Cell<'_>]| {
        total += 1;
        Ok(())
    };
    while source.next_rows(snapshot, BATCH_ROWS, &mut count)? {}
    Ok(total)
}

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

/// Every dataset that holds rows: Selic, CDI and IPCA, the other series by number, then `fx`, `series`, `companies`,
/// `filings`, `statements` and `financials`.
///
/// The first call after the data or the date has changed reads much of the data, which takes up to some seconds; other
/// threads wait for the result.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// let sizes = fincore::export::sizes(&catalogue.snapshot("2026-10-05".parse()?)?)?;
/// let names: Vec<&str> = sizes.iter().map(|dataset| &*dataset.dataset).collect();
/// assert!(names.starts_with(&["selic", "cdi", "ipca"]));
/// assert!(names.ends_with(&["companies", "filings", "statements", "financials"]));
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn sizes(snapshot: &Snapshot) -> Result<Vec<DatasetSize>> {
    snapshot.memo_of_rows(|_| measure_all(snapshot)).map(|sizes| sizes.to_vec())
}

/// Above this many rows, the length is estimated.
///
/// An exact length would mean to render 1.5 million filings for a list.
const EXACT_ROWS: u64 = 100_000;

/// How many rows an estimate reads, and from how many days of filings it takes them.
const SAMPLE_ROWS: u64 = 5_000;
const SAMPLE_DAYS: u64 = 50;

pub(crate) fn measure_all(snapshot: &Snapshot) -> Result<Vec<DatasetSize>> {
    let mut numbers = whole_histories::numbers(snapshot)?;
    // The best known ones come first.
    let first = |number: u32| {
        ["selic", "cdi", "ipca"]
            .iter()
            .position(|name| series_definitions::dataset(number) == *name)
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
    snapshot.release_memory()?;
    Ok(datasets)
}

/// `None` for a dataset without rows.
fn measure_one(snapshot: &Snapshot, dataset: Dataset) -> Result<Option<DatasetSize>> {
    let days = DateRange::new(None, None)?;
    let rows = total(snapshot, dataset, days)?;
    if rows == 0 {
        return Ok(None);
    }
    let bytes = match dataset {
        Dataset::Fx if rows > EXACT_ROWS => quotes_length(snapshot, days)?,
        Dataset::Filings if rows > EXACT_ROWS => filings_length(snapshot, rows)?,
        Dataset::Statements | Dataset::Financials if rows > EXACT_ROWS => {
            let sample = &mut *row_source(snapshot, dataset, days)?;
            length(snapshot, sample, SAMPLE_ROWS)?.scale_to(rows)
        }
        Dataset::One(_)
        | Dataset::Series
        | Dataset::Fx
        | Dataset::Companies
        | Dataset::Filings
        | Dataset::Statements
        | Dataset::Financials => {
            length(snapshot, &mut *row_source(snapshot, dataset, days)?, u64::MAX)?.bytes
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
        let headings = headings::<whole_histories::Observation>();
        let key = [Cell::Integer(number.into()), Cell::Text(series_definitions::dataset(number))];
        let mut line = Vec::new();
        table::write_row(&headings[..key.len()], &key, &mut line)?;
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
            table::write_row(&headings, cells, &mut line)?;
            length.rows += 1;
            length.bytes += line.len() as u64;
            Ok(())
        })?;
    }
    Ok(length)
}

/// Estimates the length of all quotes: those of one currency are about equally long.
fn quotes_length(snapshot: &Snapshot, days: DateRange) -> Result<u64> {
    let currencies = whole_histories::currencies(snapshot)?;
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
            whole_histories::rates(snapshot, number, days, 1)?.first().map(|rate| rate.date)
        }
        Dataset::Fx => {
            let pairs = fx_pairs(snapshot, FxPairs::default())?.data;
            pairs.into_iter().map(|covered| covered.to).max()
        }
        Dataset::Filings => {
            filing::read_range(snapshot, KeyRange::ALL, 1)?.first().map(|filing| filing.date)
        }
        Dataset::Statements | Dataset::Financials => batches::newest_end(snapshot)?,
        Dataset::Series | Dataset::Companies => None,
    })
}
