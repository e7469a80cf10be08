//! Events by polling and by listening.
use std::{
    io::{Read, Write},
    net::TcpStream,
    process::Command,
    time::{Duration, Instant},
};

use chrono::DateTime;
use fincore::{Key, Plan, keys};
use serde_json::{Value, json};

use crate::{
    harness::{Server, new_key, with},
    receiver::Receiver,
    webhooks::Place,
};

const EVENTS: &str = "/api/v1/events";

/// A client that listens, and what it has read so far.
pub(crate) struct Listener {
    stream: TcpStream,
    read: String,
}

impl Listener {
    pub(crate) fn start(server: &Server, key: &Key, headers: &str) -> Listener {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        let key = with(key);
        write!(
            stream,
            "GET {EVENTS} HTTP/1.1\r\nHost: test\r\nAccept: text/event-stream\r\n{key}{headers}\r\n"
        )
        .unwrap();
        Listener { stream, read: String::new() }
    }

    /// Reads until this was sent.
    pub(crate) fn wait_for(&mut self, text: &str) -> &str {
        let mut bytes = [0; 4096];
        while !self.read.contains(text) {
            let length = self.stream.read(&mut bytes).unwrap();
            assert_ne!(length, 0, "it ended without {text:?}: {}", self.read);
            self.read += str::from_utf8(&bytes[..length]).unwrap();
        }
        &self.read
    }

    /// Reads to the end, which comes soon.
    fn ends(mut self) -> String {
        let mut rest = Vec::new();
        self.stream.read_to_end(&mut rest).unwrap();
        self.read + str::from_utf8(&rest).unwrap()
    }

    /// The events that were read.
    fn events(&self) -> Vec<Value> {
        let data = self.read.lines().filter_map(|line| line.strip_prefix("data: "));
        data.map(|data| serde_json::from_str(data).unwrap()).collect()
    }
}

#[test]
fn polling_with_a_cursor_gives_what_webhooks_are_called_with() {
    let (place, receiver) = (Place::new(), Receiver::start(&[]));
    let start = place.get(EVENTS);
    assert_eq!((start.status, start.header("cache-control")), (200, Some("no-store")));
    assert_eq!(start.json()["data"], json!([]));
    place.subscribe(&json!({"url": receiver.url("/"), "events": ["rate.published"]}));
    for (month, value) in [("09/2026", "0.48"), ("10/2026", "0.22"), ("11/2026", "0.31")] {
        place.publish(month, value);
    }
    let mut called: Vec<(String, Value)> = receiver
        .wait_for(3)
        .iter()
        .map(|call| (call.id().to_owned(), serde_json::from_slice(&call.body).unwrap()))
        .collect();
    let (mut polled, mut place_in_log) = (Vec::new(), start.json()["next"].clone());
    loop {
        let since = place_in_log.as_str().unwrap();
        let page = place.get(&format!("{EVENTS}?since={since}&limit=1")).json();
        let Some(event) = page["data"].get(0) else { break };
        let mut event = event.clone();
        let id = event.as_object_mut().unwrap().remove("id").unwrap();
        polled.push((id.as_str().unwrap().to_owned(), event));
        place_in_log = page["next"].clone();
    }
    let dates: Vec<&Value> = polled.iter().map(|(_, event)| &event["data"]["date"]).collect();
    assert_eq!(dates, ["2026-09-01", "2026-10-01", "2026-11-01"]);
    polled.sort_by(|one, other| one.0.cmp(&other.0));
    called.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(polled, called);
    let all = place.get(EVENTS).json();
    assert_eq!(all["data"].as_array().unwrap().len(), 3);
    place.get(&format!("{EVENTS}?since=nonsense")).expect_error(400, "bad_request");
    place.get(&format!("{EVENTS}?limit=1001")).expect_error(400, "bad_request");
}

#[test]
fn a_listener_hears_what_is_published_and_goes_on_where_it_was() {
    let place = Place::new();
    let mut listener = Listener::start(&place.server, &place.key, "");
    let head = listener.wait_for("id: ").to_lowercase();
    for header in
        ["content-type: text/event-stream\r\n", "cache-control: no-store", "x-accel-buffering: no"]
    {
        assert!(head.contains(header), "{head}");
    }
    assert!(head.contains("retry: 5000\n"), "{head}");
    let started = Instant::now();
    place.publish("09/2026", "0.48");
    let read = listener.wait_for("2026-09-01").to_owned();
    assert!(started.elapsed() < Duration::from_secs(60));
    assert!(read.contains("event: rate.published\n"), "{read}");
    listener.wait_for("}\n\n");
    let first = listener.events();
    let id = first[0]["id"].as_str().unwrap().to_owned();
    assert!(read.contains(&format!("id: {id}\n")), "{read}");
    assert_eq!(place.get(EVENTS).json()["data"], json!(first));
    drop(listener);

    place.publish("10/2026", "0.22");
    let mut again = Listener::start(&place.server, &place.key, &format!("Last-Event-ID: {id}\r\n"));
    let read = again.wait_for("2026-10-01");
    assert!(!read.contains("2026-09-01"), "{read}");
    // The heartbeat follows after some silence.
    again.wait_for(": still here\n\n");
}

#[test]
fn a_bad_place_is_refused_before_the_stream_starts() {
    let place = Place::new();
    let accept = "Accept: text/event-stream\r\n";
    let headers = format!("{}{accept}Last-Event-ID: nonsense\r\n", with(&place.key));
    let message = place.server.keyless("GET", EVENTS, &headers).expect_error(400, "bad_request");
    assert!(message.contains("Last-Event-ID"), "{message}");
    let headers = format!("{}{accept}", with(&place.key));
    let since = format!("{EVENTS}?since=nonsense");
    place.server.keyless("GET", &since, &headers).expect_error(400, "bad_request");
    place.server.keyless("GET", EVENTS, accept).expect_error(403, "plan_required");
    let head = place.server.keyless("HEAD", EVENTS, &headers);
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")));
}

#[test]
fn a_key_may_listen_five_times() {
    let place = Place::new();
    let mut listeners: Vec<Listener> =
        (0..5).map(|_| Listener::start(&place.server, &place.key, "")).collect();
    listeners.iter_mut().for_each(|listener| {
        listener.wait_for("retry: ");
    });
    let headers = format!("{}Accept: text/event-stream\r\n", with(&place.key));
    let message = place.server.keyless("GET", EVENTS, &headers).expect_error(429, "rate_limited");
    assert!(message.contains('5'), "{message}");
    let other = new_key(&place.server.accounts(), Plan::Platinum);
    Listener::start(&place.server, &other, "").wait_for("retry: ");
}

#[test]
fn a_stream_ends_with_its_right_and_with_the_server() {
    let mut place = Place::process();
    let accounts = place.server.accounts();
    let [lower, revoked] = [(), ()].map(|()| new_key(&accounts, Plan::Platinum));
    let mut streams =
        [&lower, &revoked, &place.key].map(|key| Listener::start(&place.server, key, ""));
    streams.iter_mut().for_each(|stream| {
        stream.wait_for("retry: ");
    });
    keys::set_plan(&accounts, &lower.prefix(), Plan::Gold).unwrap();
    keys::revoke(&accounts, &revoked.prefix(), DateTime::UNIX_EPOCH).unwrap();
    let [lower, revoked, stays] = streams;
    // The end of a stream is the chunk without bytes.
    assert!(lower.ends_with_a_last_chunk() && revoked.ends_with_a_last_chunk());
    let started = Instant::now();
    Command::new("kill").args(["-TERM", &place.server.pid().to_string()]).status().unwrap();
    stays.ends();
    assert!(place.server.wait().success());
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
}

impl Listener {
    /// Reads until the stream ends.
    fn ends_with_a_last_chunk(mut self) -> bool {
        self.wait_for("\r\n0\r\n\r\n").ends_with("\r\n0\r\n\r\n")
    }
}
