//! Values that cannot be read: left out of answers, which stay exact, and reported.
use std::{
    fs,
    time::{Duration, Instant},
};

use crate::{
    harness::{Server, filled},
    rebuild::{damage, run},
};

/// Waits until the server has noticed what was done to its file, which takes up to a second.
fn noticed(holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while !holds() {
        assert!(Instant::now() < deadline, "the damage is not noticed");
    }
}

#[test]
fn a_list_without_an_unreadable_value_has_the_right_total_and_a_full_page() {
    let server = Server::start();
    let page = |target: &str| {
        let json = server.get(target).json();
        let rows = json["data"].as_array().unwrap().clone();
        (json["total"].as_u64().unwrap(), rows)
    };
    let cases = [
        (
            "UPDATE rate SET value = 'abc' WHERE series = 433
                AND date = (SELECT MAX(date) FROM rate WHERE series = 433)",
            "/api/v1/market/ipca?limit=20",
        ),
        (
            "UPDATE fx SET sell = 'abc' WHERE currency = 'USD'
                AND date = (
                SELECT MAX(date) FROM fx WHERE currency = 'USD' AND buy IS NOT NULL)",
            "/api/v1/market/fx?limit=20",
        ),
        (
            "UPDATE company SET cnpj = 'abc' WHERE id = (SELECT MIN(id) FROM company)",
            "/api/v1/companies?limit=20",
        ),
    ];
    for (statement, target) in cases {
        let (total, rows) = page(target);
        damage(server.data.path(), &[(statement, "")]);
        noticed(|| page(target).0 != total);
        let (left, without) = page(target);
        assert_eq!((left, without.len()), (total - 1, 20), "{target}");
        assert_eq!(without[..19], rows[1..], "{target}");
        // The last page ends where the total says.
        let (_, last) = page(&format!("{target}&offset={}", left - 1));
        assert_eq!(last.len(), 1, "{target}");
    }
    let pairs = server.get("/api/v1/market/fx/pairs").json();
    let dollar = pairs["data"].as_array().unwrap().iter().find(|row| row["pair"] == "USD/BRL");
    assert_eq!(dollar.unwrap()["days"], server.get("/api/v1/market/fx").json()["total"]);
}

#[test]
fn a_value_that_could_not_be_read_at_the_start_is_in_no_total() {
    let data = filled();
    let statement = "UPDATE rate SET value = 'abc' WHERE series = 433 AND date = '1999-01-01'";
    damage(data.path(), &[(statement, "")]);
    let server = Server::start_on(data, &[]);
    let all = server.get("/api/v1/market/ipca?limit=10000").json();
    assert_eq!(all["total"], all["data"].as_array().unwrap().len());
    assert_eq!(server.get("/api/v1/market/ipca?limit=1").json()["total"], all["total"]);
}

#[test]
fn the_current_value_is_the_newest_that_can_be_read() {
    let server = Server::start();
    let before = server.get("/api/v1/market/selic?limit=2").json();
    let newest = "UPDATE rate SET value = 'abc' WHERE series = 432 AND date = (
        SELECT date FROM rate WHERE series = 432 AND date <= date('now', '-3 hours')
        ORDER BY date DESC LIMIT 1)";
    damage(server.data.path(), &[(newest, "")]);
    noticed(|| server.get("/api/v1/market/selic?limit=2").json() != before);
    let current = server.get("/api/v1/market/selic/current");
    assert_eq!((current.status, &current.json()["date"]), (200, &before["data"][1]["date"]));
    let overview = server.get("/api/v1/market/overview").json();
    assert_eq!(overview["selic"]["date"], before["data"][1]["date"]);

    // With no readable value at all, it is as if there were none.
    damage(server.data.path(), &[("UPDATE rate SET value = 'abc' WHERE series = 432", "")]);
    noticed(|| server.get("/api/v1/market/selic/current").status != 200);
    server.get("/api/v1/market/selic/current").expect_error(404, "not_found");
    server.get("/api/v1/market/overview").expect_error(404, "not_found");
    assert_eq!(server.get("/api/v1/market/selic").json()["total"], 0);
}

#[test]
fn a_server_says_once_that_values_cannot_be_read() {
    let mut server = Server::process(&[]);
    damage(server.data.path(), &[("UPDATE rate SET value = 'abc' WHERE series = 433", "")]);
    let log = server.data.path().join("stderr.txt");
    let said = || {
        let log = fs::read_to_string(&log).unwrap();
        log.matches("`finserve check` says which").count()
    };
    // It is said by a thread of its own, some time after the first request.
    while said() == 0 {
        assert_eq!(server.get("/api/v1/market/ipca").status, 200);
    }
    std::process::Command::new("kill").arg(server.pid().to_string()).status().unwrap();
    assert!(server.wait().success());
    assert_eq!(said(), 1);
}

#[test]
fn a_damaged_total_is_no_failure() {
    let server = Server::start();
    let statement = "UPDATE filing_block SET filings = 1000000 - filings";
    damage(server.data.path(), &[(statement, "")]);
    let reply = server.get("/api/v1/filings?from=2024-01-01&to=2024-12-31&limit=1");
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(run(server.data.path(), "check").status.code(), Some(1));
}
