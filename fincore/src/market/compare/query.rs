//! What several series at once are asked for by.
use std::{fmt, ops::Deref, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{
    error::{Error, Result, Wanted},
    types::{Date, Limit, Offset, SeriesId, deserialize_from_str, serialize_as_str},
};

/// A query for several series at once; by default the newest twenty dates.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// The series, in the order of their columns.
    pub ids: SeriesIds,
    /// The first day.
    pub from: Option<Date>,
    /// The last day.
    pub to: Option<Date>,
    /// The most dates to return.
    #[serde(default)]
    pub limit: Limit<10_000>,
    /// The number of dates to skip, counted from the newest.
    #[serde(default)]
    pub offset: Offset,
}

impl Comparison {
    /// The newest twenty dates of these series.
    #[must_use]
    pub fn new(ids: SeriesIds) -> Comparison {
        Comparison { ids, from: None, to: None, limit: Limit::default(), offset: Offset::default() }
    }
}

/// One to ten series by their numbers or names, separated by commas.
///
/// ```
/// use fincore::market::SeriesIds;
///
/// let ids: SeriesIds = "ipca, igp-m,11".parse()?;
/// assert_eq!(ids.len(), 3);
/// assert!("ipca,".parse::<SeriesIds>().is_err());
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeriesIds(Vec<SeriesId>);

impl SeriesIds {
    /// The most series of one answer: as many columns as a table on a screen, and lines as a chart, can have.
    pub const MOST: usize = 10;
}

impl FromStr for SeriesIds {
    type Err = Error;

    fn from_str(text: &str) -> Result<SeriesIds> {
        let given = text.split(',').count();
        if given > SeriesIds::MOST {
            return Err(Error::invalid(text, Wanted::FewerSeries { most: SeriesIds::MOST, given }));
        }
        text.split(',').map(|id| id.trim().parse()).collect::<Result<_>>().map(SeriesIds)
    }
}

impl Deref for SeriesIds {
    type Target = [SeriesId];

    fn deref(&self) -> &[SeriesId] {
        &self.0
    }
}

impl fmt::Display for SeriesIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(SeriesId::to_string).collect::<Vec<_>>().join(","))
    }
}

deserialize_from_str!(SeriesIds);
serialize_as_str!(SeriesIds);
