//! The datasets of a catalogue, and how recent each one is.
//!
//! [`newest`] lists every [`Dataset`] with its newest date, for a status page or a check that imports
//! still run.
//!
//! ```
//! # let dir = tempfile::tempdir().unwrap();
//! # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
//! # fincore::bundle::fill(&catalogue)?;
//! let snapshot = catalogue.snapshot("2026-11-15".parse()?)?;
//! let newest = fincore::datasets::newest(&snapshot)?;
//! assert_eq!((newest[0].name, newest[0].newest), ("Selic", Some("2026-11-04".parse()?)));
//! # Ok::<(), fincore::Error>(())
//! ```
use crate::{
    answers::Sourced,
    catalogue::Snapshot,
    error::{Error, Result},
    filings, market,
    sqlite::parsed,
    types::{Date, Limit},
};

/// A dataset and its newest date.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dataset {
    /// Its name.
    pub name: &'static str,
    /// The newest date up to the snapshot's; `None` if the dataset is empty.
    pub newest: Option<Date>,
}

/// All datasets, each with its newest date.
pub fn newest(snapshot: &Snapshot) -> Result<Vec<Dataset>> {
    let rate = |current: Result<Sourced<market::Rate>>| found(current.map(|rate| rate.date));
    let dollar = market::fx_current(snapshot, market::FxCurrent::default());
    let latest = filings::recent(snapshot, filings::Recent { limit: Limit::new(1)? })?;
    let of = |name, newest| Dataset { name, newest };
    Ok(vec![
        of("Selic", rate(market::selic_current(snapshot))?),
        of("CDI", rate(market::cdi_current(snapshot))?),
        of("IPCA", rate(market::ipca_current(snapshot))?),
        of("USD/BRL", found(dollar.map(|quote| quote.date))?),
        of("companies", newest_event(snapshot)?),
        of("filings", latest.data.first().map(|filing| filing.date)),
    ])
}

/// An empty dataset is not an error.
fn found(newest: Result<Date>) -> Result<Option<Date>> {
    match newest {
        Ok(day) => Ok(Some(day)),
        Err(Error::NotFound { .. }) => Ok(None),
        Err(err) => Err(err),
    }
}

/// The newest change in the registry of companies. Later dates than the snapshot's are typing errors.
fn newest_event(snapshot: &Snapshot) -> Result<Option<Date>> {
    const SQL: &str = "SELECT day FROM (
            SELECT registered_on AS day FROM company UNION ALL
            SELECT cancelled_on FROM company UNION ALL
            SELECT status_since FROM company) WHERE day <= ?1 ORDER BY day DESC";
    snapshot.first(SQL, [snapshot.today().to_string()], |row| parsed(row, 0))
}
