//! A key works the moment another program has issued it.
use std::time::{Duration, Instant};

use fincore::{Accounts, Key, Plan, chrono::Utc, keys};

use crate::harness::{Server, new_key, with};

const SELIC: &str = "/api/v1/market/selic/current";

/// The next request after another program has issued a key.
fn first_request(server: &Server, accounts: &Accounts, plan: Plan) {
    let key = new_key(accounts, plan);
    let reply = server.keyless("GET", SELIC, &with(&key));
    assert_eq!((reply.status, reply.header("x-plan")), (200, Some(plan.id())), "{}", reply.text());
}

#[test]
fn new_keys_work_at_once_one_after_the_other() {
    one_after_the_other(12);
}

#[test]
#[ignore = "long"]
fn a_hundred_new_keys_work_at_once_one_after_the_other() {
    one_after_the_other(100);
}

fn one_after_the_other(keys: usize) {
    let server = Server::start();
    let accounts = server.accounts();
    for number in 0..keys {
        first_request(&server, &accounts, Plan::ALL[number % 4]);
    }
    charges_unknown_keys(&server, 30);
}

#[test]
fn a_hundred_and_four_new_keys_work_at_once_from_eight_threads() {
    let server = Server::start();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let server = &server;
            scope.spawn(move || {
                let accounts = server.accounts();
                for number in 0..13 {
                    first_request(server, &accounts, Plan::ALL[(thread + number) % 4]);
                }
            });
        }
    });
    charges_unknown_keys(&server, 30);
}

/// Keys that could be valid but that nobody has issued are refused, and charged to the address, which has so many
/// requests left.
fn charges_unknown_keys(server: &Server, left: u32) {
    for left in (left - 3..left).rev() {
        let unknown = Key::generate().unwrap();
        let reply = server.keyless("GET", SELIC, &with(&unknown));
        reply.expect_error(401, "invalid_api_key");
        assert_eq!(reply.header("x-ratelimit-remaining"), Some(left.to_string().as_str()));
    }
}

#[test]
fn unknown_and_revoked_keys_are_refused_at_once() {
    let server = Server::start();
    let accounts = server.accounts();
    let revoked = new_key(&accounts, Plan::Gold);
    assert_eq!(server.keyless("GET", SELIC, &with(&revoked)).status, 200);
    keys::revoke(&accounts, &revoked.prefix(), Utc::now()).unwrap();
    let unknown = Key::generate().unwrap();
    let started = Instant::now();
    while server.keyless("GET", SELIC, &with(&revoked)).status == 200 {
        assert!(started.elapsed() < Duration::from_secs(1), "a revocation counts within a second");
    }
    // Twenty answers, each of which took half a second when they waited for a look at the accounts.
    let started = Instant::now();
    for key in [&unknown, &revoked].repeat(10) {
        server.keyless("GET", SELIC, &with(key)).expect_error(401, "invalid_api_key");
    }
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
}

#[test]
fn a_new_key_works_where_its_address_has_used_up_its_limit() {
    let server = Server::start();
    for _ in 0..Plan::Free.limit() {
        assert_eq!(server.keyless("GET", "/api/v1/market/overview", "").status, 200);
    }
    assert_eq!(server.keyless("GET", "/api/v1/market/overview", "").status, 429);
    let key = new_key(&server.accounts(), Plan::Gold);
    assert_eq!(server.keyless("GET", "/api/v1/companies?limit=1", &with(&key)).status, 200);
}

#[test]
fn the_usage_page_accepts_a_new_key_at_once() {
    let server = Server::start();
    for _ in 0..5 {
        let key = new_key(&server.accounts(), Plan::Gold);
        let body = format!("key={}", key.reveal());
        let request = format!(
            "POST /usage HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        assert_eq!(server.send(request.as_bytes()).status, 200);
    }
}
