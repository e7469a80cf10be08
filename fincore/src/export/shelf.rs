//! Which datasets there are, and how much an export of each holds: measured once for each state of the data.
use std::sync::Mutex;

use serde::Serialize;

use super::{Dataset, PART, dataset, market::Market, registry::Filings, source::Source};
use crate::{
    catalogue::Snapshot,
    error::Result,
    filings::{self, parts::day_of},
    lock::lock,
    market::{FxPairs, fx_pairs, parts},
    table::{Cell, Heading, headings, ndjson},
    types::{Date, DateRange, first_key, last_key},
};

/// A dataset, and what an export of it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Exportable {
    /// Its name: `selic`.
    pub dataset: String,
    /// The number of its rows.
    pub rows: u64,
    /// The day of its newest row, if it is dated.
    pub newest: Option<Date>,
    /// The length of it as NDJSON, uncompressed. Above 100,000 rows it is estimated.
    pub bytes: u64,
}

/// Tells every dataset again and again, and measures them only when the data or the date has changed. One serves all
/// threads.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
/// # fincore::bundle::fill(&catalogue)?;
/// let shelf = fincore::export::Shelf::default();
/// let datasets = shelf.list(&catalogue.snapshot("2026-10-05".parse()?)?)?;
/// let names: Vec<&str> = datasets.iter().map(|dataset| &*dataset.dataset).collect();
/// assert!(names.starts_with(&["selic", "cdi", "ipca"]));
/// assert!(names.ends_with(&["fx", "series", "companies", "filings"]));
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Shelf {
    last: Mutex<Option<Measured>>,
}

/// What was found, and in which data on which date.
#[derive(Debug)]
struct Measured {
    tag: String,
    today: Date,
    datasets: Vec<Exportable>,
}

impl Shelf {
    /// Every dataset that holds rows: Selic, CDI and IPCA, the other series by number, then `fx`, `series`,
    /// `companies` and `filings`.
    ///
    /// The first call after a change reads much of the data, which takes up to some seconds; who comes meanwhile waits
    /// for the result.
    pub fn list(&self, snapshot: &Snapshot) -> Result<Vec<Exportable>> {
        let mut last = lock(&self.last);
        let (tag, today) = (snapshot.tag(), snapshot.today());
        if let Some(measured) = &*last
            && (measured.tag == tag && measured.today == today)
        {
            return Ok(measured.datasets.clone());
        }
        let datasets = measure(snapshot)?;
        let measured = Measured { tag: tag.to_owned(), today, datasets: datasets.clone() };
        *last = Some(measured);
        snapshot.rest()?;
        Ok(datasets)
    }
}

/// Above this many rows, the length is estimated.
const EXACT_ROWS: u64 = 100_000;

/// How many rows an estimate reads, and in how many places it takes them.
const SAMPLE: u64 = 5_000;
const PLACES: u64 = 50;

fn measure(snapshot: &Snapshot) -> Result<Vec<Exportable>> {
    let mut numbers = parts::numbers(snapshot)?;
    // The best known ones come first.
    let first = |number: u32| {
        ["selic", "cdi", "ipca"].iter().position(|name| parts::name_of(number) == *name)
    };
    numbers.sort_by_key(|number| (first(*number).unwrap_or(usize::MAX), *number));
    let mut datasets = Vec::new();
    let mut series = Sum::default();
    for number in numbers {
        if let Some(one) = exportable(snapshot, Dataset::One(number))? {
            series.add(number, &one)?;
            datasets.push(one);
        }
    }
    datasets.extend(exportable(snapshot, Dataset::Fx)?);
    datasets.extend(series.told());
    datasets.extend(exportable(snapshot, Dataset::Companies)?);
    datasets.extend(exportable(snapshot, Dataset::Filings)?);
    Ok(datasets)
}

/// `None` for a dataset without rows.
fn exportable(snapshot: &Snapshot, dataset: Dataset) -> Result<Option<Exportable>> {
    let days = DateRange::new(None, None)?;
    let rows = dataset::total(snapshot, dataset, days)?;
    if rows == 0 {
        return Ok(None);
    }
    let bytes = match dataset {
        Dataset::Fx if rows > EXACT_ROWS => quotes_length(snapshot, days)?,
        Dataset::Filings if rows > EXACT_ROWS => filings_length(snapshot, rows)?,
        Dataset::One(_) | Dataset::Series | Dataset::Fx | Dataset::Companies | Dataset::Filings => {
            length(snapshot, &mut *dataset::rows(snapshot, dataset, days)?, u64::MAX)?.bytes
        }
    };
    let newest = newest(snapshot, dataset)?;
    Ok(Some(Exportable { dataset: dataset.to_string(), rows, newest, bytes }))
}

/// Every series in one dataset: the rows of each, with its number and name before the day.
#[derive(Default)]
struct Sum {
    rows: u64,
    newest: Option<Date>,
    bytes: u64,
}

impl Sum {
    fn add(&mut self, number: u32, one: &Exportable) -> Result<()> {
        let headings = headings::<parts::Observation>();
        let key = [Cell::Integer(number.into()), Cell::Text(parts::name_of(number))];
        let mut line = Vec::new();
        ndjson::write_row(&headings[..key.len()], &key, &mut line)?;
        // The braces and the end of the line are there already; the comma after the key takes the place of one brace.
        let longer = line.len() as u64 - 2;
        self.rows += one.rows;
        self.newest = self.newest.max(one.newest);
        self.bytes += one.bytes + one.rows * longer;
        Ok(())
    }

    fn told(self) -> Option<Exportable> {
        let Sum { rows, newest, bytes } = self;
        let dataset = Dataset::Series.to_string();
        (rows > 0).then_some(Exportable { dataset, rows, newest, bytes })
    }
}

/// Some rows as NDJSON.
#[derive(Default)]
struct Length {
    rows: u64,
    bytes: u64,
}

impl Length {
    /// The length of so many rows like these.
    fn scaled(&self, rows: u64) -> u64 {
        (self.bytes * rows).checked_div(self.rows).unwrap_or_default()
    }
}

/// The length of the first rows, at most so many.
fn length(snapshot: &Snapshot, source: &mut dyn Source, limit: u64) -> Result<Length> {
    let headings: Vec<Heading> = source.headings();
    let (mut length, mut line) = (Length::default(), Vec::new());
    let mut more = true;
    while more && length.rows < limit {
        let part = usize::try_from(limit - length.rows).unwrap_or(PART).min(PART);
        more = source.part(snapshot, part, &mut |cells| {
            line.clear();
            ndjson::write_row(&headings, cells, &mut line)?;
            length.rows += 1;
            length.bytes += line.len() as u64;
            Ok(())
        })?;
    }
    Ok(length)
}

/// Quotes of one currency are about as long as one another.
fn quotes_length(snapshot: &Snapshot, days: DateRange) -> Result<u64> {
    let currencies = parts::currencies(snapshot)?;
    let sample = (SAMPLE / currencies.len().max(1) as u64).max(1);
    let mut bytes = 0;
    for currency in currencies {
        let mut quotes = Market::quotes(snapshot, currency, days);
        let rows = quotes.count(snapshot)?;
        bytes += length(snapshot, &mut quotes, sample)?.scaled(rows);
    }
    Ok(bytes)
}

/// Some filings of days that have about as many filings between one another.
fn filings_length(snapshot: &Snapshot, rows: u64) -> Result<u64> {
    let mut sample = Length::default();
    for place in 0..PLACES {
        let day = day_of(snapshot, rows * (2 * place + 1) / (2 * PLACES))?;
        let mut filings = Filings::new(DateRange::new(None, day)?);
        let Length { rows, bytes } = length(snapshot, &mut filings, SAMPLE / PLACES)?;
        sample.rows += rows;
        sample.bytes += bytes;
    }
    Ok(sample.scaled(rows))
}

/// The newest day of a dataset.
fn newest(snapshot: &Snapshot, dataset: Dataset) -> Result<Option<Date>> {
    Ok(match dataset {
        Dataset::One(number) => {
            let days = (Date::MIN, snapshot.today());
            parts::rates(snapshot, number, days, 1)?.first().map(|rate| rate.date)
        }
        Dataset::Fx => {
            let pairs = fx_pairs(snapshot, FxPairs::default())?.data;
            pairs.into_iter().map(|covered| covered.to).max()
        }
        Dataset::Filings => {
            let keys = (first_key(Date::MIN), last_key(Date::MAX));
            filings::parts::part(snapshot, keys, 1)?.first().map(|filing| filing.date)
        }
        Dataset::Series | Dataset::Companies => None,
    })
}
