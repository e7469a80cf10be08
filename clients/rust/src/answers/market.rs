//! Answers about market data.
use std::collections::BTreeMap;

use fincore::{
    Date, Decimal, Figure, Pair,
    chrono::{DateTime, Utc},
    market::{Origin, Rhythm},
};
use serde::{Deserialize, de::Error};
use serde_json::value::RawValue;

use super::{Flat, Meta, Page};

/// As [`fincore::market::Rate`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Rate {
    pub date: Date,
    pub value: Decimal,
    #[serde(default)]
    pub origin: Origin,
}

/// As [`fincore::market::FxRate`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct FxRate {
    pub date: Date,
    pub pair: Pair,
    pub buy: Decimal,
    pub sell: Decimal,
}

/// As [`fincore::market::FxPair`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct FxPair {
    pub pair: Pair,
    pub from: Date,
    pub to: Date,
    pub days: u64,
}

/// As [`fincore::market::ListedSeries`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ListedSeries {
    pub number: u32,
    pub name: String,
    pub title: Option<String>,
    pub title_pt: Option<String>,
    pub unit: Option<String>,
    pub unit_pt: Option<String>,
    pub rhythm: Option<Rhythm>,
    pub first: Option<Date>,
    pub last: Option<Date>,
    pub count: u64,
    pub source: String,
    pub sync: Option<String>,
}

/// As [`fincore::market::Overview`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Overview {
    pub selic: Rate,
    pub cdi: Rate,
    pub ipca: Rate,
    pub fx: FxRate,
    pub meta: OverviewMeta,
}

/// As [`fincore::market::OverviewMeta`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct OverviewMeta {
    pub source: String,
    pub licence: String,
    pub updated_at: Option<DateTime<Utc>>,
    pub stale: Option<bool>,
    pub as_of: Option<Date>,
    pub indicators: Indicators,
}

/// As [`fincore::market::Indicators`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Indicators {
    pub selic: Meta,
    pub cdi: Meta,
    pub ipca: Meta,
    pub fx: Meta,
}

/// As [`fincore::market::Decisions`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(from = "Flat<Page<Decision>, Upcoming>")]
#[non_exhaustive]
pub struct Decisions {
    pub page: Page<Decision>,
    pub upcoming: Vec<Meeting>,
}

/// The fields beside the page of decisions.
#[derive(Deserialize)]
struct Upcoming {
    upcoming: Vec<Meeting>,
}

impl From<Flat<Page<Decision>, Upcoming>> for Decisions {
    fn from(Flat(page, rest): Flat<Page<Decision>, Upcoming>) -> Decisions {
        Decisions { page, upcoming: rest.upcoming }
    }
}

/// As [`fincore::market::Decision`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Decision {
    pub date: Option<Date>,
    pub effective_from: Date,
    pub before: Decimal,
    pub after: Decimal,
    pub change: Figure,
}

/// As [`fincore::market::Meeting`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Meeting {
    pub first_day: Date,
    pub second_day: Date,
}

/// As [`fincore::market::Summary`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Summary {
    pub count: u64,
    pub first: Option<Rate>,
    pub last: Option<Rate>,
    pub min: Option<Rate>,
    pub max: Option<Rate>,
    pub mean: Option<Figure>,
    pub standard_deviation: Option<Figure>,
}

/// As [`fincore::market::Revision`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Revision {
    pub date: Date,
    pub value: Decimal,
    pub known_from: Option<DateTime<Utc>>,
    pub known_until: Option<DateTime<Utc>>,
    #[serde(default)]
    pub origin: Origin,
}

/// As [`fincore::market::transform::TransformedRate`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct TransformedRate {
    pub date: Date,
    pub value: Figure,
    #[serde(default)]
    pub partial: bool,
}

/// As [`fincore::market::ComparedRow`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "BTreeMap<String, Box<RawValue>>")]
#[non_exhaustive]
pub struct ComparedRow {
    pub date: Date,
    /// The figure of each series, by its id in the query; `None` where it has none.
    pub values: BTreeMap<String, Option<Figure>>,
    pub partial: bool,
}

impl TryFrom<BTreeMap<String, Box<RawValue>>> for ComparedRow {
    type Error = serde_json::Error;

    fn try_from(mut cells: BTreeMap<String, Box<RawValue>>) -> serde_json::Result<ComparedRow> {
        let date = cells.remove("date").ok_or_else(|| serde_json::Error::missing_field("date"))?;
        // Only periods that have not ended say so.
        let partial = cells.remove("partial").is_some();
        let value = |(id, json): (_, Box<RawValue>)| Ok((id, serde_json::from_str(json.get())?));
        let values = cells.into_iter().map(value).collect::<serde_json::Result<_>>()?;
        Ok(ComparedRow { date: serde_json::from_str(date.get())?, values, partial })
    }
}

/// As [`fincore::market::ComparedMeta`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ComparedMeta {
    pub source: String,
    pub licence: String,
    pub updated_at: Option<DateTime<Utc>>,
    pub stale: Option<bool>,
    pub series: BTreeMap<String, Meta>,
}
