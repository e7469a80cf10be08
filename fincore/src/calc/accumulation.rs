//! What a series accumulated over a period.
use serde::{Deserialize, Serialize};

use super::{
    compound_factor::{CompoundFactor, Derivation},
    compounding_basis::{CompoundedSeries, Ends},
    parameters::Steps,
};
use crate::{
    answers::Sourced,
    catalogue::Snapshot,
    error::Result,
    types::{Date, SeriesId},
};

/// A query for what a series accumulated.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accumulation {
    /// The series, by name or number; `selic` and `cdi` stand for their daily rates.
    pub series: SeriesId,
    /// The first day; of a monthly series its whole month counts.
    pub from: Date,
    /// The last day, which counts too; by default that of the newest observation.
    pub to: Option<Date>,
    /// Whether to list every step.
    #[serde(default)]
    pub steps: Steps,
}

impl Accumulation {
    /// What a series accumulated up to its newest observation.
    #[must_use]
    pub fn new(series: SeriesId, from: Date) -> Accumulation {
        Accumulation { series, from, to: None, steps: Steps::Omitted }
    }
}

/// What a series accumulated, and how.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Growth {
    /// The factor, and how it was computed.
    #[serde(flatten)]
    pub derivation: Derivation,
    /// The rule in a sentence.
    pub rule: &'static str,
    /// The rule in Portuguese.
    pub rule_pt: &'static str,
}

impl std::ops::Deref for Growth {
    type Target = Derivation;

    fn deref(&self) -> &Derivation {
        &self.derivation
    }
}

/// Compounds the observations of a period, both ends included: the rates of a month of the daily CDI (SGS 12) give the CDI
/// of that month (SGS 4391). Of a series with a level it is the change from the first observation to the last.
///
/// Any period is allowed on every plan. Fails as [`correction`](super::correction) does.
pub fn accumulate(snapshot: &Snapshot, query: Accumulation) -> Result<Sourced<Growth>> {
    let series = CompoundedSeries::find(&query.series)?;
    let compound =
        CompoundFactor::compute(snapshot, series, (query.from, query.to), Ends::Both, None)?;
    let rule = series.basis.rule(Ends::Both);
    let derivation = compound.derivation(query.steps);
    let growth = Growth { derivation, rule: rule.en, rule_pt: rule.pt };
    Ok(Sourced::new(growth, compound.meta))
}
