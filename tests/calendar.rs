//! The calendar endpoints.
use serde_json::{Value, json};

use crate::harness::Server;

fn get(target: &str) -> Value {
    let reply = Server::shared().get(&format!("/api/v1/calendar/{target}"));
    assert_eq!(reply.status, 200, "{target}: {}", reply.text());
    reply.json()
}

#[test]
fn a_day_is_told_with_its_neighbours() {
    let cases = [
        // A Friday that is a holiday since 2024, and was none before.
        ("2026-11-20", false, "2026-11-19", "2026-11-23", Some("Black Awareness Day")),
        ("2023-11-20", true, "2023-11-17", "2023-11-21", None),
        // Over Carnival.
        ("2026-02-16", false, "2026-02-13", "2026-02-18", Some("Carnival")),
        ("2026-02-18", true, "2026-02-13", "2026-02-19", None),
        // Good Friday and Corpus Christi.
        ("2026-04-03", false, "2026-04-02", "2026-04-06", Some("Good Friday")),
        ("2026-06-04", false, "2026-06-03", "2026-06-05", Some("Corpus Christi")),
        // A Saturday.
        ("2026-11-14", false, "2026-11-13", "2026-11-16", None),
        // Banks were closed on Maundy Thursday until 1999.
        ("1999-04-01", false, "1999-03-31", "1999-04-05", Some("Maundy Thursday")),
    ];
    for (date, business_day, previous, next, holiday) in cases {
        let day = get(date);
        let keys = ["date", "business_day", "previous", "next"].map(|key| day[key].clone());
        assert_eq!(keys, [json!(date), json!(business_day), json!(previous), json!(next)]);
        assert_eq!(day["holiday"]["en"].as_str(), holiday, "{date}");
    }
    assert_eq!(get("0001-01-01")["previous"], Value::Null);
    assert_eq!(get("9999-12-31")["next"], Value::Null);
}

#[test]
fn business_days_of_a_range_include_both_ends() {
    let week = get("business-days?from=2026-11-13&to=2026-11-20");
    let days = ["2026-11-13", "2026-11-16", "2026-11-17", "2026-11-18", "2026-11-19"];
    assert_eq!(week, json!({ "data": days, "total": 5, "next": null }));
    assert_eq!(get("business-days?from=2026-11-16&to=2026-11-16")["total"], 1);
    assert_eq!(
        get("business-days?from=2026-11-14&to=2026-11-15"),
        json!({ "data": [], "total": 0, "next": null })
    );
    // The years in which the market works 249 to 254 days.
    assert_eq!(get("business-days?from=2026-01-01&to=2026-12-31")["total"], 249);
    assert_eq!(get("business-days?from=2023-01-01&to=2023-12-31")["total"], 249);
    assert_eq!(get("business-days?from=2001-01-01&to=2101-01-01")["total"], 25_067);
}

#[test]
fn the_next_thirty_days_are_the_default() {
    let by_default = get("business-days");
    let first = by_default["data"][0].as_str().unwrap().to_owned();
    let number = by_default["total"].as_u64().unwrap();
    assert!((15..=23).contains(&number), "{number}");
    assert_eq!(get(&first)["business_day"], true);
    let from = get("business-days?from=2026-11-15");
    assert_eq!((&from["data"][0], &from["total"]), (&json!("2026-11-16"), &json!(21)));
    assert_eq!(
        get("business-days?from=9999-12-31"),
        json!({ "data": ["9999-12-31"], "total": 1, "next": null })
    );
}

#[test]
fn what_is_not_a_date_is_refused() {
    let refused = |target: &str, status, code| {
        let reply = Server::shared().get(&format!("/api/v1/calendar/{target}"));
        reply.expect_error(status, code)
    };
    for wrong in ["2026-02-30", "20261115", "today", "2026-11-15T00:00:00", "2026-1-5"] {
        let message = refused(wrong, 404, "not_found");
        assert!(message.contains(&format!("{wrong:?} is not a date")), "{message}");
        let message = refused(&format!("business-days?from={wrong}"), 400, "bad_request");
        assert!(message.contains("\"from\""), "{message}");
    }
    let message = refused("business-days?from=2026-11-16&to=2026-11-15", 400, "bad_request");
    assert!(message.contains("2026-11-16"), "{message}");
    let message = refused("business-days?from=2001-01-01&to=2101-01-02", 400, "bad_request");
    assert!(message.contains("100 years"), "{message}");
    refused("2026-11-15?from=2026-11-15", 400, "bad_request");
    refused("business-days?limit=1", 400, "bad_request");
}

#[test]
fn the_calendar_is_free_and_counted() {
    let server = Server::start();
    for (asked, target) in ["2026-11-15", "business-days"].into_iter().enumerate() {
        let reply = server.keyless("GET", &format!("/api/v1/calendar/{target}"), "");
        assert_eq!((reply.status, reply.header("x-plan")), (200, Some("free")));
        let left = reply.header("x-ratelimit-remaining").unwrap().parse::<usize>().unwrap();
        assert_eq!(left, 29 - asked);
        assert!(reply.header("etag").is_some());
    }
}
