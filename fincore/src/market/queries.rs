//! The queries of market data.
use serde::{Deserialize, Serialize};

use crate::types::{Date, Limit, Offset, Pair, SeriesId, Words};

/// A query for the history of a series; by default the newest twenty days.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct History {
    /// The first day.
    pub from: Option<Date>,
    /// The last day.
    pub to: Option<Date>,
    /// The most days to return.
    #[serde(default)]
    pub limit: Limit<10_000>,
    /// The number of days to skip, counted from the newest.
    #[serde(default)]
    pub offset: Offset,
}

impl History {
    /// The same of a series.
    #[must_use]
    pub fn of(self, series: SeriesId) -> SeriesHistory {
        let History { from, to, limit, offset } = self;
        SeriesHistory { series, from, to, limit, offset }
    }
}

/// A query for the history of any series, by its number or name.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SeriesHistory {
    /// The series.
    pub series: SeriesId,
    /// The first day.
    pub from: Option<Date>,
    /// The last day.
    pub to: Option<Date>,
    /// The most days to return.
    #[serde(default)]
    pub limit: Limit<10_000>,
    /// The number of days to skip, counted from the newest.
    #[serde(default)]
    pub offset: Offset,
}

impl SeriesHistory {
    /// The newest twenty days of a series.
    #[must_use]
    pub fn new(series: SeriesId) -> SeriesHistory {
        History::default().of(series)
    }

    /// The series, and the rest of the query.
    pub(super) fn split(self) -> (SeriesId, History) {
        let SeriesHistory { series, from, to, limit, offset } = self;
        (series, History { from, to, limit, offset })
    }
}

/// A query for the newest observation of any series, by its number or name.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SeriesCurrent {
    /// The series.
    pub series: SeriesId,
}

impl SeriesCurrent {
    /// The newest observation of a series.
    #[must_use]
    pub fn new(series: SeriesId) -> SeriesCurrent {
        SeriesCurrent { series }
    }
}

/// A query for a summary of any series, by its number or name; by default of all its observations.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SummaryQuery {
    /// The series.
    pub series: SeriesId,
    /// The first day.
    pub from: Option<Date>,
    /// The last day.
    pub to: Option<Date>,
}

impl SummaryQuery {
    /// All observations of a series.
    #[must_use]
    pub fn new(series: SeriesId) -> SummaryQuery {
        SummaryQuery { series, from: None, to: None }
    }
}

/// A query for the list of series; by default all that hold observations.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SeriesList {
    /// Only series that these words mean, held or not: each is a word of a name, title or unit, or the beginning of one.
    pub q: Option<Words>,
    /// The most series to return.
    #[serde(default = "all_series")]
    pub limit: Limit<1000>,
    /// The number of series to skip.
    #[serde(default)]
    pub offset: Offset,
}

impl Default for SeriesList {
    fn default() -> SeriesList {
        SeriesList { q: None, limit: all_series(), offset: Offset::default() }
    }
}

/// Some eighty series are known; an operator may have imported others.
fn all_series() -> Limit<1000> {
    Limit::MAX
}

/// A query for the history of a currency pair; by default the newest twenty days of `USD/BRL`.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FxHistory {
    /// The pair.
    #[serde(default)]
    pub pair: Pair,
    /// The first day.
    pub from: Option<Date>,
    /// The last day.
    pub to: Option<Date>,
    /// The most days to return.
    #[serde(default)]
    pub limit: Limit<10_000>,
    /// The number of days to skip, counted from the newest.
    #[serde(default)]
    pub offset: Offset,
}

/// A query for the current quote of a pair; by default `USD/BRL`.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FxCurrent {
    /// The pair.
    #[serde(default)]
    pub pair: Pair,
}

/// A query for the list of currency pairs; by default all of them.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FxPairs {
    /// The most pairs to return.
    #[serde(default = "all_pairs")]
    pub limit: Limit<1000>,
    /// The number of pairs to skip.
    #[serde(default)]
    pub offset: Offset,
}

impl Default for FxPairs {
    fn default() -> FxPairs {
        FxPairs { limit: all_pairs(), offset: Offset::default() }
    }
}

/// Some 160 currencies have quotes.
fn all_pairs() -> Limit<1000> {
    Limit::MAX
}
