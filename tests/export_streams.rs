//! Exports as streams: of one moment, two for a key at a time, and never complete in appearance when they are cut.
use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use fincore::{Key, Plan, chrono::Utc, keys};

use crate::{
    csv::filings,
    export::{export, ok, rows},
    harness::{Reply, Server, import, new_key, whole, with},
};

/// Asks for the filings, and reads no more than the head and the first rows.
fn start_reading(server: &Server, key: &Key) -> (TcpStream, Vec<u8>) {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
    let key = with(key);
    write!(
        stream,
        "GET /api/v1/export/filings HTTP/1.1\r\nHost: a\r\n{key}Connection: close\r\n\r\n"
    )
    .unwrap();
    let mut start = vec![0; 1000];
    stream.read_exact(&mut start).unwrap();
    (stream, start)
}

#[test]
#[ignore = "long"]
fn an_export_is_of_one_moment_even_while_an_import_commits() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Gold);
    let version = |reply: &Reply| reply.header("x-data-version").unwrap().to_owned();
    let before = ok(&server, &export("filings"));
    // The oldest row is the last to be sent: had it changed under the export, that would show.
    let old = rows(&before).pop().unwrap();
    let (day, id) = (old["date"].as_str().unwrap()[..10].to_owned(), 9_900_001);
    let file = server.data.path().join("ipe_cia_aberta_2026.csv");
    fs::write(&file, filings(&day, &[(id, "Novo")])).unwrap();

    let (mut stream, mut bytes) = start_reading(&server, &key);
    thread::scope(|scope| {
        let importing = scope.spawn(|| import(server.data.path(), &[&file]));
        // A little at a time: whoever reads nothing for long is cut, and who reads all has read before the import.
        while !importing.is_finished() {
            let mut part = vec![0; 16 * 1024];
            let length = stream.read(&mut part).unwrap();
            bytes.extend_from_slice(&part[..length]);
            thread::sleep(Duration::from_millis(100));
        }
        assert!(importing.join().unwrap().status.success());
    });
    stream.read_to_end(&mut bytes).unwrap();
    let meanwhile = Reply::parse(&bytes);
    assert_eq!(version(&meanwhile), version(&before));
    assert!(meanwhile.body == before.body, "the export changed while it was read");

    let after = ok(&server, &export("filings"));
    assert_ne!(version(&before), version(&after));
    assert_eq!(rows(&after).len(), rows(&before).len() + 1);
}

#[test]
fn the_export_of_a_revoked_key_breaks_off() {
    let server = Server::start();
    let accounts = server.accounts();
    let key = new_key(&accounts, Plan::Gold);
    let (mut stream, mut bytes) = start_reading(&server, &key);
    keys::revoke(&accounts, &key.prefix(), Utc::now()).unwrap();
    // The server obeys within a second; what it has sent before is on its way.
    thread::sleep(Duration::from_secs(1));
    let mut part = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = stream.read(&mut part) {
        bytes.extend_from_slice(&part[..length]);
    }
    assert!(!bytes.ends_with(b"0\r\n\r\n"), "{} bytes look like a whole export", bytes.len());
    assert!(bytes.len() < 8 << 20, "{} bytes", bytes.len());
}

#[test]
fn a_key_runs_two_exports_at_a_time() {
    let server = Server::start();
    let accounts = server.accounts();
    let [key, other] = [Plan::Gold; 2].map(|plan| new_key(&accounts, plan));
    let (first, second) = (start_reading(&server, &key), start_reading(&server, &key));
    for (_, start) in [&first, &second] {
        assert!(start.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(start));
    }
    let third = server.keyless("GET", &export("selic"), &with(&key));
    let message = third.expect_error(429, "rate_limited");
    assert!(message.contains("a key may have 2 exports at a time"), "{message}");
    assert_eq!(third.header("retry-after"), Some(&*third.json()["retry_after"].to_string()));
    // What needs no stream, and other keys, go on.
    assert_eq!(server.keyless("GET", "/api/v1/export", &with(&key)).status, 200);
    assert_eq!(server.keyless("GET", &export("selic"), &with(&other)).status, 200);

    drop(first);
    let deadline = Instant::now() + Duration::from_secs(120);
    while server.keyless("GET", &export("selic"), &with(&key)).status != 200 {
        assert!(Instant::now() < deadline, "the slot of a closed connection is not free");
    }
}

#[test]
fn an_export_is_one_request() {
    let server = Server::start();
    let key = with(&new_key(&server.accounts(), Plan::Gold));
    for left in [499, 498] {
        let reply = server.keyless("GET", &export("companies"), &key);
        assert_eq!(reply.header("x-ratelimit-remaining"), Some(&*left.to_string()));
    }
    let usage = server.keyless("GET", "/api/v1/plans/usage", &key).json();
    assert_eq!(usage["data"][0]["endpoints"]["/api/v1/export/{dataset}"], 2);
}

#[test]
fn a_client_of_http_1_0_could_not_tell_a_broken_export() {
    let server = Server::start();
    let key = with(&new_key(&server.accounts(), Plan::Gold));
    let head = format!("GET /api/v1/export/ipca HTTP/1.0\r\nHost: a\r\n{key}\r\n");
    let message = server.send(head.as_bytes()).expect_error(400, "bad_request");
    assert!(message.starts_with("exports need HTTP/1.1"), "{message}");
}

#[test]
fn a_stream_that_is_cut_does_not_look_complete() {
    // What the other tests rely on to tell.
    assert_eq!(whole(b"3\r\nabc\r\n0\r\n\r\n").as_deref(), Some(&b"abc"[..]));
    assert_eq!(whole(b"3\r\nabc\r\n"), None);
    assert_eq!(whole(b"5\r\nabc"), None);
}
