//! What is told of each row: its value, how it changed, what rates accumulated.
use std::collections::HashMap;

use super::{
    aggregates::ExactRow,
    nature::{Nature, Quantity},
    parameters::{Frequency, Units},
    periods::year_before,
    row::TransformedRate,
    value::{Decimals, PERCENT_DECIMALS, Value},
};
use crate::{
    error::{Result, TransformationFault},
    numbers::{figure::Figure, fixed_point::FixedPoint, running_product::RunningProduct},
    types::Date,
};

/// The months of a year.
const YEAR: usize = 12;

/// How the values of rows become figures of the units that are asked for.
pub(super) struct UnitRule<'n> {
    pub(super) units: Units,
    pub(super) nature: &'n Nature,
    pub(super) frequency: Option<Frequency>,
    /// The decimals of values, and of their differences.
    pub(super) decimals: Decimals,
    /// The row that is 100.
    pub(super) base: Option<Date>,
}

impl UnitRule<'_> {
    /// The figure of each row; none for a row that lacks what it is compared with.
    pub(super) fn apply(&self, rows: &[ExactRow]) -> Result<Vec<Option<TransformedRate>>> {
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

/// What rates accumulate from the first row on, 100 at the row of the base; `None` if they leave nothing up to there.
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

/// What the rates of twelve months in a row accumulate, for the last month of each twelve.
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
