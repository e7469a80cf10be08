//! The server inside another program: `finserve::Server`, on a free port, with a clock that the program chooses.
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
};

use fincore::chrono::{DateTime, Utc};
use finserve::{Clock, Server};

use crate::harness::{Reply, filled};

/// The answer of a server on this address, without a key.
pub(crate) fn get(address: SocketAddr, target: &str) -> Reply {
    let mut stream = TcpStream::connect(address).unwrap();
    let head = format!("GET {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    Reply::parse(&answer)
}

#[test]
fn a_server_answers_by_the_clock_of_its_program() {
    let data = filled();
    let noon: DateTime<Utc> = "2024-03-20T15:00:00Z".parse().unwrap();
    let arguments = ["--data", data.path().to_str().unwrap(), "--listen", "127.0.0.1:0"];
    let server = Server::start(arguments, Clock::with_utc(move || noon)).unwrap();
    assert_ne!(server.address().port(), 0);
    // What was published later is in the future.
    let selic = get(server.address(), "/api/v1/market/selic/current").json();
    assert_eq!(selic["date"], "2024-03-20");
    let day = get(server.address(), "/api/v1/market/ipca?limit=1").json();
    assert!(day["data"][0]["date"].as_str().unwrap() <= "2024-03-01", "{day}");
    server.stop().unwrap();
}

#[test]
fn a_server_that_cannot_start_says_why() {
    let refused =
        |arguments: &[&str]| Server::start(arguments.iter().copied(), Clock::system()).unwrap_err();
    assert!(refused(&["--listen", "nowhere"]).contains("--listen"));
    assert!(refused(&["--no-such-flag"]).contains("--no-such-flag"));
}
