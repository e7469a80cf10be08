//! Keys and usage: registration, the operator's commands, and what is left on disk.
use std::{collections::HashSet, fs, process::Output, thread};

use fincore::{Key, Plan};
use serde_json::{Value, json};

use crate::{
    access::wait_for,
    harness::{Server, finserve, new_key, with},
};

const REGISTER: &str = "/api/v1/plans/register";
const USAGE: &str = "/api/v1/plans/usage";
const ANA: &str = r#"{"name":" Ana ","email":"ana@example.com"}"#;

fn run(server: &Server, arguments: &[&str]) -> Output {
    finserve(arguments).arg("--data").arg(server.data.path()).output().unwrap()
}

/// What a command prints; it must succeed.
#[track_caller]
fn output(server: &Server, arguments: &[&str]) -> String {
    let output = run(server, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn proxied(arguments: &[&str]) -> Server {
    let arguments = [&["--trusted-proxy", "127.0.0.0/8"], arguments].concat();
    Server::start_with(&arguments)
}

fn from(n: u32) -> String {
    format!("X-Forwarded-For: {}\r\n", std::net::Ipv4Addr::from_bits(0x0a00_0000 + n))
}

#[test]
fn registration_gives_a_key_that_works_at_once() {
    let server = Server::start();
    let reply = server.post(REGISTER, "", ANA);
    assert_eq!(reply.status, 201, "{}", reply.text());
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    let json = reply.json();
    let members: Vec<_> = json.as_object().unwrap().keys().collect();
    assert_eq!(members, ["api_key", "message", "plan", "rate_limit"]);
    assert_eq!((&json["plan"], &json["rate_limit"]), (&json!("free"), &json!(30)));

    let key: Key = json["api_key"].as_str().unwrap().parse().unwrap();
    let reply = server.keyless("GET", USAGE, &with(&key));
    assert_eq!((reply.status, reply.header("x-ratelimit-remaining")), (200, Some("29")));
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    let record = fincore::keys::list(&server.accounts()).unwrap().pop().unwrap();
    assert_eq!((record.name.to_string(), record.plan), ("Ana".into(), Plan::Free));
    assert_eq!(server.post(REGISTER, "", ANA).status, 201);
}

#[test]
fn a_wrong_registration_is_told_what_is_wrong() {
    let server = proxied(&[]);
    let long = format!(r#"{{"name":"{}","email":"a@b.co"}}"#, "x".repeat(101));
    let cases = [
        ("", "the body must look like"),
        ("null", "the body must look like"),
        ("[\"Ana\",\"ana@example.com\"]", "the body must look like"),
        ("{", "EOF"),
        ("{}", "missing field `name`"),
        (r#"{"name":"Ana"}"#, "missing field `email`"),
        (r#"{"name":"","email":"a@b.co"}"#, "is not a name"),
        (r#"{"name":"  ","email":"a@b.co"}"#, "is not a name"),
        (r#"{"name":"a\u0007","email":"a@b.co"}"#, "is not a name"),
        (r#"{"name":"Ana","email":"a"}"#, "is not an e-mail address"),
        (r#"{"name":"Ana","email":"a@b.co, c@d.co"}"#, "is not an e-mail address"),
        (r#"{"name":1,"email":"a@b.co"}"#, "invalid type"),
        (r#"{"name":"Ana","email":"a@b.co","plan":"gold"}"#, "unknown field `plan`"),
        (r#"{"name":"Ana","name":"Ana","email":"a@b.co"}"#, "duplicate field `name`"),
        (r#"{"name":"Ana","email":"a@b.co"} x"#, "trailing characters"),
        (&long, "is not a name"),
    ];
    for (n, (body, part)) in (0..).zip(cases) {
        let message = server.post(REGISTER, &from(n), body).expect_error(400, "bad_request");
        assert!(message.contains(part), "{body}: {message}");
    }
    for length in [16 * 1024 + 1, 500_000] {
        let too_long = "x".repeat(length);
        server.post(REGISTER, &from(100), &too_long).expect_error(413, "payload_too_large");
    }
    for media in
        ["", "Content-Type: text/plain\r\n", "Content-Type: application/x-www-form-urlencoded\r\n"]
    {
        let headers = format!("{media}Content-Length: 0\r\n");
        server.keyless("POST", REGISTER, &headers).expect_error(415, "unsupported_media_type");
    }
    let query = server.post("/api/v1/plans/register?plan=gold", &from(101), ANA);
    query.expect_error(400, "bad_request");
    let get = server.keyless("GET", REGISTER, "");
    get.expect_error(405, "method_not_allowed");
    assert_eq!(get.header("allow"), Some("POST, OPTIONS"));
    assert_eq!(fincore::keys::list(&server.accounts()).unwrap().len(), 4);
}

#[test]
fn a_key_in_the_place_of_an_address_is_refused_and_stored_nowhere() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Free);
    let email = format!("{}@example.com", key.reveal());
    let body = json!({"name": "Ana", "email": email}).to_string();
    let reply = server.post(REGISTER, "", &body);
    reply.expect_error(400, "bad_request");
    assert!(reply.text().contains("this looks like a key"), "{}", reply.text());
    let form = format!("name=Ana&email={email}");
    let request = format!(
        "POST /pricing HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
        form.len()
    );
    let page = server.send(request.as_bytes());
    assert_eq!(page.status, 400);
    assert!(page.text().contains("This looks like a key"), "{}", page.text());
    for text in [reply.text(), page.text()] {
        assert!(!text.contains(key.reveal()), "{text}");
    }
    let records = fincore::keys::list(&server.accounts()).unwrap();
    assert!(records.iter().all(|record| !record.email.as_str().contains("fin_")));
}

#[test]
fn an_address_registers_only_so_many_keys_an_hour() {
    let server = proxied(&["--registrations-per-hour", "3"]);
    // What is no registration does not count as one.
    assert_eq!(server.post(REGISTER, &from(1), "{}").status, 400);
    for _ in 0..3 {
        assert_eq!(server.post(REGISTER, &from(1), ANA).status, 201);
    }
    let refused = server.post(REGISTER, &from(1), ANA);
    let message = refused.expect_error(429, "rate_limited");
    assert!(message.contains("3 keys per hour"), "{message}");
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((3500..=3600).contains(&wait), "{wait}");
    assert_eq!(server.post(REGISTER, &from(2), ANA).status, 201);
}

#[test]
fn usage_needs_a_key_and_adds_up() {
    let mut server = Server::process(&[]);
    let reply = server.keyless("GET", USAGE, "");
    reply.expect_error(401, "api_key_required");
    assert!(reply.header("www-authenticate").is_some());

    let key = new_key(&server.accounts(), Plan::Bronze);
    wait_for(&server, &key, "bronze");
    let ask = |target: &str| server.keyless("GET", target, &with(&key)).status;
    let selic = "/api/v1/market/selic";
    for _ in 0..60 {
        assert_eq!(ask(selic), 200);
    }
    assert_eq!(ask("/api/v1/market/selic?limit=0"), 400);
    assert_eq!(ask("/api/v1/market/fx?from=2000-01-01"), 403);
    assert_eq!(ask("/nope"), 404);
    assert_eq!(ask("/health"), 200);
    for left in (0..38).rev() {
        let reply = server.keyless("GET", USAGE, &with(&key));
        assert_eq!(reply.header("x-ratelimit-remaining"), Some(left.to_string().as_str()));
        let wanted = json!({ "requests": 62 + 37 - left, "errors": 2, "rate_limited": 0 });
        assert_eq!(reply.json()["total"], wanted);
    }
    for _ in 0..7 {
        assert_eq!(ask(selic), 429);
    }
    assert_eq!(ask(&format!("{USAGE}?from=2026-01-02&to=2026-01-01")), 429);

    // A clean stop loses nothing.
    let pid = server.pid().to_string();
    assert!(std::process::Command::new("kill").arg(&pid).status().unwrap().success());
    assert!(server.wait().success());
    let prefix = key.prefix().to_string();
    let report: Value =
        serde_json::from_str(&output(&server, &["usage", &prefix, "--json"])).unwrap();
    assert_eq!(report["total"], json!({ "requests": 100, "errors": 2, "rate_limited": 8 }));
    let day = &report["data"][0];
    let endpoints = json!({ selic: 61, "/api/v1/market/fx": 1, USAGE: 38 });
    assert_eq!((&day["endpoints"], &day["requests"]), (&endpoints, &json!(100)));
    assert_eq!((&report["plan"], &report["rate_limit"]), (&json!("bronze"), &json!(100)));
    assert_eq!(report["key"], format!("{prefix}…"));
}

#[test]
fn a_running_server_obeys_the_operator() {
    let server = Server::start();
    let create = ["keys", "create", "--plan", "bronze", "--name", "Ana", "--email", "a@b.co"];
    let printed = output(&server, &create);
    let key: Key = printed.strip_suffix('\n').unwrap().parse().unwrap();
    let prefix = key.prefix().to_string();
    wait_for(&server, &key, "bronze");
    output(&server, &["keys", "set-plan", &prefix, "platinum"]);
    wait_for(&server, &key, "platinum");
    output(&server, &["keys", "revoke", &prefix]);
    wait_until_refused(&server, &key);

    let list = output(&server, &["keys", "list"]);
    assert!(list.contains(&prefix) && list.contains("Ana <a@b.co>"), "{list}");
    assert!(!list.contains(key.reveal()), "{list}");
    let json: Value = serde_json::from_str(&output(&server, &["keys", "list", "--json"])).unwrap();
    let row = json.as_array().unwrap().last().unwrap();
    assert_eq!((&row["prefix"], &row["plan"]), (&json!(prefix), &json!("platinum")));
    assert!(row["revoked"].is_string() && row["created"].is_string());
}

pub(crate) fn wait_until_refused(server: &Server, key: &Key) {
    let started = std::time::Instant::now();
    while server.keyless("GET", "/health", &with(key)).status != 401 {
        assert!(started.elapsed().as_secs() < 20, "the key is still good");
    }
}

#[test]
fn commands_refuse_what_they_cannot_do() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Free);
    let prefix = key.prefix().to_string();
    let cases: [(&[&str], i32, &str); 8] = [
        (&["keys", "set-plan", "fin_00000000", "gold"], 1, "no key starts with"),
        (&["keys", "revoke", key.reveal()], 1, "too long for the prefix of a key"),
        (&["keys", "revoke", "x"], 1, "is not the prefix of a key"),
        (&["keys", "set-plan", &prefix, "silver"], 2, "is not a plan"),
        (&["keys", "create", "--plan", "gold", "--name", "A", "--email", "a"], 2, "e-mail"),
        (&["usage", "fin_00000000"], 1, "no key starts with"),
        (&["usage", &prefix, "--from", "2026-01-02", "--to", "2026-01-01"], 1, "is after"),
        (&["backup", "/nowhere/copy.db"], 1, "/nowhere/copy.db"),
    ];
    for (arguments, code, part) in cases {
        let output = run(&server, arguments);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
        assert!(message.contains(part), "{arguments:?}: {message}");
        assert!(output.stdout.is_empty() && !message.contains(key.reveal()), "{message}");
    }
}

#[test]
#[ignore = "long"]
fn accounts_are_copied_and_checked_while_in_use() {
    let server = Server::start();
    let copy = server.data.path().join("copy.db");
    server.accounts().backup(&copy).unwrap();
    let check = output(&server, &["check"]);
    for part in [
        "catalogue.db: sound, schema version",
        "accounts.db: sound, schema version 7",
        "key: 4 rows",
    ] {
        assert!(check.contains(part), "{check}");
    }
    assert!(check.contains("rate: ") && check.contains("newest 2026-"), "{check}");

    let mut bytes = fs::read(&copy).unwrap();
    let last_page = bytes.len() - 4096;
    bytes[last_page..last_page + 16].fill(0xff);
    let damaged = tempfile::tempdir().unwrap();
    fs::copy(server.data.path().join("catalogue.db"), damaged.path().join("catalogue.db")).unwrap();
    fs::write(damaged.path().join("accounts.db"), bytes).unwrap();
    let check = finserve(&["check", "--data"]).arg(damaged.path()).output().unwrap();
    assert_eq!(check.status.code(), Some(1), "{}", String::from_utf8_lossy(&check.stdout));

    let elsewhere = tempfile::tempdir().unwrap();
    let nothing = finserve(&["check", "--data"]).arg(elsewhere.path()).output().unwrap();
    assert_eq!(nothing.status.code(), Some(1));
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
#[ignore = "long"]
fn no_key_is_left_anywhere() {
    let flags = ["--trusted-proxy", "127.0.0.0/8", "--registrations-per-hour", "1000"];
    let mut server = Server::process(&flags);
    let said: Vec<(Key, String)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|thread| {
                let server = &server;
                scope.spawn(move || {
                    (0..125)
                        .map(|n| register_and_call(server, thread * 125 + n))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let mut texts: Vec<Vec<u8>> = said.iter().map(|(_, said)| said.clone().into_bytes()).collect();
    for command in [&["keys", "list"][..], &["keys", "list", "--json"], &["check"]] {
        texts.push(output(&server, command).into_bytes());
    }
    output(&server, &["backup", server.data.path().join("copy.db").to_str().unwrap()]);
    let pid = server.pid().to_string();
    assert!(std::process::Command::new("kill").arg(&pid).status().unwrap().success());
    assert!(server.wait().success());
    let files = fs::read_dir(server.data.path()).unwrap();
    texts.extend(files.map(|entry| fs::read(entry.unwrap().path()).unwrap()));

    let secrets: HashSet<&[u8]> =
        said.iter().map(|(key, _)| &key.reveal().as_bytes()[12..]).collect();
    assert_eq!(secrets.len(), 1000);
    let length = secrets.iter().next().unwrap().len();
    let runs = texts.iter().flat_map(|text| text.split(|byte| !byte.is_ascii_alphanumeric()));
    let found = runs.flat_map(|run| run.windows(length)).find(|part| secrets.contains(part));
    assert_eq!(found, None);
}

/// A new key, and everything that the server says when it is used, well and badly.
fn register_and_call(server: &Server, n: u32) -> (Key, String) {
    let mut reply = server.post(REGISTER, &from(n), ANA);
    // A disk that is slow for two seconds asks for another try.
    while reply.status == 503 {
        reply = server.post(REGISTER, &from(n), ANA);
    }
    assert_eq!(reply.status, 201, "{}", reply.text());
    let key: Key = reply.json()["api_key"].as_str().unwrap().parse().unwrap();
    let secret = key.reveal();
    let twice = format!("{}Authorization: Bearer {secret}0\r\n", with(&key));
    let replies = [
        server.keyless("GET", USAGE, &with(&key)),
        server.keyless("GET", "/api/v1/market/selic?from=2000-01-01", &with(&key)),
        server.keyless("GET", "/health", &format!("X-API-Key: {secret}0\r\n")),
        server.keyless("GET", "/health", &twice),
        server.keyless("GET", &format!("/{secret}"), &with(&key)),
        server.keyless("GET", &format!("/health?{secret}=1"), &with(&key)),
        server.keyless("GET", &format!("/api/v1/market/selic?limit={secret}"), &with(&key)),
    ];
    (key, replies.iter().map(|reply| format!("{reply:?}{}", reply.text())).collect())
}

#[test]
fn listing_keys_creates_nothing() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("new");
    let list = || finserve(&["--data", data.to_str().unwrap(), "keys", "list"]).output().unwrap();
    let output = list();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("there is no directory") && said.contains("--data"), "{said}");
    assert!(!data.exists());
    fs::create_dir(&data).unwrap();
    let output = list();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 1, "the header alone");
    assert_eq!(fs::read_dir(&data).unwrap().count(), 0);
    let create = ["--data", data.to_str().unwrap(), "keys", "create", "--plan", "free"];
    let who = ["--name", "Ana", "--email", "ana@example.com"];
    let output = finserve(&create).args(who).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stderr).unwrap().contains("creating them"));
}
