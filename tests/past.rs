//! What was known when: histories as they stood, first values, revisions.
use chrono::{DateTime, TimeDelta, Utc};
use fincore::{Catalogue, Date, Import};
use serde_json::{Value, json};

use crate::harness::{Server, filled, finserve};

/// A server whose IPCA of August 2026 was −0.32 as bundled, 0.11 five days ago and 0.12 two days ago.
struct Revised {
    server: Server,
    now: DateTime<Utc>,
}

impl Revised {
    fn start() -> Revised {
        let (data, now) = (filled(), Utc::now());
        let catalogue = Catalogue::open(data.path().join("catalogue.db")).unwrap();
        for (days, value) in [(5, "0.11"), (2, "0.12")] {
            let mut import = Import::begin(&catalogue, now - TimeDelta::days(days)).unwrap();
            let file = format!(r#"[{{"data":"01/08/2026","valor":"{value}"}}]"#);
            import.file("bcdata.sgs.433.json", file.as_bytes()).unwrap();
            import.commit().unwrap();
        }
        Revised { server: Server::start_over(data), now }
    }

    fn days_ago(&self, days: i64) -> Date {
        Date::in_brasilia(self.now - TimeDelta::days(days))
    }

    fn value(&self, path: &str) -> Value {
        let reply = self.server.get(path);
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        let reply = reply.json();
        let row = reply.get("data").map_or(&reply, |rows| &rows[0]);
        let value =
            [&row["value"], &row["ipca"], &row["mean"]].into_iter().find(|value| !value.is_null());
        value.cloned().unwrap_or_default()
    }
}

#[test]
fn every_kind_of_answer_is_told_as_it_was_known() {
    let revised = Revised::start();
    for (days, value) in [(5, 0.11), (4, 0.11), (3, 0.11), (2, 0.12), (0, 0.12)] {
        let day = revised.days_ago(days);
        for path in [
            "/api/v1/market/ipca/current?",
            "/api/v1/market/series/433/current?",
            "/api/v1/market/ipca?to=2026-08-01&",
            "/api/v1/market/series/ipca?only=changes&to=2026-08-01&",
            "/api/v1/market/series/ipca/summary?from=2026-08-01&to=2026-08-01&",
            "/api/v1/market/series?ids=ipca&from=2026-08-01&to=2026-08-01&",
        ] {
            let path = format!("{path}as_of={day}");
            assert_eq!(revised.value(&path), json!(value), "{path}");
        }
        let path = format!(
            "/api/v1/calc/accumulated?series=ipca&from=2026-08-01&to=2026-08-31&as_of={day}"
        );
        let accumulated = revised.server.get(&path).json()["accumulated"].clone();
        assert_eq!(accumulated.as_f64(), Some(value), "{path}");
        let path = format!("/api/v1/export/ipca?from=2026-08-01&to=2026-08-01&as_of={day}");
        let row = revised.server.get(&path).text().to_owned();
        assert!(row.contains(&format!("\"value\":{value}")), "{path}: {row}");
        let reply = revised.server.get(&format!("/api/v1/market/ipca/current?as_of={day}")).json();
        assert_eq!(reply["meta"]["as_of"], json!(day.to_string()));
        assert_eq!(reply["meta"].get("stale"), None);
    }
    // The past has not been taken for the present.
    assert_eq!(revised.value("/api/v1/market/ipca/current"), json!(0.12));
}

#[test]
fn a_past_that_is_not_known_is_refused() {
    let revised = Revised::start();
    let refused = |path: &str| revised.server.get(path).expect_error(400, "bad_request");
    let (before, since) = (revised.days_ago(6), revised.days_ago(5));
    let message = refused(&format!("/api/v1/market/ipca?as_of={before}"));
    assert!(message.contains(&format!("since {since}")), "{message}");
    let message = refused("/api/v1/market/ipca/current?as_of=9999-12-31");
    assert!(message.contains("is after today"), "{message}");
    let message = refused("/api/v1/market/ipca?as_of=yesterday");
    assert!(message.contains("\"as_of\": \"yesterday\" is not a date"), "{message}");
    refused(&format!("/api/v1/market/ipca?as_of={since}&first_release=true"));
    refused("/api/v1/market/ipca?first_release=yes");
    refused(&format!("/api/v1/export/filings?as_of={since}"));
    refused(&format!("/api/v1/export/ipca?since=1&as_of={since}"));
    refused(&format!("/api/v1/market/series?as_of={since}"));
    refused(&format!("/api/v1/market/fx/pairs?as_of={since}"));
}

#[test]
fn revisions_and_first_values_are_listed() {
    let revised = Revised::start();
    let reply = revised.server.get("/api/v1/market/series/ipca/revisions");
    let body = reply.json();
    let values: Vec<&Value> =
        body["data"].as_array().unwrap().iter().map(|row| &row["value"]).collect();
    assert_eq!(values, [&json!(0.12), &json!(0.11), &json!(-0.32)]);
    assert_eq!((&body["total"], &body["data"][0]["known_until"]), (&json!(3), &Value::Null));
    // What came with the program has no beginning, and ended with the first import.
    assert_eq!(body["data"][2]["known_from"], Value::Null);
    assert_eq!(body["data"][2]["known_until"], body["data"][1]["known_from"]);
    let first = "/api/v1/market/ipca?first_release=true&to=2026-08-01";
    assert_eq!(revised.value(first), json!(-0.32));
    let csv =
        revised.server.get("/api/v1/market/series/ipca/revisions?format=csv").text().to_owned();
    assert!(
        csv.starts_with("date,value,known_from,known_until,origin\r\n2026-08-01,0.12,"),
        "{csv}"
    );
    revised.server.get("/api/v1/market/series/nothing/revisions").expect_error(404, "not_found");
}

#[test]
fn the_command_line_reads_the_past() {
    let data = filled();
    let catalogue = Catalogue::open(data.path().join("catalogue.db")).unwrap();
    let then = Utc::now() - TimeDelta::days(3);
    for (time, value) in [(then, "0.11"), (Utc::now(), "0.12")] {
        let mut import = Import::begin(&catalogue, time).unwrap();
        let file = format!(r#"[{{"data":"01/08/2026","valor":"{value}"}}]"#);
        import.file("bcdata.sgs.433.json", file.as_bytes()).unwrap();
        import.commit().unwrap();
    }
    let (directory, day) = (data.path().to_str().unwrap(), Date::in_brasilia(then).to_string());
    let run = |arguments: &[&str]| {
        let output =
            finserve(&[arguments, &["--as-of", &day, "--data", directory]].concat()).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let shown = run(&["get", "market", "ipca", "--current", "--format", "csv"]);
    assert!(shown.contains("0.11"), "{shown}");
    let exported = run(&["export", "ipca", "--from", "2026-08-01"]);
    assert!(exported.contains("0.11"), "{exported}");
    let accumulated = run(&[
        "calc",
        "accumulated",
        "--series",
        "ipca",
        "--from",
        "2026-08-01",
        "--format",
        "json",
    ]);
    assert!(accumulated.contains("0.11"), "{accumulated}");
}

#[test]
fn a_figure_of_an_older_program_is_corrected_and_stays_as_a_revision() {
    const OLDER: &str =
        "UPDATE rate SET value = '15.75' WHERE series = 432 AND date = '2006-04-19';
        UPDATE meta SET value = 'that of an older program' WHERE name = 'bundle';";
    let data = filled();
    let file = rusqlite::Connection::open(data.path().join("catalogue.db")).unwrap();
    file.execute_batch(OLDER).unwrap();
    drop(file);
    let server = Server::start_over(data);
    let body = server.get("/api/v1/market/series/selic/revisions").json();
    let rows = body["data"].as_array().unwrap().iter();
    let rows: Vec<_> = rows
        .map(|row| (row["date"].clone(), row["value"].as_f64(), row["known_until"].clone()))
        .collect();
    let day = json!("2006-04-19");
    let expected =
        [(&day, Some(16.5), Value::Null), (&day, Some(15.75), json!("2026-10-05T00:00:00Z"))];
    assert_eq!(rows, expected.map(|(day, value, until)| (day.clone(), value, until)));
}
