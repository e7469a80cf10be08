//! Answers as a client reads them: types of its own, so that it also reads what a newer server says.
//!
//! They are read from the JSON of the API. A member that a type here does not have is ignored.
#![expect(missing_docs, reason = "each type names the one of the library whose fields it has")]
use std::{collections::BTreeMap, ops::Deref};

use fincore::{
    Date,
    chrono::{DateTime, Utc},
};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error as _},
};
use serde_json::value::RawValue;

pub(crate) mod calc;
pub(crate) mod calendar;
pub(crate) mod companies;
pub(crate) mod filings;
pub(crate) mod market;
pub(crate) mod plans;
pub(crate) mod search;
pub(crate) mod statements;

/// As [`fincore::Page`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Page<T, M = Meta> {
    pub data: Vec<T>,
    pub total: u64,
    pub limit: u32,
    pub offset: u64,
    pub meta: M,
}

/// As [`fincore::Sourced`]. It dereferences to the answer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(from = "Flat<T, Source>", bound = "T: DeserializeOwned")]
#[non_exhaustive]
pub struct Sourced<T> {
    pub answer: T,
    pub meta: Meta,
}

impl<T> Deref for Sourced<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.answer
    }
}

/// The fields beside an answer with a source.
#[derive(Deserialize)]
struct Source {
    meta: Meta,
}

impl<T> From<Flat<T, Source>> for Sourced<T> {
    fn from(Flat(answer, Source { meta }): Flat<T, Source>) -> Sourced<T> {
        Sourced { answer, meta }
    }
}

/// One object that is read as two values, as with `serde(flatten)`, which would read figures as floats.
struct Flat<A, B>(A, B);

impl<'de, A: DeserializeOwned, B: DeserializeOwned> Deserialize<'de> for Flat<A, B> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Flat<A, B>, D::Error> {
        let json = Box::<RawValue>::deserialize(deserializer)?;
        let one = serde_json::from_str(json.get()).map_err(D::Error::custom)?;
        let other = serde_json::from_str(json.get()).map_err(D::Error::custom)?;
        Ok(Flat(one, other))
    }
}

/// As [`fincore::Meta`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Meta {
    pub source: String,
    pub licence: String,
    pub unit: Option<String>,
    pub computed_from: Option<String>,
    #[serde(default)]
    pub computed: u64,
    #[serde(default)]
    pub carried: u64,
    pub updated_at: Option<DateTime<Utc>>,
    pub stale: Option<bool>,
    pub as_of: Option<Date>,
    #[serde(default)]
    pub first_release: bool,
    #[serde(default)]
    pub coverage: BTreeMap<String, Span>,
    #[serde(default)]
    pub fuzzy: bool,
    #[serde(default)]
    pub dropped: Vec<String>,
    #[serde(default)]
    pub corrected: Vec<CorrectedWords>,
    #[serde(default)]
    pub linked: Vec<LinkedWords>,
    pub transformation: Option<Box<AppliedTransformation>>,
    #[serde(default)]
    pub hints: Vec<String>,
}

/// As [`fincore::Span`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Span {
    pub from: Date,
    pub to: Date,
}

/// As [`fincore::LinkedWords`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct LinkedWords {
    pub from: String,
    pub to: Vec<String>,
}

/// As [`fincore::CorrectedWords`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct CorrectedWords {
    pub from: String,
    pub to: String,
}

/// As [`fincore::AppliedTransformation`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct AppliedTransformation {
    pub frequency: Option<String>,
    pub aggregate: Option<String>,
    pub units: String,
    pub base: Option<Date>,
    pub only: Option<String>,
    pub side: Option<String>,
    pub rule: String,
    pub published_series: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::{market::Rate, *};

    #[test]
    fn what_stands_beside_a_figure_does_not_change_its_digits() {
        let json = r#"{"date":"2026-10-05","value":13.750,"new":1,"meta":{"source":"a source","licence":"ODbL-1.0","unit":"percent","computed":2,"hints":["none"]}}"#;
        let read: Sourced<Rate> = serde_json::from_str(json).unwrap();
        assert_eq!(read.value.to_string(), "13.750");
        assert_eq!((read.meta.unit.as_deref(), read.meta.computed), (Some("percent"), 2));
    }
}
