//! The Rust client: every query of the API through it, beside the library's own answer on the same data.
use std::{collections::BTreeSet, fmt::Debug};

use chrono::{TimeDelta, Utc};
use fincore::{
    Catalogue, Date, Import, PageQuery, Plan, Search, Snapshot,
    calc::{Accumulation, Convention, Conversion, Correction, RateConversion, RealRate, Steps},
    calendar::{BusinessDaysQuery, DayQuery},
    companies, filings,
    market::{
        self, Comparison, FxCurrent, FxHistory, FxPairs, History, SeriesCurrent, SeriesHistory,
        SeriesList, SummaryQuery,
        transform::{
            Aggregate, Frequency, Only, Partial, QuoteTransformation, Transformation, Units,
        },
    },
    search::Suggest,
    statements::{
        FigureSources, FinancialsQuery, FormsQuery, Layout, Metric, Period, ScreenQuery,
        StatementKind, StatementQuery,
    },
};
use finserve_client::{Client, Settings, Source};
use serde::Serialize;
use tokio::runtime::{self, Runtime};

use crate::{
    harness::{Server, filled, new_key},
    statements::year_2024,
};

const OPENAPI: &str = include_str!("../openapi.yaml");

/// A server, its data as the library reads it, and the client with both.
pub(crate) struct Both {
    pub(crate) server: Server,
    pub(crate) snapshot: Snapshot,
    pub(crate) served: Source,
    pub(crate) embedded: Source,
    pub(crate) runtime: Runtime,
    /// The queries that were compared.
    compared: BTreeSet<String>,
}

impl Both {
    /// The bundled data, a figure that was revised, and a few statements.
    pub(crate) fn start() -> Both {
        let data = filled();
        let catalogue = Catalogue::open(data.path().join("catalogue.db")).unwrap();
        let files = ["0.11", "0.12"].map(|value| {
            let file = format!(r#"[{{"data":"01/08/2026","valor":"{value}"}}]"#);
            ("bcdata.sgs.433.json".to_owned(), file.into_bytes())
        });
        let archives = year_2024().map(|archive| (archive.name(), archive.bytes()));
        for (days, (name, bytes)) in (2..).zip(files.into_iter().chain(archives)) {
            let mut import =
                Import::begin(&catalogue, Utc::now() - TimeDelta::days(9 - days)).unwrap();
            import.file(&name, &bytes).unwrap();
            import.commit().unwrap();
        }
        let server = Server::start_over(data);
        let served = served(&server, Some(Plan::Platinum));
        let snapshot = catalogue.snapshot(Date::in_brasilia(Utc::now())).unwrap();
        let runtime = runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (embedded, compared) = (catalogue.into(), BTreeSet::new());
        Both { server, snapshot, served, embedded, runtime, compared }
    }

    /// Compares what the client has from the same data with what it has from the server, and its fields with the library's
    /// answer.
    #[track_caller]
    fn compare<L: Serialize, A: Debug + PartialEq>(
        &mut self,
        query: &str,
        library: &L,
        [embedded, served]: [A; 2],
    ) {
        assert_eq!(served, embedded, "{query}");
        let answer = serde_json::to_string(library).unwrap();
        let shown = without_underscores(&format!("{served:?}"));
        let fields = shown.split(": ").map(|before| before.trim_end_matches('"'));
        let fields = fields.filter_map(|before| before.rsplit([' ', '{', '"']).next());
        let fields: BTreeSet<&str> = fields.collect();
        for name in members(&answer) {
            // The type of a suggestion is a variant.
            let is_variant = query == "search::suggest" && name == "type";
            let is_read = is_variant || fields.contains(&*without_underscores(name));
            assert!(is_read, "{query}: the client has no {name}");
        }
        self.compared.insert(query.to_owned());
    }
}

/// A name as a field, a key and a variant have it alike.
fn without_underscores(name: &str) -> String {
    name.replace('_', "").to_lowercase()
}

/// The names of all members of all objects of an answer.
fn members(json: &str) -> BTreeSet<&str> {
    let texts: Vec<&str> = json.split('"').collect();
    texts.windows(2).filter(|pair| pair[1].starts_with(':')).map(|pair| pair[0]).collect()
}

/// The server through the client, with a new key.
pub(crate) fn served(server: &Server, plan: Option<Plan>) -> Source {
    let key = plan.map(|plan| new_key(&server.accounts(), plan));
    let settings = Settings { key, ..Settings::default() };
    Client::new(&format!("http://{}", server.address), settings).unwrap().into()
}

/// Asks for one thing in three ways: the library, and the client with each source.
macro_rules! compare {
    ($both:ident, $module:ident::$name:ident($($argument:expr),*)) => {
        compare!($both, $module::$name($($argument),*) as
            |snapshot| fincore::$module::$name(snapshot, $($argument),*))
    };
    ($both:ident, $module:ident::$name:ident($($argument:expr),*) as $library:expr) => {{
        let library: fn(&Snapshot) -> fincore::Result<_> = $library;
        let library = library(&$both.snapshot).unwrap();
        let ask = |source: &Source| {
            let asked = finserve_client::$module::$name(source, $($argument),*);
            $both.runtime.block_on(asked).unwrap()
        };
        let answers = [ask(&$both.embedded), ask(&$both.served)];
        $both.compare(concat!(stringify!($module), "::", stringify!($name)), &library, answers);
    }};
}

pub(crate) fn of<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

/// A history of 2020 onwards, from its third row.
pub(crate) fn since_2020() -> History {
    History {
        from: Some(of("2020-01-01")),
        to: Some(of("2026-08-31")),
        limit: fincore::Limit::new(40).unwrap(),
        offset: fincore::Offset::new(2).unwrap(),
    }
}

fn of_pair() -> FxHistory {
    let History { from, to, limit, offset } = since_2020();
    FxHistory { pair: of("EUR/BRL"), from, to, limit, offset }
}

fn by_month() -> Transformation {
    Transformation {
        frequency: Some(Frequency::Month),
        aggregate: Some(Aggregate::Compound),
        units: Units::Accumulated12Months,
        ..Transformation::default()
    }
}

#[test]
fn every_query_of_the_api_is_the_librarys_answer() {
    let mut both = Both::start();
    compare_market(&mut both);
    compare_series(&mut both);
    compare_calculators(&mut both);
    compare_registry(&mut both);
    compare_statements(&mut both);

    let queries = finserve_client::all_queries();
    let names: BTreeSet<String> = queries.iter().map(|query| query.name.to_owned()).collect();
    assert_eq!(both.compared, names, "each query of the client is compared");
    let known: BTreeSet<&str> = queries.iter().map(|query| query.path).collect();
    assert_eq!(known, paths_of_queries(), "each query of the API has a function, and no other");
}

/// The paths that are queries of the data. `route_table/tests.rs` holds the document against the table of routes.
fn paths_of_queries() -> BTreeSet<&'static str> {
    // What belongs to a key or to the service, and whole datasets: none of them is a query of the library.
    const OTHERS: [&str; 7] = [
        "/health",
        "/api/v1/status",
        "/api/v1/plans/",
        "/api/v1/export",
        "/api/v1/events",
        "/api/v1/links",
        "/api/v1/webhooks",
    ];
    let paths = OPENAPI.split_once("\npaths:\n").unwrap().1.split_once("\ncomponents:").unwrap().0;
    let paths = paths.lines().filter(|line| line.starts_with("  /"));
    let paths = paths.filter_map(|line| line.trim_start().strip_suffix(':'));
    paths.filter(|path| !OTHERS.iter().any(|other| path.starts_with(other))).collect()
}

fn compare_market(both: &mut Both) {
    compare!(both, market::overview());
    compare!(both, market::selic_current());
    compare!(both, market::cdi_current());
    compare!(both, market::ipca_current());
    compare!(both, market::selic(since_2020()));
    compare!(both, market::cdi(since_2020()));
    compare!(both, market::ipca(History::default()));
    compare!(both, market::selic_decisions(since_2020()));
    compare!(both, market::fx(of_pair()));
    compare!(both, market::fx_current(FxCurrent { pair: of("JPY/BRL") }));
    compare!(both, market::fx_pairs(FxPairs::default()));
    compare!(both, market::transformed_quotes(of_pair(), QuoteTransformation::default()));
    compare!(
        both,
        market::transformed_quotes(
            of_pair(),
            QuoteTransformation {
                side: market::Side::Buy,
                frequency: Some(Frequency::Week),
                units: Units::Index,
                partial: Partial::Shown,
                ..QuoteTransformation::default()
            }
        )
    );
    compare!(both, calendar::day(DayQuery::new(of("2026-11-20"))));
    compare!(both, calendar::business_days(BusinessDaysQuery::default()));
    compare!(both, plans::list() as |_| Ok(fincore::plans::list()));
}

fn compare_series(both: &mut Both) {
    compare!(both, market::series_list(SeriesList::default()));
    compare!(
        both,
        market::series_list(SeriesList { q: Some(of("preços")), ..SeriesList::default() })
    );
    compare!(both, market::series_current(SeriesCurrent::new(of("IGP-M"))));
    compare!(both, market::series(SeriesHistory::new(of("433"))));
    compare!(both, market::series(since_2020().of(of("igp-m"))));
    compare!(both, market::revisions(SeriesHistory::new(of("ipca"))));
    compare!(both, market::summary(SummaryQuery::new(of("ipca"))));
    // No observation: all is null, and a hint says why.
    compare!(
        both,
        market::summary(SummaryQuery {
            to: Some(of("1970-01-01")),
            ..SummaryQuery::new(of("ipca"))
        })
    );
    compare!(both, market::transformed(SeriesHistory::new(of("cdi")), Transformation::default()));
    compare!(both, market::transformed(since_2020().of(of("ipca")), by_month()));
    compare!(
        both,
        market::transformed(
            SeriesHistory::new(of("selic")),
            Transformation { only: Some(Only::Changes), ..Transformation::default() }
        )
    );
    let ids = "ipca,igp-m,433";
    assert!(market::compare(&both.snapshot, Comparison::new(of(ids)), None).is_err());
    compare!(both, market::compare(Comparison::new(of("ipca,igp-m,11")), None));
    compare!(
        both,
        market::compare(
            Comparison::new(of("IPCA,cdi")),
            Some(Transformation {
                frequency: Some(Frequency::Quarter),
                partial: Partial::Shown,
                ..Transformation::default()
            })
        )
    );
}

fn compare_calculators(both: &mut Both) {
    compare!(
        both,
        calc::correction(Correction {
            to: Some(of("2025-12-31")),
            percent: Some(of("110")),
            spread: Some(of("1.25")),
            steps: Steps::Listed,
            ..Correction::new(of("1000.50"), of("2020-01-01"), of("cdi"))
        })
    );
    compare!(both, calc::correction(Correction::new(of("1000000"), of("1990-01-01"), of("ipca"))));
    compare!(
        both,
        calc::accumulate(Accumulation {
            steps: Steps::Listed,
            ..Accumulation::new(of("igp-m"), of("2025-01-01"))
        })
    );
    compare!(
        both,
        calc::convert(Conversion {
            amount: of("0.125"),
            date: Some(of("2026-02-01")),
            ..Conversion::new(of("USD"), of("EUR"))
        })
    );
    compare!(both, calc::real_rate(RealRate::new(of("2024-01-01"))));
    compare!(both, calc::convert_rate(RateConversion {
        value: of("13.750"),
        from: Convention::Year252,
        to: Convention::Month
    }) as |_| fincore::calc::convert_rate(&RateConversion {
        value: of("13.750"),
        from: Convention::Year252,
        to: Convention::Month
    }));
}

fn compare_registry(both: &mut Both) {
    compare!(
        both,
        companies::list(companies::List {
            sector: Some("bancos".into()),
            listed: Some(companies::Listed::Yes),
            ..companies::List::default()
        })
    );
    compare!(
        both,
        companies::list(companies::List {
            status: Some("inativa".into()),
            ..companies::List::default()
        })
    );
    compare!(both, companies::search(companies::Search::new("petrobras").unwrap()));
    compare!(both, companies::search(companies::Search::new("petrobrax").unwrap()));
    compare!(both, companies::sectors(PageQuery::default()));
    for id in ["9512", "33.000.167/0001-01", "vale3.sa"] {
        let company: fincore::CompanyRef = of(id);
        let asked = |source: &Source| {
            both.runtime
                .block_on(finserve_client::companies::find(source, company.clone()))
                .unwrap()
        };
        let library = fincore::companies::find(&both.snapshot, company.clone()).unwrap();
        let answers = [asked(&both.embedded), asked(&both.served)];
        both.compare("companies::find", &library, answers);
    }
    compare!(
        both,
        filings::list(filings::List {
            company: Some(of("PETR4")),
            category: Some("fato relevante".into()),
            from: Some(of("2024-01-01")),
            ..filings::List::default()
        })
    );
    compare!(
        both,
        filings::list(filings::List { category: Some("nada".into()), ..filings::List::default() })
    );
    compare!(
        both,
        filings::search(filings::Search {
            order: filings::Order::Relevance,
            ..filings::Search::new("\"fato relevante\" dividendos & ações?").unwrap()
        })
    );
    compare!(both, filings::of_company(filings::OfCompany::new(of("4170"))));
    compare!(both, filings::categories(PageQuery::default()));
    compare!(both, filings::recent(filings::Recent { limit: fincore::Limit::new(3).unwrap() }));
    let found = fincore::filings::recent(&both.snapshot, filings::Recent::default()).unwrap();
    let id = found.data[0].id;
    let asked = |source: &Source| {
        both.runtime.block_on(finserve_client::filings::find(source, id)).unwrap()
    };
    let library = fincore::filings::find(&both.snapshot, id).unwrap();
    let answers = [asked(&both.embedded), asked(&both.served)];
    both.compare("filings::find", &library, answers);
    compare!(both, search::global(Search::new("vale").unwrap()));
    compare!(both, search::suggest(Suggest::new("pet").unwrap()));
    compare!(both, search::suggest(Suggest::new("comunic").unwrap()));
}

fn compare_statements(both: &mut Both) {
    const COMPANY: &str = "9512";
    compare!(both, statements::list(FormsQuery::new(of(COMPANY))));
    for kind in StatementKind::ALL {
        for layout in [Layout::Long, Layout::Wide] {
            let query = StatementQuery {
                layout,
                period: if kind == StatementKind::Income {
                    Period::Quarter
                } else {
                    Period::Annual
                },
                ..StatementQuery::new(of(COMPANY), kind)
            };
            let asked = |source: &Source| {
                let asked = finserve_client::statements::statement(source, query.clone());
                both.runtime.block_on(asked).unwrap()
            };
            let answers = [asked(&both.embedded), asked(&both.served)];
            // A client always has the long layout.
            let long = StatementQuery { layout: Layout::Long, ..query };
            let library = fincore::statements::statement(&both.snapshot, long).unwrap();
            both.compare("statements::statement", &library, answers);
        }
    }
    compare!(both, statements::financials(FinancialsQuery::new(of(COMPANY))));
    compare!(
        both,
        statements::financials(FinancialsQuery {
            sources: FigureSources::Listed,
            ..FinancialsQuery::new(of(COMPANY))
        })
    );
    let query = FinancialsQuery::new(of(COMPANY));
    let ours = fincore::statements::financials(&both.snapshot, query.clone()).unwrap();
    let theirs = finserve_client::statements::financials(&both.served, query);
    let theirs = both.runtime.block_on(theirs).unwrap();
    let of_client = &theirs.data[0].figures;
    for metric in Metric::ALL {
        assert_eq!(of_client[&metric].value, ours.data[0].figure(metric).value, "{metric:?}");
    }
    compare!(both, statements::screen(ScreenQuery::default()));
    compare!(
        both,
        statements::screen(ScreenQuery {
            metric: Some(of("roe,revenue")),
            order: of("-revenue"),
            year: Some(of("2024")),
            ..ScreenQuery::default()
        })
    );
    compare!(
        both,
        statements::screen(ScreenQuery { year: Some(of("1999")), ..ScreenQuery::default() })
    );
}
