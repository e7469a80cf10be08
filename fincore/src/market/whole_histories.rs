//! Whole histories of series and quotes: for calculators, exports, summaries and checks.
use rusqlite::Row;
use serde::Serialize;

use crate::{
    answers::{Cell, Column, ColumnKind, Meta, Sourced, table},
    market::{
        self, FxRate, OriginCounts, Rate, SeriesDefinition, SummaryQuery, freshness,
        queries::within_plan,
        quotes,
        series::Series,
        series_definitions::{self, DEFINITIONS, dataset, definition},
    },
    store::Snapshot,
    values::{
        Currency, Date, Error, Figure, Pair, Resource, Result, SeriesId, fixed_point::Sample,
    },
};

pub(crate) use crate::market::series_definitions::number;

/// The first and the last day of a range.
pub(crate) type Days = (Date, Date);

/// An observation of any series.
pub(crate) struct Observation {
    pub(crate) series: u32,
    pub(crate) rate: Rate,
}

impl table::Row for Observation {
    const COLUMNS: &'static [Column<Observation>] = &[
        Column::new("series", ColumnKind::Integer, |row| Cell::Integer(row.series.into())),
        Column::new("name", ColumnKind::Text, |row| Cell::Text(dataset(row.series))),
        Column::new("date", ColumnKind::Day, |row| row.rate.date.into()),
        Column::new("value", ColumnKind::Figure, |row| row.rate.value.into()),
        Column::new("origin", ColumnKind::Text, |row| row.rate.origin.as_str().into()),
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
    Series::from(series).count(snapshot, days.0, days.1)
}

/// The newest observations of a series in a range of days, at most `limit` of them.
pub(crate) fn rates(
    snapshot: &Snapshot,
    series: u32,
    days: Days,
    limit: usize,
) -> Result<Vec<Rate>> {
    Series::from(series).newest_in(snapshot, days.0, days.1, limit)
}

/// How many quotes a currency has in a range of days.
pub(crate) fn count_quotes(snapshot: &Snapshot, currency: Currency, days: Days) -> Result<u64> {
    let sql = format!("SELECT COUNT(*) FROM ({} AND date BETWEEN ?2 AND ?3)", quotes::SELECT);
    snapshot.count(&sql, (currency, days.0, days.1))
}

/// The newest quotes of a currency in a range of days, at most `limit` of them.
pub(crate) fn quotes(
    snapshot: &Snapshot,
    currency: Currency,
    days: Days,
    limit: usize,
) -> Result<Vec<FxRate>> {
    let sql = format!("{} AND date BETWEEN ?2 AND ?3 ORDER BY date DESC", quotes::SELECT);
    let read = |row: &Row<'_>| quotes::read(row, Pair::in_reais(currency));
    snapshot.first_rows(limit, &sql, (currency, days.0, days.1), read)
}

/// The first and the newest day of a series. Fails if it has no observations.
pub(crate) fn covered_days(snapshot: &Snapshot, number: u32) -> Result<(Date, Date)> {
    let series = Series::from(number);
    if let Some(history) = series.cached_history(snapshot)?
        && let Some(ends) = history.ends(snapshot.today())
    {
        return Ok(ends);
    }
    let coverage = series.coverage(snapshot)?;
    let name = definition(number)
        .map_or_else(|| number.to_string(), |definition| definition.name.to_owned());
    let coverage = coverage.ok_or_else(|| Error::not_found(Resource::Series, &name))?;
    Ok((coverage.first, coverage.last))
}

/// The observations from one day to another that are not after the snapshot's date, the oldest first.
pub(crate) fn observations(
    snapshot: &Snapshot,
    number: u32,
    from: Date,
    to: Date,
) -> Result<Vec<Rate>> {
    let (series, last) = (Series::from(number), to.min(snapshot.today()));
    if let Some(history) = series.cached_history(snapshot)? {
        return Ok(history.between(from, last).iter().rev().cloned().collect());
    }
    let mut rows = series.newest_in(snapshot, from, last, usize::MAX)?;
    rows.reverse();
    Ok(rows)
}

/// The source of a series, and how fresh it is.
pub(crate) fn meta(snapshot: &Snapshot, number: u32) -> Result<Meta> {
    Ok(Series::from(number).current(snapshot)?.meta)
}

/// The source of the exchange rates of a currency.
pub(crate) fn quotes_meta(snapshot: &Snapshot, currency: Currency) -> Result<Meta> {
    quotes::meta(snapshot, Pair::in_reais(currency))
}

/// The closing quotes of two currencies on the newest day, up to a given one, that has both. Fails for a currency that has
/// none at all.
pub(crate) fn common_quotes(
    snapshot: &Snapshot,
    one: Currency,
    other: Currency,
    day: Date,
) -> Result<Option<(FxRate, FxRate)>> {
    let sql = format!(
        "{} AND date <= ?2 AND EXISTS (SELECT 1 FROM fx AS other WHERE currency = ?3
            AND other.date = fx.date AND buy IS NOT NULL AND sell IS NOT NULL) ORDER BY date DESC",
        quotes::SELECT
    );
    let newest = |of: Currency, with: Currency, day: Date| {
        snapshot.first(&sql, (of, day, with), |row| quotes::read(row, Pair::in_reais(of)))
    };
    let day = day.min(snapshot.today());
    for currency in [one, other] {
        if newest(currency, currency, snapshot.today())?.is_none() {
            return Err(quotes::not_found(Pair::in_reais(currency)));
        }
    }
    let Some(first) = newest(one, other, day)? else { return Ok(None) };
    let second = newest(other, one, first.date)?;
    Ok(second.map(|second| (first, second)))
}

/// The decimals that a mean and a deviation have more than the series.
const MORE_DECIMALS: u32 = 2;

/// How many observations a series has in a range of days, and what they are like. Without one, all but the count is null.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// The number of observations.
    pub count: u64,
    /// The oldest.
    pub first: Option<Rate>,
    /// The newest.
    pub last: Option<Rate>,
    /// The smallest; of several, the oldest.
    pub min: Option<Rate>,
    /// The largest; of several, the oldest.
    pub max: Option<Rate>,
    /// Their mean, rounded half up, away from zero, to the most decimals that an observation of the series has and two more.
    pub mean: Option<Figure>,
    /// The standard deviation of a sample, rounded likewise; none of fewer than two observations.
    pub standard_deviation: Option<Figure>,
}

/// The count, ends, extremes, mean and standard deviation of any series in a range of days.
///
/// Fails if the series has no observations at all, if `from` is after `to`, or if the range reaches back
/// further than the snapshot's plan allows.
///
/// ```
/// use fincore::market::{self, SummaryQuery};
///
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let year = (Some("2020-01-01".parse()?), Some("2020-12-31".parse()?));
/// let query = SummaryQuery { from: year.0, to: year.1, ..SummaryQuery::new("ipca".parse()?) };
/// let inflation = market::summary(&snapshot, query)?;
/// assert_eq!(inflation.mean.as_ref().unwrap().to_string(), "0.3700");
/// assert_eq!(inflation.min.as_ref().unwrap().date.to_string(), "2020-05-01");
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn summary(snapshot: &Snapshot, query: SummaryQuery) -> Result<Sourced<Summary>> {
    let series = Series::find(&query.series)?;
    let all = observations(snapshot, series.number, Date::MIN, Date::MAX)?;
    let Some(newest) = all.last().map(|row| row.date) else {
        return Err(Error::not_found(Resource::Series, &series.display_name()));
    };
    let days = within_plan(snapshot, query.from, query.to, || Ok(Some(newest)))?;
    let (from, to) = (days.from(), days.to());
    let start = all.partition_point(|row| row.date < from);
    let length = all[start..].partition_point(|row| row.date <= to);
    let rows = &all[start..start + length];
    // The decimals are those of the whole series, so that two windows have the same.
    let decimals = all.iter().map(|row| row.value.decimals()).max().unwrap_or_default();
    let origins: OriginCounts = rows.iter().map(|row| row.origin).collect();
    let OriginCounts { computed, carried } = origins;
    let meta = Meta { computed, carried, ..series.meta(origins, rows.len()) };
    let mut meta = freshness::of_series(snapshot, series.number, Some(newest), meta)?;
    if rows.is_empty() {
        meta.hints = market::held_days(snapshot, series)?;
    }
    Ok(Sourced::new(summarise(rows, decimals.into()), meta))
}

/// Sums up observations, of which the oldest comes first, of a series with so many decimals.
fn summarise(rows: &[Rate], decimals: u32) -> Summary {
    let sample = Sample::of(rows.iter().map(|row| row.value), decimals);
    // Of equals, `min_by_key` takes the first and `max_by_key` the last, which is the oldest from behind.
    Summary {
        count: rows.len() as u64,
        first: rows.first().cloned(),
        last: rows.last().cloned(),
        min: rows.iter().min_by_key(|row| row.value).cloned(),
        max: rows.iter().rev().max_by_key(|row| row.value).cloned(),
        mean: sample.mean(MORE_DECIMALS),
        standard_deviation: sample.standard_deviation(MORE_DECIMALS),
    }
}

/// A series of the change log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoggedSeries {
    pub(crate) number: u32,
    pub(crate) definition: Option<&'static SeriesDefinition>,
}

/// The series that is logged under this name of a dataset; `None` if the dataset is something else. A side of an
/// exchange rate is not found either: its quotes are logged as such.
pub(crate) fn find(dataset: &str) -> Option<LoggedSeries> {
    let named = DEFINITIONS.iter().find(|definition| definition.name == dataset);
    match named {
        Some(definition) if definition.quote.is_some() => None,
        Some(definition) => {
            Some(LoggedSeries { number: definition.number, definition: Some(definition) })
        }
        None => dataset.parse().ok().map(|number| LoggedSeries { number, definition: None }),
    }
}

/// The name under which a series is logged; `None` if there is no such series. It may be one side of an exchange
/// rate.
pub(crate) fn dataset_name(snapshot: &Snapshot, id: &SeriesId) -> Result<Option<String>> {
    const SQL: &str = "SELECT 1 FROM rate WHERE series = ?1 LIMIT 1";
    let Ok(series) = Series::find(id) else { return Ok(None) };
    let exists = series.definition.is_some() || snapshot.count(SQL, [series.number])? > 0;
    Ok(exists.then(|| series_definitions::dataset(series.number).into_owned()))
}

#[cfg(test)]
mod summary_tests {
    use serde_json::{Value, json};

    use super::*;

    /// The summary of rows `2020-01-01 0.21`, whose series has two decimals.
    fn check(rows: &[&str], want: &Value) {
        let row = |text: &&str| {
            let (date, value) = text.split_once(' ').unwrap();
            Rate::published(date.parse().unwrap(), value.parse().unwrap())
        };
        let rows: Vec<Rate> = rows.iter().map(row).collect();
        assert_eq!(serde_json::to_value(summarise(&rows, 2)).unwrap(), *want, "{rows:?}");
    }

    #[test]
    fn of_equal_extremes_the_oldest_counts() {
        let at = |date: &str, value: f64| json!({"date": date, "value": value});
        check(
            &["2020-01-01 0.2", "2020-01-02 0.50", "2020-01-03 0.20", "2020-01-04 0.5"],
            &json!({
                "count": 4,
                "first": at("2020-01-01", 0.2),
                "last": at("2020-01-04", 0.5),
                "min": at("2020-01-01", 0.2),
                "max": at("2020-01-02", 0.5),
                "mean": 0.35,
                "standard_deviation": 0.1732,
            }),
        );
    }

    #[test]
    fn one_observation_has_no_deviation_and_none_has_nothing() {
        let row = json!({"date": "2020-01-01", "value": -0.2});
        check(
            &["2020-01-01 -0.2"],
            &json!({
                "count": 1,
                "first": row, "last": row, "min": row, "max": row,
                "mean": -0.2,
                "standard_deviation": null,
            }),
        );
        check(
            &[],
            &json!({
                "count": 0,
                "first": null, "last": null, "min": null, "max": null,
                "mean": null,
                "standard_deviation": null,
            }),
        );
    }
}
