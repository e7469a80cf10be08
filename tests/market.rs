//! The market endpoints: figures, order, limits, caching.
use serde_json::json;

use crate::harness::{Server, import};

/// The answer to a request, compared as text: digits count.
#[track_caller]
fn check(target: &str, want: &str) {
    let reply = Server::shared().get(target);
    assert_eq!((reply.status, reply.text()), (200, want), "{target}");
}

#[test]
fn answers_with_the_digits_that_were_published() {
    let year = r#""total":2,"limit":20,"offset":0,"meta":{"source":"BCB SGS 432","licence":"ODbL-1.0","unit":"percent per year","updated_at":"2026-10-05T00:00:00Z","stale":true},"next":null"#;
    check(
        "/api/v1/market/selic?from=1999-03-05&to=1999-03-06",
        &format!(
            r#"{{"data":[{{"date":"1999-03-06","value":45.00}},{{"date":"1999-03-05","value":45.00}}],{year}}}"#
        ),
    );
    check(
        "/api/v1/market/ipca?from=2010-06-01&to=2010-06-30",
        r#"{"data":[{"date":"2010-06-01","value":0.00}],"total":1,"limit":20,"offset":0,"meta":{"source":"BCB SGS 433","licence":"ODbL-1.0","unit":"percent per month","updated_at":"2026-10-05T00:00:00Z","stale":true},"next":null}"#,
    );
    check(
        "/api/v1/market/cdi?to=1994-06-30",
        r#"{"data":[{"date":"1994-06-30","value":149.62,"origin":"computed"}],"total":1,"limit":20,"offset":0,"meta":{"source":"BCB SGS 12","licence":"ODbL-1.0","unit":"percent per year, 252 business days","computed_from":"BCB SGS 12","computed":1,"updated_at":"2026-10-05T00:00:00Z","stale":true},"next":null}"#,
    );
    check(
        "/api/v1/market/selic?from=2026-08-27&to=2026-08-28",
        r#"{"data":[{"date":"2026-08-28","value":14.00,"origin":"carried"},{"date":"2026-08-27","value":14.00}],"total":2,"limit":20,"offset":0,"meta":{"source":"BCB SGS 432","licence":"ODbL-1.0","unit":"percent per year","carried":1,"updated_at":"2026-10-05T00:00:00Z","stale":true},"next":null}"#,
    );
    let ptax = r#""meta":{"source":"BCB PTAX, closing bulletin","licence":"ODbL-1.0","unit":"BRL per unit","updated_at":"2026-10-05T00:00:00Z","stale":true}"#;
    check(
        "/api/v1/market/fx?from=2000-01-01&to=2000-01-03",
        &format!(
            r#"{{"data":[{{"date":"2000-01-03","pair":"USD/BRL","buy":1.8003,"sell":1.8011}}],"total":1,"limit":20,"offset":0,{ptax},"next":null}}"#
        ),
    );
    check(
        "/api/v1/market/fx?pair=irr-brl&to=2026-07-31&limit=1",
        &format!(
            r#"{{"data":[{{"date":"2026-07-31","pair":"IRR/BRL","buy":0.00000370,"sell":0.00000370}}],"total":2,"limit":1,"offset":0,{ptax},"next":"/api/v1/market/fx?pair=irr-brl&to=2026-07-31&limit=1&offset=1"}}"#
        ),
    );
}

#[test]
fn current_values_are_those_of_the_overview() {
    let get = |path: &str| Server::shared().get(&format!("/api/v1/market/{path}")).json();
    let overview = get("overview");
    for name in ["selic", "cdi", "ipca", "fx"] {
        let mut current = get(&format!("{name}/current"));
        let meta = current.as_object_mut().unwrap().remove("meta").unwrap();
        assert_eq!(
            (&current, &meta),
            (&overview[name], &overview["meta"]["indicators"][name]),
            "{name}"
        );
    }
    assert_eq!(overview["fx"]["pair"], "USD/BRL");
}

#[test]
fn gives_the_newest_twenty_by_default() {
    for name in ["selic", "cdi", "ipca", "fx"] {
        let json = Server::shared().get(&format!("/api/v1/market/{name}")).json();
        let dates: Vec<_> =
            json["data"].as_array().unwrap().iter().map(|row| row["date"].to_string()).collect();
        assert_eq!(dates.len(), 20, "{name}");
        assert!(dates.is_sorted_by(|newer, older| newer > older), "{name} is newest first");
    }
}

#[test]
fn reads_a_pair_in_three_writings() {
    let get =
        |pair: &str| Server::shared().get(&format!("/api/v1/market/fx/current?pair={pair}")).json();
    assert_eq!(get("EUR/BRL"), get("EURBRL"));
    assert_eq!(get("EUR/BRL"), get("eur-brl"));
    assert_eq!(get("EUR%2FBRL")["pair"], "EUR/BRL");
}

#[test]
fn lists_the_pairs_and_answers_each() {
    let pairs = Server::shared().get("/api/v1/market/fx/pairs").json();
    let pairs = pairs["data"].as_array().unwrap();
    assert!(pairs.len() > 150);
    for known in pairs {
        let (pair, from, to) = (&known["pair"], &known["from"], &known["to"]);
        let pair = pair.as_str().unwrap();
        let json =
            Server::shared().get(&format!("/api/v1/market/fx?pair={pair}&limit=10000")).json();
        let days = json["data"].as_array().unwrap();
        assert_eq!((&days[0]["date"], &days[days.len() - 1]["date"]), (to, from), "{pair}");
    }
}

#[test]
fn days_without_figures_are_an_empty_list() {
    let get = |target: &str| Server::shared().get(target).json()["data"].clone();
    assert_eq!(get("/api/v1/market/selic?to=1990-01-01"), json!([]));
    assert_eq!(get("/api/v1/market/fx?pair=EUR/BRL&to=1990-01-01"), json!([]));
}

#[test]
fn an_unknown_pair_is_not_found_and_says_where_the_known_ones_are() {
    for pair in ["XXX/BRL", "BRL/USD", "EUR/USD", "BRL/BRL"] {
        for path in ["fx", "fx/current"] {
            let reply = Server::shared().get(&format!("/api/v1/market/{path}?pair={pair}"));
            let message = reply.expect_error(404, "not_found");
            assert!(
                message.contains(pair) && message.contains("/api/v1/market/fx/pairs"),
                "{message}"
            );
        }
    }
}

#[test]
fn a_known_tag_is_confirmed_without_a_body() {
    let target = "/api/v1/market/selic?limit=3";
    let first = Server::shared().get(target);
    let tag = first.header("etag").unwrap();
    assert_eq!(first.header("cache-control"), Some("private, max-age=60"));
    let opaque = tag.trim_start_matches("W/");
    for sent in [tag, opaque, "*", &format!("\"x\", {tag}")] {
        let again = Server::shared().request("GET", target, &format!("If-None-Match: {sent}\r\n"));
        assert_eq!((again.status, again.body.len(), again.header("etag")), (304, 0, Some(tag)));
    }
    let other = Server::shared().request("GET", target, "If-None-Match: \"x\"\r\n");
    assert_eq!(other.status, 200);
    assert_ne!(Server::shared().get("/api/v1/market/selic?limit=4").header("etag"), Some(tag));
}

#[test]
fn compresses_long_answers_on_request() {
    let target = "/api/v1/market/selic?limit=1000";
    let plain = Server::shared().get(target);
    assert_eq!(
        (plain.header("content-encoding"), plain.header("vary")),
        (None, Some("X-API-Key, Authorization, Cookie, Sec-Fetch-Site, Accept, Accept-Encoding"))
    );
    let zstd = Server::shared().request("GET", target, "Accept-Encoding: gzip, zstd\r\n");
    assert_eq!(zstd.header("content-encoding"), Some("zstd"));
    assert_eq!(zstd::stream::decode_all(&zstd.body[..]).unwrap(), plain.body);
    let gzip = Server::shared().request("GET", target, "Accept-Encoding: gzip\r\n");
    assert_eq!(gzip.header("content-encoding"), Some("gzip"));
    let mut unpacked = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&gzip.body[..]), &mut unpacked)
        .unwrap();
    assert_eq!(unpacked, plain.body);
    let short =
        Server::shared().request("GET", "/api/v1/market/overview", "Accept-Encoding: gzip\r\n");
    assert_eq!(short.header("content-encoding"), None);
}

#[test]
fn head_is_get_without_the_body() {
    for target in ["/health", "/api/v1/market/overview", "/api/v1/market/fx?limit=1000", "/nope"] {
        let (get, head) =
            (Server::shared().get(target), Server::shared().request("HEAD", target, ""));
        assert_eq!((head.status, head.body.len()), (get.status, 0), "{target}");
        for name in ["content-type", "content-length", "etag", "cache-control"] {
            assert_eq!(head.header(name), get.header(name), "{name} of {target}");
        }
    }
}

#[test]
fn a_running_server_serves_what_is_imported() {
    let server = Server::start();
    let before = server.get("/api/v1/market/ipca/current");
    let file = server.data.path().join("bcdata.sgs.433.json");
    std::fs::write(&file, r#"[{"data":"01/09/2026","valor":"0.48"}]"#).unwrap();
    assert!(import(server.data.path(), &[&file]).status.success());
    let after = server.get("/api/v1/market/ipca/current");
    // It says when it was imported, whenever that was.
    let imported = after.json()["meta"]["updated_at"].as_str().unwrap().to_owned();
    assert_eq!(
        after.text().replace(&imported, "TIME"),
        r#"{"date":"2026-09-01","value":0.48,"meta":{"source":"BCB SGS 433","licence":"ODbL-1.0","unit":"percent per month","updated_at":"TIME","stale":true}}"#
    );
    assert_ne!(before.header("etag"), after.header("etag"));
}
