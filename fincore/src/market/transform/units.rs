//! Units of rows: values, changes, accumulated rates.
use std::collections::HashMap;

use crate::{
    market::{
        Rate,
        transform::{
            TransformedRate,
            parameters::{Aggregate, Frequency, Nature, Partial, Quantity, Units},
            value::{Decimals, PERCENT_DECIMALS, Value, year_before},
        },
    },
    values::{Date, Figure, FixedPoint, Result, RunningProduct, TransformationFault},
};

/// The months of a year.
const YEAR: usize = 12;

/// How the values of rows become figures of the units that are asked for.
pub(crate) struct UnitRule<'n> {
    pub(crate) units: Units,
    pub(crate) nature: &'n Nature,
    pub(crate) frequency: Option<Frequency>,
    /// The decimals of values, and of their differences.
    pub(crate) decimals: Decimals,
    /// The row that is 100.
    pub(crate) base: Option<Date>,
}

impl UnitRule<'_> {
    /// The figure of each row; none for a row that lacks what it is compared with.
    pub(crate) fn apply(&self, rows: &[ExactRow]) -> Result<Vec<Option<TransformedRate>>> {
        let figures: Vec<Option<Figure>> = match self.units {
            Units::Value => rows.iter().map(|row| Some(row.value.round(self.decimals))).collect(),
            Units::Change => {
                compared(rows, before, |new, old| Some(new.change(old, self.decimals)))
            }
            Units::PercentChange => compared(rows, before, Value::percent_change),
            Units::YearAgo | Units::PercentYearAgo => {
                let places: HashMap<Date, usize> =
                    rows.iter().enumerate().map(|(place, row)| (row.date, place)).collect();
                let year_ago = |place: usize| {
                    let day = rows[place].date;
                    let earlier = match self.frequency {
                        Some(frequency) => frequency.year_earlier(day),
                        None => year_before(day),
                    };
                    places.get(&earlier?).copied()
                };
                match self.units {
                    Units::YearAgo => {
                        compared(rows, year_ago, |new, old| Some(new.change(old, self.decimals)))
                    }
                    _ => compared(rows, year_ago, Value::percent_change),
                }
            }
            Units::Accumulated12Months => accumulated(rows),
            Units::Index => self.index(rows)?,
        };
        let told = rows.iter().zip(figures).map(|(row, figure)| {
            let ExactRow { date, partial, .. } = *row;
            figure.map(|value| TransformedRate { date, value, partial })
        });
        Ok(told.collect())
    }

    /// Every row in percent of the base; of rates, what they accumulate.
    fn index(&self, rows: &[ExactRow]) -> Result<Vec<Option<Figure>>> {
        let series = || self.nature.name.clone();
        let place = match self.base {
            None => 0,
            Some(date) => rows.binary_search_by_key(&date, |row| row.date).map_err(|_| {
                TransformationFault::NoRowAtBase { series: series(), date: date.into() }
            })?,
        };
        let Some(base) = rows.get(place) else { return Ok(Vec::new()) };
        let zero = || TransformationFault::ZeroAtBase { series: series(), date: base.date.into() };
        if self.nature.quantity == Quantity::RateOfPeriod {
            return Ok(compounded_index(rows, place)
                .ok_or_else(zero)?
                .into_iter()
                .map(Some)
                .collect());
        }
        if base.value.is_zero() {
            return Err(zero().into());
        }
        Ok(rows.iter().map(|row| row.value.percent_of(&base.value)).collect())
    }
}

/// Every row compared with an earlier one.
fn compared(
    rows: &[ExactRow],
    earlier: impl Fn(usize) -> Option<usize>,
    compare: impl Fn(&Value, &Value) -> Option<Figure>,
) -> Vec<Option<Figure>> {
    let one = |place: usize| compare(&rows[place].value, &rows[earlier(place)?].value);
    (0..rows.len()).map(one).collect()
}

fn before(place: usize) -> Option<usize> {
    place.checked_sub(1)
}

/// Rates accumulated from the first row on, 100 at the row of the base; `None` if they fall to zero before it.
fn compounded_index(rows: &[ExactRow], base: usize) -> Option<Vec<Figure>> {
    let hundred = FixedPoint::one().times_whole(100);
    let mut growth = RunningProduct::one();
    rows[..=base].iter().skip(1).for_each(|row| grow(&mut growth, &row.value));
    let mut index = RunningProduct::of(hundred.over(&growth.value())?);
    let mut figures = Vec::with_capacity(rows.len());
    for (place, row) in rows.iter().enumerate() {
        if place > 0 {
            grow(&mut index, &row.value);
        }
        if place == base {
            index = RunningProduct::of(hundred.clone());
        }
        figures.push(index.value().round(PERCENT_DECIMALS));
    }
    Some(figures)
}

/// Multiplies by 1 + a rate in percent.
fn grow(product: &mut RunningProduct, rate: &Value) {
    if let Value::Quotient { digits, decimals, count: 1 } = rate
        && let Ok(digits) = i64::try_from(*digits)
    {
        return product.grow(digits, decimals + 2);
    }
    product.multiply(&rate.factor());
}

/// Accumulates each twelve months in a row, for the last month of each.
fn accumulated(months: &[ExactRow]) -> Vec<Option<Figure>> {
    let factors: Vec<FixedPoint> = months.iter().map(|month| month.value.factor()).collect();
    // The product of any twelve is that of the end of one block and the beginning of the next.
    let (mut from_start, mut to_end) = (factors.clone(), factors);
    for (starts, ends) in from_start.chunks_mut(YEAR).zip(to_end.chunks_mut(YEAR)) {
        for place in 1..starts.len() {
            starts[place] = starts[place - 1].times(&starts[place]);
            let back = ends.len() - 1 - place;
            ends[back] = ends[back].times(&ends[back + 1]);
        }
    }
    let product = |last: usize| {
        let first = (last + 1).checked_sub(YEAR)?;
        if months[first].date.months_after(11) != months[last].date {
            return None;
        }
        let factor = match first % YEAR {
            0 => from_start[last].clone(),
            _ => to_end[first].times(&from_start[last]),
        };
        Some(factor.minus(&FixedPoint::one()).times_whole(100).round(PERCENT_DECIMALS))
    };
    (0..months.len()).map(product).collect()
}

/// The exact value of a day or of a period, which may not have ended.
#[derive(Clone, Debug)]
pub(crate) struct ExactRow {
    pub(crate) date: Date,
    pub(crate) value: Value,
    pub(crate) partial: bool,
}

/// Every observation, as it is.
pub(crate) fn observations(rows: &[Rate]) -> Vec<ExactRow> {
    let row = |rate: &Rate| ExactRow { date: rate.date, value: rate.value.into(), partial: false };
    rows.iter().map(row).collect()
}

/// One row for each period that has observations, the oldest first.
pub(crate) fn by_period(
    rows: &[Rate],
    nature: &Nature,
    frequency: Frequency,
    aggregate: Aggregate,
    partial: Partial,
) -> Vec<ExactRow> {
    let Some(newest) = rows.last().map(|rate| rate.date) else { return Vec::new() };
    let decimals = most_decimals(rows);
    let periods =
        rows.chunk_by(|one, next| frequency.start(one.date) == frequency.start(next.date));
    let all = periods.filter_map(|period| {
        let date = frequency.start(period.first()?.date);
        let value = aggregate.of(period, decimals)?;
        Some(ExactRow { date, value, partial: !frequency.has_ended(date, nature, newest) })
    });
    all.filter(|row| !row.partial || partial == Partial::Shown).collect()
}

/// The most decimals that an observation has.
pub(crate) fn most_decimals(rows: &[Rate]) -> u32 {
    rows.iter().map(|rate| rate.value.decimals()).max().unwrap_or_default().into()
}

impl Aggregate {
    /// Aggregates the observations of one period, in a series with at most so many decimals.
    fn of(self, period: &[Rate], decimals: u32) -> Option<Value> {
        Some(match self {
            Aggregate::First => period.first()?.value.into(),
            Aggregate::Last => period.last()?.value.into(),
            Aggregate::Min => period.iter().map(|rate| rate.value).min()?.into(),
            Aggregate::Max => period.iter().map(|rate| rate.value).max()?.into(),
            Aggregate::Sum => sum(period, decimals, 1),
            Aggregate::Mean => sum(period, decimals, u32::try_from(period.len()).ok()?),
            Aggregate::Compound => {
                let mut product = RunningProduct::one();
                for rate in period {
                    let (digits, decimals) = rate.value.parts();
                    product.grow(digits, u32::from(decimals) + 2);
                }
                let percent = product.value().minus(&FixedPoint::one()).times_whole(100);
                Value::Number(percent)
            }
        })
    }

    /// To how many decimals it is rounded.
    pub(crate) fn decimals(self, series: u32) -> Decimals {
        match self {
            Aggregate::First
            | Aggregate::Last
            | Aggregate::Min
            | Aggregate::Max
            | Aggregate::Sum => Decimals::Own,
            Aggregate::Mean => Decimals::Rounded(series + 2),
            Aggregate::Compound => Decimals::Rounded(PERCENT_DECIMALS),
        }
    }
}

/// The sum of observations, divided by a count.
fn sum(period: &[Rate], decimals: u32, count: u32) -> Value {
    let digits = period.iter().try_fold(0_i128, |sum, rate| {
        let (digits, own) = rate.value.parts();
        let unit = 10_i128.checked_pow(decimals - u32::from(own))?;
        sum.checked_add(i128::from(digits).checked_mul(unit)?)
    });
    match digits {
        Some(digits) => Value::Quotient { digits, decimals, count },
        None => {
            let numbers = period.iter().map(|rate| FixedPoint::from(rate.value));
            let sum = numbers.reduce(|sum, number| sum.plus(&number));
            let share = FixedPoint::of_quotient(1, 0, count);
            Value::Number(sum.map_or_else(FixedPoint::one, |sum| sum.times(&share)))
        }
    }
}
