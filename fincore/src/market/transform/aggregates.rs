//! One row for each period.
use super::{
    nature::Nature,
    parameters::{Aggregate, Frequency, Partial},
    value::{Decimals, PERCENT_DECIMALS, Value},
};
use crate::{
    market::Rate,
    numbers::{fixed_point::FixedPoint, running_product::RunningProduct},
    types::Date,
};

/// The exact value of a day or of a period, which may not have ended.
#[derive(Clone, Debug)]
pub(super) struct ExactRow {
    pub(super) date: Date,
    pub(super) value: Value,
    pub(super) partial: bool,
}

/// Every observation, as it is.
pub(super) fn observations(rows: &[Rate]) -> Vec<ExactRow> {
    let row = |rate: &Rate| ExactRow { date: rate.date, value: rate.value.into(), partial: false };
    rows.iter().map(row).collect()
}

/// One row for each period that has observations, the oldest first.
pub(super) fn by_period(
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
pub(super) fn most_decimals(rows: &[Rate]) -> u32 {
    rows.iter().map(|rate| rate.value.decimals()).max().unwrap_or_default().into()
}

impl Aggregate {
    /// What a period makes of its observations, in a series whose observations have so many decimals at most.
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
    pub(super) fn decimals(self, series: u32) -> Decimals {
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
