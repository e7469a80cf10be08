//! Observations as analysts want them: by week, month, quarter or year; as changes; accumulated over twelve months; as an index.
//!
//! [`transform`] is a plain function over rows. [`transformed`](crate::market::transformed) and
//! [`transformed_quotes`](crate::market::transformed_quotes) apply it to a series and to a currency of a catalogue.
//!
//! ```
//! use fincore::market::transform::{Frequency, Nature, Transformation, Units, transform};
//! use fincore::market::{self, SeriesHistory, known_series};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let catalogue = fincore::bundle::filled_copy(dir.path())?;
//! # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
//! let mut months = market::all(&snapshot, 433)?;
//! months.reverse();
//! let ipca = known_series().iter().find(|series| series.name == "ipca").map(Nature::of).unwrap();
//! let years = Transformation { frequency: Some(Frequency::Year), ..Default::default() };
//! let inflation = transform(&months, &ipca, &years)?;
//! let of_2015 = inflation.iter().find(|year| year.date.year() == 2015).unwrap();
//! assert_eq!(of_2015.value.to_string(), "10.6735");
//! # Ok::<(), fincore::Error>(())
//! ```
use serde::Serialize;

use crate::{
    answers::{AppliedTransformation, Cell, Column, ColumnKind, table},
    market::{
        Rate, series_definitions,
        transform::{units::UnitRule, value::Decimals},
    },
    values::{Date, Figure, Result, TransformationFault},
};

pub(crate) mod parameters;
pub(crate) mod units;
pub(crate) mod value;

pub use parameters::{
    Aggregate, Frequency, Nature, Only, Partial, Quantity, QuoteTransformation, Transformation,
    Units,
};

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
            units::by_period(rows, nature, frequency, aggregate, transformation.partial)
        }
        None => units::observations(rows),
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

/// The periods and the decimals of transformed rows.
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

    /// Plans the steps for the rows of a series. Fails if the transformation has no meaning for it.
    fn plan(&self, nature: &Nature, rows: &[Rate]) -> Result<Plan> {
        let period = self.period(nature)?;
        if self.base.is_some() && self.units != Units::Index {
            return Err(TransformationFault::BaseWithoutIndex.into());
        }
        let decimals = period
            .map_or(Decimals::Own, |(_, aggregate)| aggregate.decimals(units::most_decimals(rows)));
        Ok(Plan { period, decimals })
    }

    /// The length of periods, and what each makes of its observations.
    pub(crate) fn period(&self, nature: &Nature) -> Result<Option<(Frequency, Aggregate)>> {
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
        if frequency == Frequency::Week && nature.rhythm == series_definitions::Rhythm::Monthly {
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

/// A calculated figure of a series on a date.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TransformedRate {
    /// The date; of a period its first day.
    pub date: Date,
    /// The figure, rounded once.
    pub value: Figure,
    /// Whether its period has not ended. JSON leaves it out where it has.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
}

impl table::Row for TransformedRate {
    const COLUMNS: &'static [Column<TransformedRate>] = &[
        Column::new("date", ColumnKind::Day, |row| row.date.into()),
        Column::new("value", ColumnKind::Figure, |row| Cell::Calculated(row.value.clone())),
        Column::new("partial", ColumnKind::Text, |row| row.partial.then_some("true").into()),
    ];
}

impl Transformation {
    /// The transformation as answers describe it. Fails if it has no meaning for the series.
    pub(crate) fn applied_to(&self, nature: &Nature) -> Result<AppliedTransformation> {
        let period = self.period(nature)?;
        let told = AppliedTransformation::new(self.units.as_str(), rule(self, nature, period));
        Ok(AppliedTransformation {
            frequency: period.map(|(frequency, _)| frequency.as_str()),
            aggregate: period.map(|(_, aggregate)| aggregate.as_str()),
            base: self.base,
            only: self.only.map(Only::as_str),
            ..told
        })
    }

    /// The unit of the figures of a series that has this one.
    pub(crate) fn unit(
        &self,
        nature: &Nature,
        own: Option<&'static str>,
    ) -> Result<Option<&'static str>> {
        let compounds = matches!(self.period(nature)?, Some((_, Aggregate::Compound)));
        Ok(match self.units {
            Units::PercentChange | Units::PercentYearAgo => Some("percent"),
            Units::Accumulated12Months => Some("percent in 12 months"),
            Units::Index => Some("index"),
            Units::Value | Units::Change | Units::YearAgo if compounds => Some("percent"),
            Units::Value | Units::Change | Units::YearAgo => own,
        })
    }
}

/// The rule in a sentence.
fn rule(
    transformation: &Transformation,
    nature: &Nature,
    period: Option<(Frequency, Aggregate)>,
) -> String {
    let Transformation { units, base, only, partial, .. } = *transformation;
    let values = match period {
        // The rule of the units says it all.
        _ if units == Units::Accumulated12Months => String::new(),
        None => "observations as published".to_owned(),
        Some((frequency, aggregate)) => {
            let frequency = frequency.as_str();
            let what = match aggregate {
                Aggregate::Mean => "mean of the observations",
                Aggregate::First => "first observation",
                Aggregate::Last => "last observation",
                Aggregate::Min => "smallest observation",
                Aggregate::Max => "largest observation",
                Aggregate::Sum => "sum of the observations",
                Aggregate::Compound => "(product of 1 + rate/100, less 1) × 100",
            };
            let unfinished = match partial {
                Partial::Hidden => "only periods that have ended",
                Partial::Shown => "the unfinished one is marked partial",
            };
            format!("{what} of each {frequency}, dated on its first day; {unfinished}")
        }
    };
    let row = period.map_or("row", |(frequency, _)| frequency.as_str());
    let told = match units {
        Units::Value => String::new(),
        Units::Change => format!("; difference to the {row} before"),
        Units::PercentChange => format!("; (value / value of the {row} before − 1) × 100"),
        Units::YearAgo => format!("; difference to the {}", year_earlier(period)),
        Units::PercentYearAgo => {
            format!("; (value / value of the {} − 1) × 100", year_earlier(period))
        }
        Units::Accumulated12Months => {
            "(product of 1 + rate/100 over the twelve months that end with this one, less 1) × 100"
                .to_owned()
        }
        Units::Index => {
            let base = base.map_or_else(|| "the first row".to_owned(), |day| day.to_string());
            let of = match nature.quantity {
                Quantity::RateOfPeriod => "what the rates accumulate",
                Quantity::RateOfDay | Quantity::Level => "value",
            };
            format!("; {of} in percent of {base}")
        }
    };
    let only = match only {
        None => "",
        Some(Only::Changes) => "; only rows whose value differs from the one before",
    };
    let rounding = match (units, period) {
        (Units::Value | Units::Change | Units::YearAgo, Some((_, Aggregate::Mean))) => {
            "; rounded half up to the decimals of the series and two more"
        }
        (Units::Value | Units::Change | Units::YearAgo, Some((_, Aggregate::Compound)))
        | (
            Units::PercentChange
            | Units::PercentYearAgo
            | Units::Accumulated12Months
            | Units::Index,
            _,
        ) => "; rounded half up to 4 decimals",
        (Units::Value | Units::Change | Units::YearAgo, _) => "",
    };
    [values.as_str(), &told, only, rounding].concat()
}

/// The name of the row to compare with.
fn year_earlier(period: Option<(Frequency, Aggregate)>) -> &'static str {
    match period.map(|(frequency, _)| frequency) {
        None => "same day a year earlier",
        Some(Frequency::Week) => "week 52 weeks earlier",
        Some(Frequency::Month) => "same month a year earlier",
        Some(Frequency::Quarter) => "same quarter a year earlier",
        Some(Frequency::Year) => "year before",
    }
}

#[cfg(test)]
mod tests;
