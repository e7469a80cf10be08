//! `finserve serve --sync`: a server that keeps its data fresh.
use std::{fs, process::Command, thread, time::Duration};

use crate::{
    harness::Server,
    publisher::{Fault, Publisher},
    sync::{Place, today},
};

fn start(publisher: &Publisher, arguments: &[&str]) -> Server {
    let flags = publisher.flags();
    let flags =
        flags.iter().map(String::as_str).chain(["--sync", "--retry-delay", "1", "--pace", "0"]);
    Server::process(&flags.chain(arguments.iter().copied()).collect::<Vec<_>>())
}

/// What the server has logged.
fn log(server: &Server) -> String {
    fs::read_to_string(server.data.path().join("stderr.txt")).unwrap()
}

/// Waits for what will happen; a minute is long enough to know that it will not.
fn wait_until(happened: impl Fn() -> bool) {
    for _ in 0..3000 {
        if happened() {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("it has not happened");
}

#[test]
fn a_server_becomes_fresh_by_itself_and_says_what_failed() {
    let place = Place::days_ago(0);
    place.publisher.break_down("/cad_cia_aberta.csv", Fault::Status(500));
    let server = start(&place.publisher, &["--only", "selic,companies"]);
    let newest = today().to_string();
    wait_until(|| server.get("/api/v1/market/selic/current").json()["date"] == newest);
    // The two publishers are asked side by side: either report may be the first.
    let reports = ["sync: selic: ", "sync: companies failed: registry of companies: "];
    wait_until(|| reports.iter().all(|report| log(&server).contains(report)));
    let log = log(&server);
    assert!(log.contains("the server answered 500"), "{log}");
    let asked = place.publisher.asked();
    assert!(asked.iter().all(|asked| !asked.target.contains("/olinda/")), "{asked:?}");
}

#[test]
fn a_server_without_the_flag_asks_nobody() {
    let place = Place::days_ago(0);
    let flags = place.publisher.flags();
    let server = Server::process(&flags.each_ref().map(String::as_str));
    assert_eq!(server.get("/health").status, 200);
    assert!(!server.data.path().join("sync.lock").exists());
    assert!(place.publisher.asked().is_empty());
}

#[test]
fn a_server_stops_while_it_downloads() {
    let place = Place::days_ago(0);
    place.publisher.break_down("/", Fault::Drip);
    let mut server = start(&place.publisher, &["--log-level", "warn"]);
    wait_until(|| !place.publisher.asked().is_empty());
    Command::new("kill").args(["-TERM", &server.pid().to_string()]).status().unwrap();
    assert!(server.wait().success());
    assert_eq!(log(&server), "");
}
