//! What a series accumulated over a period.
use serde::{Deserialize, Serialize};

use super::{
    compounding_basis::Ends,
    derivation::Derivation,
    observed_period::Period,
    parameters::{Months, Steps},
    rule::Rule,
    series_choice::compound,
};
use crate::{
    answers::Sourced,
    catalogue::Snapshot,
    error::Result,
    types::{Date, Limit, Offset, SeriesId},
};

/// A query for what a series accumulated.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Accumulation {
    /// The series, by name or number; `selic` and `cdi` stand for their daily rates, `igp-m` for its unrounded months
    /// where they are held, `savings` for the rule that the day of the deposit falls under.
    pub series: SeriesId,
    /// The first day; of a monthly series its whole month counts.
    pub from: Date,
    /// The last day, which counts too; by default that of the newest observation.
    pub to: Option<Date>,
    /// Which months of a monthly index count.
    #[serde(default)]
    pub months: Months,
    /// Whether to list the steps.
    #[serde(default)]
    pub steps: Steps,
    /// The most steps to list; by default a thousand.
    #[serde(default = "Steps::thousand")]
    pub limit: Limit<1000>,
    /// The number of steps to skip.
    #[serde(default)]
    pub offset: Offset,
}

impl Accumulation {
    /// What a series accumulated up to its newest observation.
    #[must_use]
    pub fn new(series: SeriesId, from: Date) -> Accumulation {
        Accumulation {
            series,
            from,
            to: None,
            months: Months::Inclusive,
            steps: Steps::Omitted,
            limit: Limit::MAX,
            offset: Offset::default(),
        }
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
    pub rule: String,
    /// The rule in Portuguese.
    pub rule_pt: String,
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
    let Accumulation { series, from, to, months, steps, limit, offset } = query;
    let period = Period { from, to, ends: Ends::Both, months };
    let compound = compound(snapshot, &series, period, None, steps.page(limit, offset))?;
    let rule = Rule::of(&compound);
    let derivation = compound.derivation();
    let growth = Growth { derivation, rule: rule.en, rule_pt: rule.pt };
    Ok(Sourced::new(growth, compound.meta))
}
