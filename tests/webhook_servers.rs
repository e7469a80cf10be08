//! Several servers on one data directory: one of them calls the webhooks.
use std::{
    fs::{self, File},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use serde_json::json;

use crate::{harness::finserve, receiver::Receiver, webhooks::Place};

/// A second server, killed when dropped.
struct Second(Child);

impl Drop for Second {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn one_server_delivers_and_another_goes_on_when_it_ends() {
    let (place, receiver) = (Place::process(), Receiver::start(&[]));
    let (id, _) = place.subscribe(&json!({"url": receiver.url("/"), "events": ["rate.published"]}));
    place.publish("09/2026", "0.48");
    receiver.wait_for(1);

    let errors = place.server.data.path().join("second.txt");
    let second = finserve(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--webhook-allow-private",
        "--shared",
        "--event-window",
        "0",
        "--data",
    ])
    .arg(place.server.data.path())
    .stdout(Stdio::null())
    .stderr(File::create(&errors).unwrap())
    .spawn()
    .unwrap();
    let _second = Second(second);
    let waits =
        || fs::read_to_string(&errors).unwrap().contains("another server calls the webhooks");
    assert!((0..3000).any(|_| {
        thread::sleep(Duration::from_millis(20));
        waits()
    }));
    place.publish("10/2026", "0.22");
    receiver.wait_for(2);
    let dates = || -> Vec<String> {
        let calls = receiver.received();
        calls
            .iter()
            .map(|call| call.text().split("\"date\":\"").nth(1).unwrap()[..10].to_owned())
            .collect()
    };
    assert_eq!(dates(), ["2026-09-01", "2026-10-01"], "no event comes twice");

    // What was not recorded would come again.
    place.delivery(&id, |delivery| delivery["status"] == "delivered");
    let first = place.server.pid().to_string();
    assert!(Command::new("kill").args(["-KILL", &first]).status().unwrap().success());
    place.publish("11/2026", "0.31");
    receiver.wait_for(3);
    assert_eq!(dates(), ["2026-09-01", "2026-10-01", "2026-11-01"]);
}
