//! Market data: the Selic, CDI and IPCA rates, and exchange rates.
//!
//! A [`Rate`] is a percentage on a date; an [`FxRate`] is the closing quote of a currency pair on a date.
//! Each series has a history, newest first ([`selic`], [`cdi`], [`ipca`], [`fx`]), and a current value
//! ([`selic_current`] and so on): the newest one that is not after the snapshot's date. [`overview`]
//! returns all four current values. Other series of the central bank that you import are read with
//! [`series`] or [`each`].
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
use crate::{
    answers::{LICENCE, Meta, Page, Sourced},
    catalogue::Snapshot,
    error::{Error, Noun, Result},
    sqlite::parsed,
    types::{Currency, Date, Pair},
};

pub(crate) mod known;
#[cfg(feature = "import")]
pub(crate) mod plausible;
mod queries;
mod rows;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) mod store;
mod window;

use known::{CDI, CDI_DAILY, IPCA, SELIC};
pub use known::{Known, Rhythm, Text};
pub use queries::{FxCurrent, FxHistory, FxPairs, History};
pub use rows::{FxPair, FxRate, Indicators, Overview, OverviewMeta, Rate};
use window::{Days, within_plan};

/// What [`Observed::read`] reads, of one series.
macro_rules! select_rates {
    () => {
        "SELECT date, value, computed FROM rate WHERE series = ?1 AND "
    };
}

/// Only quotes with both sides are served.
macro_rules! has_both_sides {
    () => {
        "buy IS NOT NULL AND sell IS NOT NULL "
    };
}

/// What [`read_quote`] reads, of one currency.
macro_rules! select_quotes {
    () => {
        concat!(
            "SELECT date, buy, sell FROM fx WHERE currency = ?1 AND ",
            has_both_sides!(),
            "AND "
        )
    };
}

/// A series of SGS, and what is known about it.
struct Series {
    number: u32,
    /// Its name in messages.
    name: &'static str,
    unit: Option<&'static str>,
    /// The series from which missing figures are computed.
    computed_from: Option<u32>,
}

const SELIC_SERIES: Series = Series {
    number: SELIC,
    name: "the Selic",
    unit: Some("percent per year"),
    computed_from: None,
};
const CDI_SERIES: Series = Series {
    number: CDI,
    name: "the CDI",
    unit: Some("percent per year, 252 business days"),
    computed_from: Some(CDI_DAILY),
};
const IPCA_SERIES: Series =
    Series { number: IPCA, name: "the IPCA", unit: Some("percent per month"), computed_from: None };

impl Series {
    /// A series without a name of its own.
    fn numbered(number: u32) -> Series {
        Series { number, name: "the series", unit: None, computed_from: None }
    }

    /// The source of these rows: published, computed, or both.
    fn meta(&self, rows: &[Observed]) -> Meta {
        let (number, sgs) = (self.number, |number: u32| format!("BCB SGS {number}"));
        let computed = rows.iter().filter(|row| row.computed).count();
        let (source, computed_from) = match self.computed_from {
            Some(from) if rows.is_empty() => (format!("{} and {from}", sgs(number)), None),
            Some(from) if computed == rows.len() => (sgs(from), Some(sgs(from).into())),
            Some(from) if computed > 0 => {
                (format!("{} and {from}", sgs(number)), Some(sgs(from).into()))
            }
            Some(_) | None => (sgs(number), None),
        };
        Meta { source: source.into(), licence: LICENCE, unit: self.unit, computed_from }
    }

    /// The days that can be served of those that are asked for.
    fn days(&self, snapshot: &Snapshot, from: Option<Date>, to: Option<Date>) -> Result<Days> {
        within_plan(snapshot, from, to, || Ok(self.newest(snapshot)?.map(|row| row.rate.date)))
    }

    fn history(&self, snapshot: &Snapshot, query: &History) -> Result<Page<Rate>> {
        const TOTAL: &str =
            "SELECT COUNT(*) FROM rate WHERE series = ?1 AND date BETWEEN ?2 AND ?3";
        const SQL: &str = concat!(
            select_rates!(),
            "date BETWEEN ?2 AND ?3 ORDER BY date DESC LIMIT ?4 OFFSET ?5"
        );
        let (from, to) = self.days(snapshot, query.from, query.to)?.texts();
        let (limit, offset) = (query.limit.get(), query.offset);
        let total = snapshot.count(TOTAL, (self.number, &from, &to))?;
        let mut rows = Vec::new();
        if offset.get() < total {
            let wanted = (self.number, &from, &to, limit, offset.sql());
            rows = snapshot.rows(SQL, wanted, Observed::read)?;
        }
        let meta = self.meta(&rows);
        let data = rows.into_iter().map(|row| row.rate).collect();
        Ok(Page { data, total, limit, offset: offset.get(), meta })
    }

    fn each(&self, snapshot: &Snapshot, mut visit: impl FnMut(Rate) -> Result<()>) -> Result<()> {
        const SQL: &str = concat!(select_rates!(), "date BETWEEN ?2 AND ?3 ORDER BY date DESC");
        let (from, to) = self.days(snapshot, None, None)?.texts();
        snapshot.for_each(SQL, (self.number, from, to), Observed::read, |row| visit(row.rate))
    }

    fn newest(&self, snapshot: &Snapshot) -> Result<Option<Observed>> {
        const SQL: &str = concat!(select_rates!(), "date <= ?2 ORDER BY date DESC LIMIT 1");
        let today = snapshot.today().to_string();
        Ok(snapshot.rows(SQL, (self.number, today), Observed::read)?.pop())
    }

    fn current(&self, snapshot: &Snapshot) -> Result<Sourced<Rate>> {
        let newest = self.newest(snapshot)?;
        let newest = newest.ok_or_else(|| Error::not_found(Noun::Series, self.name))?;
        let meta = self.meta(std::slice::from_ref(&newest));
        Ok(Sourced::new(newest.rate, meta))
    }
}

/// A stored observation.
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

/// The Selic target rate set by the monetary policy committee (Copom), percent per year, newest first.
///
/// Fails if `from` is after `to`, or if the range reaches back further than the snapshot's plan allows.
pub fn selic(snapshot: &Snapshot, query: History) -> Result<Page<Rate>> {
    SELIC_SERIES.history(snapshot, &query)
}

/// The interbank deposit rate (CDI), percent per year on 252 business days, newest first.
///
/// Fails if `from` is after `to`, or if the range reaches back further than the snapshot's plan allows.
pub fn cdi(snapshot: &Snapshot, query: History) -> Result<Page<Rate>> {
    CDI_SERIES.history(snapshot, &query)
}

/// Consumer price inflation (IPCA), percent per month, newest first, dated on the first of the month.
///
/// Fails if `from` is after `to`, or if the range reaches back further than the snapshot's plan allows.
pub fn ipca(snapshot: &Snapshot, query: History) -> Result<Page<Rate>> {
    IPCA_SERIES.history(snapshot, &query)
}

/// The Selic target rate on the snapshot's date. Fails if there are no observations.
pub fn selic_current(snapshot: &Snapshot) -> Result<Sourced<Rate>> {
    SELIC_SERIES.current(snapshot)
}

/// The newest CDI. Fails if there are no observations.
pub fn cdi_current(snapshot: &Snapshot) -> Result<Sourced<Rate>> {
    CDI_SERIES.current(snapshot)
}

/// The newest monthly IPCA. Fails if there are no observations.
pub fn ipca_current(snapshot: &Snapshot) -> Result<Sourced<Rate>> {
    IPCA_SERIES.current(snapshot)
}

/// Any imported series of the central bank's SGS by its number, newest first; empty if it was not
/// imported.
///
/// Fails if `from` is after `to`, or if the range reaches back further than the snapshot's plan allows.
pub fn series(snapshot: &Snapshot, number: u32, query: &History) -> Result<Page<Rate>> {
    Series::numbered(number).history(snapshot, query)
}

/// Calls `visit` for every observation of an SGS series that the snapshot's date and plan allow, newest
/// first, without loading them all; stops at the first error.
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
pub fn each(snapshot: &Snapshot, number: u32, visit: impl FnMut(Rate) -> Result<()>) -> Result<()> {
    Series::numbered(number).each(snapshot, visit)
}

/// The source of exchange rates.
fn ptax() -> Meta {
    Meta { unit: Some("BRL per unit"), ..Meta::of("BCB PTAX, closing bulletin") }
}

/// Closing quotes of a currency pair (PTAX), newest first.
///
/// Fails if the pair has no quotes at all, if `from` is after `to`, or if the range reaches back further
/// than the snapshot's plan allows.
pub fn fx(snapshot: &Snapshot, query: FxHistory) -> Result<Page<FxRate>> {
    const TOTAL: &str =
        concat!("SELECT COUNT(*) FROM (", select_quotes!(), "date BETWEEN ?2 AND ?3)");
    let pair = query.pair;
    let newest = || Ok(Some(fx_current(snapshot, FxCurrent { pair })?.date));
    let days = within_plan(snapshot, query.from, query.to, newest)?;
    let (from, to) = days.texts();
    let total = snapshot.count(TOTAL, (priced(pair), from, to))?;
    if total == 0 {
        // No quotes in this range is an empty list; no quotes at all is an error.
        newest()?;
    }
    let (limit, offset) = (query.limit.get(), query.offset);
    Page::read(total, (limit, offset.get()), ptax(), || {
        quotes(snapshot, pair, days, (limit, offset.sql()))
    })
}

/// The newest closing quote of a currency pair. Fails if there is none.
pub fn fx_current(snapshot: &Snapshot, query: FxCurrent) -> Result<Sourced<FxRate>> {
    let newest = quotes(snapshot, query.pair, Days::until(snapshot.today()), (1, 0))?.pop();
    let unknown = || Error::not_found(Noun::CurrencyPair, &query.pair.to_string());
    Ok(Sourced::new(newest.ok_or_else(unknown)?, ptax()))
}

/// The currency whose quotes answer for this pair; `None` if the pair is not priced in reais.
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

fn read_quote(row: &rusqlite::Row<'_>, pair: Pair) -> rusqlite::Result<FxRate> {
    Ok(FxRate { date: parsed(row, 0)?, pair, buy: parsed(row, 1)?, sell: parsed(row, 2)? })
}

/// Calls `visit` for every closing quote of a currency pair that the snapshot's date and plan allow, newest
/// first, without loading them all; stops at the first error.
///
/// Fails if the pair has no quotes.
pub fn each_quote(
    snapshot: &Snapshot,
    pair: Pair,
    visit: impl FnMut(FxRate) -> Result<()>,
) -> Result<()> {
    const SQL: &str = concat!(select_quotes!(), "date BETWEEN ?2 AND ?3 ORDER BY date DESC");
    let newest = fx_current(snapshot, FxCurrent { pair })?.date;
    let (from, to) = within_plan(snapshot, None, None, || Ok(Some(newest)))?.texts();
    snapshot.for_each(SQL, (priced(pair), from, to), |row| read_quote(row, pair), visit)
}

/// All currency pairs with quotes, ordered by code, with the dates they cover.
pub fn fx_pairs(snapshot: &Snapshot, query: FxPairs) -> Result<Page<FxPair>> {
    const SQL: &str = concat!(
        "SELECT currency, MIN(date), MAX(date), COUNT(*) FROM fx WHERE date <= ?1 AND ",
        has_both_sides!(),
        "GROUP BY currency ORDER BY currency"
    );
    let pairs = snapshot.rows(SQL, [snapshot.today().to_string()], |row| {
        let pair = Pair::in_reais(parsed(row, 0)?);
        let days = row.get::<_, i64>(3)?.unsigned_abs();
        Ok(FxPair { pair, from: parsed(row, 1)?, to: parsed(row, 2)?, days })
    })?;
    Ok(Page::cut(pairs, (query.limit.get(), query.offset.get()), ptax()))
}

/// The newest value of each of the four indicators. Fails if one of them has none.
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
