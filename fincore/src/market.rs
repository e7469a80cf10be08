//! Market data: the Selic, CDI and IPCA rates, exchange rates, and other series of the central bank.
//!
//! A [`Rate`] is the figure of a series on a date, most often a percentage; an [`FxRate`] is the closing quote of a currency pair on a date.
//! Each series has a history, newest first ([`selic`], [`cdi`], [`ipca`], [`fx`]), and a current value
//! ([`selic_current`] and so on): the newest one that is not after the snapshot's date. [`overview`]
//! returns all four current values. [`series_list`] lists all series of the central bank in the catalogue;
//! [`series`], [`series_current`] and [`each`] read any of them.
//!
//! ```
//! use fincore::market::{self, FxHistory, History};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let catalogue = fincore::bundle::filled_copy(dir.path())?;
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
    error::Result,
    types::Pair,
};

pub(crate) mod batches;
mod calculator_inputs;
mod compare;
mod coverage;
pub(crate) mod decisions;
pub(crate) mod freshness;
mod hints;
mod history_cache;
pub(crate) mod holes;
pub(crate) mod logged_series;
pub(crate) mod meetings;
mod newer_sides;
mod next_due;
pub(crate) mod origin;
mod past;
mod plan_window;
#[cfg(feature = "import")]
pub(crate) mod plausibility;
#[cfg(feature = "import")]
pub(crate) mod possible_days;
mod queries;
pub(crate) mod quotes;
mod rows;
mod series;
pub(crate) mod series_definitions;
mod series_search;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) mod store;
mod summary;
pub mod transform;
mod transformed;
#[cfg(feature = "import")]
pub(crate) mod withdrawn_figures;

pub(crate) use calculator_inputs::{common_quotes, covered_days, meta, observations, quotes_meta};
pub use compare::{ComparedMeta, ComparedRow, ComparedSeries, Comparison, SeriesIds};
pub use coverage::{days_with_currencies, newest_day, years_with_quotes};
pub use decisions::{Decision, Decisions};
pub use holes::{Figures, holes, holes_within, missing_between};
pub use meetings::Meeting;
pub use newer_sides::{NewerSide, newer_sides};
pub(crate) use next_due::published_by;
pub use next_due::{next_due, next_quote_due};
pub use origin::Origin;
pub use past::{KnownAt, Release, Revision, as_of, first_releases, revisions};
pub(crate) use past::{quote_before, value_before};
pub use queries::{
    FxCurrent, FxHistory, FxPairs, History, SeriesCurrent, SeriesHistory, SeriesList, SummaryQuery,
};
pub(crate) use quotes::PTAX;
pub use rows::{FxPair, FxRate, Indicators, ListedSeries, Overview, OverviewMeta, Rate};
use series::Series;
pub use series_definitions::{
    CDI, IPCA, Rhythm, SELIC, SGS_BEGINS, SeriesDefinition, Side, Text, known_series,
};
pub use summary::{Summary, summary};
use transform::{QuoteTransformation, Transformation, TransformedRate};
pub(crate) use transformed::all_transformed;

/// The Selic target rate set by the monetary policy committee (Copom), percent per year, newest first.
///
/// Fails if `from` is after `to`, or if the range reaches back further than the snapshot's plan allows.
pub fn selic(snapshot: &Snapshot, query: History) -> Result<Page<Rate>> {
    let series = Series::from(SELIC);
    hints::for_series(snapshot, series, series.history(snapshot, &query)?)
}

/// The interbank deposit rate (CDI), percent per year on 252 business days, newest first.
///
/// Fails if `from` is after `to`, or if the range reaches back further than the snapshot's plan allows.
pub fn cdi(snapshot: &Snapshot, query: History) -> Result<Page<Rate>> {
    let series = Series::from(CDI);
    hints::for_series(snapshot, series, series.history(snapshot, &query)?)
}

/// Consumer price inflation (IPCA), percent per month, newest first, dated on the first of the month.
///
/// Fails if `from` is after `to`, or if the range reaches back further than the snapshot's plan allows.
pub fn ipca(snapshot: &Snapshot, query: History) -> Result<Page<Rate>> {
    let series = Series::from(IPCA);
    hints::for_series(snapshot, series, series.history(snapshot, &query)?)
}

/// The Selic target rate on the snapshot's date. Fails if there are no observations.
pub fn selic_current(snapshot: &Snapshot) -> Result<Sourced<Rate>> {
    Series::from(SELIC).current(snapshot)
}

/// The decisions of the monetary policy committee (Copom) on the Selic target, newest first, and its next meetings.
///
/// Changes of the target are decisions; the calendar of meetings, where it is held, adds their dates and the meetings that
/// kept the target. A meeting becomes a decision once the target of the day after it is known, which may be tomorrow's;
/// until then it is no row. `from` and `to` are about the days from which decisions are in force.
///
/// Fails if `from` is after `to`, or if the range reaches back further than the snapshot's plan allows.
///
/// ```
/// use fincore::market::{self, History};
///
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let decisions = market::selic_decisions(&snapshot, History::default())?;
/// let newest = &decisions.page.data[0];
/// assert_eq!(newest.date, Some("2026-09-16".parse()?));
/// assert_eq!((newest.after.to_string(), newest.change.to_string()), ("13.75".into(), "-0.25".into()));
/// assert_eq!(decisions.upcoming[0].second_day, "2026-11-04".parse()?);
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn selic_decisions(snapshot: &Snapshot, query: History) -> Result<Decisions> {
    decisions::list(snapshot, &query)
}

/// The newest CDI. Fails if there are no observations.
pub fn cdi_current(snapshot: &Snapshot) -> Result<Sourced<Rate>> {
    Series::from(CDI).current(snapshot)
}

/// The newest monthly IPCA. Fails if there are no observations.
pub fn ipca_current(snapshot: &Snapshot) -> Result<Sourced<Rate>> {
    Series::from(IPCA).current(snapshot)
}

/// Every series that holds observations, by its number in SGS: what it is, and the days it covers. With a search, those that
/// are meant, and also those that a sync could bring.
///
/// ```
/// use fincore::market::{self, SeriesList};
///
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let search = SeriesList { q: Some("reservas internacionais".parse()?), ..Default::default() };
/// let found = market::series_list(&snapshot, search)?.data;
/// assert_eq!((found[0].number, found[0].last), (13621, None));
/// assert_eq!(found[0].sync.as_deref(), Some("finserve sync --series 13621"));
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn series_list(snapshot: &Snapshot, query: SeriesList) -> Result<Page<ListedSeries>> {
    let mut series = Series::all(snapshot)?;
    if let Some(search) = &query.q {
        series
            .extend(series_definitions::DEFINITIONS.iter().map(|known| Series::from(known.number)));
        series.retain(|series: &Series| series.is_meant_by(search));
        series.sort_unstable_by_key(|series| series.number);
        series.dedup_by_key(|series| series.number);
    }
    let mut all = Vec::new();
    for series in series {
        match series.coverage(snapshot)? {
            None if query.q.is_none() => (),
            coverage => all.push(series.list_row(coverage.as_ref())),
        }
    }
    Ok(Page::cut(all, (query.limit.get(), query.offset.get()), Meta::new("BCB SGS")))
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
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let rents = market::series(&snapshot, SeriesHistory::new("igp-m".parse()?))?;
/// assert_eq!(rents.meta.source, "BCB SGS 189");
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn series(snapshot: &Snapshot, query: SeriesHistory) -> Result<Page<Rate>> {
    let (id, query) = query.split();
    let series = Series::find(&id)?;
    let page = series.history(snapshot, &query)?;
    if page.total == 0 {
        // No observations in this range is an empty list; none at all is an error.
        series.current(snapshot)?;
    }
    hints::for_series(snapshot, series, page)
}

/// The newest observation of any series by its number or name. Fails if there is none.
pub fn series_current(snapshot: &Snapshot, query: SeriesCurrent) -> Result<Sourced<Rate>> {
    Series::find(&query.series)?.current(snapshot)
}

/// Any series by its number or name, transformed: by period, as changes, accumulated over twelve months, as an index.
///
/// Rows are computed from all observations, and the snapshot's plan and the query's days choose among the rows. The rule
/// stands in `meta.transformation`.
///
/// Fails where [`series()`] does, and where the transformation has no meaning for the series.
///
/// ```
/// use fincore::market::{self, SeriesHistory, transform::{Transformation, Units}};
///
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let in_a_year = Transformation { units: Units::Accumulated12Months, ..Default::default() };
/// let ipca = SeriesHistory { to: Some("2024-12-01".parse()?), ..SeriesHistory::new("ipca".parse()?) };
/// let inflation = market::transformed(&snapshot, ipca, in_a_year)?;
/// assert_eq!(inflation.data[0].value.to_string(), "4.8313");
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn transformed(
    snapshot: &Snapshot,
    query: SeriesHistory,
    transformation: Transformation,
) -> Result<Page<TransformedRate>> {
    let (id, query) = query.split();
    transformed::of_series(snapshot, Series::find(&id)?, &query, &transformation)
}

/// Several series at once, as published, or each transformed by itself: one row for each date that any of them has, newest
/// first, with a figure for each series that has one.
///
/// Fails where [`series()`] or [`transformed`] does for one of them, and if two ids name the same series.
///
/// ```
/// use fincore::market::{self, Comparison, transform::{Transformation, Units}};
///
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let in_a_year = Transformation { units: Units::Accumulated12Months, ..Default::default() };
/// let query = Comparison { to: Some("2024-12-01".parse()?), ..Comparison::new("ipca,igp-m".parse()?) };
/// let inflation = market::compare(&snapshot, query, Some(in_a_year))?;
/// let december = inflation.data[0].values.iter().flatten().map(ToString::to_string);
/// assert_eq!(december.collect::<Vec<_>>(), ["4.8313", "6.5362"]);
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn compare(
    snapshot: &Snapshot,
    query: Comparison,
    transformation: Option<Transformation>,
) -> Result<ComparedSeries> {
    compare::compare(snapshot, &query, transformation.as_ref())
}

/// One side of the closing quotes of a currency pair, transformed.
///
/// Fails where [`fx`] does, and where the transformation has no meaning for prices.
pub fn transformed_quotes(
    snapshot: &Snapshot,
    query: FxHistory,
    transformation: QuoteTransformation,
) -> Result<Page<TransformedRate>> {
    let (side, transformation) = transformation.split();
    transformed::of_quotes(snapshot, &query, side, &transformation)
}

/// Calls `visit` for every observation of an SGS series that the snapshot's date and plan allow, newest
/// first, without loading them all; stops at the first error.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
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

/// Closing quotes of a currency pair (PTAX), newest first.
///
/// Fails if the pair has no quotes at all, if `from` is after `to`, or if the range reaches back further
/// than the snapshot's plan allows.
pub fn fx(snapshot: &Snapshot, query: FxHistory) -> Result<Page<FxRate>> {
    hints::for_pair(snapshot, &query, quotes::history(snapshot, &query)?)
}

/// The newest closing quote of a currency pair. Fails if there is none.
pub fn fx_current(snapshot: &Snapshot, query: FxCurrent) -> Result<Sourced<FxRate>> {
    quotes::current(snapshot, query.pair)
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
    quotes::each(snapshot, pair, visit)
}

/// All currency pairs with quotes, ordered by code, with the dates they cover.
pub fn fx_pairs(snapshot: &Snapshot, query: FxPairs) -> Result<Page<FxPair>> {
    // The dollar stands for all of them, as it does for the dataset.
    let meta = quotes::meta(snapshot, Pair::default())?;
    let page = (query.limit.get(), query.offset.get());
    Ok(Page::cut(quotes::pairs(snapshot)?, page, meta))
}

/// The newest value of each of the four indicators. Fails if one of them has none.
pub fn overview(snapshot: &Snapshot) -> Result<Overview> {
    let (selic, cdi) = (selic_current(snapshot)?, cdi_current(snapshot)?);
    let (ipca, fx) = (ipca_current(snapshot)?, fx_current(snapshot, FxCurrent::default())?);
    let metas = [&selic.meta, &cdi.meta, &ipca.meta, &fx.meta];
    let updated_at = metas.iter().filter_map(|meta| meta.updated_at).max();
    let stale = metas.iter().filter_map(|meta| meta.stale).reduce(|one, other| one | other);
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
            as_of: selic.meta.as_of,
            indicators: Indicators {
                selic: selic.meta,
                cdi: cdi.meta,
                ipca: ipca.meta,
                fx: fx.meta,
            },
        },
    })
}
