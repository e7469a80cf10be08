//! Series and quotes in batches, for readers that go through all of them and pause in between.
use super::{
    quotes::{self, select_quotes},
    rows::{FxRate, Rate},
    series::Series,
    series_definitions::dataset,
};
use crate::{
    catalogue::Snapshot,
    error::Result,
    table::{self, Cell, Column, ColumnKind},
    types::{Currency, Date, Pair, SeriesId},
};

pub(crate) use super::{
    freshness::FX, series_definitions::dataset as name_of, series_definitions::number,
};

/// The first and the last day of a range.
pub(crate) type Days = (Date, Date);

/// An observation of any series.
pub(crate) struct Observation {
    pub(crate) series: u32,
    pub(crate) rate: Rate,
}

impl table::Row for Observation {
    const COLUMNS: &'static [Column<Observation>] = &[
        Column {
            name: "series",
            kind: ColumnKind::Integer,
            cell: |row| Cell::Integer(row.series.into()),
        },
        Column {
            name: "name",
            kind: ColumnKind::Text,
            cell: |row| Cell::Text(dataset(row.series)),
        },
        Column { name: "date", kind: ColumnKind::Day, cell: |row| row.rate.date.into() },
        Column { name: "value", kind: ColumnKind::Figure, cell: |row| row.rate.value.into() },
        Column {
            name: "origin",
            kind: ColumnKind::Text,
            cell: |row| row.rate.origin.as_str().into(),
        },
    ];
}

/// The numbers of all series that may hold observations, in order.
pub(crate) fn numbers(snapshot: &Snapshot) -> Result<Vec<u32>> {
    Ok(Series::all(snapshot)?.into_iter().map(|series| series.number).collect())
}

/// The currencies with quotes, ordered by code.
pub(crate) fn currencies(snapshot: &Snapshot) -> Result<Vec<Currency>> {
    Ok(quotes::pairs(snapshot)?.into_iter().map(|covered| covered.pair.base).collect())
}

/// The number of the series that a dataset of the change log holds.
pub(crate) fn logged_series(name: &str) -> Option<u32> {
    number(&name.parse::<SeriesId>().ok()?)
}

/// How many observations a series has in a range of days.
pub(crate) fn count(snapshot: &Snapshot, series: u32, days: Days) -> Result<u64> {
    Series::from(series).count(snapshot, days)
}

/// The newest observations of a series in a range of days, at most `limit` of them.
pub(crate) fn rates(
    snapshot: &Snapshot,
    series: u32,
    days: Days,
    limit: usize,
) -> Result<Vec<Rate>> {
    Series::from(series).newest_in(snapshot, days, limit)
}

/// How many quotes a currency has in a range of days.
pub(crate) fn count_quotes(snapshot: &Snapshot, currency: Currency, days: Days) -> Result<u64> {
    const SQL: &str =
        concat!("SELECT COUNT(*) FROM (", select_quotes!(), "date BETWEEN ?2 AND ?3)");
    snapshot.count(SQL, (currency.as_str(), days.0.to_string(), days.1.to_string()))
}

/// The newest quotes of a currency in a range of days, at most `limit` of them.
pub(crate) fn quotes(
    snapshot: &Snapshot,
    currency: Currency,
    days: Days,
    limit: usize,
) -> Result<Vec<FxRate>> {
    const SQL: &str = concat!(select_quotes!(), "date BETWEEN ?2 AND ?3 ORDER BY date DESC");
    let wanted = (currency.as_str(), days.0.to_string(), days.1.to_string());
    snapshot.first_rows(limit, SQL, wanted, |row| quotes::read(row, Pair::in_reais(currency)))
}
