//! What may be asked for as a webhook, by whom; and what the operator and the usage page show of it.
use fincore::Plan;
use serde_json::{Value, json};

use crate::{
    harness::{Server, finserve, new_key, with},
    receiver::Receiver,
    webhooks::Place,
};

const HOOKS: &str = "/api/v1/webhooks";

/// Every way that we know to write an address that is not public.
const FORBIDDEN: [&str; 36] = [
    "https://127.0.0.1/",
    "https://127.0.0.1:8443/hook",
    "https://127.1/",
    "https://127.255.255.254/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.0.0.1/",
    "https://0177.0.0.1/",
    "https://017700000001/",
    "https://0.0.0.0/",
    "https://0/",
    "https://10.0.0.1/",
    "https://172.16.0.1/",
    "https://172.31.255.255/",
    "https://192.168.1.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://169.254.0.1/",
    "https://100.64.0.1/",
    "https://198.18.0.1/",
    "https://224.0.0.1/",
    "https://255.255.255.255/",
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[0:0:0:0:0:ffff:a9fe:a9fe]/",
    "https://[::127.0.0.1]/",
    "https://[fe80::1]/",
    "https://[fc00::1]/",
    "https://[fd00:ec2::254]/",
    "https://[64:ff9b::7f00:1]/",
    "https://localhost/",
    "https://LOCALHOST./",
    "https://foo.localhost/",
    "https://metadata.google.internal/",
    "http://example.com/",
];

#[test]
fn unusual_ports_and_secrets_are_refused_in_addresses() {
    let server = Server::start_with(&["--webhook-port", "444, 25", "--webhook-port", "587"]);
    let key = new_key(&server.accounts(), Plan::Platinum);
    let post = |url: &str| {
        let wanted = json!({"url": url, "events": ["rate.published"]}).to_string();
        server.post(HOOKS, &with(&key), &wanted)
    };
    for port in [443, 8443, 1024, 25, 444, 587] {
        let url = format!("https://8.8.8.8:{port}/hook");
        assert_eq!(post(&url).status, 201, "{port}");
    }
    for port in [22, 80, 445, 1023] {
        let said = post(&format!("https://8.8.8.8:{port}/")).expect_error(400, "bad_request");
        assert!(said.contains(&format!("do not call port {port};")), "{said}");
    }
    for secret in [key.reveal().to_owned(), key.reveal().replace('_', "%5F")] {
        let said = post(&format!("https://8.8.8.8/?k={secret}")).expect_error(400, "bad_request");
        assert!(said.contains("its receiver would learn it"), "{said}");
    }
}

#[test]
fn addresses_that_are_not_public_are_refused() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Platinum);
    for url in FORBIDDEN {
        let wanted = json!({"url": url, "events": ["rate.published"]}).to_string();
        let reply = server.post(HOOKS, &with(&key), &wanted);
        assert_eq!(reply.status, 400, "{url}: {}", reply.text());
        reply.expect_error(400, "bad_request");
    }
    assert_eq!(server.keyless("GET", HOOKS, &with(&key)).json()["total"], 0);
}

#[test]
fn what_is_wrong_with_a_request_is_said() {
    let place = Place::new();
    let post = |body: &str| place.server.post(HOOKS, &with(&place.key), body);
    let wrong = [
        ("", "the body must look like"),
        ("[]", "the body must look like"),
        (r#"{"url": "http://127.0.0.1/"}"#, "events"),
        (r#"{"url": "http://127.0.0.1/", "events": []}"#, "event"),
        (r#"{"url": "http://127.0.0.1/", "events": ["rate.gone"]}"#, "rate.gone"),
        (r#"{"url": "ftp://127.0.0.1/", "events": ["rate.published"]}"#, "ftp://"),
        (r#"{"url": "http://127.0.0.1/", "events": ["rate.published"], "colour": 1}"#, "colour"),
        (
            r#"{"url": "http://127.0.0.1/", "events": ["filing.published"], "company": "999999"}"#,
            "999999",
        ),
    ];
    for (body, words) in wrong {
        let reply = post(body);
        assert!((400..=404).contains(&reply.status), "{body}: {}", reply.text());
        let message = reply.json()["message"].as_str().unwrap().to_owned();
        assert!(message.contains(words), "{body}: {message}");
    }
    let long = format!("{{\"url\": \"http://127.0.0.1/{}\"}}", "x".repeat(20_000));
    post(&long).expect_error(413, "payload_too_large");
    let plain = "Content-Type: text/plain\r\nContent-Length: 2\r\n";
    let head = format!(
        "POST {HOOKS} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n{plain}{}\r\n{{}}",
        with(&place.key)
    );
    place.server.send(head.as_bytes()).expect_error(415, "unsupported_media_type");
}

#[test]
fn a_webhook_belongs_to_its_key() {
    let place = Place::new();
    let other = new_key(&place.server.accounts(), Plan::Platinum);
    let gold = new_key(&place.server.accounts(), Plan::Gold);
    let wanted = json!({"url": "http://127.0.0.1:9/", "events": ["rate.published"]});
    let (id, _) = place.subscribe(&wanted);
    let one = format!("{HOOKS}/{id}");
    for (method, target) in [
        ("GET", one.clone()),
        ("DELETE", one.clone()),
        ("POST", format!("{one}/test")),
        ("GET", format!("{one}/deliveries")),
        ("POST", format!("{one}/deliveries/dlv_1/replay")),
        ("GET", format!("{HOOKS}/nonsense")),
    ] {
        let reply = place.server.keyless(method, &target, &with(&other));
        reply.expect_error(404, "not_found");
    }
    assert_eq!(place.server.keyless("GET", HOOKS, &with(&other)).json()["data"], json!([]));
    for headers in [String::new(), with(&gold)] {
        let refused = place.server.keyless("GET", HOOKS, &headers);
        refused.expect_error(403, "plan_required");
        assert_eq!(refused.json()["required_plan"], "platinum");
    }
    let deleted = place.server.keyless("DELETE", &one, &with(&place.key));
    assert_eq!((deleted.status, deleted.body.len()), (204, 0));
    place.get(&one).expect_error(404, "not_found");
    place.get(&format!("{one}/deliveries?limit=0")).expect_error(400, "bad_request");
}

#[test]
fn a_key_has_ten_webhooks_at_most() {
    let place = Place::new();
    let wanted = json!({"url": "http://127.0.0.1:9/", "events": ["rate.published"]});
    for _ in 0..10 {
        place.subscribe(&wanted);
    }
    let reply = place.server.post(HOOKS, &with(&place.key), &wanted.to_string());
    let message = reply.expect_error(400, "bad_request");
    assert!(message.contains("10"), "{message}");
}

#[test]
fn the_operator_lists_and_disables() {
    let (place, receiver) = (Place::new(), Receiver::start(&[]));
    let (id, _) = place.subscribe(&json!({"url": receiver.url("/"), "events": ["rate.published"]}));
    let run = |arguments: &[&str]| {
        let output = finserve(&[&["webhooks"], arguments].concat())
            .arg("--data")
            .arg(place.server.data.path())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let (code, list, _) = run(&["list"]);
    assert_eq!(code, Some(0));
    assert!(
        list.contains(&id) && list.contains("active") && list.contains(&receiver.url("/")),
        "{list}"
    );
    let (_, json, _) = run(&["list", "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json[0]["id"], &json[0]["pending"]), (&json!(id), &json!(0)));
    assert!(!json.to_string().contains("whsec_"));

    let (code, said, _) = run(&["disable", &id, "--reason", "too slow <b>"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(&id), "{said}");
    let found = place.get(&format!("{HOOKS}/{id}")).json();
    assert_eq!((&found["status"], &found["reason"]), (&json!("disabled"), &json!("too slow <b>")));
    let (code, _, errors) = run(&["disable", "nonsense"]);
    assert_eq!(code, Some(1));
    assert!(errors.contains("nonsense"), "{errors}");

    // What is published now is told to others only.
    let other = Receiver::start(&[]);
    let (told, _) = place.subscribe(&json!({"url": other.url("/"), "events": ["rate.published"]}));
    place.publish("09/2026", "0.48");
    place.publish("10/2026", "0.22");
    other.wait_for(2);
    place.delivery(&told, |delivery| delivery["status"] == "delivered");
    assert!(receiver.received().is_empty());
    let page = place.server.send(form(&place).as_bytes());
    assert_eq!(page.status, 200);
    let page = page.text();
    assert!(page.contains("too slow &lt;b&gt;") && page.contains(&receiver.url("/")), "{page}");
    assert!(page.contains("rate.published") && page.contains("delivered"), "{page}");
}

/// The form of the usage page.
fn form(place: &Place) -> String {
    let body = format!("key={}", place.key.reveal());
    format!(
        "POST /usage HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: {}\r\n\
         Content-Type: application/x-www-form-urlencoded\r\n\r\n{body}",
        body.len()
    )
}
