//! A server below a path, behind proxies that leave the path in requests or take it off.
use std::collections::BTreeSet;

use crate::harness::{Reply, Server};

fn started() -> Server {
    Server::start_with(&["--base-path", "/data/"])
}

/// Everything that a page refers to.
fn references(page: &Reply) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for name in [" href=\"", " src=\"", " action=\"", " data-description=\""] {
        let values = page.text().split(name).skip(1).map(|rest| rest.split('"').next().unwrap());
        found.extend(values.map(|value| value.replace("&amp;", "&")));
    }
    found
}

#[test]
fn every_link_of_every_page_begins_with_the_path_and_leads_somewhere() {
    let server = started();
    let mut seen = BTreeSet::new();
    let pages = [
        "",
        "/",
        "/market",
        "/market/fx/usd-brl?range=5y",
        "/market/compare?series=ipca,igp-m",
        "/companies/9512/statements?kind=balance-sheet",
        "/companies/compare?ids=PETR4,VALE3",
        "/companies/screen?order=-revenue",
        "/calc",
        "/calc/correction?amount=1000&index=ipca&from=2020-01",
        "/pricing?lang=pt",
        "/usage",
        "/sign-in",
        "/docs",
        "/docs/try",
        "/legal",
    ];
    for path in pages {
        let page = server.get(&format!("/data{path}"));
        assert_eq!(page.status, 200, "{path}");
        // A proxy that takes the path off gets the same page.
        let without = server.get(if path.is_empty() { "/" } else { path });
        assert_eq!(references(&without), references(&page), "{path}");
        seen.extend(references(&page).into_iter().filter(|link| !link.starts_with('#')));
    }
    let missing = server.request("GET", "/data/nope", "Accept: text/html\r\n");
    assert_eq!(missing.status, 404);
    seen.extend(references(&missing).into_iter().filter(|link| !link.starts_with('#')));
    assert!(seen.len() > 20, "{seen:?}");
    for link in &seen {
        // Some are for those who are not on the page, and one of the reference leads to a standard.
        let link = link.strip_prefix("http://test").unwrap_or(link);
        if link.starts_with("https://www.standardwebhooks.com") {
            continue;
        }
        assert!(link.starts_with("/data/"), "{link}");
        let target = link.split('#').next().unwrap();
        assert_eq!(server.get(target).status, 200, "{link}");
    }
}

#[test]
fn what_programs_are_told_begins_with_the_path() {
    let server = started();
    for target in ["/data/api/v1/market/ipca?limit=5", "/api/v1/market/ipca?limit=5"] {
        // The third answer is one that was kept.
        for _ in 0..3 {
            let link = server.get(target).header("link").unwrap().to_owned();
            let next = "</data/api/v1/market/ipca?limit=5&offset=5>; rel=\"next\"";
            assert!(link.contains(next), "{link}");
        }
    }
    let refused = server.keyless("GET", "/data/api/v1/market/selic?from=2000-01-01", "");
    refused.expect_error(403, "plan_required");
    assert_eq!(refused.json()["upgrade_url"], "/data/pricing");

    let yaml = server.get("/data/docs/openapi.yaml");
    assert!(yaml.text().contains("- url: http://test/data\n"));
    let json = server.get("/docs/openapi.json").json();
    assert_eq!(json["servers"][0]["url"], "http://test/data");
    let home = server.get("/data/");
    assert!(home.text().contains("curl http://test/data/api/v1/market/overview"));
}

#[test]
fn only_the_whole_path_is_the_path() {
    let server = started();
    for target in ["/database", "/data/data/health", "/data//health", "/Data/health"] {
        server.get(target).expect_error(404, "not_found");
    }
    assert_eq!(server.get("/data/health").status, 200);
    let options = server.keyless("OPTIONS", "/data/api/v1/market/selic", "");
    assert_eq!(options.header("allow"), Some("GET, HEAD, OPTIONS"));
}

#[test]
fn the_list_of_exports_has_addresses_below_the_path() {
    let server = started();
    let listed = server.get("/data/api/v1/export").json();
    let datasets = listed["data"].as_array().unwrap();
    assert!(!datasets.is_empty());
    for dataset in datasets {
        let url = dataset["url"].as_str().unwrap();
        assert!(url.starts_with("/data/api/v1/export/"), "{url}");
    }
}
