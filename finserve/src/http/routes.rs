//! Every endpoint, one line each.
use std::collections::HashMap;

use fincore::{
    Feature, Snapshot, calc, calendar, companies, events::EventsQuery, filings, market, plans,
    search, usage::UsageQuery, webhooks::DeliveriesQuery,
};
use hyper::Method;
use serde::{Serialize, de::DeserializeOwned};

use super::{
    context::Context,
    cost::Cost,
    envelope::Sharing,
    events,
    export::{self, ExportQuery},
    formats::{self, Formats},
    front::{self, AssetQuery, PageQuery},
    global_search, llms, mcp,
    params::{self, Params},
    refusal::Refusal,
    render::{Answer, Heading, Rows},
    reply::Reply,
    service,
    webhooks::{self, OneDelivery, OneWebhook},
};
use crate::{base_path::BasePath, mcp::PATH};

/// All rows; of two that fit a path, the first answers. Routing, `Allow`, plans, usage and the comparison with
/// `openapi.yaml` read this table.
#[rustfmt::skip]
fn table(base: BasePath) -> Vec<Route> {
    use Cost::{Disk, Long, Rows, Short};
    // Rows of the market and companies are kept in memory; each filing is read.
    const FIGURES: Cost = Rows(2_000);
    const COMPANIES: Cost = Rows(100);
    use Feature::{BulkExport, Companies, Filings, Market, Plans, Webhooks};
    const GET: Method = Method::GET;
    const POST: Method = Method::POST;
    const DELETE: Method = Method::DELETE;
    vec![
        open(   "/health",                                   Short, service::health),
        open(   "/api/v1/status",                            Long,  service::status),

        current("/api/v1/market/overview",        Market,    Short, market::overview),
        current("/api/v1/market/selic/current",   Market,    Short, market::selic_current),
        list(   "/api/v1/market/selic",           Market,    FIGURES, market::selic),
        current("/api/v1/market/cdi/current",     Market,    Short, market::cdi_current),
        list(   "/api/v1/market/cdi",             Market,    FIGURES, market::cdi),
        current("/api/v1/market/ipca/current",    Market,    Short, market::ipca_current),
        list(   "/api/v1/market/ipca",            Market,    FIGURES, market::ipca),
        get(    "/api/v1/market/fx/current",      Market,    Short, market::fx_current),
        list(   "/api/v1/market/fx/pairs",        Market,    Long,  market::fx_pairs),
        list(   "/api/v1/market/fx",              Market,    FIGURES, market::fx),
        get(    "/api/v1/market/series/{series}/current", Market, Short, market::series_current),
        list(   "/api/v1/market/series/{series}", Market,    FIGURES, market::series),
        list(   "/api/v1/market/series",          Market,    Long,  market::series_list),

        get(    "/api/v1/calc/correction",        Market,    Long,  calc::correction),
        get(    "/api/v1/calc/accumulated",       Market,    Long,  calc::accumulated),
        get(    "/api/v1/calc/convert",           Market,    Short, calc::convert),
        get(    "/api/v1/calc/real-rate",         Market,    Long,  calc::real_rate),

        list(   "/api/v1/calendar/business-days", Market,    FIGURES, calendar::business_days),
        get(    "/api/v1/calendar/{date}",        Market,    Short, calendar::day),

        list(   "/api/v1/companies/search",       Companies, Long,  companies::search),
        list(   "/api/v1/companies/{id}/filings", Filings,   Long,  filings::of_company),
        one(    "/api/v1/companies/{id}",         Companies, Short, companies::find),
        list(   "/api/v1/companies",              Companies, COMPANIES, companies::list),
        list(   "/api/v1/filings/search",         Filings,   Long,  filings::search),
        list(   "/api/v1/filings/categories",     Filings,   Short, filings::categories),
        list(   "/api/v1/filings/recent",         Filings,   Long,  filings::recent),
        one(    "/api/v1/filings/{id}",           Filings,   Short, filings::find),
        list(   "/api/v1/filings",                Filings,   Long,  filings::list),
        get(    "/api/v1/search/suggest",         Companies, Short, search::suggest),
        get(    "/api/v1/search",                 Companies, Long,  move |all: &_, query| global_search::all(base, all, query)),

        current("/api/v1/plans",                  Plans,     Short, |_| Ok(plans::list())),
        account::<()>(POST,        "/api/v1/plans/register", Plans, Disk, service::register),
        account::<UsageQuery>(GET, "/api/v1/plans/usage",    Plans, Disk, service::usage),

        account::<()>(GET,               "/api/v1/export",           BulkExport, Long, export::list),
        dataset("/api/v1/export/{dataset}",                          BulkExport, Disk, export::dataset),
        account::<EventsQuery>(GET,      "/api/v1/events",           Webhooks,   Disk, events::events),
        account::<()>(POST,              "/api/v1/webhooks",         Webhooks,   Disk, webhooks::create),
        account::<()>(GET,               "/api/v1/webhooks",         Webhooks,   Disk, webhooks::list),
        account::<OneWebhook>(GET,       "/api/v1/webhooks/{id}",    Webhooks,   Disk, webhooks::find),
        account::<OneWebhook>(DELETE,    "/api/v1/webhooks/{id}",    Webhooks,   Disk, webhooks::remove),
        account::<OneWebhook>(POST,      "/api/v1/webhooks/{id}/test", Webhooks, Disk, webhooks::test),
        account::<DeliveriesQuery>(GET,  "/api/v1/webhooks/{id}/deliveries", Webhooks, Disk, webhooks::deliveries),
        account::<OneDelivery>(POST,     "/api/v1/webhooks/{id}/deliveries/{delivery}/replay", Webhooks, Disk, webhooks::replay),

        page(GET,  "/",                  Long,  front::home),
        page(GET,  "/pricing",           Short, front::pricing),
        page(POST, "/pricing",           Disk,  front::register),
        page(GET,  "/usage",             Short, front::usage),
        page(POST, "/usage",             Disk,  front::show_usage),
        page(GET,  "/docs",              Short, front::docs),
        document(  "/docs/openapi.yaml",        front::openapi_yaml),
        document(  "/docs/openapi.json",        front::openapi_json),
        document(  "/llms.txt",                 llms::short),
        document(  "/llms-full.txt",            llms::full),
        at(POST,   PATH,                 Short, Handler::Direct(mcp::answer)),
        asset(     "/assets/{name}",            front::asset),
    ]
}

/// One endpoint.
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    /// What a plan must include; without one it is open to all, and no request is counted.
    pub(crate) feature: Option<Feature>,
    pub(crate) cost: Cost,
    pub(crate) params: Vec<&'static str>,
    /// What it can answer in; `params` has those that choose.
    pub(crate) formats: Formats,
    /// The columns of a list.
    pub(crate) columns: Vec<Heading>,
    pub(crate) handler: Handler,
    /// Who may read it in a browser.
    pub(crate) sharing: Sharing,
    /// Whether it is for programs, and so described by `openapi.yaml`.
    #[cfg_attr(not(test), expect(dead_code, reason = "the test of the document reads it"))]
    pub(crate) is_api: bool,
}

/// What is run for a request.
pub(crate) enum Handler {
    /// A query of the data.
    Query(Box<Query>),
    /// Anything else.
    Direct(Direct),
}

pub(crate) type Query = dyn Fn(&Snapshot, Params<'_>) -> Result<Answer, Refusal> + Send + Sync;
type Direct = fn(&Context<'_>, Params<'_>) -> Result<Reply, Refusal>;

/// A part of a list, chosen by a `Q`, as JSON or CSV.
fn list<Q, A>(
    path: &'static str,
    feature: Feature,
    cost: Cost,
    f: fn(&Snapshot, Q) -> fincore::Result<A>,
) -> Route
where
    Q: DeserializeOwned + 'static,
    A: Rows + 'static,
{
    let query = move |all: &Snapshot, params: Params<'_>| Ok(Answer::list(f(all, params.read()?)?));
    let params = [params::names::<Q>(), &formats::PARAMS].concat();
    let (formats, columns) = (Formats::List, A::headings());
    Route { params, formats, columns, ..data(path, feature, cost, Box::new(query)) }
}

/// One thing, chosen by a `Q`.
fn get<Q, A>(
    path: &'static str,
    feature: Feature,
    cost: Cost,
    f: impl Fn(&Snapshot, Q) -> fincore::Result<A> + Send + Sync + 'static,
) -> Route
where
    Q: DeserializeOwned + 'static,
    A: Serialize + 'static,
{
    let query =
        move |all: &Snapshot, params: Params<'_>| Ok(Answer::object(f(all, params.read()?)?));
    Route { params: params::names::<Q>().into(), ..data(path, feature, cost, Box::new(query)) }
}

/// One thing, whose id is in the path.
fn one<I, A>(
    path: &'static str,
    feature: Feature,
    cost: Cost,
    f: fn(&Snapshot, I) -> fincore::Result<A>,
) -> Route
where
    I: DeserializeOwned + 'static,
    A: Serialize + 'static,
{
    let query = move |all: &Snapshot, params: Params<'_>| {
        Ok(Answer::object(f(all, params.read_captured()?)?))
    };
    Route { params: vec!["id"], ..data(path, feature, cost, Box::new(query)) }
}

/// What the data says now, without anything to choose.
fn current<A>(
    path: &'static str,
    feature: Feature,
    cost: Cost,
    f: fn(&Snapshot) -> fincore::Result<A>,
) -> Route
where
    A: Serialize + 'static,
{
    let query = move |all: &Snapshot, _: Params<'_>| Ok(Answer::object(f(all)?));
    data(path, feature, cost, Box::new(query))
}

fn data(path: &'static str, feature: Feature, cost: Cost, query: Box<Query>) -> Route {
    let route = at(Method::GET, path, cost, Handler::Query(query));
    Route { feature: Some(feature), is_api: true, ..route }
}

/// Something about the caller's own key, chosen by a `Q`.
fn account<Q: DeserializeOwned>(
    method: Method,
    path: &'static str,
    feature: Feature,
    cost: Cost,
    f: Direct,
) -> Route {
    let route = at(method, path, cost, Handler::Direct(f));
    Route { feature: Some(feature), params: params::names::<Q>().into(), is_api: true, ..route }
}

/// A whole dataset, in the format that is asked for.
fn dataset(path: &'static str, feature: Feature, cost: Cost, f: Direct) -> Route {
    let route = account::<ExportQuery>(Method::GET, path, feature, cost, f);
    Route { formats: Formats::Dataset, ..route }
}

/// Something about the service itself.
fn open(path: &'static str, cost: Cost, f: Direct) -> Route {
    Route { is_api: true, ..at(Method::GET, path, cost, Handler::Direct(f)) }
}

/// A page for people, in the language they choose.
fn page(method: Method, path: &'static str, cost: Cost, f: Direct) -> Route {
    let params = params::names::<PageQuery>().into();
    Route { params, sharing: Sharing::Own, ..at(method, path, cost, Handler::Direct(f)) }
}

/// The description of the API, which is for programs too.
fn document(path: &'static str, f: Direct) -> Route {
    Route { sharing: Sharing::Any, ..page(Method::GET, path, Cost::Short, f) }
}

/// A file that pages refer to.
fn asset(path: &'static str, f: Direct) -> Route {
    let route = at(Method::GET, path, Cost::Short, Handler::Direct(f));
    Route { params: params::names::<AssetQuery>().into(), sharing: Sharing::Own, ..route }
}

fn at(method: Method, path: &'static str, cost: Cost, handler: Handler) -> Route {
    let (feature, formats, sharing, is_api) = (None, Formats::One, Sharing::Any, false);
    let (params, columns) = (Vec::new(), Vec::new());
    Route { method, path, feature, cost, params, formats, columns, handler, sharing, is_api }
}

/// The table, ready to be searched.
pub(crate) struct Routes {
    /// Where it is for clients.
    pub(crate) base: BasePath,
    rows: Vec<Route>,
    /// The rows that answer `GET` at a path without braces, by the path.
    fixed: HashMap<&'static str, usize>,
    /// What comes before the first brace, row by row.
    starts: Vec<&'static str>,
}

/// The place of a row in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(test, derive(Default))]
pub(crate) struct RouteId(usize);

impl RouteId {
    pub(crate) fn place(self) -> usize {
        self.0
    }
}

/// Where a method and a path lead.
pub(crate) enum Match<'t, 'p> {
    Row(RouteId, &'t Route, Params<'p>),
    /// The path is known, with these methods, as in `Allow`; and one of its rows.
    OtherMethods(String, RouteId),
    Nothing,
}

impl Routes {
    pub(crate) fn new(base: BasePath) -> Routes {
        Routes { base, ..Routes::of(table(base)) }
    }

    /// A table of these rows.
    pub(crate) fn of(rows: Vec<Route>) -> Routes {
        let fixed = rows
            .iter()
            .enumerate()
            .filter(|(_, row)| row.method == Method::GET && !row.path.contains('{'));
        let fixed = fixed.map(|(at, row)| (row.path, at)).collect();
        let start = |row: &Route| row.path.split('{').next().unwrap_or_default();
        let starts = rows.iter().map(start).collect();
        Routes { base: BasePath::default(), rows, fixed, starts }
    }

    pub(crate) fn row(&self, RouteId(at): RouteId) -> &Route {
        &self.rows[at]
    }

    /// The method and the path of every row, in order.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (String, &'static str)> {
        self.rows.iter().map(|row| (row.method.to_string(), row.path))
    }

    /// The method and the path of every row that is for programs.
    #[cfg(test)]
    pub(crate) fn api(&self) -> impl Iterator<Item = (&Method, &'static str)> {
        self.rows.iter().filter(|row| row.is_api).map(|row| (&row.method, row.path))
    }

    /// Changes every row.
    #[cfg(test)]
    pub(crate) fn each(&mut self, change: impl FnMut(&mut Route)) {
        self.rows.iter_mut().for_each(change);
    }

    /// The first row of this method and path. Fails for a path that cannot be decoded.
    pub(crate) fn find<'p>(
        &self,
        method: &Method,
        path: &'p str,
    ) -> Result<Match<'_, 'p>, Refusal> {
        // Whatever can be read can be asked about without its body.
        let wanted = if *method == Method::HEAD { &Method::GET } else { method };
        if let (&Method::GET, Some(&at)) = (wanted, self.fixed.get(path)) {
            return Ok(Match::Row(RouteId(at), &self.rows[at], Params::default()));
        }
        let (mut others, mut row, escaped) = (Vec::new(), None, path.contains('%'));
        for (at, (route, start)) in self.rows.iter().zip(&self.starts).enumerate() {
            // Most rows differ in what comes before the first brace, which is quick to see.
            if !path.starts_with(start) && !escaped {
                continue;
            }
            match route.captures(path)? {
                Some(captures) if route.method == *wanted => {
                    return Ok(Match::Row(RouteId(at), route, captures));
                }
                Some(_) => {
                    row = Some(RouteId(at));
                    others.push(&route.method);
                }
                None => (),
            }
        }
        Ok(row.map_or(Match::Nothing, |row| Match::OtherMethods(allow(&others), row)))
    }

    /// Every method that some path has, as in `Allow`.
    pub(crate) fn allow(&self) -> String {
        allow(&self.rows.iter().map(|route| &route.method).collect::<Vec<_>>())
    }
}

fn allow(methods: &[&Method]) -> String {
    let known = [Method::GET, Method::HEAD, Method::POST, Method::DELETE, Method::OPTIONS];
    let has = |method: &&Method| match **method {
        Method::HEAD => methods.contains(&&Method::GET),
        Method::OPTIONS => true,
        _ => methods.contains(method),
    };
    known.iter().filter(has).map(Method::as_str).collect::<Vec<_>>().join(", ")
}

impl Route {
    /// The values in `{braces}` when `path` has this route's shape.
    fn captures<'p>(&self, path: &'p str) -> Result<Option<Params<'p>>, Refusal> {
        let (mut want, mut have) = (self.path.split('/'), path.split('/'));
        let mut captured = Params::default();
        loop {
            match (want.next(), have.next()) {
                (None, None) => return Ok(Some(captured)),
                (Some(want), Some(have)) if want == have => (),
                (Some(want), Some(have)) => match name_in_braces(want) {
                    Some(name) if !have.is_empty() => {
                        captured.capture(name, params::decode(have)?)?;
                    }
                    None if have.contains('%') && params::decode(have)? == want => (),
                    _ => return Ok(None),
                },
                _ => return Ok(None),
            }
        }
    }
}

fn name_in_braces(segment: &str) -> Option<&str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}

#[cfg(test)]
mod tests;
