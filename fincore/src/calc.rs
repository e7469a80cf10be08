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
mod accumulation;
mod compound_factor;
mod compounding_basis;
mod conversion;
mod correction;
mod derivation;
mod observed_period;
mod old_currencies;
mod parameters;
mod rate_conversion;
mod real_rate;
mod rule;
mod series_choice;
mod step_factor;
#[cfg(test)]
#[cfg(feature = "bundle")]
mod tests;

pub use accumulation::{Accumulation, Growth, accumulate};
pub use conversion::{Conversion, ConvertedAmount, Leg, convert};
pub use correction::{CorrectedAmount, Correction, SpreadFactor, correction};
pub use derivation::{Derivation, DerivationStep, PublishedFigure};
pub use old_currencies::Reais;
pub use parameters::{Amount, Convention, Months, Percent, QuotedRate, Spread, Steps};
pub use rate_conversion::{ConvertedRate, RateConversion, convert_rate};
pub use real_rate::{RealRate, RealReturn, real_rate};

pub use crate::{market::Side, numbers::figure::Figure};
