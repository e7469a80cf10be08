//! Market rates: Selic, CDI, IPCA and exchange rates, as history and as they are now.
//!
//! A [`Rate`] is a percentage on a day, an [`FxRate`] the closing quote of a currency pair on a day. Each series has
//! a history, newest first ([`selic`], [`cdi`], [`ipca`], [`fx`]), and a current value ([`selic_current`] …): the
//! newest that is not after the snapshot's day. [`overview`] gives the four at once.
//!
//! ```
//! use fincore::market::{self, FxHistory, History};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
//! # fincore::bundle::fill(&catalogue)?;
//! let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
//! let year = History { from: Some("2025-01-01".parse()?), to: Some("2025-12-31".parse()?), ..Default::default() };
//! let inflation = market::ipca(&snapshot, year)?;
//! assert_eq!((inflation.total, inflation.data[0].value.to_string()), (12, "0.33".into()));
//!
//! let euro = market::fx(&snapshot, FxHistory { pair: "EUR/BRL".parse()?, ..Default::default() })?;
//! assert_eq!(euro.meta.unit, Some("BRL per unit"));
//! # Ok::<(), fincore::Error>(())
//! ```
use serde::Deserialize;

use crate::{
    answers::{LICENCE, Meta, Page, Sourced},
    catalogue::Snapshot,
    error::{Error, Noun, Result},
    sqlite::parsed,
    types::{Currency, Date, Limit, Offset, Pair},
};

mod rows;
pub(crate) mod store;
mod window;

pub use rows::{FxPair, FxRate, Indicators, Overview, OverviewMeta, Rate};
use window::{Days, within_plan};

/// The Selic target, percent per year, on every calendar day.
pub(crate) const SELIC: u32 = 432;
/// The CDI, percent per year on 252 business days; as published, or computed from [`CDI_DAILY`].
const CDI: u32 = 4389;
/// The CDI, percent per day.
pub(crate) const CDI_DAILY: u32 = 12;
/// The consumer price index IPCA, percent per month, dated on the first of its month.
pub(crate) const IPCA: u32 = 433;

/// Which days of a series are wanted; by default the newest twenty.
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
    /// The number of days to skip, from the newest on.
    #[serde(default)]
    pub offset: Offset,
}

/// Which days of a currency pair are wanted; by default the newest twenty of `USD/BRL`.
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
    /// The number of days to skip, from the newest on.
    #[serde(default)]
    pub offset: Offset,
}

/// Which pair is wanted; by default `USD/BRL`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FxCurrent {
    /// The pair.
    #[serde(default)]
    pub pair: Pair,
}

/// Which currency pairs are wanted; by default all.
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

/// Some 160 currencies are quoted.
fn all_pairs() -> Limit<1000> {
    Limit::MAX
}

/// A series that is served under a name of its own.
struct Series {
    number: u32,
    /// As messages call it.
    name: &'static str,
    unit: &'static str,
    /// The series from which missing figures are computed.
    computed_from: Option<(u32, &'static str)>,
}

const SELIC_SERIES: Series =
    Series { number: SELIC, name: "the Selic", unit: "percent per year", computed_from: None };
const CDI_SERIES: Series = Series {
    number: CDI,
    name: "the CDI",
    unit: "percent per year, 252 business days",
    computed_from: Some((CDI_DAILY, "BCB SGS 12")),
};
const IPCA_SERIES: Series =
    Series { number: IPCA, name: "the IPCA", unit: "percent per month", computed_from: None };

impl Series {
    /// Where these figures come from: as published, computed, or some of each.
    fn meta(&self, rows: &[Observed]) -> Meta {
        let published = format!("BCB SGS {}", self.number);
        let computed = rows.iter().filter(|row| row.computed).count();
        let (source, computed_from) = match self.computed_from {
            Some((_, from)) if computed > 0 && computed == rows.len() => (from.into(), Some(from)),
            Some((number, from)) if computed > 0 => {
                (format!("{published} and {number}").into(), Some(from))
            }
            _ => (published.into(), None),
        };
        Meta { source, licence: LICENCE, unit: Some(self.unit), computed_from }
    }

    fn history(&self, snapshot: &Snapshot, query: &History) -> Result<Page<Rate>> {
        let rows = observed(snapshot, self.number, query)?;
        let meta = self.meta(&rows.data);
        let data = rows.data.into_iter().map(|row| row.rate).collect();
        Ok(Page { data, total: rows.total, limit: rows.limit, offset: rows.offset, meta })
    }

    fn current(&self, snapshot: &Snapshot) -> Result<Sourced<Rate>> {
        let newest = newest_rate(snapshot, self.number)?;
        let newest = newest
            .ok_or_else(|| Error::NotFound { what: Noun::Series, id: self.name.to_owned() })?;
        let meta = self.meta(std::slice::from_ref(&newest));
        Ok(Sourced::new(newest.rate, meta))
    }
}

/// The Selic target rate set by Copom, percent per year, newest first.
///
/// Fails where `from` is after `to`, and where they reach further back than the snapshot's plan.
pub fn selic(snapshot: &Snapshot, query: History) -> Result<Page<Rate>> {
    SELIC_SERIES.history(snapshot, &query)
}

/// The interbank deposit rate (CDI), percent per year on 252 business days, newest first.
///
/// Fails where `from` is after `to`, and where they reach further back than the snapshot's plan.
pub fn cdi(snapshot: &Snapshot, query: History) -> Result<Page<Rate>> {
    CDI_SERIES.history(snapshot, &query)
}

/// Consumer price inflation (IPCA), percent per month, newest first, dated on the first of the month.
///
/// Fails where `from` is after `to`, and where they reach further back than the snapshot's plan.
pub fn ipca(snapshot: &Snapshot, query: History) -> Result<Page<Rate>> {
    IPCA_SERIES.history(snapshot, &query)
}

/// The Selic target rate in force on the snapshot's day. Fails where there is no observation.
pub fn selic_current(snapshot: &Snapshot) -> Result<Sourced<Rate>> {
    SELIC_SERIES.current(snapshot)
}

/// The newest CDI. Fails where there is no observation.
pub fn cdi_current(snapshot: &Snapshot) -> Result<Sourced<Rate>> {
    CDI_SERIES.current(snapshot)
}

/// The newest monthly IPCA. Fails where there is no observation.
pub fn ipca_current(snapshot: &Snapshot) -> Result<Sourced<Rate>> {
    IPCA_SERIES.current(snapshot)
}

/// Any imported series of the central bank's SGS by its number, newest first; empty where none was imported.
///
/// Fails where `from` is after `to`, and where they reach further back than the snapshot's plan.
pub fn series(snapshot: &Snapshot, number: u32, query: &History) -> Result<Vec<Rate>> {
    let rows = observed(snapshot, number, query)?.data;
    Ok(rows.into_iter().map(|row| row.rate).collect())
}

/// Hands every observation of an SGS series up to the snapshot's day to `visit`, newest first, one at a
/// time, until that fails.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
/// # fincore::bundle::fill(&catalogue)?;
/// # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let mut months = 0;
/// fincore::market::each(&snapshot, 433, |_| {
///     months += 1;
///     Ok(())
/// })?;
/// assert_eq!(months, 560);
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn each(
    snapshot: &Snapshot,
    number: u32,
    mut visit: impl FnMut(Rate) -> Result<()>,
) -> Result<()> {
    const SQL: &str = "SELECT date, value, computed FROM rate
        WHERE series = ?1 AND date <= ?2 ORDER BY date DESC";
    let read = |row: &rusqlite::Row<'_>| Observed::read(row);
    let today = snapshot.today().to_string();
    snapshot.for_each(SQL, (number, today), read, |row| visit(row.rate))
}

/// An observation as it is stored.
struct Observed {
    rate: Rate,
    computed: bool,
}

impl Observed {
    fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Observed> {
        let rate = Rate { date: parsed(row, 0)?, value: parsed(row, 1)? };
        Ok(Observed { rate, computed: row.get(2)? })
    }
}

fn observed(snapshot: &Snapshot, number: u32, query: &History) -> Result<Page<Observed>> {
    const TOTAL: &str = "SELECT COUNT(*) FROM rate WHERE series = ?1 AND date BETWEEN ?2 AND ?3";
    const SQL: &str = "SELECT date, value, computed FROM rate
        WHERE series = ?1 AND date BETWEEN ?2 AND ?3 ORDER BY date DESC LIMIT ?4 OFFSET ?5";
    let newest = || Ok(newest_rate(snapshot, number)?.map(|row| row.rate.date));
    let days = within_plan(snapshot, query.from, query.to, newest)?;
    let (from, to) = days.texts();
    let (limit, offset) = (query.limit.get(), query.offset);
    let total = snapshot.count(TOTAL, (number, &from, &to))?;
    // Whoever named the series knows better where it comes from.
    Page::read(total, (limit, offset.get()), Meta::of("BCB SGS"), || {
        snapshot.rows(SQL, (number, &from, &to, limit, offset.sql()), Observed::read)
    })
}

fn newest_rate(snapshot: &Snapshot, number: u32) -> Result<Option<Observed>> {
    const SQL: &str = "SELECT date, value, computed FROM rate
        WHERE series = ?1 AND date <= ?2 ORDER BY date DESC LIMIT 1";
    Ok(snapshot.rows(SQL, (number, snapshot.today().to_string()), Observed::read)?.pop())
}

/// Where exchange rates come from.
fn ptax() -> Meta {
    Meta { unit: Some("BRL per unit"), ..Meta::of("BCB PTAX, closing bulletin") }
}

/// Closing quotes of a currency pair (PTAX), newest first.
///
/// Fails where the pair has no quotes at all, where `from` is after `to`, and where they reach further
/// back than the snapshot's plan.
pub fn fx(snapshot: &Snapshot, query: FxHistory) -> Result<Page<FxRate>> {
    const TOTAL: &str = "SELECT COUNT(*) FROM fx
        WHERE currency = ?1 AND date BETWEEN ?2 AND ?3 AND buy IS NOT NULL AND sell IS NOT NULL";
    let pair = query.pair;
    let newest = || Ok(Some(fx_current(snapshot, FxCurrent { pair })?.date));
    let days = within_plan(snapshot, query.from, query.to, newest)?;
    let (from, to) = days.texts();
    let total = snapshot.count(TOTAL, (priced(pair), from, to))?;
    if total == 0 {
        // A pair without quotes on these days is an empty list, one without any is a mistake.
        newest()?;
    }
    let (limit, offset) = (query.limit.get(), query.offset);
    Page::read(total, (limit, offset.get()), ptax(), || {
        quotes(snapshot, pair, days, (limit, offset.sql()))
    })
}

/// The newest closing quote of a currency pair. Fails where the pair has none.
pub fn fx_current(snapshot: &Snapshot, query: FxCurrent) -> Result<Sourced<FxRate>> {
    let newest = quotes(snapshot, query.pair, Days::until(snapshot.today()), (1, 0))?.pop();
    let unknown = || Error::NotFound { what: Noun::CurrencyPair, id: query.pair.to_string() };
    Ok(Sourced::new(newest.ok_or_else(unknown)?, ptax()))
}

/// The currency whose quotes are those of the pair: all are quoted in reais. Others have no quotes.
fn priced(pair: Pair) -> Option<String> {
    (pair.quote == Currency::BRL).then(|| pair.base.to_string())
}

fn quotes(
    snapshot: &Snapshot,
    pair: Pair,
    days: Days,
    (limit, offset): (u32, i64),
) -> Result<Vec<FxRate>> {
    const SQL: &str =
        concat!(select_quotes!(), "date BETWEEN ?2 AND ?3 ORDER BY date DESC LIMIT ?4 OFFSET ?5");
    let (from, to) = days.texts();
    snapshot.rows(SQL, (priced(pair), from, to, limit, offset), |row| read_quote(row, pair))
}

/// What [`read_quote`] reads: the days of a currency that have both sides.
macro_rules! select_quotes {
    () => {
        "SELECT date, buy, sell FROM fx
        WHERE currency = ?1 AND buy IS NOT NULL AND sell IS NOT NULL AND "
    };
}
use select_quotes;

fn read_quote(row: &rusqlite::Row<'_>, pair: Pair) -> rusqlite::Result<FxRate> {
    Ok(FxRate { date: parsed(row, 0)?, pair, buy: parsed(row, 1)?, sell: parsed(row, 2)? })
}

/// Hands every closing quote of a currency pair up to the snapshot's day to `visit`, newest first, one at a
/// time, until that fails.
pub fn each_quote(
    snapshot: &Snapshot,
    pair: Pair,
    visit: impl FnMut(FxRate) -> Result<()>,
) -> Result<()> {
    const SQL: &str = concat!(select_quotes!(), "date <= ?2 ORDER BY date DESC");
    let today = snapshot.today().to_string();
    snapshot.for_each(SQL, (priced(pair), today), |row| read_quote(row, pair), visit)
}

/// Every currency pair with quotes, ordered by name, with the days that it covers.
pub fn fx_pairs(snapshot: &Snapshot, query: FxPairs) -> Result<Page<FxPair>> {
    const SQL: &str = "SELECT currency, MIN(date), MAX(date), COUNT(*) FROM fx
        WHERE date <= ?1 AND buy IS NOT NULL AND sell IS NOT NULL
        GROUP BY currency ORDER BY currency";
    let pairs = snapshot.rows(SQL, [snapshot.today().to_string()], |row| {
        let pair = Pair::in_reais(parsed(row, 0)?);
        let days = row.get::<_, i64>(3)?.unsigned_abs();
        Ok(FxPair { pair, from: parsed(row, 1)?, to: parsed(row, 2)?, days })
    })?;
    Ok(Page::cut(pairs, (query.limit.get(), query.offset.get()), ptax()))
}

/// The newest value of each of the four indicators. Fails where one of them has none at all.
pub fn overview(snapshot: &Snapshot) -> Result<Overview> {
    let (selic, cdi) = (selic_current(snapshot)?, cdi_current(snapshot)?);
    let (ipca, fx) = (ipca_current(snapshot)?, fx_current(snapshot, FxCurrent::default())?);
    Ok(Overview {
        selic: selic.answer,
        cdi: cdi.answer,
        ipca: ipca.answer,
        fx: fx.answer,
        meta: OverviewMeta {
            source: "Banco Central do Brasil",
            licence: LICENCE,
            indicators: Indicators {
                selic: selic.meta,
                cdi: cdi.meta,
                ipca: ipca.meta,
                fx: fx.meta,
            },
        },
    })
}
