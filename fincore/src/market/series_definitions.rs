//! The series of the central bank that this library describes: title, unit, rhythm, and where the values are stored.
use std::{borrow::Cow, collections::HashMap, sync::LazyLock};

use serde::Deserialize;

use crate::values::{Currency, Date, Error, Result, SeriesId, Wanted, as_text, tsv};

/// How often a series has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rhythm {
    /// One for every calendar day.
    Daily,
    /// One for every business day of the financial market.
    #[serde(rename = "business days")]
    BusinessDays,
    /// One for every month, dated on its first day.
    Monthly,
}

impl Rhythm {
    const ALL: [Rhythm; 3] = [Rhythm::Daily, Rhythm::BusinessDays, Rhythm::Monthly];

    /// `daily`, `business days` or `monthly`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Rhythm::Daily => "daily",
            Rhythm::BusinessDays => "business days",
            Rhythm::Monthly => "monthly",
        }
    }
}

/// The quantity that the values of a series measure, which decides how they are compounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Percent of a business day.
    PercentPerDay,
    /// Percent of a month.
    PercentPerMonth,
    /// Percent of a year.
    PercentPerYear,
    /// Percent of the twelve months that end with this one.
    PercentInTwelveMonths,
    /// Something that has a level: an index, an amount, a price.
    Level,
}

/// The side of a closing quote that a series has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// The price at which the market buys.
    Buy,
    /// The price at which the market sells; most contracts mean it.
    #[default]
    Sell,
}

as_text!(Side::as_str, Wanted::Side, "buy" => Buy, "sell" => Sell);

/// A text in English and Portuguese.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// In English.
    pub en: &'static str,
    /// In Portuguese.
    pub pt: &'static str,
}

/// The definition of a series of SGS, the central bank's time series system.
#[derive(Debug)]
#[non_exhaustive]
pub struct SeriesDefinition {
    /// Its number in SGS.
    pub number: u32,
    /// Its short name in addresses and on the command line: `igp-m`.
    pub name: &'static str,
    /// Other names that Brazilians type.
    pub(crate) other_names: Vec<&'static str>,
    /// Its title.
    pub title: Text,
    /// The unit of its values.
    pub unit: Text,
    /// How often it has a value.
    pub rhythm: Rhythm,
    /// The central bank has no value before this day.
    pub since: Date,
    /// Whether it is brought only if it is asked for; once it is held, it is kept fresh like the others.
    pub on_demand: bool,
    /// The series from which missing figures are computed.
    pub(crate) computed_from: Option<u32>,
    /// The currency and side of a series that is an exchange rate: its values are stored as quotes.
    pub(crate) quote: Option<(Currency, Side)>,
}

impl SeriesDefinition {
    /// Whether the series is one side of an exchange rate: its values are stored as quotes.
    #[must_use]
    pub fn is_exchange_rate(&self) -> bool {
        self.quote.is_some()
    }

    /// Whether a value holds until it is changed: the Selic target and the TJLP.
    #[must_use]
    pub fn holds_until_changed(&self) -> bool {
        matches!(self.number, SELIC | TJLP)
    }

    pub(crate) fn measure(&self) -> Measure {
        match self.unit.en {
            "percent per day" => Measure::PercentPerDay,
            "percent per month" => Measure::PercentPerMonth,
            "percent per year" | "percent per year, 252 business days" => Measure::PercentPerYear,
            "percent in 12 months" => Measure::PercentInTwelveMonths,
            _ => Measure::Level,
        }
    }
}

/// The Selic target, percent per year, on every calendar day.
pub const SELIC: u32 = 432;
/// The Selic rate, percent per day.
pub(crate) const SELIC_DAILY: u32 = 11;
/// The effective Selic rate, percent per year on 252 business days.
pub(crate) const SELIC_EFFECTIVE: u32 = 1178;
/// The CDI, percent per year on 252 business days; as published, or computed from the rate per day (12).
pub const CDI: u32 = 4389;
/// The CDI, percent per day.
pub(crate) const CDI_DAILY: u32 = 12;
/// The long-term interest rate, which is set for a quarter.
pub(crate) const TJLP: u32 = 256;
/// The Selic rate accumulated in each month.
pub(crate) const SELIC_MONTHLY: u32 = 4390;
/// The CDI accumulated in each month.
pub(crate) const CDI_MONTHLY: u32 = 4391;
/// The dollar's closing price on the selling side.
pub(crate) const USD_SELL: u32 = 1;
/// Its mean of each month.
pub(crate) const USD_MONTHLY: u32 = 3698;
/// The consumer price index IPCA, percent per month, dated on the first of its month.
pub const IPCA: u32 = 433;
/// The IPCA accumulated in twelve months, as published.
pub(crate) const IPCA_12_MONTHS: u32 = 13522;
/// The price index IGP-M, percent per month, rounded to two decimals.
pub(crate) const IGP_M: u32 = 189;
/// The IGP-M unrounded, computed from the index numbers: the central bank's calculator for citizens uses it.
pub(crate) const IGP_M_UNROUNDED: u32 = 28655;
/// The return of savings deposits made since 4 May 2012, for the month that begins on each day.
pub(crate) const SAVINGS: u32 = 195;
/// The savings rate of deposits made on the first day of each month only.
pub(crate) const SAVINGS_MONTHLY: u32 = 196;
/// The return of savings deposits made until 3 May 2012, for the month that begins on each day.
pub(crate) const OLD_SAVINGS: u32 = 25;

/// No series of SGS that we know of has a value before this day.
pub const SGS_BEGINS: Date = Date::new(1900, 1, 1).expect("a day of the calendar");

/// Every known series, the most popular first; those that are brought only if they are asked for come last.
pub(crate) static DEFINITIONS: LazyLock<Vec<SeriesDefinition>> = LazyLock::new(|| {
    let table = include_str!("series_definitions.tsv");
    let header = "number\tname\tother_names\ttitle\ttitle_pt\tunit\tunit_pt\trhythm\tsince\t\
        on_demand\tcomputed_from\tquote";
    tsv::embedded("series_definitions.tsv", table, header, read)
});

fn read(
    [
        number,
        name,
        other_names,
        title,
        title_pt,
        unit,
        unit_pt,
        rhythm,
        since,
        on_demand,
        computed_from,
        quote,
    ]: [&'static str; 12],
) -> Result<SeriesDefinition> {
    Ok(SeriesDefinition {
        number: tsv::number(number)?,
        name,
        other_names: tsv::list(other_names).collect(),
        title: Text { en: title, pt: title_pt },
        unit: Text { en: unit, pt: unit_pt },
        rhythm: tsv::named(rhythm, Rhythm::ALL, Rhythm::as_str, "a rhythm")?,
        since: tsv::optional(since)?.unwrap_or(SGS_BEGINS),
        on_demand: tsv::value(on_demand, "true or false")?,
        computed_from: tsv::present(computed_from).map(tsv::number).transpose()?,
        quote: tsv::present(quote).map(read_quote).transpose()?,
    })
}

fn read_quote(text: &str) -> Result<(Currency, Side)> {
    let parts = text.split_once(' ');
    let (currency, side) = parts.ok_or_else(|| Error::in_file(text, "a currency and its side"))?;
    Ok((currency.parse()?, side.parse()?))
}

/// Every series that this library describes, the most popular first.
#[must_use]
pub fn known_series() -> &'static [SeriesDefinition] {
    &DEFINITIONS
}

/// The definition of a series, if this library has one.
pub(crate) fn definition(number: u32) -> Option<&'static SeriesDefinition> {
    static BY_NUMBER: LazyLock<HashMap<u32, &SeriesDefinition>> =
        LazyLock::new(|| DEFINITIONS.iter().map(|series| (series.number, series)).collect());
    BY_NUMBER.get(&number).copied()
}

/// The number of the series that an id stands for, described here or not; `None` if no series has the name.
pub(crate) fn number(id: &SeriesId) -> Option<u32> {
    let is_named = |series: &&SeriesDefinition| {
        id.is_named(series.name) || series.other_names.iter().any(|name| id.is_named(name))
    };
    id.number().or_else(|| DEFINITIONS.iter().find(is_named).map(|series| series.number))
}

/// The series in percent per year whose gaps are filled from this one, which is in percent per day.
pub(crate) fn annualised_series_of(daily: u32) -> Option<u32> {
    DEFINITIONS
        .iter()
        .find(|series| series.computed_from == Some(daily))
        .map(|series| series.number)
}

/// The name of a series as a dataset: its short name, or its number.
pub(crate) fn dataset(number: u32) -> Cow<'static, str> {
    definition(number).map_or_else(|| number.to_string().into(), |series| series.name.into())
}
