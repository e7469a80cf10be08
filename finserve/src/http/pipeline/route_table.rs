//! Every endpoint, one line each.
use std::{borrow::Cow, collections::HashMap};

use fincore::{
    Feature, calc, calendar, companies, events::EventsQuery, filings, market, plans, search,
    statements, usage::UsageQuery, webhooks::DeliveriesQuery,
};
use hyper::Method;

use super::answer_cost::Cost;
use crate::{
    http::{
        endpoints::{
            events, export, global_search,
            links::{self, OneLink},
            llms, mcp, own_key, own_links,
            page_handlers::{
                self,
                calculators::{
                    AccumulatedPage, ConvertPage, CorrectionPage, RatePage, RealRatePage,
                },
                companies_and_filings::{
                    self, CompaniesQuery, FilingsQuery, OneQuery, SuggestQuery,
                },
                documentation::{self, GuideQuery},
                market::{ComparisonPage, PairPage, SeriesPage},
                statements::{ComparedPage, ScreenedPage, StatementsPage},
            },
            service,
            sign_in::{self, SignInQuery},
            sitemap,
            webhooks::{self, OneDelivery, OneWebhook},
        },
        message::{
            parameters::{self, Params},
            refusal::Refusal,
        },
    },
    mcp::PATH,
    site::{base_path::BasePath, upgrade_contact::UpgradeContact},
};

pub(crate) mod route;
pub(crate) use route::{Handler, Query, Route};
use route::{
    account, as_of, asset, at, compared, crawled, current, data_page, dataset, document, download,
    get, history, kept, list, one, open, page, page_of, paged, several, table_of,
};

/// All routes; of two that fit a path, the first answers. Routing, `Allow`, plans, usage and the comparison with
/// `openapi.yaml` read this table.
#[rustfmt::skip]
fn table(upgrade_contact: UpgradeContact) -> Vec<Route> {
    use Cost::{Disk, History, Long, Rows, Short};
    // Rows of the market and companies are kept in memory; each filing is read.
    const HISTORY: Cost = History(2_000);
    const COMPANIES: Cost = Rows(100);
    use Feature::{BulkExport, Calculators, Companies, Filings, Market, Plans, Webhooks};
    const GET: Method = Method::GET;
    const POST: Method = Method::POST;
    const DELETE: Method = Method::DELETE;
    vec![
        open(   "/health",                                   Short, service::health),
        kept(open("/api/v1/status",                          Long,  service::status)),

        as_of(current("/api/v1/market/overview",  Market,    Short, market::overview)),
        as_of(current("/api/v1/market/selic/current", Market, Short, market::selic_current)),
        list(   "/api/v1/market/selic/decisions", Market,    Long,  market::selic_decisions),
        history("/api/v1/market/selic",          Market,    HISTORY, market::selic, |all, query, how| market::transformed(all, query.of(market::SELIC.into()), how)),
        as_of(current("/api/v1/market/cdi/current", Market, Short, market::cdi_current)),
        history("/api/v1/market/cdi",            Market,    HISTORY, market::cdi, |all, query, how| market::transformed(all, query.of(market::CDI.into()), how)),
        as_of(current("/api/v1/market/ipca/current", Market, Short, market::ipca_current)),
        history("/api/v1/market/ipca",           Market,    HISTORY, market::ipca, |all, query, how| market::transformed(all, query.of(market::IPCA.into()), how)),
        as_of(get("/api/v1/market/fx/current",    Market,    Short, market::fx_current)),
        list(   "/api/v1/market/fx/pairs",        Market,    Long,  market::fx_pairs),
        history("/api/v1/market/fx",             Market,    HISTORY, market::fx, market::transformed_quotes),
        as_of(get("/api/v1/market/series/{series}/current", Market, Short, market::series_current)),
        list(   "/api/v1/market/series/{series}/revisions", Market, HISTORY, market::revisions),
        as_of(get("/api/v1/market/series/{series}/summary", Market, Long, market::summary)),
        history("/api/v1/market/series/{series}", Market,   HISTORY, market::series, market::transformed),
        compared("/api/v1/market/series",         Market,    Long,  market::series_list, market::compare),

        as_of(paged("/api/v1/calc/correction",      Calculators, Long,  calc::correction, |query| (query.limit, query.offset))),
        as_of(paged("/api/v1/calc/accumulated",     Calculators, Long,  calc::accumulate, |query| (query.limit, query.offset))),
        as_of(get("/api/v1/calc/convert",           Calculators, Short, calc::convert)),
        as_of(paged("/api/v1/calc/real-rate",       Calculators, Long,  calc::real_rate, |query| (query.limit, query.offset))),
        get(    "/api/v1/calc/rate",              Calculators, Long,  |_: &_, query| calc::convert_rate(&query)),

        list(   "/api/v1/calendar/business-days", Market,    Rows(2_000), calendar::business_days),
        get(    "/api/v1/calendar/{date}",        Market,    Short, calendar::day),

        list(   "/api/v1/companies/search",       Companies, Long,  companies::search),
        list(   "/api/v1/companies/sectors",      Companies, Short, companies::sectors),
        list(   "/api/v1/companies/{id}/filings", Filings,   Long,  filings::of_company),
        table_of(list("/api/v1/companies/{id}/statements/{kind}", Filings, Long, statements::statement)),
        table_of(list("/api/v1/companies/{id}/statements", Filings, Long, statements::list)),
        table_of(list("/api/v1/companies/{id}/financials", Filings, Long, statements::financials)),
        table_of(list("/api/v1/financials",       Filings,   Long,  statements::screen)),
        one(    "/api/v1/companies/{id}",         Companies, Short, companies::find),
        list(   "/api/v1/companies",              Companies, COMPANIES, companies::list),
        list(   "/api/v1/filings/search",         Filings,   Long,  filings::search),
        list(   "/api/v1/filings/categories",     Filings,   Short, filings::categories),
        list(   "/api/v1/filings/recent",         Filings,   Long,  filings::recent),
        one(    "/api/v1/filings/{id}",           Filings,   Short, filings::find),
        list(   "/api/v1/filings",                Filings,   Long,  filings::list),
        several(get("/api/v1/search/suggest",     Companies, Short, search::suggest)),
        several(paged("/api/v1/search",           Companies, Long,  move |all: &_, query| global_search::all(upgrade_contact, all, query), |query| (query.limit, query.offset))),

        several(current("/api/v1/plans",          Plans,     Short, |_| Ok(plans::list()))),
        account::<()>(POST,        "/api/v1/plans/register", Plans, Disk, service::register),
        account::<UsageQuery>(GET, "/api/v1/plans/usage",    Plans, Disk, service::usage),

        account::<()>(POST,              "/api/v1/links",            Plans,      Disk, links::create),
        account::<()>(GET,               "/api/v1/links",            Plans,      Disk, links::list),
        account::<OneLink>(DELETE,       "/api/v1/links/{id}",       Plans,      Disk, links::revoke),

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

        kept(page(GET, "/",              Long,  page_handlers::home)),
        data_page::<page_handlers::PageQuery>("/market",           Market, Long, page_handlers::market::market),
        data_page::<page_handlers::PageQuery>("/market/selic/decisions", Market, Long, page_handlers::market::decisions),
        data_page::<PairPage>(        "/market/fx/{pair}", Market, Long, page_handlers::market::pair),
        data_page::<ComparisonPage>(  "/market/compare",   Market, Long, page_handlers::market::compare),
        data_page::<SeriesPage>(      "/market/{series}",  Market, Long, page_handlers::market::series),
        download(history("/market/download/fx/{pair}", Market, HISTORY, market::fx, market::transformed_quotes)),
        download(list("/market/download/selic/decisions", Market, Long, market::selic_decisions)),
        download(compared("/market/download/compare",  Market, Long,    market::series_list, market::compare)),
        download(history("/market/download/{series}",  Market, HISTORY, market::series, market::transformed)),
        kept(page(GET, "/calc",          Long,  page_handlers::calculators::index)),
        data_page::<CorrectionPage>(  "/calc/correction",  Calculators, Long, page_handlers::calculators::correction),
        data_page::<AccumulatedPage>( "/calc/accumulated", Calculators, Long, page_handlers::calculators::accumulated),
        data_page::<ConvertPage>(     "/calc/convert",     Calculators, Long, page_handlers::calculators::convert),
        data_page::<RealRatePage>(    "/calc/real-rate",   Calculators, Long, page_handlers::calculators::real_rate),
        data_page::<RatePage>(        "/calc/rate",        Calculators, Long, page_handlers::calculators::rate),
        data_page::<CompaniesQuery>("/companies",         Companies, Long,  companies_and_filings::companies),
        data_page::<SuggestQuery>(  "/companies/suggest", Companies, Short, companies_and_filings::suggest),
        data_page::<ComparedPage>(  "/companies/compare", Filings,   Long,  page_handlers::statements::compare),
        data_page::<ScreenedPage>(  "/companies/screen",  Filings,   Long,  page_handlers::statements::screen),
        data_page::<StatementsPage>("/companies/{id}/statements", Filings, Long, page_handlers::statements::statement),
        data_page::<OneQuery>(      "/companies/{id}",    Companies, Long,  companies_and_filings::company),
        data_page::<FilingsQuery>(  "/filings",           Filings,   Long,  companies_and_filings::filings),
        data_page::<OneQuery>(      "/filings/{id}",      Filings,   Long,  companies_and_filings::filing),

        kept(page(GET, "/status",        Long,  page_handlers::status)),
        kept(page(GET, "/pricing",       Long,  page_handlers::pricing)),
        page(POST, "/pricing",           Disk,  page_handlers::register),
        kept(page(GET, "/legal",         Long,  page_handlers::legal)),
        kept(page(GET,  "/usage",        Disk,  page_handlers::usage)),
        page(POST, "/usage",             Disk,  page_handlers::show_usage),
        page(POST, "/usage/rotate",      Disk,  own_key::rotate),
        page(POST, "/usage/revoke",      Disk,  own_key::revoke),
        page(POST, "/usage/links",       Disk,  own_links::create),
        page(POST, "/usage/links/revoke", Disk, own_links::revoke),
        page_of::<SignInQuery>(GET,  "/sign-in", Long,  sign_in::form),
        page_of::<SignInQuery>(POST, "/sign-in", Disk,  sign_in::sign_in),
        page(POST, "/sign-out",          Disk,  sign_in::sign_out),
        kept(page(GET, "/docs",          Long,  documentation::docs)),
        page(GET,  "/docs/try",          Long,  documentation::interactive),
        kept(page(GET, "/docs/guide",    Long,  documentation::guide_index)),
        kept(page_of::<GuideQuery>(GET, "/docs/guide/{page}", Long, documentation::guide)),
        document(  "/docs/openapi.yaml",        documentation::openapi_yaml),
        document(  "/docs/openapi.json",        documentation::openapi_json),
        document(  "/llms.txt",                 llms::short),
        document(  "/llms-full.txt",            llms::full),
        at(POST,   PATH,                 Short, Handler::Direct(mcp::answer)),
        crawled(   "/robots.txt",        Short, sitemap::robots),
        kept(crawled("/sitemap.xml",     Long,  sitemap::sitemap)),
        asset(     "/assets/{name}",            page_handlers::asset),
    ]
}

/// The table, ready to be searched.
pub(crate) struct Routes {
    /// Where it is for clients.
    pub(crate) base: BasePath,
    /// Where customers ask for more.
    pub(crate) upgrade_contact: UpgradeContact,
    /// The paths of all pages that can be read, in order.
    pub(crate) pages: Vec<&'static str>,
    rows: Vec<Route>,
    /// The rows that answer `GET` at a path without braces, by the path.
    fixed: HashMap<&'static str, usize>,
    /// The segments of every row, in the same order.
    shapes: Vec<Vec<Segment>>,
    /// How many segments the longest has.
    most_segments: usize,
}

/// A part of a row's path, between two slashes.
#[derive(Clone, Copy, Debug)]
enum Segment {
    Fixed(&'static str),
    /// Any text but the empty one, captured under this name.
    Captured(&'static str),
}

impl Segment {
    fn of(text: &'static str) -> Segment {
        let name = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        name.map_or(Segment::Fixed(text), Segment::Captured)
    }

    fn fits(self, text: &str) -> bool {
        match self {
            Segment::Fixed(wanted) => text == wanted,
            Segment::Captured(_) => !text.is_empty(),
        }
    }
}

/// The place of a row in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    pub(crate) fn new(upgrade_contact: UpgradeContact) -> Routes {
        Routes {
            base: upgrade_contact.base(),
            upgrade_contact,
            ..Routes::of(table(upgrade_contact))
        }
    }

    /// A table of these rows.
    pub(crate) fn of(rows: Vec<Route>) -> Routes {
        let fixed = rows
            .iter()
            .enumerate()
            .filter(|(_, row)| row.method == Method::GET && !row.path.contains('{'));
        let fixed = fixed.map(|(at, row)| (row.path, at)).collect();
        let shape = |row: &Route| row.path.split('/').map(Segment::of).collect::<Vec<_>>();
        let shapes: Vec<_> = rows.iter().map(shape).collect();
        let most_segments = shapes.iter().map(Vec::len).max().unwrap_or_default();
        let is_read = |row: &&Route| row.is_drawn() && row.method == Method::GET;
        let pages = rows.iter().filter(is_read).map(|row| row.path).collect();
        let (base, upgrade_contact) = (BasePath::default(), UpgradeContact::default());
        Routes { base, upgrade_contact, pages, rows, fixed, shapes, most_segments }
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
        // A path of the longest row ends before the last piece.
        let pieces = path.splitn(self.most_segments + 1, '/');
        let segments = pieces.map(parameters::decode).collect::<Result<Vec<_>, _>>()?;
        let (mut others, mut row) = (Vec::new(), None);
        for (at, (route, shape)) in self.rows.iter().zip(&self.shapes).enumerate() {
            let fits = |(wanted, text): (&Segment, &Cow<'_, str>)| wanted.fits(text);
            if shape.len() != segments.len() || !shape.iter().zip(&segments).all(fits) {
                continue;
            }
            if route.method == *wanted {
                let mut captures = Params::default();
                for (segment, text) in shape.iter().zip(segments) {
                    if let Segment::Captured(name) = segment {
                        captures.capture(name, text)?;
                    }
                }
                return Ok(Match::Row(RouteId(at), route, captures));
            }
            row = Some(RouteId(at));
            others.push(&route.method);
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

#[cfg(test)]
mod tests;
