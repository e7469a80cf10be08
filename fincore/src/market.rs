//! Market data: the Selic, CDI and IPCA rates, exchange rates, and other series of the central bank.
//!
//! A [`Rate`] is the figure of a series on a date, most often a percentage; an [`FxRate`] is the closing quote of a currency pair on a date.
//! Each series has a history, newest first ([`selic`], [`cdi`], [`ipca`], [`fx`]), and a current value
//! ([`selic_current`] and so on): the newest one that is not after the snapshot's date. [`overview`]
//! returns all four current values. [`series_list`] lists all series of the central bank in the catalogue;
//! [`series`], [`series_current`] and [`all`] read any of them.
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
    answers::{Hint, LICENCE, Meta, Page, Sourced},
    lexicon::{forms, is_particle},
    market::{
        series::Series,
        series_definitions::{DEFINITIONS, dataset},
        transform::{
            TransformedRate,
            parameters::{QuoteTransformation, Transformation},
        },
    },
    store::snapshot::Snapshot,
    values::{Date, Pair, Words, error::Result, fold, words::words},
};

pub(crate) mod compare;
pub(crate) mod decisions;
pub(crate) mod freshness;
mod history_cache;
pub(crate) mod holes;
pub(crate) mod past;
pub(crate) mod plausibility;
pub(crate) mod queries;
pub(crate) mod quotes;
pub(crate) mod rows;
pub(crate) mod series;
pub(crate) mod series_definitions;
pub(crate) mod store;
pub mod transform;
mod transformed;
pub(crate) mod whole_histories;

pub use compare::{ComparedMeta, ComparedRow, ComparedSeries, Comparison, SeriesIds};
pub(crate) use decisions::DecisionsBefore;
pub use decisions::{Decision, Decisions};
pub(crate) use freshness::Meetings;
pub use freshness::{Meeting, days_with_currencies, years_with_quotes};
pub(crate) use history_cache::{CachedHistory, HistoryPage};
pub use holes::{
    Figures, NewerSide, holes, holes_within, missing_between, newer_sides, next_due, next_quote_due,
};
pub use past::{KnownAt, Release, Revision, as_of, first_releases, revisions};
pub(crate) use queries::DateWindow;
pub use queries::{
    FxCurrent, FxHistory, FxPairs, History, SeriesCurrent, SeriesHistory, SeriesList, SummaryQuery,
};
pub(crate) use rows::OriginCounts;
pub use rows::{FxPair, FxRate, Indicators, ListedSeries, Origin, Overview, OverviewMeta, Rate};
pub use series::newest_day;
pub(crate) use series_definitions::Measure;
pub use series_definitions::{
    CDI, IPCA, Rhythm, SELIC, SGS_BEGINS, SeriesDefinition, Side, Text, known_series,
};
pub(crate) use store::{CrossedQuote, Quote};
pub(crate) use transformed::all_transformed;
pub use whole_histories::{Summary, summary};

/// The Selic target rate set by the monetary policy committee (Copom), percent per year, newest first.
///
/// Fails if `from` is after `to`, or if the range reaches back further than the snapshot's plan allows.
pub fn selic(snapshot: &Snapshot, query: History) -> Result<Page<Rate>> {
    let series = Series::from(SELIC);
    for_series(snapshot, series, series.history(snapshot, &query)?)
}

/// The interbank deposit rate (CDI), percent per year on 252 business days, newest first.
///
/// Fails if `from` is after `to`, or if the range reaches back further than the snapshot's plan allows.
pub fn cdi(snapshot: &Snapshot, query: History) -> Result<Page<Rate>> {
    let series = Series::from(CDI);
    for_series(snapshot, series, series.history(snapshot, &query)?)
}

/// Consumer price inflation (IPCA), percent per month, newest first, dated on the first of the month.
///
/// Fails if `from` is after `to`, or if the range reaches back further than the snapshot's plan allows.
pub fn ipca(snapshot: &Snapshot, query: History) -> Result<Page<Rate>> {
    let series = Series::from(IPCA);
    for_series(snapshot, series, series.history(snapshot, &query)?)
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
    Ok(Page::cut(all, query.limit.get(), query.offset.get(), Meta::new("BCB SGS")))
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
    for_series(snapshot, series, page)
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

/// Every observation of an SGS series that the snapshot's date and plan allow, newest first.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// assert_eq!(fincore::market::all(&snapshot, 433)?.len(), 560);
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn all(snapshot: &Snapshot, number: u32) -> Result<Vec<Rate>> {
    Series::from(number).visible(snapshot)
}

/// Closing quotes of a currency pair (PTAX), newest first.
///
/// Fails if the pair has no quotes at all, if `from` is after `to`, or if the range reaches back further
/// than the snapshot's plan allows.
pub fn fx(snapshot: &Snapshot, query: FxHistory) -> Result<Page<FxRate>> {
    for_pair(snapshot, &query, quotes::history(snapshot, &query)?)
}

/// The newest closing quote of a currency pair. Fails if there is none.
pub fn fx_current(snapshot: &Snapshot, query: FxCurrent) -> Result<Sourced<FxRate>> {
    quotes::current(snapshot, query.pair)
}

/// Every closing quote of a currency pair that the snapshot's date and plan allow, newest first.
///
/// Fails if the pair has no quotes.
pub fn all_quotes(snapshot: &Snapshot, pair: Pair) -> Result<Vec<FxRate>> {
    quotes::visible(snapshot, pair)
}

/// All currency pairs with quotes, ordered by code, with the dates they cover.
pub fn fx_pairs(snapshot: &Snapshot, query: FxPairs) -> Result<Page<FxPair>> {
    // The dollar stands for all of them, as it does for the dataset.
    let meta = quotes::meta(snapshot, Pair::default())?;
    Ok(Page::cut(quotes::pairs(snapshot)?, query.limit.get(), query.offset.get(), meta))
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

/// Adds to a history without a row which days of the series are held.
fn for_series(snapshot: &Snapshot, series: Series, mut page: Page<Rate>) -> Result<Page<Rate>> {
    if page.total == 0 {
        page.meta.hints = held_days(snapshot, series)?;
    }
    Ok(page)
}

/// The stored days of a series; empty if none is.
pub(crate) fn held_days(snapshot: &Snapshot, series: Series) -> Result<Vec<Hint>> {
    let (name, days) = (dataset(series.number), series.coverage(snapshot)?);
    let hint = days.map(|days| format!("{name} is held from {} to {}", days.first, days.last));
    Ok(hint.map(Hint::from).into_iter().collect())
}

/// Adds to a history without a row which days of the pair are held, and which series have days with one side of its quotes.
fn for_pair(
    snapshot: &Snapshot,
    query: &FxHistory,
    mut page: Page<FxRate>,
) -> Result<Page<FxRate>> {
    if page.total > 0 {
        return Ok(page);
    }
    let (pair, hints) = (query.pair, &mut page.meta.hints);
    let (from, to) = (query.from.unwrap_or(Date::MIN), query.to.unwrap_or(snapshot.today()));
    if let Some(held) = quotes::pairs(snapshot)?.into_iter().find(|held| held.pair == pair) {
        let text = format!(
            "{pair} has both sides on {} days, from {} to {}",
            held.days, held.from, held.to
        );
        hints.push(text.into());
    }
    for definition in DEFINITIONS.iter() {
        let is_side = definition.quote.is_some_and(|(currency, _)| currency == pair.base);
        if !is_side {
            continue;
        }
        let count = Series::from(definition.number).count(snapshot, from, to)?;
        if count > 0 {
            let name = definition.name;
            let text = format!(
                "the series {name} has {count} of these days: GET /api/v1/market/series/{name}"
            );
            hints.push(text.into());
        }
    }
    Ok(page)
}

/// Everyday names of kinds of series, besides their titles: the beginnings of names, and the words.
const TOPICS: [(&[&str], &str); 5] = [
    (&["ipca", "inpc", "igp-", "ipc-", "incc-"], "inflação inflation"),
    (&["selic", "cdi", "tjlp", "tr", "savings"], "juros interest"),
    (&["usd-", "eur-", "jpy-", "gbp-"], "câmbio exchange rate moeda currency"),
    (&["igp-m"], "aluguel rent"),
    (&["gdp", "ibc-br"], "atividade activity PIB GDP"),
];

impl Series {
    /// Whether each word of a search is a word of this series or the beginning of one, in singular or plural. Case, accents and
    /// particles do not count.
    fn is_meant_by(self, search: &Words) -> bool {
        let own = self.words();
        let is_own = |word: &str| {
            let forms = forms(word);
            own.iter().any(|own| forms.iter().any(|form| own.starts_with(form)))
        };
        let says_something = |word: &&str| !is_particle(word);
        // A search of particles alone is for them.
        let mut needed: Vec<&str> = search.all().filter(says_something).collect();
        if needed.is_empty() {
            needed = search.all().collect();
        }
        needed.into_iter().all(is_own)
    }

    /// The words by which it is found, folded.
    fn words(self) -> Vec<String> {
        let mut text = self.number.to_string();
        if let Some(SeriesDefinition { name, other_names, title, unit, .. }) = self.definition {
            let topics = TOPICS.iter().filter(|(names, _)| {
                names.iter().any(|start| {
                    if start.ends_with('-') {
                        name.starts_with(start)
                    } else {
                        name == start || name.starts_with(&format!("{start}-"))
                    }
                })
            });
            let topics = topics.map(|(_, words)| *words);
            let own = [name, title.en, title.pt, unit.en, unit.pt].into_iter();
            for more in own.chain(other_names.iter().copied()).chain(topics) {
                text = text + " " + more;
            }
            // `igpm` for `igp-m`.
            text = text + " " + &name.replace('-', "");
        }
        words(&fold(&text)).map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod series_search_tests {
    use super::*;
    use crate::market::series_definitions::DEFINITIONS;

    /// The names of the known series that a search means, in the order of the table.
    fn found(search: &str) -> Vec<&'static str> {
        let search: Words = search.parse().unwrap();
        let is_meant = |known: &&SeriesDefinition| Series::from(known.number).is_meant_by(&search);
        DEFINITIONS.iter().filter(is_meant).map(|known| known.name).collect()
    }

    #[test]
    fn every_word_is_a_word_of_the_series_or_begins_one() {
        for (search, names) in [
            ("13522", &["ipca-12-months"][..]),
            ("DESEMPREGO", &["unemployment"]),
            ("unemploy", &["unemployment"]),
            ("poupança", &["savings", "savings-monthly", "savings-until-2012"]),
            ("caderneta de poupanca", &["savings"]),
            ("igpm", &["igp-m", "igp-m-unrounded"]),
            ("aluguéis", &["igp-m", "igp-m-unrounded"]),
            ("reserva internacional", &["reserves"]),
            ("dólares reservas", &["reserves"]),
            ("dívida bruta", &["gross-government-debt"]),
            ("gross debt", &["gross-government-debt"]),
            ("juros veículos", &["credit-interest-vehicles"]),
            ("inadimplência das pessoas físicas", &["credit-default-households"]),
            ("euro venda", &["eur-sell"]),
            ("euro xyz", &[]),
            ("uro", &[]),
        ] {
            assert_eq!(found(search), names, "{search}");
        }
    }

    #[test]
    fn inflation_is_every_price_index_and_nothing_else() {
        let all = found("inflação");
        assert_eq!(found("INFLATION"), all);
        assert_eq!(found("infla"), all);
        for name in
            ["ipca", "inpc", "igp-m", "igp-di", "ipca-15", "ipca-services", "ipc-fipe", "incc-di"]
        {
            assert!(all.contains(&name), "{name}: {all:?}");
        }
        for name in ["selic", "usd-sell", "gdp", "real-exchange-rate", "minimum-wage"] {
            assert!(!all.contains(&name), "{name}");
        }
        assert!(found("juros").contains(&"selic") && found("interest").contains(&"cdi"));
        assert!(
            found("câmbio").contains(&"usd-sell")
                && found("câmbio").contains(&"real-exchange-rate")
        );
    }

    #[test]
    fn a_series_without_a_definition_is_found_by_its_number() {
        let search: Words = "9876".parse().unwrap();
        assert!(Series::from(987_654).is_meant_by(&search));
        assert!(!Series::from(98_765_433).is_meant_by(&"ipca".parse().unwrap()));
    }
}
