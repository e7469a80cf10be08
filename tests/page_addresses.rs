//! Addresses of pages: parameters that a page does not read, and slashes too many.
use crate::harness::Server;

#[test]
fn parameters_that_a_page_does_not_read_are_ignored_and_left_out_of_its_own_address() {
    let server = Server::shared();
    let pages = [
        "/",
        "/market",
        "/market/selic",
        "/market/fx/usd-brl",
        "/companies",
        "/companies/9512",
        "/companies/9512/statements",
        "/companies/compare",
        "/companies/screen",
        "/filings",
        "/usage",
        "/pricing",
        "/calc",
        "/calc/correction",
        "/calc/accumulated",
        "/calc/convert",
        "/calc/real-rate",
        "/calc/rate",
        "/sign-in",
    ];
    for page in pages {
        let reply = server.get(&format!("{page}?utm_source=x&gclid=1&no-such-thing=2&lang=pt"));
        assert_eq!(reply.status, 200, "{page}");
        let text = reply.text();
        assert!(!text.contains("utm_source") && !text.contains("no-such-thing"), "{page}: {text}");
        assert!(text.contains("lang=\"pt-BR\""), "{page}");
    }
    let refused = server.get("/api/v1/market/selic?utm_source=x").expect_error(400, "bad_request");
    assert!(refused.starts_with("parameter \"utm_source\" is unknown"), "{refused}");
}

#[test]
fn what_was_chosen_stays_when_a_ticker_leads_to_its_company() {
    let server = Server::shared();
    let led = |path: &str| {
        let reply = server.get(path);
        assert_eq!(reply.status, 302, "{path}");
        reply.header("location").unwrap().to_owned()
    };
    for (path, to) in [
        (
            "/companies/WEGE3/statements?kind=cash-flow&period=ttm",
            "/companies/5410/statements?kind=cash-flow&period=ttm",
        ),
        (
            "/companies/wege3/statements?lang=pt&kind=income&utm_source=x&page=2",
            "/companies/5410/statements?lang=pt&kind=income&page=2",
        ),
        (
            "/companies/WEGE3/statements?kind=fin%5FAbCdEfGhIjKl&scope=individual",
            "/companies/5410/statements?scope=individual",
        ),
        ("/companies/WEGE3/statements?", "/companies/5410/statements"),
        ("/companies/WEGE3?lang=en&utm_source=x", "/companies/5410?lang=en"),
        ("/companies/WEGE3", "/companies/5410"),
    ] {
        assert_eq!(led(path), to, "{path}");
    }
}

#[test]
fn a_slash_too_many_leads_to_the_page_without_it() {
    let server = Server::shared();
    let moved = |path: &str| {
        let reply = server.get(path);
        (reply.status, reply.header("location").map(str::to_owned))
    };
    for (path, to) in [
        ("/market/", "/market"),
        ("/companies/9512//?lang=pt", "/companies/9512?lang=pt"),
        ("/pricing/", "/pricing"),
    ] {
        assert_eq!(moved(path), (308, Some(to.to_owned())), "{path}");
    }
    // Not to another site, and not for programs.
    for path in ["//example.org/", "/api/v1/market/selic/", "/nothing/", "/health/"] {
        assert_eq!(moved(path), (404, None), "{path}");
    }
}
