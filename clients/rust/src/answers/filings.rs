//! Answers about filings.
use std::borrow::Cow;

use fincore::{CvmCode, Date, FilingId};
use serde::{Deserialize, Deserializer, de::Error};

/// As [`fincore::filings::Filing`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Filing {
    pub id: FilingId,
    pub company_id: CvmCode,
    pub company_name: String,
    pub category: String,
    pub r#type: String,
    pub species: String,
    /// The subject; if there is none, category, type and species.
    pub description: String,
    pub subject: Option<String>,
    #[serde(deserialize_with = "day_of_start")]
    pub date: Date,
    pub reference_date: Option<Date>,
    pub version: u32,
    pub url: String,
}

/// The day of `2024-02-15T00:00:00-03:00`.
fn day_of_start<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Date, D::Error> {
    let text = Cow::<str>::deserialize(deserializer)?;
    let (day, _) = text.split_once('T').unwrap_or((&text, ""));
    day.parse().map_err(D::Error::custom)
}

/// As [`fincore::filings::Category`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Category {
    pub category: String,
    pub r#type: String,
    pub filings: u64,
}
