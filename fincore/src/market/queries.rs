//! The queries of market data.
use serde::{Deserialize, Serialize};

use crate::{
    store::Snapshot,
    values::{
        Date, DateRange, Feature, Limit, Offset, Pair, Result, SeriesId, Words, plans::RECENT_DAYS,
    },
};

/// A query for the history of a series; by default the newest twenty days.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct History {
    /// The first day.
    pub from: Option<Date>,
    /// The last day.
    pub to: Option<Date>,
    /// The most days to return.
    #[serde(default)]
    pub limit: Limit<10_000>,
    /// The number of days to skip, counted from the newest.
    #[serde(default)]
    pub offset: Offset,
}

impl History {
    /// Applies the range to a series.
    #[must_use]
    pub fn of(self, series: SeriesId) -> SeriesHistory {
        let History { from, to, limit, offset } = self;
        SeriesHistory { series, from, to, limit, offset }
    }
}

/// A query for the history of any series, by its number or name.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SeriesHistory {
    /// The series.
    pub series: SeriesId,
    /// The first day.
    pub from: Option<Date>,
    /// The last day.
    pub to: Option<Date>,
    /// The most days to return.
    #[serde(default)]
    pub limit: Limit<10_000>,
    /// The number of days to skip, counted from the newest.
    #[serde(default)]
    pub offset: Offset,
}

impl SeriesHistory {
    /// The newest twenty days of a series.
    #[must_use]
    pub fn new(series: SeriesId) -> SeriesHistory {
        History::default().of(series)
    }

    /// The series, and the rest of the query.
    pub(crate) fn split(self) -> (SeriesId, History) {
        let SeriesHistory { series, from, to, limit, offset } = self;
        (series, History { from, to, limit, offset })
    }
}

/// A query for the newest observation of any series, by its number or name.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SeriesCurrent {
    /// The series.
    pub series: SeriesId,
}

impl SeriesCurrent {
    /// The newest observation of a series.
    #[must_use]
    pub fn new(series: SeriesId) -> SeriesCurrent {
        SeriesCurrent { series }
    }
}

/// A query for a summary of any series, by its number or name; by default of all its observations.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SummaryQuery {
    /// The series.
    pub series: SeriesId,
    /// The first day.
    pub from: Option<Date>,
    /// The last day.
    pub to: Option<Date>,
}

impl SummaryQuery {
    /// All observations of a series.
    #[must_use]
    pub fn new(series: SeriesId) -> SummaryQuery {
        SummaryQuery { series, from: None, to: None }
    }
}

/// A query for the list of series; by default all that hold observations.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SeriesList {
    /// Only series that these words mean, held or not: each is a word of a name, title or unit, or the beginning of one.
    pub q: Option<Words>,
    /// The most series to return.
    #[serde(default = "all_series")]
    pub limit: Limit<1000>,
    /// The number of series to skip.
    #[serde(default)]
    pub offset: Offset,
}

impl Default for SeriesList {
    fn default() -> SeriesList {
        SeriesList { q: None, limit: all_series(), offset: Offset::default() }
    }
}

/// Some eighty series are known; an operator may have imported others.
fn all_series() -> Limit<1000> {
    Limit::MAX
}

/// A query for the history of a currency pair; by default the newest twenty days of `USD/BRL`.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
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
    /// The number of days to skip, counted from the newest.
    #[serde(default)]
    pub offset: Offset,
}

/// A query for the current quote of a pair; by default `USD/BRL`.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FxCurrent {
    /// The pair.
    #[serde(default)]
    pub pair: Pair,
}

/// A query for the list of currency pairs; by default all of them.
#[derive(Clone, Debug, Deserialize, Serialize)]
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

/// Some 160 currencies have quotes.
fn all_pairs() -> Limit<1000> {
    Limit::MAX
}

/// A range of dates, both ends included; it may be empty.
#[derive(Clone, Copy)]
pub(crate) struct DateWindow {
    from: Date,
    to: Date,
}

impl DateWindow {
    /// The first day.
    pub(crate) fn from(self) -> Date {
        self.from
    }

    /// The last day; before the first one if the range is empty.
    pub(crate) fn to(self) -> Date {
        self.to
    }
}

/// Cuts the requested range to what the snapshot can read: nothing after its date, and nothing older than
/// its plan includes. A range that names older dates fails with the upgrade prompt instead of being cut
/// silently.
///
/// The newest observation is looked up only if the plan is limited.
pub(crate) fn within_plan(
    snapshot: &Snapshot,
    from: Option<Date>,
    to: Option<Date>,
    newest: impl FnOnce() -> Result<Option<Date>>,
) -> Result<DateWindow> {
    let asked = DateRange::new(from, to)?;
    let oldest = match snapshot.plan().need(Feature::HistoricalData) {
        Ok(()) => Date::MIN,
        Err(prompt) => {
            let oldest = newest()?.map_or(Date::MIN, |newest| newest.days_before(RECENT_DAYS));
            // The past is no way around the plan.
            let oldest = match snapshot.present_day() {
                present if present > snapshot.today() => {
                    oldest.max(present.days_before(RECENT_DAYS))
                }
                _ => oldest,
            };
            if from.is_some_and(|from| from < oldest) || asked.to() < oldest {
                return Err(prompt.into());
            }
            oldest
        }
    };
    Ok(DateWindow { from: asked.from().max(oldest), to: asked.to().min(snapshot.today()) })
}

#[cfg(test)]
mod plan_window_tests {
    use crate::market;

    use super::within_plan;
    use super::{FxHistory, History, SeriesHistory};
    use crate::{
        import::Import,
        store::{catalogue::Catalogue, snapshot::Snapshot},
        values::{
            Date,
            error::{Error, Resource},
            plans::{Feature, Plan},
        },
    };

    /// A catalogue with one observation per month, on the first, from 2024-01 to 2026-08.
    fn catalogue(dir: &tempfile::TempDir) -> Catalogue {
        let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
        let months = (2024..=2026).flat_map(|year| (1..=12).map(move |month| (year, month)));
        let months: Vec<_> = months.take(32).collect();
        let rows = |row: &dyn Fn(&(i32, i32)) -> String| {
            months.iter().map(row).collect::<Vec<_>>().join(",")
        };
        let sgs = rows(&|(y, m)| format!(r#"{{"data":"01/{m:02}/{y}","valor":"0.50"}}"#));
        let ptax = rows(&|(y, m)| {
            format!(
                r#"{{"cotacaoCompra":5.1,"cotacaoVenda":5.2,"dataHoraCotacao":"{y}-{m:02}-01 13:00:00.0"}}"#
            )
        });
        let mut import = Import::begin(&catalogue, crate::store::catalogue::noon()).unwrap();
        for series in [432, 12, 433, 999_999] {
            let name = format!("bcdata.sgs.{series}.json");
            import.file(&name, format!("[{sgs}]").as_bytes()).unwrap();
        }
        let olinda = format!(r#"{{"@odata.context":"x","value":[{ptax}]}}"#);
        import.file("CotacaoDolarPeriodo.json", olinda.as_bytes()).unwrap();
        import.commit().unwrap();
        catalogue
    }

    type Answer =
        fn(&Snapshot, Option<Date>, Option<Date>) -> crate::values::error::Result<Vec<Date>>;

    /// Every history function, reduced to dates.
    const HISTORIES: [Answer; 10] = [
        |s, from, to| dates(market::series(s, series("selic", from, to)), |row| row.date),
        |s, from, to| dates(market::series(s, series("4389", from, to)), |row| row.date),
        // A series that is not known, and one side of the quotes.
        |s, from, to| dates(market::series(s, series("999999", from, to)), |row| row.date),
        |s, from, to| dates(market::series(s, series("usd-sell", from, to)), |row| row.date),
        |s, from, to| {
            let dates = market::all(s, 432)?.iter().map(|row| row.date).collect();
            narrowed(s, dates, from, to)
        },
        |s, from, to| {
            let quotes = market::all_quotes(s, crate::values::ids::Pair::default())?;
            narrowed(s, quotes.iter().map(|row| row.date).collect(), from, to)
        },
        |s, from, to| dates(market::selic(s, history(from, to)), |row| row.date),
        |s, from, to| dates(market::cdi(s, history(from, to)), |row| row.date),
        |s, from, to| dates(market::ipca(s, history(from, to)), |row| row.date),
        |s, from, to| {
            let query = FxHistory {
                from,
                to,
                limit: crate::values::page::Limit::MAX,
                ..FxHistory::default()
            };
            dates(market::fx(s, query), |row| row.date)
        },
    ];

    /// Cuts the rows of `each` to a range that `each` does not take, with the answer of the history itself.
    fn narrowed(
        snapshot: &Snapshot,
        mut dates: Vec<Date>,
        from: Option<Date>,
        to: Option<Date>,
    ) -> crate::values::error::Result<Vec<Date>> {
        let newest = dates.first().copied();
        within_plan(snapshot, from, to, || Ok(newest))?;
        dates.retain(|date| {
            from.is_none_or(|from| from <= *date) && to.is_none_or(|to| *date <= to)
        });
        Ok(dates)
    }

    fn history(from: Option<Date>, to: Option<Date>) -> History {
        History { from, to, limit: crate::values::page::Limit::MAX, ..History::default() }
    }

    fn series(id: &str, from: Option<Date>, to: Option<Date>) -> SeriesHistory {
        let History { limit, .. } = history(from, to);
        SeriesHistory { from, to, limit, ..SeriesHistory::new(id.parse().unwrap()) }
    }

    fn dates<T>(
        answer: crate::values::error::Result<crate::answers::Page<T>>,
        date: fn(&T) -> Date,
    ) -> crate::values::error::Result<Vec<Date>> {
        Ok(answer?.data.iter().map(date).collect())
    }

    #[test]
    fn a_small_plan_sees_a_year_up_to_the_newest_observation() {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = catalogue(&dir);
        let day = |text: &str| text.parse::<Date>().unwrap();
        // The year ends on 2026-08-01, whatever today is; the last column is what is visible.
        let cases = [
            (Plan::Free, None, None, Some(("2025-08-01", "2026-08-01"))),
            (Plan::Bronze, None, None, Some(("2025-08-01", "2026-08-01"))),
            (Plan::Gold, None, None, Some(("2024-01-01", "2026-08-01"))),
            (Plan::Free, Some("2025-08-01"), None, Some(("2025-08-01", "2026-08-01"))),
            (Plan::Free, Some("2025-07-31"), None, None),
            (Plan::Free, None, Some("2025-08-01"), Some(("2025-08-01", "2025-08-01"))),
            (Plan::Free, None, Some("2025-07-31"), None),
            (Plan::Bronze, Some("2024-01-01"), Some("2024-02-01"), None),
            (
                Plan::Gold,
                Some("2024-01-01"),
                Some("2024-02-01"),
                Some(("2024-01-01", "2024-02-01")),
            ),
            (
                Plan::Free,
                Some("2026-01-01"),
                Some("2026-02-01"),
                Some(("2026-01-01", "2026-02-01")),
            ),
        ];
        for (plan, from, to, seen) in cases {
            for answer in HISTORIES {
                let snapshot = catalogue.snapshot(day("2026-11-14")).unwrap().for_plan(plan);
                match (answer(&snapshot, from.map(day), to.map(day)), seen) {
                    (Ok(dates), Some((oldest, newest))) => {
                        assert_eq!(dates.first(), Some(&day(newest)), "{plan} {from:?} {to:?}");
                        assert_eq!(dates.last(), Some(&day(oldest)), "{plan} {from:?} {to:?}");
                    }
                    (Err(Error::PlanRequired(prompt)), None) => {
                        assert_eq!(prompt.feature, Feature::HistoricalData);
                        assert_eq!(prompt.current_plan, plan);
                    }
                    other => panic!("{plan} {from:?} {to:?}: {other:?}"),
                }
            }
        }
    }

    #[test]
    fn a_small_plan_sees_current_values_and_unknown_series_as_anyone() {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = catalogue(&dir);
        // The newest observation of a past day is older than any window up to today.
        let snapshot = catalogue.snapshot("2024-03-15".parse().unwrap()).unwrap();
        let snapshot = snapshot.for_plan(Plan::Free);
        assert_eq!(market::selic_current(&snapshot).unwrap().date.to_string(), "2024-03-01");
        assert!(market::overview(&snapshot).is_ok());
        for unknown in ["226", "igp-m", "nope", "1000000"] {
            assert!(matches!(
                market::series(&snapshot, series(unknown, None, None)),
                Err(Error::NotFound { what: Resource::Series | Resource::UnknownSeries, .. })
            ));
        }
        let unknown = FxHistory { pair: "XXX/BRL".parse().unwrap(), ..FxHistory::default() };
        assert!(matches!(
            market::fx(&snapshot, unknown),
            Err(Error::NotFound { what: Resource::CurrencyPair, .. })
        ));
    }

    #[test]
    fn no_plan_sees_a_day_after_today() {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = catalogue(&dir);
        let day = |text: &str| text.parse::<Date>().unwrap();
        for plan in Plan::ALL {
            let snapshot = catalogue.snapshot(day("2026-07-15")).unwrap().for_plan(plan);
            for answer in HISTORIES {
                let dates = answer(&snapshot, None, None).unwrap();
                assert_eq!(dates.first(), Some(&day("2026-07-01")), "{plan}");
                let later = answer(&snapshot, Some(day("2026-07-20")), None).unwrap();
                assert_eq!(later, [], "{plan}");
            }
        }
    }

    #[test]
    fn pages_of_a_history_follow_one_another() {
        let dir = tempfile::tempdir().unwrap();
        let snapshot = catalogue(&dir).snapshot(Date::MAX).unwrap();
        let page = |offset| {
            let (limit, offset) = (
                crate::values::page::Limit::new(10).unwrap(),
                crate::values::page::Offset::new(offset).unwrap(),
            );
            market::ipca(&snapshot, History { limit, offset, ..History::default() }).unwrap()
        };
        let all = market::ipca(&snapshot, history(None, None)).unwrap().data;
        let pages: Vec<_> = [0, 10, 20, 30, 40].map(page).into_iter().collect();
        assert!(pages.iter().all(|page| (page.total, page.limit) == (32, 10)));
        assert_eq!(
            pages.into_iter().flat_map(|page| page.data).collect::<Vec<_>>(),
            all.into_vec()
        );
    }
}
