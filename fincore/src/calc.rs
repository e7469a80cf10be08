//! Calculators: amounts corrected by an index, what a series accumulated, currencies, interest less inflation, and rates of
//! other periods.
//!
//! Every answer shows how it was computed: the factor, the number of periods, the first and the last observation, each
//! step on request, and the rule in a sentence. Calculations carry 64 decimals; answers are rounded half up, away from
//! zero, to as many decimals as the field says. The input is the data of [`market`](crate::market), of any day, whatever
//! the plan of the snapshot.
//!
//! ```
//! use fincore::calc::{self, Correction};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let catalogue = fincore::bundle::filled_copy(dir.path())?;
//! let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
//! let january: fincore::Date = "2020-01-01".parse()?;
//! let corrected = calc::correction(&snapshot, Correction::new("1000".parse()?, january, "ipca".parse()?))?;
//! assert_eq!(corrected.derivation.periods, 80);
//! assert_eq!(corrected.result.to_string(), "1434.75");
//! # Ok::<(), fincore::Error>(())
//! ```
use std::borrow::Cow;

use serde::Serialize;

use crate::{
    market::Rate,
    values::{Date, Decimal},
};

mod conversion;
pub(crate) mod correction;
mod factor;
pub(crate) mod parameters;
pub(crate) mod period;
mod real_rate;
mod rule;

pub use crate::{market::Side, values::figure::Figure};
pub use conversion::{Conversion, ConvertedAmount, Leg, Reais, convert};
pub use correction::{
    Accumulation, CorrectedAmount, Correction, Growth, SpreadFactor, accumulate, correction,
};
pub(crate) use parameters::ListedSteps;
pub use parameters::{Amount, Convention, Months, Percent, QuotedRate, Spread, Steps};
pub(crate) use period::{CompoundedSeries, CompoundingBasis, Ends, Period};
pub use real_rate::{ConvertedRate, RateConversion, RealRate, RealReturn, convert_rate, real_rate};

/// How a factor was computed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Derivation {
    /// The short name of the series.
    pub series: Cow<'static, str>,
    /// Its number in SGS.
    pub number: u32,
    /// The first day of the period.
    pub from: Date,
    /// The last day of the period.
    pub to: Date,
    /// The value of one unit at the end of the period, with the spread if there is one, rounded to 16 decimals.
    pub factor: Figure,
    /// The factor as a change in percent, rounded to 8 decimals.
    pub accumulated: Figure,
    /// The number of observations that were compounded.
    pub periods: usize,
    /// The length of one observation: `month`, `business day`, `month from day to day` or `observation`.
    pub period: &'static str,
    /// The first observation; none where the period has no business day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Rate>,
    /// The last observation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Rate>,
    /// The source's own figure for these months, if it publishes one and it is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<PublishedFigure>,
    /// The observations of the page, if the query asked for the steps; `periods` says how many there are in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<DerivationStep>>,
}

/// A figure that the source publishes for a period compounded here.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PublishedFigure {
    /// The short name of the series.
    pub series: Cow<'static, str>,
    /// Its number in SGS.
    pub number: u32,
    /// The last month, by its first day.
    pub date: Date,
    /// The change of the period in percent.
    pub value: Decimal,
}

/// One observation on the way to a factor.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DerivationStep {
    /// Its date.
    pub date: Date,
    /// Its value as published.
    pub value: Decimal,
    /// Its own factor.
    pub factor: Figure,
    /// The product up to here.
    pub product: Figure,
}

#[cfg(test)]
mod tests;
