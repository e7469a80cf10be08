//! What was done to the observations of a series.
use serde::{Deserialize, Serialize};

use crate::{
    terms::{self, Term},
    types::Date,
};

/// What was done to the observations of a series: the parameters, and the rule in a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct AppliedTransformation {
    /// The length of periods; `null` where there is one row for each observation.
    #[serde(deserialize_with = "terms::option")]
    pub frequency: Option<Term>,
    /// What a period makes of its observations.
    #[serde(deserialize_with = "terms::option")]
    pub aggregate: Option<Term>,
    /// What is told of each row.
    #[serde(deserialize_with = "terms::one")]
    pub units: Term,
    /// The row that is 100, if one was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Date>,
    /// Which rows are shown, if not all.
    #[serde(default, deserialize_with = "terms::option", skip_serializing_if = "Option::is_none")]
    pub only: Option<Term>,
    /// The side of quotes.
    #[serde(default, deserialize_with = "terms::option", skip_serializing_if = "Option::is_none")]
    pub side: Option<Term>,
    /// The rule in a sentence.
    pub rule: String,
    /// The series in which the publisher itself gives these figures, where it is held: those here are computed.
    #[serde(default, deserialize_with = "terms::option", skip_serializing_if = "Option::is_none")]
    pub published_series: Option<Term>,
}

impl AppliedTransformation {
    /// What is done, in a sentence, without parameters yet.
    pub(crate) fn new(units: Term, rule: String) -> AppliedTransformation {
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
