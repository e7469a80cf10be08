//! The datasets that can be exported: their names, and their rows.
use std::{fmt, str::FromStr};

use super::{
    market::MarketRows,
    registry::{Companies, Filings},
    row_source::{BATCH_ROWS, RowSource},
    statements::{Financials, Statements},
};
use crate::{
    catalogue::Snapshot,
    companies,
    error::{Error, Resource, Result},
    filings,
    market::batches,
    statements::{FINANCIALS, STATEMENTS},
    table::Cell,
    types::{Date, DateRange, SeriesId},
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
    /// One series, by its number in SGS: rows of [`Rate`](crate::market::Rate).
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
    (batches::FX, Dataset::Fx),
    ("series", Dataset::Series),
    (companies::DATASET, Dataset::Companies),
    (filings::DATASET, Dataset::Filings),
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
        let series = || batches::number(&id).map(Dataset::One);
        named.map(|(_, dataset)| *dataset).or_else(series).ok_or_else(unknown)
    }
}

impl fmt::Display for Dataset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dataset::One(number) => f.pad(&batches::name_of(*number)),
            Dataset::Series => f.pad("series"),
            Dataset::Fx => f.pad(batches::FX),
            Dataset::Companies => f.pad(companies::DATASET),
            Dataset::Filings => f.pad(filings::DATASET),
            Dataset::Statements => f.pad(STATEMENTS),
            Dataset::Financials => f.pad(FINANCIALS),
        }
    }
}

/// Whether there is such a dataset: any number may be that of a series, but only some have observations.
pub(super) fn exists(snapshot: &Snapshot, dataset: Dataset) -> Result<bool> {
    match dataset {
        Dataset::One(number) => {
            let days = (Date::MIN, snapshot.today());
            Ok(!batches::rates(snapshot, number, days, 1)?.is_empty())
        }
        Dataset::Series
        | Dataset::Fx
        | Dataset::Companies
        | Dataset::Filings
        | Dataset::Statements
        | Dataset::Financials => Ok(true),
    }
}

/// The rows of a dataset in a range of days.
pub(super) fn rows(
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
pub(super) fn total(snapshot: &Snapshot, dataset: Dataset, days: DateRange) -> Result<u64> {
    let mut source = rows(snapshot, dataset, days)?;
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
