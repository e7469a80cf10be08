//! The series of the central bank: what there is, and any of them by number or name.
use std::fs;

use serde_json::{Value, json};

use crate::harness::{Server, import};

fn get(path: &str) -> Value {
    let reply = Server::shared().get(&format!("/api/v1/market/{path}"));
    assert_eq!(reply.status, 200, "{path}: {}", reply.text());
    reply.json()
}

/// The answer to a request, compared as text: digits count.
#[track_caller]
fn check(path: &str, want: &str) {
    let reply = Server::shared().get(&format!("/api/v1/market/{path}"));
    assert_eq!((reply.status, reply.text()), (200, want), "{path}");
}

#[test]
fn answers_with_the_digits_that_were_published() {
    let meta = |number: u32, unit: &str| {
        format!(
            r#""meta":{{"source":"BCB SGS {number}","licence":"ODbL-1.0","unit":"{unit}","updated_at":"2026-10-05T00:00:00Z","stale":true}}"#
        )
    };
    check(
        "series/igp-m?from=2021-05-01&to=2021-05-31",
        &format!(
            r#"{{"data":[{{"date":"2021-05-01","value":4.10}}],"total":1,"limit":20,"offset":0,{},"next":null}}"#,
            meta(189, "percent per month")
        ),
    );
    check(
        "series/11?to=1986-06-04",
        &format!(
            r#"{{"data":[{{"date":"1986-06-04","value":0.065041}}],"total":1,"limit":20,"offset":0,{},"next":null}}"#,
            meta(11, "percent per day")
        ),
    );
    check(
        "series/credit/current",
        &format!(r#"{{"date":"2024-12-01","value":6464602,{}}}"#, meta(20539, "million BRL")),
    );
    // Sold at a known price; bought at one that is not known.
    check(
        "series/EUR-sell?from=2019-01-02&to=2019-01-02",
        &format!(
            r#"{{"data":[{{"date":"2019-01-02","value":4.3852}}],"total":1,"limit":20,"offset":0,{},"next":null}}"#,
            meta(21619, "BRL per unit")
                .replace("BCB SGS 21619", "BCB PTAX, closing bulletin (SGS 21619)")
        ),
    );
    assert_eq!(get("fx?pair=EURBRL&from=2019-01-02&to=2019-01-02")["data"], json!([]));
}

#[test]
fn the_series_of_other_endpoints_are_the_same() {
    // The address of the next page is that of the same endpoint.
    let rows_of = |path: &str| {
        let mut list = get(path);
        let next = list.as_object_mut().unwrap().remove("next").unwrap();
        assert!(next.as_str().is_none_or(|next| next.contains(path.split('?').next().unwrap())));
        list
    };
    for (name, number) in [("selic", 432), ("cdi", 4389), ("ipca", 433)] {
        for query in ["", "?limit=3&offset=7", "?from=2020-01-01&to=2020-12-31&limit=10000"] {
            let own = rows_of(&format!("{name}{query}"));
            assert_eq!(rows_of(&format!("series/{name}{query}")), own, "{name}{query}");
            assert_eq!(rows_of(&format!("series/{number}{query}")), own, "{name}{query}");
        }
        assert_eq!(get(&format!("series/{name}/current")), get(&format!("{name}/current")));
    }
}

#[test]
fn a_name_is_read_in_any_writing() {
    let want = get("series/189")["data"].take();
    for name in ["igp-m", "IGP-M", "igpm", "igp_m", "Igp%20m", "igp.m", "0189"] {
        assert_eq!(get(&format!("series/{name}"))["data"], want, "{name}");
        assert_eq!(get(&format!("series/{name}/current"))["date"], want[0]["date"]);
    }
}

#[test]
fn lists_what_there_is_and_answers_each() {
    let list = get("series");
    let all = list["data"].as_array().unwrap();
    assert_eq!((&list["total"], &list["limit"]), (&json!(all.len()), &json!(1000)));
    let numbers: Vec<_> = all.iter().map(|series| series["number"].as_u64().unwrap()).collect();
    assert_eq!(
        numbers,
        [
            1, 11, 12, 188, 189, 190, 196, 432, 433, 1178, 3698, 4389, 4390, 4391, 10813, 20539,
            21619, 21620, 21621, 21622, 21623, 21624, 24363
        ]
    );
    for series in all {
        for id in [series["number"].to_string(), series["name"].as_str().unwrap().to_owned()] {
            let newest = get(&format!("series/{id}?limit=1"));
            assert_eq!(newest["total"], series["count"], "{id}");
            assert_eq!(newest["data"][0]["date"], series["last"], "{id}");
            assert_eq!(newest["meta"]["unit"], series["unit"], "{id}");
            // That of the row alone, where others were computed.
            let source = newest["meta"]["source"].as_str().unwrap();
            assert!(series["source"].as_str().unwrap().starts_with(source), "{id}");
            let count = series["count"].as_u64().unwrap();
            let oldest = get(&format!("series/{id}?limit=1&offset={}", count - 1));
            assert_eq!(oldest["data"][0]["date"], series["first"], "{id}");
            let mut current = get(&format!("series/{id}/current"));
            current.as_object_mut().unwrap().remove("meta");
            assert_eq!(current, newest["data"][0], "{id}");
        }
        for text in ["title", "title_pt", "unit", "unit_pt", "rhythm"] {
            assert!(series[text].as_str().is_some_and(|text| !text.is_empty()), "{series}");
        }
    }
    assert_eq!(get("series?limit=2&offset=3")["data"], json!(all[3..5]));
}

#[test]
fn a_search_finds_series_by_their_words_also_those_that_are_not_held() {
    let found = |q: &str| {
        let list = get(&format!("series?q={q}"));
        let rows = list["data"].as_array().unwrap().clone();
        assert_eq!(list["total"], json!(rows.len()), "{q}");
        rows
    };
    let names = |q: &str| -> Vec<String> {
        found(q).iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names("infla%C3%A7%C3%A3o"), names("INFLACAO"));
    assert_eq!(names("infla%C3%A7%C3%A3o"), names("inflation"));
    assert_eq!(names("d%C3%B3lar+venda+ptax"), ["usd-sell"]);
    assert!(found("zzz").is_empty());
    // Held ones are as in the list without a search; the others say how they could be.
    let list = get("series")["data"].as_array().unwrap().clone();
    let (mut held, mut others) = (0, 0);
    for row in found("infla%C3%A7%C3%A3o") {
        if row["count"] == 0 {
            let command = format!("finserve sync --series {}", row["number"]);
            assert_eq!((&row["first"], &row["last"]), (&json!(null), &json!(null)), "{row}");
            assert_eq!(row["sync"], json!(command), "{row}");
            others += 1;
        } else {
            assert!(row["sync"].is_null() && list.contains(&row), "{row}");
            held += 1;
        }
    }
    assert!(held >= 4 && others >= 10, "{held} {others}");
    assert!(list.iter().all(|row| row["count"] != 0));
    let page = get("series?q=ipca&limit=2&offset=1");
    assert_eq!(page["data"], json!(found("ipca")[1..3]));
    for q in ["", "%3F%21", &"a+".repeat(33)] {
        let reply = Server::shared().get(&format!("/api/v1/market/series?q={q}"));
        let message = reply.expect_error(400, "bad_request");
        assert!(message.contains("\"q\""), "{message}");
    }
}

#[test]
fn a_series_that_is_not_held_is_not_found_and_says_where_the_others_are() {
    for (series, named) in [
        ("226", "series 226 (tr)"),
        ("TR", "series 226 (tr)"),
        ("999999", "series 999999 yet"),
        ("99999999999", "99999999999"),
        ("nope", "nope"),
        ("current", "current"),
        ("%C3%A9", "é"),
        ("432'--", "432'--"),
        ("-432", "-432"),
    ] {
        for path in [format!("series/{series}"), format!("series/{series}/current")] {
            let reply = Server::shared().get(&format!("/api/v1/market/{path}"));
            let message = reply.expect_error(404, "not_found");
            let hint = "; GET /api/v1/market/series lists the series that have some";
            assert!(message.contains(named) && message.ends_with(hint), "{path}: {message}");
        }
    }
    Server::shared().get("/api/v1/market/series/--").expect_error(404, "not_found");
    // Days without figures are an empty list.
    assert_eq!(get("series/igp-m?to=1990-01-01")["data"], json!([]));
}

#[test]
fn a_summary_has_the_digits_of_the_series_and_two_more() {
    // Mean and deviation of the twelve months by Python's `statistics`, over fractions.
    check(
        "series/ipca/summary?from=2020-01-01&to=2020-12-31",
        r#"{"count":12,"first":{"date":"2020-01-01","value":0.21},"last":{"date":"2020-12-01","value":1.35},"min":{"date":"2020-05-01","value":-0.38},"max":{"date":"2020-12-01","value":1.35},"mean":0.3700,"standard_deviation":0.4980,"meta":{"source":"BCB SGS 433","licence":"ODbL-1.0","unit":"percent per month","updated_at":"2026-10-05T00:00:00Z","stale":true}}"#,
    );
    let one = get("series/ipca/summary?from=2020-02-01&to=2020-02-29");
    assert_eq!((&one["count"], &one["standard_deviation"]), (&json!(1), &json!(null)));
    let none = get("series/igp-m/summary?to=1990-01-01");
    assert_eq!(
        (&none["count"], &none["mean"], &none["max"]),
        (&json!(0), &json!(null), &json!(null))
    );
    assert!(
        none["meta"]["hints"][0].as_str().unwrap().starts_with("igp-m is held from 2010-01-01")
    );
    // Of all series, the ends and the count are those of the list.
    for series in get("series")["data"].as_array().unwrap() {
        let summary = get(&format!("series/{}/summary", series["number"]));
        assert_eq!(summary["count"], series["count"], "{series}");
        assert_eq!(summary["first"]["date"], series["first"], "{series}");
        assert_eq!(summary["last"]["date"], series["last"], "{series}");
        let figures = ["/min/value", "/mean", "/max/value"].map(|name| summary.pointer(name));
        let [min, mean, max] = figures.map(|figure| figure.unwrap().as_f64().unwrap());
        assert!(min <= mean && mean <= max, "{summary}");
    }
}

#[test]
fn a_summary_is_of_what_the_plan_shows() {
    let server = Server::start();
    let ask = |query: &str| {
        server.keyless("GET", &format!("/api/v1/market/series/ipca/summary{query}"), "")
    };
    let all = ask("").json();
    assert_eq!((&all["count"], &all["first"]["date"]), (&json!(13), &json!("2025-08-01")));
    ask("?from=2020-01-01").expect_error(403, "plan_required");
    ask("?from=2026-05-01&to=2026-04-01").expect_error(400, "bad_request");
    ask("?limit=3").expect_error(400, "bad_request");
    Server::shared().get("/api/v1/market/series/tr/summary").expect_error(404, "not_found");
    Server::shared().get("/api/v1/market/series/nope/summary").expect_error(404, "not_found");
}

#[test]
fn a_known_tag_is_confirmed_without_a_body() {
    for target in ["series", "series/igp-m?limit=3", "series/igp-m/current"] {
        let target = format!("/api/v1/market/{target}");
        let first = Server::shared().get(&target);
        let tag = first.header("etag").unwrap();
        let again = Server::shared().request("GET", &target, &format!("If-None-Match: {tag}\r\n"));
        assert_eq!((again.status, again.body.len(), again.header("etag")), (304, 0, Some(tag)));
        let head = Server::shared().request("HEAD", &target, "");
        assert_eq!((head.status, head.body.len(), head.header("etag")), (200, 0, Some(tag)));
    }
    let page = Server::shared().get("/api/v1/market/series/igp-m?limit=5&offset=5");
    let links = page.header("link").unwrap();
    assert!(
        links.contains("</api/v1/market/series/igp-m?limit=5&offset=10>; rel=\"next\""),
        "{links}"
    );
}

#[test]
fn whatever_is_imported_is_served() {
    let server = Server::start();
    let file = |name: &str, text: &str| {
        let path = server.data.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let before = server.get("/api/v1/market/series");
    let unknown = file("bcdata.sgs.987654.json", r#"[{"data":"01/09/2026","valor":"7.50"}]"#);
    // The other side of a day of September 2026, and the TR, which is known but not bundled.
    let buy = file("bcdata.sgs.10813.json", r#"[{"data":"08/09/2026","valor":"5.0850"}]"#);
    let tr = file("bcdata.sgs.226.csv", "data;valor\n10/09/2026;0,1523\n");
    let output = import(server.data.path(), &[&unknown, &buy, &tr]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let list = server.get("/api/v1/market/series");
    assert_ne!(before.header("etag"), list.header("etag"));
    let listed = list.json()["data"].as_array().unwrap().clone();
    let of = |number: u64| listed.iter().find(|series| series["number"] == number).unwrap().clone();
    assert_eq!(
        of(987_654),
        json!({
            "number": 987_654, "name": "987654", "title": null, "title_pt": null, "unit": null,
            "unit_pt": null, "rhythm": null, "first": "2026-09-01", "last": "2026-09-01",
            "count": 1, "source": "BCB SGS 987654", "sync": null,
        })
    );
    assert_eq!((&of(226)["name"], &of(226)["count"]), (&json!("tr"), &json!(1)));
    assert_eq!(of(10813)["last"], "2026-09-08");
    let current = server.get("/api/v1/market/series/987654/current").json();
    assert_eq!((&current["date"], &current["value"]), (&json!("2026-09-01"), &json!(7.50)));
    assert_eq!(current["meta"]["source"], "BCB SGS 987654");
    // One observation is no rhythm, so nothing newer is expected.
    assert_eq!(current["meta"]["stale"], false);
    assert_eq!(server.get("/api/v1/market/series/tr").json()["data"][0]["value"], json!(0.1523));
}
