//! Every endpoint, one line each.
use std::borrow::Cow;

use fincore::{
    Feature, Result, Snapshot, companies, filings, market, plans, search, usage::UsageQuery,
};
use hyper::Method;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    access::{self, Access, Call},
    pages::front::{self, AssetQuery, Guest, PageQuery},
    params::{self, Params},
    reply::{Body, Outcome},
};

/// The whole API; of two rows that fit a path, the first answers. Routing, `Allow`, plans, usage and the
/// comparison with `openapi.yaml` read this table.
#[rustfmt::skip]
fn table() -> Vec<Route> {
    use Feature::{Companies, Filings, Market, Plans};
    const GET: Method = Method::GET;
    const POST: Method = Method::POST;
    vec![
        fixed("/health",                                   health),

        now(  "/api/v1/market/overview",        Market,    market::overview),
        now(  "/api/v1/market/selic/current",   Market,    market::selic_current),
        get(  "/api/v1/market/selic",           Market,    market::selic),
        now(  "/api/v1/market/cdi/current",     Market,    market::cdi_current),
        get(  "/api/v1/market/cdi",             Market,    market::cdi),
        now(  "/api/v1/market/ipca/current",    Market,    market::ipca_current),
        get(  "/api/v1/market/ipca",            Market,    market::ipca),
        get(  "/api/v1/market/fx/current",      Market,    market::fx_current),
        now(  "/api/v1/market/fx/pairs",        Market,    market::fx_pairs),
        get(  "/api/v1/market/fx",              Market,    market::fx),

        find( "/api/v1/companies/search",       Companies, companies::search),
        get(  "/api/v1/companies/{id}/filings", Filings,   filings::of_company),
        get(  "/api/v1/companies/{id}",         Companies, companies::find),
        get(  "/api/v1/companies",              Companies, companies::list),
        find( "/api/v1/filings/search",         Filings,   filings::search),
        get(  "/api/v1/filings/recent",         Filings,   filings::recent),
        get(  "/api/v1/filings/{id}",           Filings,   filings::find),
        get(  "/api/v1/filings",                Filings,   filings::list),
        find( "/api/v1/search",                 Companies, search::global),

        now(  "/api/v1/plans",                  Plans,     |_| Ok(plans::list())),
        post( "/api/v1/plans/register",         Plans,     access::register),
        own::<UsageQuery>("/api/v1/plans/usage", Plans,    access::usage),

        page(GET,  "/",                  front::home),
        page(GET,  "/pricing",           front::pricing),
        page(POST, "/pricing",           front::register),
        page(GET,  "/usage",             front::usage),
        page(POST, "/usage",             front::show_usage),
        page(GET,  "/docs",              front::docs),
        page(GET,  "/docs/openapi.yaml", front::description),
        asset("/assets/{name}",          front::asset),
    ]
}

/// One endpoint.
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    /// What a plan must include; without one it is open to all, and no request is counted.
    pub(crate) feature: Option<Feature>,
    pub(crate) params: &'static [&'static str],
    pub(crate) answer: Answer,
}

/// What is run for a request.
pub(crate) enum Answer {
    /// The same for everyone, whatever the data.
    Fixed(fn() -> Result<Body>),
    /// A query of the data, which takes microseconds.
    Query(Box<Query>),
    /// A search, which may take longer: nobody else is to wait with it.
    Search(Box<Query>),
    /// Something of the caller's own.
    Own(Own),
    /// A page for people.
    Page(fn(&Guest<'_>) -> Result<Outcome>),
    /// A file of the program, by its name.
    Asset(fn(&str) -> Result<Outcome>),
}

type Query = dyn Fn(&Snapshot, Params<'_>) -> Result<Body> + Send + Sync;
type Own = fn(&Access, &Call<'_>, Params<'_>) -> Result<Outcome>;

/// What the request asks of the data, as JSON.
fn get<Q, A>(path: &'static str, feature: Feature, f: fn(&Snapshot, Q) -> Result<A>) -> Route
where
    Q: DeserializeOwned + 'static,
    A: Serialize + 'static,
{
    let query =
        move |snapshot: &Snapshot, params: Params<'_>| Body::json(&f(snapshot, params.read()?)?);
    let answer = Answer::Query(Box::new(query));
    Route { feature: Some(feature), params: params::names::<Q>(), ..at(path, answer) }
}

/// What is found by words, as JSON.
fn find<Q, A>(path: &'static str, feature: Feature, f: fn(&Snapshot, Q) -> Result<A>) -> Route
where
    Q: DeserializeOwned + 'static,
    A: Serialize + 'static,
{
    let route = get(path, feature, f);
    match route.answer {
        Answer::Query(query) => Route { answer: Answer::Search(query), ..route },
        _ => route,
    }
}

/// What the data says now, without anything to choose, as JSON.
fn now<A>(path: &'static str, feature: Feature, f: fn(&Snapshot) -> Result<A>) -> Route
where
    A: Serialize + 'static,
{
    let query = move |snapshot: &Snapshot, _: Params<'_>| Body::json(&f(snapshot)?);
    Route { feature: Some(feature), ..at(path, Answer::Query(Box::new(query))) }
}

/// Something of the caller's own, chosen by a `Q`.
fn own<Q: DeserializeOwned>(path: &'static str, feature: Feature, f: Own) -> Route {
    Route { feature: Some(feature), params: params::names::<Q>(), ..at(path, Answer::Own(f)) }
}

/// Something that the caller sends.
fn post(path: &'static str, feature: Feature, f: Own) -> Route {
    Route { method: Method::POST, feature: Some(feature), ..at(path, Answer::Own(f)) }
}

/// A page for people, in the language they choose.
fn page(method: Method, path: &'static str, f: fn(&Guest<'_>) -> Result<Outcome>) -> Route {
    Route { method, params: params::names::<PageQuery>(), ..at(path, Answer::Page(f)) }
}

/// A file that pages refer to.
fn asset(path: &'static str, f: fn(&str) -> Result<Outcome>) -> Route {
    Route { params: params::names::<AssetQuery>(), ..at(path, Answer::Asset(f)) }
}

/// Something about the program itself.
fn fixed(path: &'static str, f: fn() -> Result<Body>) -> Route {
    at(path, Answer::Fixed(f))
}

fn at(path: &'static str, answer: Answer) -> Route {
    Route { method: Method::GET, path, feature: None, params: &[], answer }
}

fn health() -> Result<Body> {
    Body::json(&serde_json::json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

/// The table, ready to be searched.
pub(crate) struct Routes(Vec<Route>);

/// Where a method and a path lead.
pub(crate) enum Found<'t, 'p> {
    Row(&'t Route, Params<'p>),
    /// The path is known, with these methods, as in `Allow`.
    OtherMethods(String),
    Nothing,
}

impl Routes {
    pub(crate) fn new() -> Routes {
        Routes(table())
    }

    /// The first row of this method and path. Fails for a path that cannot be decoded.
    pub(crate) fn find<'p>(&self, method: &Method, path: &'p str) -> Result<Found<'_, 'p>> {
        // Whatever can be read can be asked about without its body.
        let wanted = if *method == Method::HEAD { &Method::GET } else { method };
        let mut others = Vec::new();
        for route in &self.0 {
            match route.captures(path)? {
                Some(captures) if route.method == *wanted => {
                    return Ok(Found::Row(route, captures));
                }
                Some(_) => others.push(&route.method),
                None => (),
            }
        }
        Ok(if others.is_empty() { Found::Nothing } else { Found::OtherMethods(allow(&others)) })
    }

    /// Every method that some path has, as in `Allow`.
    pub(crate) fn allow(&self) -> String {
        allow(&self.0.iter().map(|route| &route.method).collect::<Vec<_>>())
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
    fn captures<'p>(&self, path: &'p str) -> Result<Option<Params<'p>>> {
        let (mut want, mut have) = (self.path.split('/'), path.split('/'));
        let mut captured = Params::default();
        loop {
            match (want.next(), have.next()) {
                (None, None) => return Ok(Some(captured)),
                (Some(want), Some(have)) if want == have => (),
                (Some(want), Some(have)) => match name_in_braces(want) {
                    Some(name) if !have.is_empty() => {
                        captured.push(Cow::Borrowed(name), params::decode(have)?)?;
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
mod tests {
    use std::collections::BTreeMap;

    use serde_norway::Value;

    use super::*;

    const OPENAPI: &str = include_str!("../../openapi.yaml");

    /// Methods and paths with the plan they need and the parameters they take.
    type Table = BTreeMap<String, (Option<String>, Vec<String>)>;

    #[test]
    fn openapi_describes_exactly_this_table() {
        assert_eq!(described(), of_the_program());
    }

    #[test]
    fn openapi_has_the_version_of_the_program() {
        let document: Value = serde_norway::from_str(OPENAPI).unwrap();
        assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    }

    #[test]
    fn what_is_counted_is_what_the_api_holds() {
        for route in table() {
            assert_eq!(
                route.feature.is_some(),
                route.path.starts_with("/api/v1/"),
                "{}",
                route.path
            );
        }
    }

    #[test]
    fn tells_the_methods_of_a_path() {
        let routes = Routes::new();
        let find = |method: Method, path| match routes.find(&method, path).unwrap() {
            Found::Row(route, _) => route.path.to_owned(),
            Found::OtherMethods(allow) => allow,
            Found::Nothing => "nothing".to_owned(),
        };
        let (health, register) = ("/health", "/api/v1/plans/register");
        assert_eq!(find(Method::HEAD, health), health);
        assert_eq!(find(Method::POST, register), register);
        assert_eq!(find(Method::HEAD, register), "POST, OPTIONS");
        assert_eq!(find(Method::POST, health), "GET, HEAD, OPTIONS");
        assert_eq!(find(Method::GET, "/healthy"), "nothing");
        assert_eq!(routes.allow(), "GET, HEAD, POST, OPTIONS");
    }

    fn of_the_program() -> Table {
        let sorted = |names: &[&str]| {
            let mut names: Vec<_> = names.iter().map(ToString::to_string).collect();
            names.sort();
            names
        };
        let row = |route: Route| {
            let plan = route.feature.map(|feature| feature.plan().to_string());
            (format!("{} {}", route.method, route.path), (plan, sorted(route.params)))
        };
        table().into_iter().map(row).collect()
    }

    fn described() -> Table {
        let document: Value = serde_norway::from_str(OPENAPI).unwrap();
        let name_of = |parameter: &Value| {
            let reference = parameter["$ref"].as_str().map(|path| path.rsplit('/').next().unwrap());
            let parameter = match reference {
                Some(name) => &document["components"]["parameters"][name],
                None => parameter,
            };
            parameter["name"].as_str().expect("a parameter has a name").to_owned()
        };
        let row = |path: &Value, method: &Value, operation: &Value| {
            let parameters = operation["parameters"].as_sequence();
            let mut names: Vec<_> = parameters.into_iter().flatten().map(name_of).collect();
            names.sort();
            let method = method.as_str().unwrap().to_uppercase();
            let plan = operation["x-plan"].as_str().map(ToOwned::to_owned);
            (format!("{method} {}", path.as_str().unwrap()), (plan, names))
        };
        let mut table = Table::new();
        for (path, item) in document["paths"].as_mapping().unwrap() {
            let operations = item.as_mapping().unwrap().iter();
            table.extend(operations.map(|(method, operation)| row(path, method, operation)));
        }
        table
    }
}
