//! Transformed histories over HTTP: figures that are known, what is refused, pages, plans and formats.
use serde_json::{Value, json};

use crate::harness::{Reply, Server};

fn ask(path: &str) -> Reply {
    Server::shared().get(&format!("/api/v1/market/{path}"))
}

fn get(path: &str) -> Value {
    let reply = ask(path);
    assert_eq!(reply.status, 200, "{path}: {}", reply.text());
    reply.json()
}

/// The rows of an answer as text: digits count.
#[track_caller]
fn check(path: &str, want: &str) {
    let reply = ask(path);
    let text = reply.text();
    let rows = text.split_once("\"data\":").and_then(|(_, rest)| rest.split_once(",\"total\""));
    assert_eq!(rows.map(|(rows, _)| rows), Some(want), "{path}: {text}");
}

#[test]
fn inflation_of_twelve_months_is_what_everyone_knows() {
    // What IBGE announced in each January, rounded to two decimals.
    for (year, known) in
        [(2015, "10.67"), (2020, "4.52"), (2021, "10.06"), (2023, "4.62"), (2024, "4.83")]
    {
        let path = format!("ipca?units=accumulated_12m&from={year}-12-01&to={year}-12-01");
        let answer = get(&path);
        let value: f64 = answer["data"][0]["value"].as_f64().unwrap();
        assert_eq!(format!("{value:.2}"), known, "{path}");
        let by_year = get(&format!("ipca?frequency=year&from={year}-01-01&to={year}-01-01"));
        assert_eq!(by_year["data"][0]["value"], answer["data"][0]["value"], "{path}");
    }
    // Published as 5.79, of index numbers with more decimals than the monthly rates have.
    check(
        "ipca?units=accumulated_12m&from=2022-12-01&to=2022-12-01",
        r#"[{"date":"2022-12-01","value":5.7848}]"#,
    );
}

#[test]
fn what_the_publisher_gives_itself_is_named_and_the_same() {
    for (path, published, decimals) in [
        ("series/selic-daily?frequency=month", "selic-monthly", 2),
        ("series/cdi-daily?frequency=month", "cdi-monthly", 2),
        ("fx?frequency=month", "usd-monthly", 4),
    ] {
        let answer = get(&format!("{path}&limit=10000"));
        assert_eq!(answer["meta"]["transformation"]["published_series"], published, "{path}");
        let official = get(&format!("series/{published}?limit=10000"));
        let official: Vec<_> = official["data"].as_array().unwrap().iter().collect();
        let mut compared = 0;
        for row in answer["data"].as_array().unwrap() {
            let Some(same) = official.iter().find(|one| one["date"] == row["date"]) else {
                continue;
            };
            let [ours, theirs] = [row, same].map(|row| row["value"].as_f64().unwrap());
            // Half of the last decimal, and what theirs is rounded from.
            assert!((ours - theirs).abs() <= 0.6 * 10_f64.powi(-decimals), "{path} {row} {same}");
            compared += 1;
        }
        assert!(compared > 60, "{path}: {compared}");
    }
}

#[test]
fn the_changes_of_the_selic_are_its_decisions() {
    check(
        "selic?only=changes&limit=2",
        r#"[{"date":"2026-09-17","value":13.75},{"date":"2026-08-06","value":14.00}]"#,
    );
    check("selic?only=changes&units=change&limit=1", r#"[{"date":"2026-09-17","value":-0.25}]"#);
    assert_eq!(
        get("selic?only=changes&to=1999-03-05")["data"],
        json!([{"date": "1999-03-05", "value": 45.0}])
    );
}

#[test]
fn periods_of_quotes_have_sides_and_may_be_partial() {
    check(
        "fx?frequency=month&from=2024-03-01&to=2024-03-31",
        r#"[{"date":"2024-03-01","value":4.980135}]"#,
    );
    check("fx?side=buy&from=2000-01-03&to=2000-01-03", r#"[{"date":"2000-01-03","value":1.8003}]"#);
    let year = get("fx?frequency=year&partial=true&limit=1");
    assert_eq!(
        (&year["data"][0]["date"], &year["data"][0]["partial"]),
        (&json!("2026-01-01"), &json!(true))
    );
    assert_eq!(get("fx?frequency=year&limit=1")["data"][0]["date"], "2025-01-01");
    let how = &get("fx?frequency=week&aggregate=max&side=buy&limit=1")["meta"]["transformation"];
    assert_eq!(
        (&how["frequency"], &how["aggregate"], &how["units"], &how["side"]),
        (&json!("week"), &json!("max"), &json!("value"), &json!("buy"))
    );
    assert!(how["rule"].as_str().unwrap().starts_with("largest observation of each week"), "{how}");
}

#[test]
fn pages_totals_and_tags_are_those_of_any_list() {
    let all = get("ipca?units=index&base=2020-01-01&limit=10000");
    let total = all["total"].as_u64().unwrap();
    assert_eq!(total, all["data"].as_array().unwrap().len() as u64);
    let page = ask("ipca?units=index&base=2020-01-01&limit=3&offset=2");
    assert_eq!(page.json()["data"].as_array().unwrap()[..], all["data"].as_array().unwrap()[2..5]);
    assert!(page.header("link").unwrap().contains("units=index"), "{:?}", page.header("link"));
    let csv =
        ask("ipca?units=index&base=2020-01-01&from=2019-12-01&to=2020-02-01&format=csv&dialect=br");
    let wanted = "date;value;partial\r\n01/02/2020;100,2500;\r\n01/01/2020;100,0000;\r\n01/12/2019;99,7904;\r\n";
    assert_eq!(csv.text().trim_start_matches('\u{feff}'), wanted);
}

#[test]
fn a_small_plan_sees_its_window_computed_from_all() {
    let server = Server::start();
    let get = |path: &str| server.keyless("GET", &format!("/api/v1/market/{path}"), "");
    let twelve = get("ipca?units=accumulated_12m&limit=100");
    assert_eq!(twelve.json()["total"], 13, "{}", twelve.text());
    assert_eq!(get("ipca?units=accumulated_12m&from=2020-01-01").status, 403);
    assert_eq!(get("ipca?frequency=year").json()["data"], json!([]));
}

#[test]
fn what_has_no_meaning_is_refused_with_what_has() {
    for (path, said) in [
        ("fx?frequency=month&aggregate=compound", "mean, first, last, min or max fit"),
        ("ipca?frequency=year&aggregate=sum", "compound or mean fits"),
        ("selic?units=accumulated_12m", "nothing accumulates"),
        ("ipca?units=accumulated_12m&frequency=year", "leave frequency out"),
        ("ipca?frequency=week", "month, quarter or year"),
        ("ipca?aggregate=mean", "add frequency"),
        ("ipca?base=2020-01-01", "only units=index has a base"),
        ("ipca?units=index&base=2020-01-02", "no row of ipca is dated 2020-01-02"),
        ("ipca?units=percent", "is not units (value, change"),
        ("ipca?only=all", "is not a choice of rows"),
        ("ipca?partial=yes", "is not true or false"),
        ("ipca?side=buy", "side"),
        ("series/ibc-br/current?units=change", "units"),
    ] {
        let reply = ask(path);
        assert_eq!(reply.status, 400, "{path}");
        assert!(reply.text().contains(said), "{path}: {}", reply.text());
    }
    assert_eq!(ask("series/nope?frequency=month").status, 404);
    assert_eq!(ask("fx?pair=XXX/BRL&frequency=month").status, 404);
}

#[test]
fn several_series_are_columns_of_one_table() {
    check(
        "series?ids=ipca,IGPM,selic&from=2024-11-30&to=2024-12-01",
        r#"[{"date":"2024-12-01","ipca":0.52,"IGPM":0.94,"selic":11.25},{"date":"2024-11-30","ipca":null,"IGPM":null,"selic":11.25}]"#,
    );
    let answer = get("series?ids=ipca,selic-daily&units=accumulated_12m&limit=1&to=2024-12-31");
    assert_eq!(answer["data"][0]["ipca"], json!(4.8313));
    let about = &answer["meta"]["series"];
    assert_eq!(about["ipca"]["source"], "BCB SGS 433");
    assert_eq!(about["selic-daily"]["unit"], "percent in 12 months");
    assert_eq!(about["ipca"]["transformation"]["units"], "accumulated_12m");
    // Without ids it is the list of series, and a transformation that changes nothing is one all the same.
    assert_eq!(get("series?limit=1")["data"][0]["name"], "usd-sell");
    let same = get("series?ids=ipca&units=value&limit=1");
    assert_eq!(same["meta"]["series"]["ipca"]["transformation"]["units"], "value");
}

#[test]
fn several_series_have_the_pages_tags_and_csv_of_any_list() {
    let path = "series?ids=cdi,ipca&from=2026-06-01&limit=10";
    let first = ask(path);
    assert!(first.header("link").unwrap().contains("ids=cdi"), "{:?}", first.header("link"));
    let (total, tag) = (first.json()["total"].as_u64().unwrap(), first.header("etag").unwrap());
    assert!(total > 60, "{total}");
    let same = Server::shared().request(
        "GET",
        &format!("/api/v1/market/{path}"),
        &format!("If-None-Match: {tag}\r\n"),
    );
    assert_eq!(same.status, 304);
    #[cfg(feature = "parquet")]
    {
        let parquet = ask("series?ids=ipca,selic&from=2024-11-30&to=2024-12-01&format=parquet");
        assert_eq!(parquet.header("content-type"), Some("application/vnd.apache.parquet"));
        assert_eq!(parquet.header("x-total-count"), Some("2"));
        assert!(parquet.body.starts_with(b"PAR1") && parquet.body.ends_with(b"PAR1"));
        let message = ask("series?format=parquet").expect_error(400, "bad_request");
        assert!(
            message.contains("a format of lists (json or csv; with limit=1 also value)"),
            "{message}"
        );
        let message = ask("series?ids=ipca&format=xml").expect_error(400, "bad_request");
        assert!(message.contains("(json, csv or parquet; "), "{message}");
    }
    let csv = ask("series?ids=ipca,selic&from=2024-11-30&to=2024-12-01&format=csv&dialect=br");
    let wanted = "date;ipca;selic\r\n01/12/2024;0,52;11,25\r\n30/11/2024;;11,25\r\n";
    assert_eq!(csv.text().trim_start_matches('\u{feff}'), wanted);
    assert_eq!(csv.header("x-total-count"), Some("2"));
}

#[test]
fn series_that_cannot_be_compared_are_refused() {
    for (path, said) in [
        ("series?ids=1,2,3,4,5,6,7,8,9,10,11", "at most 10 series (it has 11)"),
        ("series?ids=ipca,433", "the same series"),
        ("series?ids=", "is not a series"),
        ("series?ids=ipca,,cdi", "is not a series"),
        ("series?ids=ipca,usd-sell&units=accumulated_12m", "usd-sell is not a rate"),
        ("series?ids=cdi,ipca&frequency=week", "ipca has one observation a month"),
        ("series?ids=ipca,cdi&units=index&base=2024-01-01", "no row of cdi is dated 2024-01-01"),
        ("series?ids=ipca&limit=10001", "limit"),
        ("series?ids=ipca&side=buy", "side"),
        ("series?ids=ipca&q=inflation", "leave one of the two out"),
        ("series?frequency=month", "name them with ids"),
        ("series?from=2024-01-01", "name them with ids"),
        ("series?limit=1001", "1 to 1000"),
    ] {
        let reply = ask(path);
        assert_eq!(reply.status, 400, "{path}");
        assert!(reply.text().contains(said), "{path}: {}", reply.text());
    }
    assert_eq!(ask("series?ids=ipca,nope").status, 404);
    let server = Server::start();
    let get = |path: &str| server.keyless("GET", &format!("/api/v1/market/{path}"), "");
    assert_eq!(get("series?ids=ipca,igp-m&limit=100").json()["data"][0]["date"], "2026-08-01");
    assert_eq!(get("series?ids=ipca,igp-m&from=2020-01-01").status, 403);
}

#[test]
fn an_export_of_a_series_is_its_whole_transformed_history() {
    let export = |query: &str| Server::shared().get(&format!("/api/v1/export/{query}"));
    let csv = export("ipca?units=accumulated_12m&from=2024-11-01&to=2024-12-31&format=csv");
    assert_eq!(csv.text(), "date,value,partial\r\n2024-12-01,4.8313,\r\n2024-11-01,4.8730,\r\n");
    assert_eq!(csv.header("x-total-count"), Some("2"));
    let weeks = export("selic?frequency=week&aggregate=last");
    let list = get("selic?frequency=week&aggregate=last&limit=10000");
    assert_eq!(weeks.text().lines().count() as u64, list["total"].as_u64().unwrap());
    let first: Value = serde_json::from_str(weeks.text().lines().next().unwrap()).unwrap();
    assert_eq!(first["date"], list["data"][0]["date"]);
    assert_eq!(first["value"], list["data"][0]["value"]);
    // More rows than a list may have.
    let days = export("selic?only=changes&units=value");
    assert!(days.text().lines().count() > 100);
    let tags = ["ipca?units=index", "ipca?units=change", "ipca"]
        .map(|query| export(query).header("etag").unwrap().to_owned());
    assert!(tags[0] != tags[1] && tags[1] != tags[2] && tags[0] != tags[2], "{tags:?}");
    #[cfg(feature = "parquet")]
    assert!(export("ipca?frequency=year&format=parquet").body.starts_with(b"PAR1"));
    for (query, said) in [
        ("ipca?units=change&since=1", "cannot be combined"),
        ("fx?frequency=month", "transform one series"),
        ("series?frequency=month", "transform one series"),
        ("companies?units=change", "transform one series"),
        ("filings?only=changes", "transform one series"),
        ("selic?units=accumulated_12m", "nothing accumulates"),
        ("ipca?aggregate=mean", "add frequency"),
        ("ipca?frequency=day", "is not a frequency"),
    ] {
        let reply = export(query);
        assert_eq!(reply.status, 400, "{query}: {}", reply.text());
        assert!(reply.text().contains(said), "{query}: {}", reply.text());
    }
    assert_eq!(export("999999?frequency=month").status, 404);
}
