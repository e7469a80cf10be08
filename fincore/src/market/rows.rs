//! The row types of market queries.
use std::borrow::Cow;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    answers::{
        Cell, Column, ColumnKind, Meta,
        table::{self, serialize_by_columns},
    },
    market::{Rhythm, Text},
    values::{Date, Decimal, Pair},
};

/// An observation of a series on a date.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Rate {
    /// The date; for a monthly series the first day of the month.
    pub date: Date,
    /// The value, with the digits that were published.
    pub value: Decimal,
    /// Where the value comes from. JSON leaves it out where it is published.
    #[serde(skip_serializing_if = "Origin::is_published")]
    pub origin: Origin,
}

impl Rate {
    /// A published observation.
    pub(crate) fn published(date: Date, value: Decimal) -> Rate {
        Rate { date, value, origin: Origin::Published }
    }
}

impl table::Row for Rate {
    const COLUMNS: &'static [Column<Rate>] = &[
        Column::new("date", ColumnKind::Day, |rate| rate.date.into()),
        Column::new("value", ColumnKind::Figure, |rate| rate.value.into()),
        Column::new("origin", ColumnKind::Text, |rate| rate.origin.as_str().into()),
    ];
}

/// The closing quote of a currency pair on a date (PTAX), always as published.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FxRate {
    /// The date of the closing bulletin.
    pub date: Date,
    /// The pair.
    pub pair: Pair,
    /// The price at which the market buys one unit.
    pub buy: Decimal,
    /// The price at which the market sells one unit.
    pub sell: Decimal,
}

impl table::Row for FxRate {
    const COLUMNS: &'static [Column<FxRate>] = &[
        Column::new("date", ColumnKind::Day, |quote| quote.date.into()),
        Column::new("pair", ColumnKind::Text, |quote| Cell::display(quote.pair)),
        Column::new("buy", ColumnKind::Figure, |quote| quote.buy.into()),
        Column::new("sell", ColumnKind::Figure, |quote| quote.sell.into()),
        Column::new("origin", ColumnKind::Text, |_| Origin::Published.as_str().into()),
    ];
}

/// A currency pair and the dates it covers.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FxPair {
    /// The pair.
    pub pair: Pair,
    /// The oldest date.
    pub from: Date,
    /// The newest date.
    pub to: Date,
    /// The number of dates with quotes.
    pub days: u64,
}

impl table::Row for FxPair {
    const COLUMNS: &'static [Column<FxPair>] = &[
        Column::new("pair", ColumnKind::Text, |covered| Cell::display(covered.pair)),
        Column::new("from", ColumnKind::Day, |covered| covered.from.into()),
        Column::new("to", ColumnKind::Day, |covered| covered.to.into()),
        Column::new("days", ColumnKind::Integer, |covered| Cell::Integer(covered.days)),
    ];
}

serialize_by_columns!(FxPair);

/// A series of the central bank, and the days it covers.
///
/// Title, unit and rhythm are those of its [`SeriesDefinition`](crate::market::series_definitions::SeriesDefinition); a series without one has none.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedSeries {
    /// Its number in SGS.
    pub number: u32,
    /// Its short name; of a series without a definition, its number.
    pub name: Cow<'static, str>,
    /// Its title; in JSON `title` and `title_pt`.
    pub title: Option<Text>,
    /// The unit of its values; in JSON `unit` and `unit_pt`.
    pub unit: Option<Text>,
    /// How often it has a value.
    pub rhythm: Option<Rhythm>,
    /// The oldest date; none if it is not held.
    pub first: Option<Date>,
    /// The newest date; none if it is not held.
    pub last: Option<Date>,
    /// The number of dates with values.
    pub count: u64,
    /// Publisher and number: `BCB SGS 189`.
    pub source: String,
    /// The command that brings it, if it is not held.
    pub sync: Option<String>,
}

impl table::Row for ListedSeries {
    const COLUMNS: &'static [Column<ListedSeries>] = &[
        Column::new("number", ColumnKind::Integer, |series| Cell::Integer(series.number.into())),
        Column::new("name", ColumnKind::Text, |series| series.name.as_ref().into()),
        Column::new("title", ColumnKind::Text, |series| series.title.map(|title| title.en).into()),
        Column::new("title_pt", ColumnKind::Text, |series| {
            series.title.map(|title| title.pt).into()
        }),
        Column::new("unit", ColumnKind::Text, |series| series.unit.map(|unit| unit.en).into()),
        Column::new("unit_pt", ColumnKind::Text, |series| series.unit.map(|unit| unit.pt).into()),
        Column::new("rhythm", ColumnKind::Text, |series| series.rhythm.map(Rhythm::as_str).into()),
        Column::new("first", ColumnKind::Day, |series| series.first.into()),
        Column::new("last", ColumnKind::Day, |series| series.last.into()),
        Column::new("count", ColumnKind::Integer, |series| Cell::Integer(series.count)),
        Column::new("source", ColumnKind::Text, |series| series.source.as_str().into()),
        Column::new("sync", ColumnKind::Text, |series| series.sync.as_deref().into()),
    ];
}

serialize_by_columns!(ListedSeries);

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
    /// The source of the four values.
    pub meta: OverviewMeta,
}

/// The source of an overview.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OverviewMeta {
    /// The publisher.
    pub source: &'static str,
    /// The licence of the data, as an SPDX identifier.
    pub licence: &'static str,
    /// When one of the four datasets last changed here, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<DateTime<Utc>>,
    /// Whether any of the four is stale; `None` for an earlier day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale: Option<bool>,
    /// The day at the end of which all this was known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<Date>,
    /// The source of each indicator.
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

/// Where the figure of a row comes from.
///
/// In JSON a row has `origin` only where it is not `published`; CSV and exports have the column in every row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// As its source published it.
    #[default]
    Published,
    /// Computed from another series, because no published figure is held.
    Computed,
    /// The figure of the day before, because no published figure is held.
    Carried,
}

impl Origin {
    /// `published`, `computed` or `carried`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Origin::Published => "published",
            Origin::Computed => "computed",
            Origin::Carried => "carried",
        }
    }

    /// Whether the figure is as its source published it.
    #[must_use]
    pub fn is_published(&self) -> bool {
        *self == Origin::Published
    }

    /// The origin of a stored row, by its column `computed`.
    pub(crate) fn of_code(code: i64) -> Origin {
        match code {
            0 => Origin::Published,
            CARRIED => Origin::Carried,
            _ => Origin::Computed,
        }
    }
}

/// The value of the column `computed` for a figure that was carried; 1 is for one that was computed.
pub(crate) const CARRIED: i64 = 2;

/// How many of some rows are not as published.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OriginCounts {
    pub(crate) computed: u64,
    pub(crate) carried: u64,
}

impl FromIterator<Origin> for OriginCounts {
    fn from_iter<I: IntoIterator<Item = Origin>>(origins: I) -> OriginCounts {
        origins.into_iter().fold(OriginCounts::default(), |mut counts, origin| {
            match origin {
                Origin::Published => (),
                Origin::Computed => counts.computed += 1,
                Origin::Carried => counts.carried += 1,
            }
            counts
        })
    }
}
