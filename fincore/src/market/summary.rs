//! The observations of a series in a range of days, summed up.
use serde::Serialize;

use super::{
    calculator_inputs::observations, freshness, hints, origin::OriginCounts,
    plan_window::within_plan, queries::SummaryQuery, rows::Rate, series::Series,
};
use crate::{
    answers::{Meta, Sourced},
    catalogue::Snapshot,
    error::{Error, Resource, Result},
    numbers::{figure::Figure, sample::Sample},
    types::Date,
};

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
        meta.hints = hints::held_days(snapshot, series)?;
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

#[cfg(test)]
mod tests {
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
