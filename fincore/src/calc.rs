//! Calculators: amounts corrected by an index, what a series accumulated, currencies, and interest less inflation.
//!
//! Every answer shows what it follows from: the factor, the number of periods, the first and the last observation, each
//! step if asked for, and the rule in a sentence. Calculations carry 64 decimals; what is shown is rounded half up, away
//! from zero, to as many decimals as the field says. The figures themselves are those of [`market`](crate::market), of
//! any day, whatever the plan of the snapshot.
//!
//! ```
//! use fincore::calc::{self, Correction};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
//! # fincore::bundle::fill(&catalogue)?;
//! let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
//! let january: fincore::Date = "2020-01-01".parse()?;
//! let corrected = calc::correction(&snapshot, Correction::of("1000".parse()?, january, "ipca".parse()?))?;
//! assert_eq!(corrected.derivation.periods, 80);
//! assert_eq!(corrected.result.to_string(), "1434.75");
//! # Ok::<(), fincore::Error>(())
//! ```
mod accumulated;
mod basis;
mod compound;
mod convert;
mod correction;
mod currency;
mod exact;
mod real_rate;
mod terms;
#[cfg(test)]
#[cfg(feature = "bundle")]
mod tests;

pub use accumulated::{Accumulated, Growth, accumulated};
pub use compound::{Derivation, Step};
pub use convert::{Conversion, Converted, Leg, convert};
pub use correction::{Corrected, Correction, SpreadFactor, correction};
pub use currency::Reais;
pub use exact::Figure;
pub use real_rate::{Real, RealRate, real_rate};
pub use terms::{Amount, Percent, Side, Spread, Steps};
