//! The datasets of a catalogue, and how fresh each one is.
//!
//! [`status`] lists every [`Dataset`] with its newest observation, the newest that its source must have published by
//! the snapshot's date, and how synchronising it went.
//!
//! ```
//! # let dir = tempfile::tempdir().unwrap();
//! # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
//! # fincore::bundle::fill(&catalogue)?;
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
    freshness::{self, Due, Note},
    market::{
        self,
        freshness::{FX, Held, expected, expected_quote, is_stale, newest_quote},
        known::{KNOWN, Known},
    },
    types::{Date, Limit, Pair},
};

mod facts;
#[cfg(test)]
#[cfg(feature = "import")]
mod tests;

use facts::Facts;
pub use facts::Watch;

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
    /// When that was last tried.
    pub last_attempt: Option<DateTime<Utc>>,
    /// What went wrong at the last try, in words.
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
/// observations or if somebody tried to get some. Counts rows, which takes milliseconds, and a tenth of a second
/// where there are a million; a [`Watch`] does that only once.
pub fn status(snapshot: &Snapshot) -> Result<Status> {
    told(snapshot, &Facts::read(snapshot)?)
}

fn told(snapshot: &Snapshot, facts: &Facts) -> Result<Status> {
    let mut data = Vec::new();
    for known in KNOWN.iter().filter(|known| known.quote.is_none()) {
        let held = facts.series.iter().find(|series| series.number == known.number);
        data.extend(known_series(snapshot, known, held)?);
    }
    for series in facts.series.iter().filter(|series| market::known::known(series.number).is_none())
    {
        let name = Cow::Owned(format!("SGS {}", series.number));
        data.push(of_series(snapshot, series, name)?);
    }
    data.push(exchange_rates(snapshot, facts)?);
    data.push(companies(snapshot, facts)?);
    data.push(filings(snapshot)?);
    let stale = data.iter().any(|dataset| dataset.stale);
    Ok(Status { stale, today: snapshot.today(), total: data.len(), data })
}

/// Series of which the service speaks even where it has nothing of them.
const ALWAYS: [&str; 3] = ["selic", "cdi", "ipca"];

fn known_series(
    snapshot: &Snapshot,
    known: &Known,
    held: Option<&Held>,
) -> Result<Option<Dataset>> {
    let (number, name) = (known.number, known.name);
    let tried = || Ok::<_, Error>(freshness::note(snapshot, name)?.tried_at.is_some());
    let empty = Held { number, rows: 0, newest: None, source: format!("BCB SGS {number}") };
    let series = match held {
        Some(series) => series,
        None if ALWAYS.contains(&name) || tried()? => &empty,
        None => return Ok(None),
    };
    of_series(snapshot, series, known.title.en.into()).map(Some)
}

fn of_series(snapshot: &Snapshot, series: &Held, name: Cow<'static, str>) -> Result<Dataset> {
    let dataset = market::known::dataset(series.number);
    let note = freshness::note(snapshot, &dataset)?;
    let found = Found {
        newest: series.newest,
        expected: expected(snapshot, series.number)?,
        rows: series.rows,
    };
    Ok(found.of(dataset, name, series.source.clone().into(), note))
}

fn exchange_rates(snapshot: &Snapshot, facts: &Facts) -> Result<Dataset> {
    let found = Found {
        newest: newest_quote(snapshot, Pair::default())?,
        expected: Some(expected_quote(snapshot.today())),
        rows: facts.quotes,
    };
    let note = freshness::note(snapshot, FX)?;
    Ok(found.of(FX.into(), "Exchange rates, PTAX closing".into(), market::PTAX.into(), note))
}

/// The registry of companies.
fn companies(snapshot: &Snapshot, facts: &Facts) -> Result<Dataset> {
    const DATASET: &str = companies::DATASET;
    let (note, newest) = (freshness::note(snapshot, DATASET)?, facts.newest_event);
    let expected = freshness::expected_event(snapshot.today(), newest, note.looked());
    let found = Found { newest, expected: Some(expected), rows: facts.companies };
    Ok(found.of(DATASET.into(), "Public companies".into(), companies::SOURCE.into(), note))
}

/// The freshness of the filings alone, which costs microseconds.
pub fn filings(snapshot: &Snapshot) -> Result<Dataset> {
    const DATASET: &str = filings::DATASET;
    let (today, limit) = (snapshot.today(), Limit::new(1)?);
    let newest =
        filings::list(snapshot, filings::List { to: Some(today), limit, ..Default::default() })?;
    let found = Found {
        newest: newest.data.first().map(|filing| filing.date),
        expected: Some(Due::Weekly.expected(today)),
        rows: newest.total,
    };
    let note = freshness::note(snapshot, DATASET)?;
    Ok(found.of(DATASET.into(), "Filings of public companies".into(), filings::SOURCE.into(), note))
}

/// What the rows of a dataset say.
struct Found {
    newest: Option<Date>,
    expected: Option<Date>,
    rows: u64,
}

impl Found {
    fn of(
        self,
        dataset: Cow<'static, str>,
        name: Cow<'static, str>,
        source: Cow<'static, str>,
        note: Note,
    ) -> Dataset {
        let Found { newest, expected, rows } = self;
        Dataset {
            dataset,
            name,
            newest,
            expected,
            stale: is_stale(newest, expected),
            updated_at: note.updated_at,
            last_success: note.succeeded_at,
            last_attempt: note.tried_at,
            error: note.error,
            rows,
            source,
            licence: LICENCE,
        }
    }
}
