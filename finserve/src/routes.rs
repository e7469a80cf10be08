//! Every endpoint, one line each.
use std::borrow::Cow;

use fincore::{Result, Snapshot, companies, filings, market, search};
use hyper::Method;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    params::{self, Params},
    reply::Body,
};

/// The whole API; of two rows that fit a path, the first answers. Routing, `Allow` and the comparison with `openapi.yaml` read this table.
#[rustfmt::skip]
pub(crate) fn routes() -> Vec<Route> {
    vec![
        fixed( "/health",                        health),
        now(   "/api/v1/market/overview",        market::overview),
        now(   "/api/v1/market/selic/current",   market::selic_current),
        get(   "/api/v1/market/selic",           market::selic),
        now(   "/api/v1/market/cdi/current",     market::cdi_current),
        get(   "/api/v1/market/cdi",             market::cdi),
        now(   "/api/v1/market/ipca/current",    market::ipca_current),
        get(   "/api/v1/market/ipca",            market::ipca),
        get(   "/api/v1/market/fx/current",      market::fx_current),
        now(   "/api/v1/market/fx/pairs",        market::fx_pairs),
        get(   "/api/v1/market/fx",              market::fx),
        get(   "/api/v1/companies/search",       companies::search),
        get(   "/api/v1/companies/{id}/filings", filings::of_company),
        get(   "/api/v1/companies/{id}",         companies::find),
        get(   "/api/v1/companies",              companies::list),
        get(   "/api/v1/filings/search",         filings::search),
        get(   "/api/v1/filings/recent",         filings::recent),
        get(   "/api/v1/filings/{id}",           filings::find),
        get(   "/api/v1/filings",                filings::list),
        get(   "/api/v1/search",                 search::global),
    ]
}

/// One endpoint.
pub(crate) struct Route {
    pub(crate) path: &'static str,
    pub(crate) params: &'static [&'static str],
    pub(crate) answer: Answer,
}

/// What is run for a request.
pub(crate) enum Answer {
    /// The same for everyone, whatever the data.
    Fixed(fn() -> Result<Body>),
    /// A query of the data.
    Query(Box<Query>),
}

type Query = dyn Fn(&Snapshot, Params<'_>) -> Result<Body> + Send + Sync;

/// What the request asks of the data, as JSON.
fn get<Q, A>(path: &'static str, f: fn(&Snapshot, Q) -> Result<A>) -> Route
where
    Q: DeserializeOwned + 'static,
    A: Serialize + 'static,
{
    let query =
        move |snapshot: &Snapshot, params: Params<'_>| Body::json(&f(snapshot, params.read()?)?);
    Route { path, params: params::names::<Q>(), answer: Answer::Query(Box::new(query)) }
}

/// What the data says now, without anything to choose, as JSON.
fn now<A: Serialize + 'static>(path: &'static str, f: fn(&Snapshot) -> Result<A>) -> Route {
    let query = move |snapshot: &Snapshot, _: Params<'_>| Body::json(&f(snapshot)?);
    Route { path, params: &[], answer: Answer::Query(Box::new(query)) }
}

/// Something about the program itself.
fn fixed(path: &'static str, f: fn() -> Result<Body>) -> Route {
    Route { path, params: &[], answer: Answer::Fixed(f) }
}

fn health() -> Result<Body> {
    Body::json(&serde_json::json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

impl Route {
    /// The methods it answers, as in `Allow`. `OPTIONS` is answered for every path.
    pub(crate) const ALLOW: &'static str = "GET, HEAD, OPTIONS";

    pub(crate) fn allows(method: &Method) -> bool {
        matches!(*method, Method::GET | Method::HEAD)
    }

    /// The values in `{braces}` when `path` has this route's shape.
    pub(crate) fn captures<'p>(&self, path: &'p str) -> Result<Option<Params<'p>>> {
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

    /// Paths with the parameters they take.
    type Table = BTreeMap<String, Vec<String>>;

    #[test]
    fn openapi_describes_exactly_this_table() {
        assert_eq!(described(), table());
    }

    #[test]
    fn openapi_has_the_version_of_the_program() {
        let document: Value = serde_norway::from_str(OPENAPI).unwrap();
        assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    }

    fn table() -> Table {
        let sorted = |names: &[&str]| {
            let mut names: Vec<_> = names.iter().map(ToString::to_string).collect();
            names.sort();
            names
        };
        routes().iter().map(|route| (route.path.to_owned(), sorted(route.params))).collect()
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
        let row = |(path, item): (&Value, &Value)| {
            let methods: Vec<_> = item.as_mapping().unwrap().keys().collect();
            assert_eq!(methods, ["get"], "{path:?}");
            let parameters = item["get"]["parameters"].as_sequence();
            let mut names: Vec<_> = parameters.into_iter().flatten().map(name_of).collect();
            names.sort();
            (path.as_str().unwrap().to_owned(), names)
        };
        document["paths"].as_mapping().unwrap().iter().map(row).collect()
    }
}
