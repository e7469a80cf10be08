//! A request to a server: a path of the API and its parameters, made from the query structs of `fincore`.
use std::collections::BTreeMap;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::error::{Error, Result};

/// A path of the API, with braces where a parameter stands in it, and the parameters.
#[derive(Debug)]
pub(crate) struct Target {
    path: &'static str,
    parameters: BTreeMap<String, String>,
}

impl Target {
    pub(crate) fn new(path: &'static str) -> Target {
        Target { path, parameters: BTreeMap::new() }
    }

    /// Adds the fields of a query struct, except those that are `None`. A value that is no struct stands in the path.
    pub(crate) fn with<Q: Serialize>(mut self, query: &Q) -> Result<Target> {
        let json = serde_json::to_string(query).map_err(unwritable)?;
        if !json.starts_with(['{', 'n']) {
            let name = captures(self.path).next().unwrap_or_default().to_owned();
            self.parameters.insert(name, text(&json)?);
            return Ok(self);
        }
        // `None` is `null`, as a field and as a whole.
        let fields: Option<BTreeMap<String, Option<&RawValue>>> =
            serde_json::from_str(&json).map_err(unwritable)?;
        for (name, value) in fields.unwrap_or_default() {
            if let Some(value) = value {
                self.parameters.insert(name, text(value.get())?);
            }
        }
        Ok(self)
    }

    /// Path and query string, percent-encoded.
    pub(crate) fn path_and_query(&self) -> String {
        let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let part = |segment: &str| match name_in_braces(segment) {
            Some(name) => encode(self.parameters.get(name).map_or("", String::as_str)),
            None => segment.to_owned(),
        };
        let path = self.path.split('/').map(part).collect::<Vec<_>>().join("/");
        let in_path = |name: &str| captures(self.path).any(|captured| captured == name);
        let rest = self.parameters.iter().filter(|(name, _)| !in_path(name));
        let query = rest.map(|(name, value)| format!("{name}={}", encode(value)));
        match query.collect::<Vec<_>>().join("&") {
            query if query.is_empty() => path,
            query => format!("{path}?{query}"),
        }
    }
}

/// The names in the braces of a path.
fn captures(path: &'static str) -> impl Iterator<Item = &'static str> {
    path.split('/').filter_map(name_in_braces)
}

fn name_in_braces(segment: &str) -> Option<&str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}

/// The text of a JSON value: a number keeps its digits.
fn text(json: &str) -> Result<String> {
    if json.starts_with('"') {
        return serde_json::from_str(json).map_err(unwritable);
    }
    Ok(json.to_owned())
}

/// A query that cannot be written. Those of `fincore` all can.
fn unwritable(err: serde_json::Error) -> Error {
    Error::Failed { message: format!("the query cannot be written: {err}") }
}

#[cfg(test)]
mod tests {
    use fincore::{
        CompanyRef,
        calc::{Conversion, Correction},
        filings, market,
        statements::{ScreenQuery, StatementKind, StatementQuery},
    };

    use super::*;

    #[track_caller]
    fn check<Q: Serialize>(path: &'static str, query: &Q, wanted: &str) {
        assert_eq!(Target::new(path).with(query).unwrap().path_and_query(), wanted);
    }

    #[test]
    fn a_query_becomes_a_path_and_a_query_string() {
        let selic = market::History { from: "2020-01-01".parse().ok(), ..Default::default() };
        check("/selic", &selic, "/selic?from=2020%2D01%2D01&limit=20&offset=0");
        let ids = market::Comparison::new("ipca, igp-m,11".parse().unwrap());
        check("/series", &ids, "/series?ids=ipca%2Cigp%2Dm%2C11&limit=20&offset=0");
        let company: CompanyRef = "33.000.167/0001-01".parse().unwrap();
        check("/companies/{id}", &company, "/companies/33%2E000%2E167%2F0001%2D01");
        let statement = StatementQuery::new("vale3".parse().unwrap(), StatementKind::CashFlow);
        check(
            "/companies/{id}/statements/{kind}",
            &statement,
            "/companies/VALE3/statements/cash%2Dflow?layout=long&limit=5&offset=0&period=annual&restated=false",
        );
        check("/series", &None::<market::transform::Transformation>, "/series");
    }

    #[test]
    fn numbers_and_words_are_those_that_were_given() {
        let correction = Correction::new(
            "1000.50".parse().unwrap(),
            "2020-01-01".parse().unwrap(),
            "ipca".parse().unwrap(),
        );
        check(
            "/correction",
            &correction,
            "/correction?amount=1000%2E50&from=2020%2D01%2D01&index=ipca&limit=1000&months=inclusive&offset=0&steps=false",
        );
        let dollars = Conversion::new("USD".parse().unwrap(), "BRL".parse().unwrap());
        check("/convert", &dollars, "/convert?amount=1&from=USD&side=sell&to=BRL");
        let search = filings::Search::new("\"fato relevante\" ação").unwrap();
        check(
            "/search",
            &search,
            "/search?limit=20&offset=0&order=newest&q=%22fato%20relevante%22%20a%C3%A7%C3%A3o",
        );
        let screen = ScreenQuery {
            metric: "roe,revenue".parse().ok(),
            order: "-roe".parse().unwrap(),
            year: "2024".parse().ok(),
            ..Default::default()
        };
        check(
            "/financials",
            &screen,
            "/financials?limit=20&metric=roe%2Crevenue&offset=0&order=%2Droe&period=annual&year=2024",
        );
    }
}
