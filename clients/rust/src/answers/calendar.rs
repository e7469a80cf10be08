//! Answers about business days.
use fincore::Date;
use serde::Deserialize;

/// As [`fincore::calendar::Day`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Day {
    pub date: Date,
    pub business_day: bool,
    pub previous: Option<Date>,
    pub next: Option<Date>,
    pub holiday: Option<Holiday>,
}

/// As [`fincore::calendar::Holiday`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Holiday {
    pub en: String,
    pub pt: String,
}

/// As [`fincore::calendar::BusinessDays`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct BusinessDays {
    pub data: Vec<Date>,
    pub total: usize,
}
