//! The datasets of a catalogue, and how fresh each one is.
//!
//! [`status`] lists every [`Dataset`] with its newest observation, the newest that its source must have published by
//! the snapshot's date, and how synchronising it went.
//!
//! ```
//! # let dir = tempfile::tempdir().unwrap();
//! # let catalogue = fincore::bundle::filled_copy(dir.path())?;
//! let snapshot = catalogue.snapshot("2026-11-15".parse()?)?;
//! let status = fincore::datasets::status(&snapshot)?;
//! let selic = &status.data[0];
//! assert_eq!((&*selic.dataset, selic.stale), ("selic", true));
//! assert_eq!((selic.newest, selic.expected), (Some("2026-11-04".parse()?), Some("2026-11-15".parse()?)));
//! # Ok::<(), fincore::Error>(())
//! ```
use std::borrow::Cow;

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::{
    answers::LICENCE,
    catalogue::Snapshot,
    companies,
    error::{Error, Result},
    filings,
    freshness::{self, PublicationSchedule, SyncRecord},
    market::{
        self,
        freshness::{FX, StoredSeries, expected_quote, is_stale, newest_expected},
        quotes::newest_day,
        series_definitions::{DEFINITIONS, SeriesDefinition},
    },
    types::{Date, Limit, Pair},
};

mod row_counts;
mod status_cache;
#[cfg(test)]
#[cfg(feature = "import")]
mod tests;

use row_counts::RowCounts;
pub use status_cache::StatusCache;

/// How fresh the data is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Status {
    /// Whether any dataset is stale.
    pub stale: bool,
    /// The snapshot's date, by which that is decided.
    pub today: Date,
    /// Every dataset: Selic, CDI and IPCA, other series, exchange rates, companies, filings.
    pub data: Vec<Dataset>,
    /// Their number.
    pub total: usize,
}

/// A dataset and how fresh it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Dataset {
    /// Its name in addresses, on the command line and in the change log: `selic`, `fx`. A series without a name
    /// has its number.
    pub dataset: Cow<'static, str>,
    /// What it is, in words.
    pub name: Cow<'static, str>,
    /// The day of its newest observation up to the snapshot's date; `None` if it is empty. For monthly series the
    /// first day of the month, for companies the newest event, for filings the newest delivery, and for
    /// exchange rates the newest closing quote of the dollar.
    pub newest: Option<Date>,
    /// The day of the newest observation that its source must have published by now; `None` if its rhythm is not
    /// known.
    pub expected: Option<Date>,
    /// Whether `newest` is before `expected`.
    pub stale: bool,
    /// When its rows last changed here.
    pub updated_at: Option<DateTime<Utc>>,
    /// When it was last synchronised with its source.
    pub last_success: Option<DateTime<Utc>>,
    /// When that was last attempted.
    pub last_attempt: Option<DateTime<Utc>>,
    /// What went wrong at the last attempt, in words.
    pub error: Option<String>,
    /// The number of its rows up to the snapshot's date; of exchange rates, the quotes with both sides.
    pub rows: u64,
    /// Publisher and dataset: `BCB SGS 432`.
    pub source: Cow<'static, str>,
    /// The licence of the data, as an SPDX identifier.
    pub licence: &'static str,
}

/// All datasets, each with its freshness.
///
/// The three best-known series, exchange rates, companies and filings are always listed, other series if they have
/// observations or if an attempt was made to synchronise them. Counts rows, which takes milliseconds, or a tenth of a
/// second for a million rows; a [`StatusCache`] does that only once.
pub fn status(snapshot: &Snapshot) -> Result<Status> {
    status_with(snapshot, &RowCounts::read(snapshot)?)
}

/// The status, with these row counts.
fn status_with(snapshot: &Snapshot, counts: &RowCounts) -> Result<Status> {
    let mut data = Vec::new();
    for definition in DEFINITIONS.iter().filter(|series| series.quote.is_none()) {
        let held = counts.series.iter().find(|series| series.number == definition.number);
        data.extend(defined_series(snapshot, definition, held)?);
    }
    for series in counts
        .series
        .iter()
        .filter(|series| market::series_definitions::definition(series.number).is_none())
    {
        let name = Cow::Owned(format!("SGS {}", series.number));
        data.push(series_dataset(snapshot, series, name)?);
    }
    data.push(exchange_rates(snapshot, counts)?);
    data.push(companies(snapshot, counts)?);
    data.push(filings(snapshot)?);
    let stale = data.iter().any(|dataset| dataset.stale);
    Ok(Status { stale, today: snapshot.today(), total: data.len(), data })
}

/// Series that are listed even without observations.
const ALWAYS: [&str; 3] = ["selic", "cdi", "ipca"];

fn defined_series(
    snapshot: &Snapshot,
    definition: &SeriesDefinition,
    held: Option<&StoredSeries>,
) -> Result<Option<Dataset>> {
    let (number, name) = (definition.number, definition.name);
    let tried = || Ok::<_, Error>(freshness::sync_record(snapshot, name)?.tried_at.is_some());
    let empty = StoredSeries { number, rows: 0, newest: None, source: format!("BCB SGS {number}") };
    let series = match held {
        Some(series) => series,
        None if ALWAYS.contains(&name) || tried()? => &empty,
        None => return Ok(None),
    };
    series_dataset(snapshot, series, definition.title.en.into()).map(Some)
}

fn series_dataset(
    snapshot: &Snapshot,
    series: &StoredSeries,
    name: Cow<'static, str>,
) -> Result<Dataset> {
    let dataset = market::series_definitions::dataset(series.number);
    let sync = freshness::sync_record(snapshot, &dataset)?;
    let rows = DatasetRows {
        newest: series.newest,
        expected: newest_expected(snapshot, series.number)?,
        rows: series.rows,
    };
    Ok(rows.dataset(dataset, name, series.source.clone().into(), sync))
}

fn exchange_rates(snapshot: &Snapshot, counts: &RowCounts) -> Result<Dataset> {
    let rows = DatasetRows {
        newest: newest_day(snapshot, Pair::default())?,
        expected: Some(expected_quote(snapshot.today())),
        rows: counts.quotes,
    };
    let sync = freshness::sync_record(snapshot, FX)?;
    Ok(rows.dataset(FX.into(), "Exchange rates, PTAX closing".into(), market::PTAX.into(), sync))
}

/// The registry of companies.
fn companies(snapshot: &Snapshot, counts: &RowCounts) -> Result<Dataset> {
    const DATASET: &str = companies::DATASET;
    let (sync, newest) = (freshness::sync_record(snapshot, DATASET)?, counts.newest_event);
    let expected = freshness::expected_event(snapshot.today(), newest, sync.last_checked_on());
    let rows = DatasetRows { newest, expected: Some(expected), rows: counts.companies };
    Ok(rows.dataset(DATASET.into(), "Public companies".into(), companies::SOURCE.into(), sync))
}

/// The freshness of the filings alone, which costs microseconds.
pub fn filings(snapshot: &Snapshot) -> Result<Dataset> {
    const DATASET: &str = filings::DATASET;
    let (today, limit) = (snapshot.today(), Limit::new(1)?);
    let newest =
        filings::list(snapshot, filings::List { to: Some(today), limit, ..Default::default() })?;
    let rows = DatasetRows {
        newest: newest.data.first().map(|filing| filing.date),
        expected: Some(PublicationSchedule::Weekly.newest_expected(today)),
        rows: newest.total,
    };
    let sync = freshness::sync_record(snapshot, DATASET)?;
    Ok(rows.dataset(
        DATASET.into(),
        "Filings of public companies".into(),
        filings::SOURCE.into(),
        sync,
    ))
}

/// How many rows a dataset has, how new they are, and how new they should be.
struct DatasetRows {
    newest: Option<Date>,
    expected: Option<Date>,
    rows: u64,
}

impl DatasetRows {
    /// The dataset that has these rows.
    fn dataset(
        self,
        dataset: Cow<'static, str>,
        name: Cow<'static, str>,
        source: Cow<'static, str>,
        sync: SyncRecord,
    ) -> Dataset {
        let DatasetRows { newest, expected, rows } = self;
        Dataset {
            dataset,
            name,
            newest,
            expected,
            stale: is_stale(newest, expected),
            updated_at: sync.updated_at,
            last_success: sync.succeeded_at,
            last_attempt: sync.tried_at,
            error: sync.error,
            rows,
            source,
            licence: LICENCE,
        }
    }
}
