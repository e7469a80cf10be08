//! Market rates: Selic, CDI, IPCA and exchange rates, as history and as they are now.
use serde::{Deserialize, Serialize};

use crate::{
    Currency, Date, DateRange, Decimal, Error, Limit, Pair, Result, Snapshot, sqlite::parsed,
};

pub(crate) mod store;
mod window;

use window::within_plan;

/// The Selic target, percent a year, on every calendar day.
pub(crate) const SELIC: u32 = 432;
/// The CDI, percent a year on 252 business days; as published, or worked out from [`CDI_DAILY`].
const CDI: u32 = 4389;
/// The CDI, percent a day.
pub(crate) const CDI_DAILY: u32 = 12;
/// The consumer price index IPCA, percent a month, dated on the first of its month.
pub(crate) const IPCA: u32 = 433;

/// A rate in percent on a day.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rate {
    /// The day; for a monthly series the first day of its month.
    pub date: Date,
    /// The rate as published.
    pub value: Decimal,
}

/// The closing price of a currency on a day (PTAX).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FxRate {
    /// The day of the closing bulletin.
    pub date: Date,
    /// What is priced, and in what.
    pub pair: Pair,
    /// What the market pays for one unit.
    pub buy: Decimal,
    /// What the market asks for one unit.
    pub sell: Decimal,
}

/// Which days of a series are wanted; by default the newest twenty.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct History {
    /// No day before this one.
    pub from: Option<Date>,
    /// No day after this one.
    pub to: Option<Date>,
    /// At most this many days, the newest of them.
    #[serde(default)]
    pub limit: Limit<10_000>,
}

/// Which days of a currency pair are wanted; by default the newest twenty of `USD/BRL`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FxHistory {
    /// The pair.
    #[serde(default)]
    pub pair: Pair,
    /// No day before this one.
    pub from: Option<Date>,
    /// No day after this one.
    pub to: Option<Date>,
    /// At most this many days, the newest of them.
    #[serde(default)]
    pub limit: Limit<10_000>,
}

/// Which pair is wanted; by default `USD/BRL`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FxCurrent {
    /// The pair.
    #[serde(default)]
    pub pair: Pair,
}

/// Observations, newest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Observations<T> {
    /// The observations.
    pub data: Vec<T>,
    /// Where they come from.
    pub meta: Meta,
}

/// What a series is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Meta {
    /// Who published it, under which name.
    pub source: &'static str,
    /// What its numbers mean.
    pub unit: &'static str,
}

/// The four indicators as they are now.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Overview {
    /// The Selic target.
    pub selic: Rate,
    /// The interbank deposit rate.
    pub cdi: Rate,
    /// Inflation of the latest month.
    pub ipca: Rate,
    /// The dollar.
    pub fx: FxRate,
}

/// The currency pairs there are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FxPairs {
    /// One entry a pair, by name.
    pub data: Vec<FxPair>,
}

/// A currency pair and the days it covers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FxPair {
    /// The pair.
    pub pair: Pair,
    /// The oldest day.
    pub from: Date,
    /// The newest day.
    pub to: Date,
}

/// The Selic target rate set by Copom, percent a year, newest first.
///
/// Fails where `from` is after `to`, and where they reach further back than the snapshot's plan.
pub fn selic(snapshot: &Snapshot, query: History) -> Result<Observations<Rate>> {
    let meta = Meta { source: "BCB SGS 432", unit: "percent per year" };
    Ok(Observations { data: series(snapshot, SELIC, &query)?, meta })
}

/// The interbank deposit rate (CDI), percent a year on 252 business days, newest first.
///
/// Fails where `from` is after `to`, and where they reach further back than the snapshot's plan.
pub fn cdi(snapshot: &Snapshot, query: History) -> Result<Observations<Rate>> {
    let meta = Meta { source: "BCB SGS 4389 and 12", unit: "percent per year, 252 business days" };
    Ok(Observations { data: series(snapshot, CDI, &query)?, meta })
}

/// Consumer price inflation (IPCA), percent a month, newest first, dated on the first of the month.
///
/// Fails where `from` is after `to`, and where they reach further back than the snapshot's plan.
pub fn ipca(snapshot: &Snapshot, query: History) -> Result<Observations<Rate>> {
    let meta = Meta { source: "BCB SGS 433", unit: "percent per month" };
    Ok(Observations { data: series(snapshot, IPCA, &query)?, meta })
}

/// The Selic target rate in force on the snapshot's day. Fails where no observation is known.
pub fn selic_current(snapshot: &Snapshot) -> Result<Rate> {
    current(snapshot, "Selic", SELIC)
}

/// The newest CDI. Fails where no observation is known.
pub fn cdi_current(snapshot: &Snapshot) -> Result<Rate> {
    current(snapshot, "CDI", CDI)
}

/// The newest monthly IPCA. Fails where no observation is known.
pub fn ipca_current(snapshot: &Snapshot) -> Result<Rate> {
    current(snapshot, "IPCA", IPCA)
}

/// Any imported series of the central bank's SGS by its number, newest first; empty where it is unknown.
///
/// Fails where `from` is after `to`, and where they reach further back than the snapshot's plan.
pub fn series(snapshot: &Snapshot, number: u32, query: &History) -> Result<Vec<Rate>> {
    let newest = || Ok(newest_rate(snapshot, number)?.map(|rate| rate.date));
    let range = within_plan(snapshot, query.from, query.to, newest)?;
    rates(snapshot, number, range, query.limit.get())
}

fn rates(snapshot: &Snapshot, number: u32, range: DateRange, limit: u32) -> Result<Vec<Rate>> {
    const SQL: &str = "SELECT date, value FROM rate
        WHERE series = ?1 AND date BETWEEN ?2 AND ?3 ORDER BY date DESC LIMIT ?4";
    let (from, to) = (range.from().to_string(), range.to().to_string());
    snapshot.rows(SQL, (number, from, to, limit), |row| {
        Ok(Rate { date: parsed(row, 0)?, value: parsed(row, 1)? })
    })
}

fn current(snapshot: &Snapshot, name: &str, number: u32) -> Result<Rate> {
    newest_rate(snapshot, number)?
        .ok_or_else(|| Error::NotFound(format!("no observation of the {name} is known yet")))
}

fn newest_rate(snapshot: &Snapshot, number: u32) -> Result<Option<Rate>> {
    let until_today = DateRange::new(None, Some(snapshot.today()))?;
    Ok(rates(snapshot, number, until_today, 1)?.pop())
}

/// Closing quotes of a currency pair (PTAX), newest first.
///
/// Fails where the pair has no quotes at all, where `from` is after `to`, and where they reach further
/// back than the snapshot's plan.
pub fn fx(snapshot: &Snapshot, query: FxHistory) -> Result<Observations<FxRate>> {
    let meta = Meta { source: "BCB PTAX, closing bulletin", unit: "BRL per unit" };
    let newest = || Ok(Some(fx_current(snapshot, FxCurrent { pair: query.pair })?.date));
    let range = within_plan(snapshot, query.from, query.to, newest)?;
    let data = quotes(snapshot, query.pair, range, query.limit.get())?;
    if data.is_empty() {
        // A pair without quotes in these days is an empty list, one without any is a mistake.
        fx_current(snapshot, FxCurrent { pair: query.pair })?;
    }
    Ok(Observations { data, meta })
}

/// The newest closing quote of a currency pair. Fails where the pair has none.
pub fn fx_current(snapshot: &Snapshot, query: FxCurrent) -> Result<FxRate> {
    let until_today = DateRange::new(None, Some(snapshot.today()))?;
    let newest = quotes(snapshot, query.pair, until_today, 1)?.pop();
    newest.ok_or(Error::UnknownPair(query.pair))
}

fn quotes(snapshot: &Snapshot, pair: Pair, range: DateRange, limit: u32) -> Result<Vec<FxRate>> {
    const SQL: &str = "SELECT date, buy, sell FROM fx
        WHERE currency = ?1 AND date BETWEEN ?2 AND ?3 AND buy IS NOT NULL AND sell IS NOT NULL
        ORDER BY date DESC LIMIT ?4";
    if pair.quote != Currency::BRL {
        return Ok(Vec::new());
    }
    let (from, to) = (range.from().to_string(), range.to().to_string());
    snapshot.rows(SQL, (pair.base.to_string(), from, to, limit), |row| {
        Ok(FxRate { date: parsed(row, 0)?, pair, buy: parsed(row, 1)?, sell: parsed(row, 2)? })
    })
}

/// Every currency pair with quotes, and the days from the oldest to the newest of them.
pub fn fx_pairs(snapshot: &Snapshot) -> Result<FxPairs> {
    // Jumps from currency to currency along the key instead of reading all quotes.
    const SQL: &str = "WITH RECURSIVE known (currency) AS (
            SELECT MIN(currency) FROM fx
            UNION ALL
            SELECT (SELECT MIN(currency) FROM fx WHERE currency > known.currency)
            FROM known WHERE known.currency IS NOT NULL
        ), covered AS (
            SELECT currency,
                (SELECT date FROM fx WHERE fx.currency = known.currency
                    AND buy IS NOT NULL AND sell IS NOT NULL ORDER BY date LIMIT 1) AS oldest,
                (SELECT date FROM fx WHERE fx.currency = known.currency
                    AND buy IS NOT NULL AND sell IS NOT NULL ORDER BY date DESC LIMIT 1) AS newest
            FROM known WHERE currency IS NOT NULL
        )
        SELECT currency, oldest, newest FROM covered WHERE oldest IS NOT NULL ORDER BY currency";
    let data = snapshot.rows(SQL, [], |row| {
        let pair = Pair::in_reais(parsed(row, 0)?);
        Ok(FxPair { pair, from: parsed(row, 1)?, to: parsed(row, 2)? })
    })?;
    Ok(FxPairs { data })
}

/// The four indicators as they are now. Fails where one of them is not known at all.
pub fn overview(snapshot: &Snapshot) -> Result<Overview> {
    Ok(Overview {
        selic: selic_current(snapshot)?,
        cdi: cdi_current(snapshot)?,
        ipca: ipca_current(snapshot)?,
        fx: fx_current(snapshot, FxCurrent::default())?,
    })
}
