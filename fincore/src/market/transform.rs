//! Observations as analysts want them: by week, month, quarter or year; as changes; accumulated over twelve months; as an index.
//!
//! [`transform`] is a plain function over rows. [`transformed`](super::transformed) and
//! [`transformed_quotes`](super::transformed_quotes) apply it to a series and to a currency of a catalogue.
//!
//! ```
//! use fincore::market::transform::{Frequency, Nature, Transformation, Units, transform};
//! use fincore::market::{self, SeriesHistory, known_series};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let catalogue = fincore::bundle::filled_copy(dir.path())?;
//! # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
//! let mut months = Vec::new();
//! market::each(&snapshot, 433, |month| Ok(months.push(month)))?;
//! months.reverse();
//! let ipca = known_series().iter().find(|series| series.name == "ipca").map(Nature::of).unwrap();
//! let years = Transformation { frequency: Some(Frequency::Year), ..Default::default() };
//! let inflation = transform(&months, &ipca, &years)?;
//! let of_2015 = inflation.iter().find(|year| year.date.year() == 2015).unwrap();
//! assert_eq!(of_2015.value.to_string(), "10.6735");
//! # Ok::<(), fincore::Error>(())
//! ```
use super::Rate;
use crate::error::{Result, TransformationFault};

mod aggregates;
mod nature;
mod parameters;
mod periods;
mod row;
mod rule;
#[cfg(test)]
mod tests;
mod units;
mod value;

pub use nature::{Nature, Quantity};
pub use parameters::{
    Aggregate, Frequency, Only, Partial, QuoteTransformation, Transformation, Units,
};
pub use row::TransformedRate;

use units::UnitRule;
use value::Decimals;

/// Transforms observations, of which the oldest comes first, and returns as many rows as can be made of them, in that order.
///
/// Fails where a transformation has no meaning for the series, or lacks what it needs.
pub fn transform(
    rows: &[Rate],
    nature: &Nature,
    transformation: &Transformation,
) -> Result<Vec<TransformedRate>> {
    let Plan { period, decimals } = transformation.plan(nature, rows)?;
    let exact = match period {
        Some((frequency, aggregate)) => {
            aggregates::by_period(rows, nature, frequency, aggregate, transformation.partial)
        }
        None => aggregates::observations(rows),
    };
    let unit_rule = UnitRule {
        units: transformation.units,
        nature,
        frequency: period.map(|(frequency, _)| frequency),
        decimals,
        base: transformation.base,
    };
    let told = unit_rule.apply(&exact)?;
    let is_shown = |place: usize| match transformation.only {
        None => true,
        Some(Only::Changes) => place
            .checked_sub(1)
            .is_none_or(|before| !exact[place].value.equals(&exact[before].value)),
    };
    let shown = told.into_iter().enumerate().filter(|(place, _)| is_shown(*place));
    Ok(shown.filter_map(|(_, row)| row).collect())
}

/// What is done to the rows of a series.
struct Plan {
    /// The length of periods, and what each makes of its observations.
    period: Option<(Frequency, Aggregate)>,
    /// The decimals of values and of their differences.
    decimals: Decimals,
}

impl Transformation {
    /// Fails where it has no meaning for a series, whatever observations that has.
    pub fn check(&self, nature: &Nature) -> Result<()> {
        self.period(nature).map(drop)
    }

    /// What it does to the rows of a series. Fails where it has no meaning for that.
    fn plan(&self, nature: &Nature, rows: &[Rate]) -> Result<Plan> {
        let period = self.period(nature)?;
        if self.base.is_some() && self.units != Units::Index {
            return Err(TransformationFault::BaseWithoutIndex.into());
        }
        let decimals = period.map_or(Decimals::Own, |(_, aggregate)| {
            aggregate.decimals(aggregates::most_decimals(rows))
        });
        Ok(Plan { period, decimals })
    }

    /// The length of periods, and what each makes of its observations.
    pub(super) fn period(&self, nature: &Nature) -> Result<Option<(Frequency, Aggregate)>> {
        let series = || nature.name.clone();
        let is_rate = nature.quantity == Quantity::RateOfPeriod;
        let frequency = match (self.units, self.frequency) {
            (Units::Accumulated12Months, _) if !is_rate => {
                return Err(TransformationFault::NothingAccumulates { series: series() }.into());
            }
            (Units::Accumulated12Months, None | Some(Frequency::Month)) => Some(Frequency::Month),
            (Units::Accumulated12Months, Some(_)) => {
                return Err(TransformationFault::TwelveMonthsOfOtherPeriods.into());
            }
            (_, frequency) => frequency,
        };
        let Some(frequency) = frequency else {
            return match self.aggregate {
                Some(_) => Err(TransformationFault::AggregateWithoutFrequency.into()),
                None => Ok(None),
            };
        };
        if self.aggregate.is_some() && self.frequency.is_none() {
            return Err(TransformationFault::AggregateWithoutFrequency.into());
        }
        if frequency == Frequency::Week && nature.rhythm == super::Rhythm::Monthly {
            return Err(TransformationFault::MonthsInWeeks { series: series() }.into());
        }
        let usual = if is_rate { Aggregate::Compound } else { Aggregate::Mean };
        let aggregate = self.aggregate.unwrap_or(usual);
        let compounds = matches!(self.units, Units::Accumulated12Months)
            || is_rate && self.units == Units::Index;
        match (aggregate, nature.quantity) {
            (Aggregate::Compound, Quantity::RateOfDay | Quantity::Level) => {
                Err(TransformationFault::NotCompounded { series: series() }.into())
            }
            (Aggregate::Sum, Quantity::RateOfPeriod) => {
                Err(TransformationFault::SumOfRates { series: series(), fits: "compound or mean" }
                    .into())
            }
            (Aggregate::Sum, Quantity::RateOfDay) => Err(TransformationFault::SumOfRates {
                series: series(),
                fits: "mean, first, last, min or max",
            }
            .into()),
            (
                Aggregate::Mean
                | Aggregate::First
                | Aggregate::Last
                | Aggregate::Min
                | Aggregate::Max,
                _,
            ) if compounds => {
                let units = self.units.as_str();
                Err(TransformationFault::OnlyCompounded { series: series(), units }.into())
            }
            _ => Ok(Some((frequency, aggregate))),
        }
    }
}
