//! What market queries give: rates, quotes and the overview, with their columns.
use serde::Serialize;

use crate::{
    answers::Meta,
    table::{self, Cell, Column, serialize_by_columns},
    types::{Date, Decimal, Pair},
};

/// A rate in percent on a day.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rate {
    /// The day; for a monthly series the first day of its month.
    pub date: Date,
    /// The rate as published.
    pub value: Decimal,
}

impl table::Row for Rate {
    const COLUMNS: &'static [Column<Rate>] = &[
        Column { name: "date", cell: |rate| rate.date.into() },
        Column { name: "value", cell: |rate| rate.value.into() },
    ];
}

serialize_by_columns!(Rate);

/// The closing quote of a currency on a day (PTAX).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FxRate {
    /// The day of the closing bulletin.
    pub date: Date,
    /// What is quoted, and in what.
    pub pair: Pair,
    /// What the market pays for one unit.
    pub buy: Decimal,
    /// What the market asks for one unit.
    pub sell: Decimal,
}

impl table::Row for FxRate {
    const COLUMNS: &'static [Column<FxRate>] = &[
        Column { name: "date", cell: |quote| quote.date.into() },
        Column { name: "pair", cell: |quote| Cell::shown(quote.pair) },
        Column { name: "buy", cell: |quote| quote.buy.into() },
        Column { name: "sell", cell: |quote| quote.sell.into() },
    ];
}

serialize_by_columns!(FxRate);

/// A currency pair and the days it covers.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FxPair {
    /// The pair.
    pub pair: Pair,
    /// The oldest day.
    pub from: Date,
    /// The newest day.
    pub to: Date,
    /// The number of days with quotes, from the oldest to the newest.
    pub days: u64,
}

impl table::Row for FxPair {
    const COLUMNS: &'static [Column<FxPair>] = &[
        Column { name: "pair", cell: |covered| Cell::shown(covered.pair) },
        Column { name: "from", cell: |covered| covered.from.into() },
        Column { name: "to", cell: |covered| covered.to.into() },
        Column { name: "days", cell: |covered| Cell::Integer(covered.days) },
    ];
}

serialize_by_columns!(FxPair);

/// The newest value of each of the four indicators.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Overview {
    /// The Selic target.
    pub selic: Rate,
    /// The interbank deposit rate.
    pub cdi: Rate,
    /// Inflation of the latest month.
    pub ipca: Rate,
    /// The dollar.
    pub fx: FxRate,
    /// Where they come from.
    pub meta: OverviewMeta,
}

/// Where the four indicators come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OverviewMeta {
    /// Who published them.
    pub source: &'static str,
    /// The licence of the data, by its SPDX name.
    pub licence: &'static str,
    /// Where each of them comes from.
    pub indicators: Indicators,
}

/// The source of each indicator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Indicators {
    /// The Selic target.
    pub selic: Meta,
    /// The interbank deposit rate.
    pub cdi: Meta,
    /// Inflation of the latest month.
    pub ipca: Meta,
    /// The dollar.
    pub fx: Meta,
}
