//! The table held against `openapi.yaml`.
use std::collections::BTreeMap;

use serde_norway::Value;

use super::*;

const OPENAPI: &str = include_str!("../../../../../openapi.yaml");

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
    // Whoever wants to know whether newer data is there may ask as often as it takes.
    const UNCOUNTED: &str = "/api/v1/status";
    // Pages that show data are counted like the API, and decide themselves what they show to whom.
    const DATA_PAGES: [&str; 4] = ["/market", "/companies", "/filings", "/calc/"];
    for route in table(UpgradeContact::default()) {
        let is_api = route.path.starts_with("/api/v1/") && route.path != UNCOUNTED;
        let is_data = DATA_PAGES.iter().any(|page| route.path.starts_with(page));
        assert!(!is_data || route.is_page, "{}", route.path);
        let counted = is_api || is_data;
        assert_eq!(route.feature.is_some(), counted, "{}", route.path);
    }
}

#[test]
fn tells_the_methods_of_a_path() {
    let routes = Routes::new(UpgradeContact::default());
    let find = |method: Method, path| match routes.find(&method, path).ok().unwrap() {
        Match::Row(_, route, _) => route.path.to_owned(),
        Match::OtherMethods(allow, _) => allow,
        Match::Nothing => "nothing".to_owned(),
    };
    let (health, register) = ("/health", "/api/v1/plans/register");
    assert_eq!(find(Method::HEAD, health), health);
    assert_eq!(find(Method::POST, register), register);
    assert_eq!(find(Method::HEAD, register), "POST, OPTIONS");
    assert_eq!(find(Method::POST, health), "GET, HEAD, OPTIONS");
    assert_eq!(find(Method::GET, "/healthy"), "nothing");
    assert_eq!(routes.allow(), "GET, HEAD, POST, DELETE, OPTIONS");
}

#[test]
fn no_row_with_braces_answers_at_a_path_without_them() {
    let routes = Routes::new(UpgradeContact::default());
    for route in routes.rows.iter().filter(|route| !route.path.contains('{')) {
        let Ok(Match::Row(_, found, _)) = routes.find(&route.method, route.path) else {
            panic!("{} leads nowhere", route.path)
        };
        assert_eq!((&found.method, found.path), (&route.method, route.path));
        // Escaped, it is found by its segments.
        let escaped = route.path.replace('e', "%65");
        let found = routes.find(&route.method, &escaped);
        let Ok(Match::Row(_, found, _)) = found else { panic!("{escaped} leads nowhere") };
        assert_eq!(found.path, route.path);
    }
}

#[test]
fn a_path_is_cut_at_slashes_that_are_not_escaped() {
    let routes = Routes::new(UpgradeContact::default());
    let captured = |path| match routes.find(&Method::GET, path) {
        Ok(Match::Row(_, route, captures)) => {
            Some((route.path, captures.get("series").unwrap_or_default().to_owned()))
        }
        _ => None,
    };
    let series = "/api/v1/market/series/{series}";
    for (path, wanted) in [
        ("/api/v1/market/series/ipca", Some((series, "ipca"))),
        ("/api/v1/market/series/a%2Fb", Some((series, "a/b"))),
        ("/api/v1/market/series/%69pca", Some((series, "ipca"))),
        ("/api/v1/market/series/", None),
        ("/api/v1/market/series/a/b", None),
        ("/api/v1/market/series/a/b/c/d/e/f/g/h/%zz", None),
    ] {
        let wanted = wanted.map(|(route, series)| (route, series.to_owned()));
        assert_eq!(captured(path), wanted, "{path}");
    }
}

#[test]
fn openapi_lets_links_read_what_the_table_does() {
    let document: Value = serde_norway::from_str(OPENAPI).unwrap();
    let has_link = |security: &Value| {
        security.as_sequence().unwrap().iter().any(|way| way.get("LinkToken").is_some())
    };
    let mut read = 0;
    for route in table(UpgradeContact::default()).into_iter().filter(|route| route.is_api) {
        let operation =
            &document["paths"][route.path][route.method.as_str().to_lowercase().as_str()];
        let security = operation.get("security").unwrap_or(&document["security"]);
        assert_eq!(has_link(security), route.takes_links(), "{} {}", route.method, route.path);
        read += usize::from(route.takes_links());
    }
    assert_eq!(read, 41);
}

fn of_the_program() -> Table {
    let sorted = |names: &[&str]| {
        let mut names: Vec<_> = names.iter().map(ToString::to_string).collect();
        names.sort();
        names
    };
    let row = |route: Route| {
        let plan = route.feature.map(|feature| feature.plan().to_string());
        (format!("{} {}", route.method, route.path), (plan, sorted(&route.params)))
    };
    table(UpgradeContact::default()).into_iter().filter(|route| route.is_api).map(row).collect()
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
