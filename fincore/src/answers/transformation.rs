//! What was done to the observations of a series.
use serde::Serialize;

use crate::types::Date;

/// What was done to the observations of a series: the parameters, and the rule in a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AppliedTransformation {
    /// The length of periods; `null` where there is one row for each observation.
    pub frequency: Option<&'static str>,
    /// What a period makes of its observations.
    pub aggregate: Option<&'static str>,
    /// What is told of each row.
    pub units: &'static str,
    /// The row that is 100, if one was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Date>,
    /// Which rows are shown, if not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only: Option<&'static str>,
    /// The side of quotes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<&'static str>,
    /// The rule in a sentence.
    pub rule: String,
    /// The series in which the publisher itself gives these figures, where it is held: those here are computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_series: Option<&'static str>,
}

impl AppliedTransformation {
    /// What is done, in a sentence, without parameters yet.
    pub(crate) fn new(units: &'static str, rule: String) -> AppliedTransformation {
        AppliedTransformation {
            frequency: None,
            aggregate: None,
            units,
            base: None,
            only: None,
            side: None,
            rule,
            published_series: None,
        }
    }
}
