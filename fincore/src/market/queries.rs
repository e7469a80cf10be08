//! What can be asked of the market.
use serde::Deserialize;

use crate::types::{Date, Limit, Offset, Pair};

/// A query for the history of a series; by default the newest twenty days.
#[derive(Clone, Debug, Default, Deserialize)]
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

/// A query for the history of a currency pair; by default the newest twenty days of `USD/BRL`.
#[derive(Clone, Debug, Default, Deserialize)]
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
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FxCurrent {
    /// The pair.
    #[serde(default)]
    pub pair: Pair,
}

/// A query for the list of currency pairs; by default all of them.
#[derive(Clone, Debug, Deserialize)]
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
