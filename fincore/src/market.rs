//! Market data: the Selic, CDI and IPCA rates, exchange rates, and other series of the central bank.
//!
//! A [`Rate`] is the figure of a series on a date, most often a percentage; an [`FxRate`] is the closing quote of a currency pair on a date.
//! Each series has a history, newest first ([`selic`], [`cdi`], [`ipca`], [`fx`]), and a current value
//! ([`selic_current`] and so on): the newest one that is not after the snapshot's date. [`overview`]
//! returns all four current values. [`series_list`] tells which other series of the central bank there are;
//! [`series`], [`series_current`] and [`each`] read any of them.
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
use std::sync::Arc;

use crate::{
    answers::{LICENCE, Meta, Page, Sourced},
    catalogue::Snapshot,
    error::{Error, Noun, Result},
    sqlite::parsed,
    types::{Currency, Offset, Pair},
};

pub(crate) mod freshness;
mod held;
mod kept;
pub(crate) mod known;
mod observed;
pub(crate) mod parts;
#[cfg(feature = "import")]
pub(crate) mod plausible;
pub(crate) mod published;
mod queries;
mod rows;
mod series;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) mod store;
mod window;

pub use held::{days_with_currencies, known_series, newest_day};
use kept::{Cut, Whole};
use known::{CDI, IPCA, SELIC};
pub use known::{Known, Rhythm, Text};
pub(crate) use observed::{common_quotes, held_days, meta, observations, quotes_meta};
pub use queries::{
    FxCurrent, FxHistory, FxPairs, History, SeriesCurrent, SeriesHistory, SeriesList,
};
pub use rows::{FxPair, FxRate, Indicators, ListedSeries, Overview, OverviewMeta, Rate};
use series::Series;
use window::{Days, within_plan};

/// Only quotes with both sides are served.
macro_rules! has_both_sides {
    () => {
        "buy IS NOT NULL AND sell IS NOT NULL "
    };
}
use has_both_sides;

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
use select_quotes;

/// The Selic target rate set by the monetary policy committee (Copom), percent per year, newest first.
///
/// Fails if `from` is after `to`, or if the range reaches back further than the snapshot's plan allows.
pub fn selic(snapshot: &Snapshot, query: History) -> Result<Page<Rate>> {
    Series::from(SELIC).history(snapshot, &query)
}

/// The interbank deposit rate (CDI), percent per year on 252 business days, newest first.
///
/// Fails if `from` is after `to`, or if the range reaches back further than the snapshot's plan allows.
pub fn cdi(snapshot: &Snapshot, query: History) -> Result<Page<Rate>> {
    Series::from(CDI).history(snapshot, &query)
}

/// Consumer price inflation (IPCA), percent per month, newest first, dated on the first of the month.
///
/// Fails if `from` is after `to`, or if the range reaches back further than the snapshot's plan allows.
pub fn ipca(snapshot: &Snapshot, query: History) -> Result<Page<Rate>> {
    Series::from(IPCA).history(snapshot, &query)
}

/// The Selic target rate on the snapshot's date. Fails if there are no observations.
pub fn selic_current(snapshot: &Snapshot) -> Result<Sourced<Rate>> {
    Series::from(SELIC).current(snapshot)
}

/// The newest CDI. Fails if there are no observations.
pub fn cdi_current(snapshot: &Snapshot) -> Result<Sourced<Rate>> {
    Series::from(CDI).current(snapshot)
}

/// The newest monthly IPCA. Fails if there are no observations.
pub fn ipca_current(snapshot: &Snapshot) -> Result<Sourced<Rate>> {
    Series::from(IPCA).current(snapshot)
}

/// Every series that holds observations, by its number in SGS: what it is, and the days it covers.
pub fn series_list(snapshot: &Snapshot, query: SeriesList) -> Result<Page<ListedSeries>> {
    let mut all = Vec::new();
    for series in Series::all(snapshot)? {
        if let Some(coverage) = series.coverage(snapshot)? {
            all.push(ListedSeries::new(series, &coverage));
        }
    }
    Ok(Page::cut(all, (query.limit.get(), query.offset.get()), Meta::of("BCB SGS")))
}

/// Any series of the central bank's SGS by its number or name, newest first.
///
/// A series that is an exchange rate has the days of its own side, whether the other side is known or not.
/// The CDI (4389) includes computed figures, as [`cdi`] does.
///
/// Fails if the series has no observations at all, if `from` is after `to`, or if the range reaches back
/// further than the snapshot's plan allows.
///
/// ```
/// use fincore::market::{self, SeriesHistory};
///
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
/// # fincore::bundle::fill(&catalogue)?;
/// # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let rents = market::series(&snapshot, SeriesHistory::of("igp-m".parse()?))?;
/// assert_eq!(rents.meta.source, "BCB SGS 189");
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn series(snapshot: &Snapshot, query: SeriesHistory) -> Result<Page<Rate>> {
    let (id, query) = query.split();
    let series = Series::of(&id)?;
    let page = series.history(snapshot, &query)?;
    if page.total == 0 {
        // No observations in this range is an empty list; none at all is an error.
        series.current(snapshot)?;
    }
    Ok(page)
}

/// The newest observation of any series by its number or name. Fails if there is none.
pub fn series_current(snapshot: &Snapshot, query: SeriesCurrent) -> Result<Sourced<Rate>> {
    Series::of(&query.series)?.current(snapshot)
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
    Series::from(number).each(snapshot, visit)
}

/// The source of exchange rates.
pub(crate) const PTAX: &str = "BCB PTAX, closing bulletin";

/// The source of a pair's exchange rates, and how fresh they are.
fn ptax(snapshot: &Snapshot, pair: Pair) -> Result<Meta> {
    freshness::of_pair(snapshot, pair, Meta { unit: Some("BRL per unit"), ..Meta::of(PTAX) })
}

/// Closing quotes of a currency pair (PTAX), newest first.
///
/// Fails if the pair has no quotes at all, if `from` is after `to`, or if the range reaches back further
/// than the snapshot's plan allows.
pub fn fx(snapshot: &Snapshot, query: FxHistory) -> Result<Page<FxRate>> {
    fx_of(snapshot, &query, whole(snapshot, query.pair)?.as_deref())
}

/// The same from memory, or from the file.
fn fx_of(
    snapshot: &Snapshot,
    query: &FxHistory,
    whole: Option<&Whole<FxRate>>,
) -> Result<Page<FxRate>> {
    let (pair, limit, offset) = (query.pair, query.limit.get(), query.offset);
    let newest = || match whole {
        Some(whole) => {
            let newest = whole.newest(snapshot.today()).map(|quote| quote.date);
            newest.map(Some).ok_or_else(|| no_quotes(pair))
        }
        None => Ok(Some(fx_current(snapshot, FxCurrent { pair })?.date)),
    };
    let days = within_plan(snapshot, query.from, query.to, newest)?;
    let Cut { rows: data, total, .. } = match whole {
        Some(whole) => whole.page(days, limit, offset),
        None => read_page(snapshot, pair, days, (limit, offset))?,
    };
    if total == 0 {
        // No quotes in this range is an empty list; no quotes at all is an error.
        newest()?;
    }
    Ok(Page { data, total, limit, offset: offset.get(), meta: ptax(snapshot, pair)? })
}

/// One page of quotes, from the file.
fn read_page(
    snapshot: &Snapshot,
    pair: Pair,
    days: Days,
    (limit, offset): (u32, Offset),
) -> Result<Cut<FxRate>> {
    const TOTAL: &str =
        concat!("SELECT COUNT(*) FROM (", select_quotes!(), "date BETWEEN ?2 AND ?3)");
    let (from, to) = days.texts();
    let total = snapshot.count(TOTAL, (priced(pair), from, to))?;
    let (rows, total) = snapshot.page(total, (limit, offset), |limit, offset| {
        quotes(snapshot, pair, days, (limit, offset))
    })?;
    Ok(Cut { rows: rows.into(), total, computed: 0 })
}

/// All quotes of a pair, if they are in memory.
fn whole(snapshot: &Snapshot, pair: Pair) -> Result<Option<Arc<Whole<FxRate>>>> {
    const SQL: &str = concat!(select_quotes!(), "TRUE ORDER BY date DESC");
    match priced(pair) {
        Some(currency) => {
            kept::quotes(snapshot, pair.base, SQL, [currency], |row| read_quote(row, pair))
        }
        None => Ok(None),
    }
}

fn no_quotes(pair: Pair) -> Error {
    Error::not_found(Noun::CurrencyPair, &pair.to_string())
}

/// The newest closing quote of a currency pair. Fails if there is none.
pub fn fx_current(snapshot: &Snapshot, query: FxCurrent) -> Result<Sourced<FxRate>> {
    const SQL: &str = concat!(select_quotes!(), "date <= ?2 ORDER BY date DESC");
    let wanted = (priced(query.pair), snapshot.today().to_string());
    let newest = snapshot.first(SQL, wanted, |row| read_quote(row, query.pair))?;
    let newest = newest.ok_or_else(|| no_quotes(query.pair))?;
    Ok(Sourced::new(newest, ptax(snapshot, query.pair)?))
}

/// The currency whose quotes answer for this pair; `None` if the pair is not priced in reais.
fn priced(pair: Pair) -> Option<String> {
    (pair.quote == Currency::BRL).then(|| pair.base.to_string())
}

fn quotes(
    snapshot: &Snapshot,
    pair: Pair,
    days: Days,
    (limit, offset): (i64, i64),
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
    let mut pairs = snapshot.rows(SQL, [snapshot.today().to_string()], |row| {
        let pair = Pair::in_reais(parsed(row, 0)?);
        let days = row.get::<_, i64>(3)?.unsigned_abs();
        Ok(FxPair { pair, from: parsed(row, 1)?, to: parsed(row, 2)?, days })
    })?;
    if snapshot.has_unreadable() {
        pairs = readable_pairs(snapshot)?;
    }
    // The dollar stands for all of them, as it does for the dataset.
    let meta = ptax(snapshot, Pair::default())?;
    Ok(Page::cut(pairs, (query.limit.get(), query.offset.get()), meta))
}

/// All currency pairs, by reading every quote: those that cannot be read do not count.
fn readable_pairs(snapshot: &Snapshot) -> Result<Vec<FxPair>> {
    const SQL: &str = concat!(
        "SELECT date, buy, sell, currency FROM fx WHERE date <= ?1 AND ",
        has_both_sides!(),
        "ORDER BY currency, date"
    );
    let mut pairs: Vec<FxPair> = Vec::new();
    let read = |row: &rusqlite::Row<'_>| read_quote(row, Pair::in_reais(parsed(row, 3)?));
    snapshot.for_each(
        SQL,
        [snapshot.today().to_string()],
        read,
        |FxRate { date, pair, .. }| {
            match pairs.last_mut().filter(|last| last.pair == pair) {
                Some(last) => (last.to, last.days) = (date, last.days + 1),
                None => pairs.push(FxPair { pair, from: date, to: date, days: 1 }),
            }
            Ok(())
        },
    )?;
    Ok(pairs)
}

/// The newest value of each of the four indicators. Fails if one of them has none.
pub fn overview(snapshot: &Snapshot) -> Result<Overview> {
    let (selic, cdi) = (selic_current(snapshot)?, cdi_current(snapshot)?);
    let (ipca, fx) = (ipca_current(snapshot)?, fx_current(snapshot, FxCurrent::default())?);
    let metas = [&selic.meta, &cdi.meta, &ipca.meta, &fx.meta];
    let updated_at = metas.iter().filter_map(|meta| meta.updated_at).max();
    let stale = metas.iter().any(|meta| meta.stale == Some(true));
    Ok(Overview {
        selic: selic.answer,
        cdi: cdi.answer,
        ipca: ipca.answer,
        fx: fx.answer,
        meta: OverviewMeta {
            source: "Banco Central do Brasil",
            licence: LICENCE,
            updated_at,
            stale,
            indicators: Indicators {
                selic: selic.meta,
                cdi: cdi.meta,
                ipca: ipca.meta,
                fx: fx.meta,
            },
        },
    })
}
