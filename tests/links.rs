//! Links: addresses that carry their right. What they read, what they never read, whom they are counted to, and that no
//! token is left anywhere.
use std::{
    fs,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use fincore::{
    Key, LinkToken, Plan,
    chrono::DateTime,
    keys,
    links::{self, NewLink},
};
use serde_json::{Value, json};

use crate::{
    harness::{Reply, Server, finserve, new_key, with},
    operation::ask,
};

const SELIC: &str = "/api/v1/market/selic/current";
const LINKS: &str = "/api/v1/links";

/// A link of a key, made by another program.
fn link(server: &Server, key: &Key, path: Option<&str>) -> LinkToken {
    let accounts = server.accounts();
    let id = keys::id(&accounts, &key.prefix()).unwrap();
    let path = path.map(|path| path.parse().unwrap());
    let new = NewLink { name: "Budget".parse().unwrap(), path };
    links::create(&accounts, id, &new, DateTime::UNIX_EPOCH).unwrap().1
}

fn revoke_all(server: &Server, key: &Key) {
    let accounts = server.accounts();
    let id = keys::id(&accounts, &key.prefix()).unwrap();
    for link in links::list(&accounts, id).unwrap() {
        links::revoke(&accounts, id, &link.id, DateTime::UNIX_EPOCH).unwrap();
    }
}

/// An address with a token.
fn address(target: &str, token: &str) -> String {
    let mark = if target.contains('?') { '&' } else { '?' };
    format!("{target}{mark}token={token}")
}

fn by_link(server: &Server, target: &str, token: &LinkToken) -> Reply {
    server.keyless("GET", &address(target, token.reveal()), "")
}

/// Between two looks: a second of them stays within the limit of every plan.
const PAUSE: Duration = Duration::from_millis(50);

/// Asks until a link that was revoked is refused; returns how long that took.
fn until_refused(server: &Server, token: &LinkToken) -> Duration {
    let started = Instant::now();
    while by_link(server, SELIC, token).status != 401 {
        assert!(started.elapsed().as_secs() < 20, "the link is still good");
        thread::sleep(PAUSE);
    }
    started.elapsed()
}

/// Each plan, each kind of data, and each state of a link.
#[test]
fn eighty_links_read_what_their_plan_and_their_path_allow() {
    let server = Server::start_with(&["--trusted-proxy", "127.0.0.1"]);
    let endpoints = [
        (Plan::Free, SELIC),
        (Plan::Bronze, "/api/v1/companies?limit=1"),
        (Plan::Gold, "/api/v1/filings/search?q=petrobras&limit=1"),
        (Plan::Gold, "/api/v1/export/selic?from=2026-01-01"),
        (Plan::Platinum, "/api/v1/market/selic?limit=1&format=csv"),
    ];
    let mut cases = 0;
    for plan in Plan::ALL {
        let (key, other) = (new_key(&server.accounts(), plan), new_key(&server.accounts(), plan));
        let whole = link(&server, &key, None);
        let elsewhere = link(&server, &key, Some("/api/v1/market/cdi/current"));
        let revoked = link(&server, &other, None);
        revoke_all(&server, &other);
        for (needed, target) in endpoints {
            let here = link(&server, &key, Some(target));
            let reached = if plan >= needed { (200, "") } else { (403, "plan_required") };
            for (state, token, (status, code)) in [
                ("whole", &whole, reached),
                ("bound here", &here, reached),
                ("bound elsewhere", &elsewhere, (403, "link_scope")),
                ("revoked", &revoked, (401, "invalid_link")),
            ] {
                cases += 1;
                let place = format!("{plan} {target} {state}");
                let from = format!("X-Forwarded-For: 192.0.2.{cases}\r\n");
                let reply = server.keyless("GET", &address(target, token.reveal()), &from);
                assert_eq!(reply.status, status, "{place}: {:?}", reply.headers);
                let caller = if status == 401 { "free" } else { plan.id() };
                assert_eq!(reply.header("x-plan"), Some(caller), "{place}");
                assert_eq!(reply.header("referrer-policy"), Some("no-referrer"), "{place}");
                assert_eq!(reply.header("cache-control"), Some("private, no-store"), "{place}");
                if !code.is_empty() {
                    reply.expect_error(status, code);
                }
                // A guess costs the address, everything else the key.
                if status == 401 {
                    assert_eq!(reply.header("x-ratelimit-remaining"), Some("29"), "{place}");
                    assert!(reply.header("www-authenticate").is_some(), "{place}");
                }
            }
        }
    }
    assert_eq!(cases, 80);
}

#[test]
fn a_link_only_reads_data() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Platinum);
    let token = link(&server, &key, None);
    let never = [
        ("GET", "/api/v1/links"),
        ("POST", "/api/v1/links"),
        ("DELETE", "/api/v1/links/lnk_0123456789012345678901"),
        ("GET", "/api/v1/webhooks"),
        ("POST", "/api/v1/webhooks"),
        ("GET", "/api/v1/events"),
        ("GET", "/api/v1/plans"),
        ("GET", "/api/v1/plans/usage"),
        ("POST", "/api/v1/plans/register"),
        ("GET", "/api/v1/status"),
        ("GET", "/health"),
        ("GET", "/"),
        ("GET", "/usage"),
        ("POST", "/usage"),
        ("GET", "/market/selic"),
        ("GET", "/market/download/selic"),
        ("GET", "/docs/openapi.json"),
        ("POST", "/mcp"),
    ];
    for (method, target) in never {
        let reply = server.keyless(method, &address(target, token.reveal()), "");
        let message = reply.expect_error(403, "link_scope");
        assert!(message.contains("only reads data"), "{method} {target}: {message}");
    }
    for (method, target, status) in [
        ("GET", "/api/v1/market/selic?limit=2", 200),
        ("HEAD", "/api/v1/market/selic?limit=2", 200),
        ("GET", "/api/v1/calc/rate?value=1&from=month&to=year252", 200),
        ("GET", "/api/v1/calendar/2026-11-20", 200),
        ("GET", "/api/v1/export", 200),
        ("OPTIONS", "/api/v1/market/selic", 204),
        ("DELETE", "/api/v1/market/selic", 405),
        ("GET", "/nope", 404),
    ] {
        let reply = server.keyless(method, &address(target, token.reveal()), "");
        assert_eq!(reply.status, status, "{method} {target}: {}", reply.text());
    }
}

#[test]
fn whatever_becomes_of_a_request_with_a_token_is_in_no_cache_and_no_referrer() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Gold);
    let token = link(&server, &key, None);
    let token = token.reveal();
    for (method, target, status) in [
        ("GET", format!("{SELIC}?token={token}"), 200),
        ("GET", format!("{SELIC}?token={token}&nope=1"), 400),
        ("GET", format!("{SELIC}?token={token}%zz"), 401),
        ("GET", format!("{SELIC}?to%ken={token}"), 400),
        ("GET", format!("{SELIC}?q={token}"), 400),
        ("GET", format!("{SELIC}%3ftoken={token}"), 404),
        ("GET", format!("/pricing?token={token}"), 403),
        ("GET", format!("/pricing/?token={token}"), 308),
        ("GET", format!("/nope?token={token}"), 404),
        ("OPTIONS", format!("{SELIC}?token={token}"), 204),
        ("DELETE", format!("{SELIC}?token={token}"), 405),
    ] {
        let reply = server.keyless(method, &target, "");
        let text = String::from_utf8_lossy(&reply.body);
        assert_eq!(reply.status, status, "{method} {target}: {text}");
        assert_eq!(reply.header("cache-control"), Some("private, no-store"), "{method} {target}");
        assert_eq!(reply.header("referrer-policy"), Some("no-referrer"), "{method} {target}");
        assert!(!text.contains(token), "{method} {target}: {text}");
    }
}

#[test]
fn other_credentials_in_an_address_are_told_what_to_do() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Gold);
    let token = link(&server, &key, None);
    for name in ["token", "api_key", "key", "X-API-Key"] {
        let reply = server.keyless("GET", &format!("{SELIC}?{name}={}", key.reveal()), "");
        let message = reply.expect_error(400, "bad_request");
        assert!(message.contains("unknown") && message.contains("/api/v1/links"), "{message}");
        assert!(!message.contains(key.reveal()), "{message}");
    }
    // Two credentials leave open who is meant.
    let both = server.keyless("GET", &address(SELIC, token.reveal()), &with(&key));
    assert!(both.expect_error(400, "bad_request").contains("send one of them"));
    let twice = address(&address(SELIC, token.reveal()), token.reveal());
    let twice = server.keyless("GET", &twice, "").expect_error(400, "bad_request");
    assert!(twice.contains("given twice"), "{twice}");
    let (cut, unknown) = (&token.reveal()[..42], LinkToken::generate().unwrap());
    for (sent, wrong) in (1..).zip(["", "x", cut, "finl_", "FINL_x", unknown.reveal()]) {
        let reply = server.keyless("GET", &address(SELIC, wrong), "");
        let message = reply.expect_error(401, "invalid_link");
        assert!(wrong.len() < 6 || !reply.text().contains(wrong), "{message}");
        // Four keys and no more than these were sent from here so far.
        let left = (30 - 4 - sent).to_string();
        assert_eq!(reply.header("x-ratelimit-remaining"), Some(left.as_str()), "{wrong}");
    }
    // A page ignores what only looks like it.
    assert_eq!(server.keyless("GET", "/pricing?token=newsletter", "").status, 200);
    server.keyless("GET", "/api/v1/plans?token=x", "").expect_error(400, "bad_request");
}

#[test]
fn answers_by_link_are_those_of_the_key_and_lead_on_without_the_token() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Gold);
    let token = link(&server, &key, None);
    for target in ["/api/v1/market/selic?limit=3&offset=3", "/api/v1/filings?limit=2", SELIC] {
        let wanted = server.keyless("GET", target, &with(&key));
        // From the data, and then as it is cached.
        for _ in 0..3 {
            let reply = by_link(&server, target, &token);
            assert_eq!((reply.status, &reply.body), (200, &wanted.body), "{target}");
            for name in ["etag", "link", "content-type", "x-plan"] {
                assert_eq!(reply.header(name), wanted.header(name), "{target}: {name}");
            }
            assert_eq!(reply.header("cache-control"), Some("private, no-store"));
        }
        let tag = format!("If-None-Match: {}\r\n", wanted.header("etag").unwrap());
        let same = server.keyless("GET", &address(target, token.reveal()), &tag);
        assert_eq!((same.status, same.header("cache-control")), (304, Some("private, no-store")));
        assert_eq!(same.header("referrer-policy"), Some("no-referrer"));
        let again = server.keyless("GET", target, &with(&key));
        assert_eq!(again.header("cache-control"), Some("private, max-age=60"), "{target}");
        assert_eq!(again.header("referrer-policy"), None, "{target}");
    }
    let list = by_link(&server, "/api/v1/market/selic?limit=3", &token);
    assert!(list.header("link").unwrap().contains("offset=3>; rel=\"next\""));
}

#[test]
fn a_key_and_its_links_share_one_exact_limit() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Bronze);
    let tokens = [(); 3].map(|()| link(&server, &key, None));
    let passed = |reply: &Reply| u32::from(reply.status == 200);
    let (by_key, by_links): (u32, u32) = thread::scope(|scope| {
        let ask = |token: Option<&LinkToken>| match token {
            Some(token) => by_link(&server, SELIC, token),
            None => server.keyless("GET", SELIC, &with(&key)),
        };
        let callers: Vec<_> = [None, Some(&tokens[0]), Some(&tokens[1]), Some(&tokens[2])]
            .repeat(8)
            .into_iter()
            .map(|token| {
                let count = move || (0..5).map(|_| passed(&ask(token))).sum::<u32>();
                (token.is_none(), scope.spawn(count))
            })
            .collect();
        callers.into_iter().fold((0, 0), |(by_key, by_links), (is_key, caller)| {
            let passed = caller.join().unwrap();
            if is_key { (by_key + passed, by_links) } else { (by_key, by_links + passed) }
        })
    });
    assert_eq!(by_key + by_links, 100, "{by_key} {by_links}");
    let prefix = key.prefix().to_string();
    let usage = || -> Value {
        let mut command = finserve(&["usage", &prefix, "--json", "--data"]);
        let output = command.arg(server.data.path()).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let wanted = json!({"requests": 100, "errors": 0, "rate_limited": 60, "by_links": by_links});
    let started = Instant::now();
    while usage()["total"] != wanted {
        assert!(started.elapsed().as_secs() < 20, "{}, not {wanted}", usage());
    }
    assert_eq!(usage()["data"][0]["by_links"], by_links);
    let output = finserve(&["usage", &prefix, "--data"]).arg(server.data.path()).output().unwrap();
    let table = String::from_utf8(output.stdout).unwrap();
    let total = table.lines().last().unwrap().split_whitespace().collect::<Vec<_>>();
    assert!(table.contains("by links"), "{table}");
    assert_eq!(total, ["total", "100", &by_links.to_string(), "0", "60"], "{table}");
    assert_eq!(usage()["data"][0]["endpoints"], json!({SELIC: 100}));
}

#[test]
fn a_key_makes_lists_and_revokes_links_over_the_api() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Gold);
    let post = |body: &str| server.post(LINKS, &with(&key), body);
    let path = "/api/v1/market/selic?limit=1";
    let made = post(&json!({"name": " Budget ", "path": path}).to_string());
    assert_eq!((made.status, made.header("cache-control")), (201, Some("no-store")));
    let json = made.json();
    let members: Vec<_> = json.as_object().unwrap().keys().collect();
    assert_eq!(members, ["created", "id", "name", "path", "token"]);
    assert_eq!((&json["name"], &json["path"]), (&json!("Budget"), &json!(path)));
    let token: LinkToken = json["token"].as_str().unwrap().parse().unwrap();
    assert_eq!(by_link(&server, path, &token).status, 200);
    by_link(&server, "/api/v1/market/selic?limit=2", &token).expect_error(403, "link_scope");

    let list = || server.keyless("GET", LINKS, &with(&key)).json();
    let started = Instant::now();
    while list()["data"][0]["last_used"].is_null() {
        assert!(started.elapsed().as_secs() < 20, "the use is not known");
    }
    let listed = list();
    assert_eq!((&listed["total"], &listed["data"][0]["id"]), (&json!(1), &json["id"]));
    assert!(!listed.to_string().contains("finl_"), "{listed}");

    for _ in 1..20 {
        assert_eq!(post(r#"{"name": "More", "path": null}"#).status, 201);
    }
    let full = post(r#"{"name": "One more"}"#).expect_error(409, "too_many_links");
    assert!(full.contains("at most 20 links"), "{full}");
    let id = json["id"].as_str().unwrap();
    let other = new_key(&server.accounts(), Plan::Gold);
    let delete = |key: &Key| server.keyless("DELETE", &format!("{LINKS}/{id}"), &with(key));
    delete(&other).expect_error(404, "not_found");
    assert_eq!(delete(&key).status, 204);
    by_link(&server, path, &token).expect_error(401, "invalid_link");
    delete(&key).expect_error(404, "not_found");
    assert_eq!((list()["total"].clone(), post(r#"{"name": "Again"}"#).status), (json!(19), 201));

    server.keyless("GET", LINKS, "").expect_error(401, "api_key_required");
    server.post(LINKS, "", r#"{"name": "x"}"#).expect_error(401, "api_key_required");
    let secret = format!(r#"{{"name": "x", "path": "/api/v1/filings?q={}"}}"#, key.reveal());
    for (body, part) in [
        ("{}", "missing field `name`"),
        ("[\"x\"]", "must look like"),
        (r#"{"name": ""}"#, "is not a name"),
        (r#"{"name": "x", "plan": "gold"}"#, "unknown field"),
        (r#"{"name": "x", "path": "/pricing"}"#, "is not a path of the API"),
        (r#"{"name": "x", "path": "/api/v1/nope"}"#, "is not a path that links read"),
        (r#"{"name": "x", "path": "/api/v1/plans/usage"}"#, "is not a path that links read"),
        (r#"{"name": "x", "path": "/api/v1/market/selic?token=1"}"#, "without a token"),
        (r#"{"name": "x", "path": "/api/v1/market/selic?%74oken=1"}"#, "without a token"),
        (r#"{"name": "x", "path": "/api/v1/market/selic?limit=1&limit=1"}"#, "each once"),
        (r#"{"name": "x", "path": "/api/v1/market/selic?nope=1"}"#, "parameters that it takes"),
        (
            r#"{"name": "x", "path": "/api/v1/companies/9512?field=%ff"}"#,
            "is not a path that links",
        ),
        (r#"{"name": "x", "path": "/api/v1/companies/.."}"#, "is not a path that links read"),
        (r#"{"name": "x", "path": 1}"#, "must look like"),
        (&secret, "has a key or a token in it"),
    ] {
        let reply = post(body);
        let message = reply.expect_error(400, "bad_request");
        assert!(message.contains(part) && !message.contains(key.reveal()), "{body}: {message}");
    }
}

#[test]
fn a_path_is_bound_with_the_base_path_or_without() {
    let server = Server::start_with(&["--base-path", "/fin"]);
    let key = new_key(&server.accounts(), Plan::Gold);
    let path = "/api/v1/market/cdi/current";
    for text in [path.to_owned(), format!("/fin{path}")] {
        let body = json!({"name": "Budget", "path": text}).to_string();
        let made = server.post("/fin/api/v1/links", &with(&key), &body);
        assert_eq!((made.status, &made.json()["path"]), (201, &json!(path)), "{}", made.text());
        let token: LinkToken = made.json()["token"].as_str().unwrap().parse().unwrap();
        for asked in [path.to_owned(), format!("/fin{path}")] {
            assert_eq!(by_link(&server, &asked, &token).status, 200, "{text} {asked}");
        }
    }
    let body = r#"{"name": "x", "path": "/other/api/v1/market/cdi/current"}"#;
    server.post("/fin/api/v1/links", &with(&key), body).expect_error(400, "bad_request");
}

#[test]
fn the_operator_binds_links_only_to_what_links_read() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Gold);
    let prefix = key.prefix().to_string();
    for path in [
        "/api/v1/links",
        "/api/v1/nope",
        "/api/v1/events",
        "/api/v1/status",
        "/api/v1/market/selic?token=a",
        "/api/v1/market/selic?nope=1",
    ] {
        let create = ["links", "create", &prefix, "--name", "x", "--path", path, "--data"];
        let output = finserve(&create).arg(server.data.path()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{path}: {said}");
        assert!(said.contains("is not a path that links read"), "{path}: {said}");
    }
    let id = keys::id(&server.accounts(), &key.prefix()).unwrap();
    assert_eq!(links::list(&server.accounts(), id).unwrap(), []);
}

#[test]
fn what_the_operator_does_to_links_counts_within_a_second() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Bronze);
    let prefix = key.prefix().to_string();
    let run = |arguments: &[&str]| {
        let output = finserve(arguments).arg("--data").arg(server.data.path()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), said)
    };
    let path = ["--path", "/api/v1/companies?limit=1"];
    let create = ["links", "create", &prefix, "--name", "Sheet"];
    let made = run(&[&create[..], &path[..]].concat());
    let token: LinkToken = made.1.strip_suffix('\n').unwrap().parse().unwrap();
    // The first request after it was made elsewhere.
    assert_eq!(by_link(&server, path[1], &token).status, 200);
    let json = run(&["links", "list", &prefix, "--json"]).1;
    let listed: Value = serde_json::from_str(&json).unwrap();
    let id = listed[0]["id"].as_str().unwrap().to_owned();
    let (_, table, _) = run(&["links", "list", &prefix]);
    assert!(table.contains(&id) && table.contains("Sheet") && table.contains(path[1]), "{table}");
    assert!(!table.contains("finl_") && !json.contains("finl_"), "{table} {json}");
    assert_eq!(run(&["links", "revoke", &id]).1, format!("{id} is revoked\n"));
    assert!(until_refused(&server, &token) < Duration::from_secs(1));
    let (code, _, said) = run(&["links", "revoke", &id]);
    assert!(code == Some(1) && said.contains("there is no link"), "{said}");
    let (code, _, said) = run(&["links", "revoke", token.reveal()]);
    assert!(code == Some(1) && !said.contains(token.reveal()), "{said}");

    // A link moves with its key, and ends with it.
    let token = link(&server, &key, None);
    let id = keys::id(&server.accounts(), &key.prefix()).unwrap();
    let new = keys::rotate(&server.accounts(), id, DateTime::UNIX_EPOCH).unwrap();
    let started = Instant::now();
    while server.keyless("GET", SELIC, &with(&key)).status != 401 {
        assert!(started.elapsed().as_secs() < 20, "the old key is still good");
        thread::sleep(PAUSE);
    }
    assert_eq!(by_link(&server, "/api/v1/companies?limit=1", &token).status, 200);
    let revoked = new.prefix().to_string();
    assert_eq!(run(&["links", "list", &revoked]).2, "");
    keys::revoke(&server.accounts(), &new.prefix(), DateTime::UNIX_EPOCH).unwrap();
    assert!(until_refused(&server, &token) < Duration::from_secs(1));
    for list in [vec!["links", "list", &revoked], vec!["links", "list", &revoked, "--json"]] {
        let (code, listed, said) = run(&list);
        assert!(code == Some(0) && listed.contains("lnk_"), "{listed}");
        assert!(said.contains("is revoked: none of its links works"), "{said}");
    }
}

fn form(server: &Server, target: &str, headers: &str, fields: &str) -> Reply {
    let request = format!(
        "POST {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: {}\r\n\
         Content-Type: application/x-www-form-urlencoded\r\n{headers}\r\n{fields}",
        fields.len()
    );
    server.send(request.as_bytes())
}

#[test]
fn the_usage_page_makes_and_revokes_links_without_a_script() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Gold);
    let signed = form(&server, "/sign-in", "", &format!("key={}", key.reveal()));
    let cookie = signed.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let cookie = format!("Cookie: {cookie}\r\n");
    let own = format!("{cookie}Sec-Fetch-Site: same-origin\r\n");
    for (lang, words) in [("en", "Make a link"), ("pt", "Criar um link")] {
        let page = server.keyless("GET", &format!("/usage?lang={lang}"), &cookie);
        assert!(page.text().contains("id=\"links\"") && page.text().contains(words), "{lang}");
        let action = format!("action=\"/usage/links?lang={lang}\"");
        assert!(page.text().contains(&action), "{lang}");
    }
    let typed =
        "name=Or%C3%A7amento&path=http%3A%2F%2Ftest%2Fapi%2Fv1%2Fmarket%2Fselic%3Flimit%3D1";
    let made = form(&server, "/usage/links?lang=pt", &own, typed);
    assert_eq!((made.status, made.header("cache-control")), (201, Some("no-store")));
    let text = made.text();
    let at = text.find("finl_").unwrap();
    let token: LinkToken = text[at..at + 43].parse().unwrap();
    let shown = format!("http://test/api/v1/market/selic?limit=1&amp;token={}", token.reveal());
    assert!(text.contains(&shown) && text.contains("Seu novo link"), "{text}");
    assert_eq!(by_link(&server, "/api/v1/market/selic?limit=1", &token).status, 200);

    let page = server.keyless("GET", "/usage", &cookie);
    assert!(page.text().contains("Orçamento") && !page.text().contains("finl_"));
    assert!(page.text().contains("/api/v1/market/selic?limit=1"));
    let id = page.text().split("name=\"id\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let fields = format!("id={id}");
    for (headers, status) in [("", 401), ("Sec-Fetch-Site: cross-site\r\n", 403)] {
        let headers = format!("{}{headers}", if status == 403 { cookie.as_str() } else { "" });
        assert_eq!(form(&server, "/usage/links/revoke", &headers, &fields).status, status);
        assert_eq!(form(&server, "/usage/links", &headers, "name=x").status, status);
    }
    for _ in 0..2 {
        let gone = form(&server, "/usage/links/revoke?lang=pt", &own, &fields);
        assert_eq!((gone.status, gone.header("location")), (303, Some("/usage?lang=pt#links")));
    }
    by_link(&server, "/api/v1/market/selic?limit=1", &token).expect_error(401, "invalid_link");
    assert!(!server.keyless("GET", "/usage", &cookie).text().contains("Orçamento"));

    let long = format!("name={}", "x".repeat(101));
    for (fields, words) in [
        ("name=", "Please enter a name"),
        (long.as_str(), "Please enter a name"),
        ("name=x&path=%2Fpricing", "Please enter the path of data"),
        ("name=x&path=%2Fapi%2Fv1%2Fplans%2Fusage", "Please enter the path of data"),
    ] {
        let wrong = form(&server, "/usage/links", &own, fields);
        assert_eq!(wrong.status, 400, "{fields}");
        assert!(wrong.text().contains(words), "{fields}: {}", wrong.text());
    }
    let secret = format!("name=x&path=%2Fapi%2Fv1%2Ffilings%3Fq%3D{}", key.reveal());
    let wrong = form(&server, "/usage/links", &own, &secret);
    assert!(wrong.status == 400 && !wrong.text().contains(key.reveal()), "{}", wrong.text());
    for _ in 0..20 {
        link(&server, &key, None);
    }
    let full = form(&server, "/usage/links", &own, "name=x");
    assert!(full.status == 409 && full.text().contains("at most 20 links"), "{}", full.text());
    assert!(!server.keyless("GET", "/usage", &cookie).text().contains("Make a link"));
}

/// What the forms of a page send, field by field, with the label of each.
fn link_forms(page: &str) -> Vec<(String, String)> {
    let text = page.replace("&amp;", "&").replace("&quot;", "\"");
    let forms = text.split("<form class=\"make-link\"").skip(1);
    let field = |form: &str, name: &str| {
        let marked = format!("name=\"{name}\" value=\"");
        let value = form.split(&marked).nth(1)?.split('"').next()?.to_owned();
        Some(format!(
            "{name}={}",
            value.replace('%', "%25").replace('&', "%26").replace('+', "%2B")
        ))
    };
    let form = |form: &str| {
        let form = form.split("</form>").next().unwrap();
        let fields = ["name", "path", "shows"].into_iter().filter_map(|name| field(form, name));
        let label = form.split("<button>").nth(1).unwrap().split('<').next().unwrap();
        (label.to_owned(), fields.collect::<Vec<_>>().join("&"))
    };
    forms.map(form).collect()
}

#[test]
fn a_page_makes_a_link_for_its_formula_and_shows_the_formula_with_the_token() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Platinum);
    let signed = form(&server, "/sign-in", "", &format!("key={}", key.reveal()));
    let cookie = signed.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let cookie = format!("Cookie: {cookie}\r\n");
    let own = format!("{cookie}Sec-Fetch-Site: same-origin\r\n");
    for (page, count, lang) in [
        ("/market?", 4, "en"),
        ("/market/selic?", 2, "pt"),
        ("/market/compare?series=ipca,selic", 3, "en"),
        ("/market/selic/decisions?", 2, "en"),
        ("/calc/rate?value=13.75&from=year252&to=month", 1, "pt"),
        ("/companies?q=S%C3%A3o+Paulo", 2, "en"),
        ("/companies/9512?", 2, "en"),
        ("/companies/compare?ids=9512,4170", 2, "pt"),
        ("/companies/9512/statements?", 2, "en"),
        ("/companies/screen?", 2, "en"),
        ("/filings?company=VALE3&q=%22fato+relevante%22", 2, "pt"),
    ] {
        let page = format!("{page}&lang={lang}");
        assert!(link_forms(server.keyless("GET", &page, "").text()).is_empty(), "{page}");
        let shown = server.keyless("GET", &page, &cookie);
        let forms = link_forms(shown.text());
        assert_eq!(forms.len(), count, "{page}: {forms:?}");
        for (label, fields) in forms {
            let made = form(&server, &format!("/usage/links?lang={lang}"), &own, &fields);
            assert_eq!(made.status, 201, "{page} {fields}: {}", made.text());
            let text = made.text().replace("&amp;", "&").replace("&quot;", "\"");
            let is_table = fields.contains("format%3Dcsv") || fields.contains("format=csv");
            assert_eq!(
                text.matches("id=\"sheet-").count(),
                if is_table { 1 } else { 3 },
                "{label}"
            );
            let formula = text.split("id=\"sheet-google\">=IMPORTDATA(\"").nth(1).unwrap();
            let address = formula.split('"').next().unwrap();
            let target = address.strip_prefix("http://test").unwrap();
            let read = server.keyless("GET", target, "");
            assert_eq!(read.status, 200, "{page} {target}: {}", read.text());
            assert!(!read.body.is_empty(), "{page} {target}");
            assert_eq!(read.header("cache-control"), Some("private, no-store"), "{target}");
            revoke_all(&server, &key);
            // The answer to a form cannot be asked for in another language.
            assert!(!made.text().contains("class=\"language\""), "{page}");
        }
    }
    // What a cell makes of an address that was typed is not known.
    let typed = "name=x&path=/api/v1/market/selic/current?format=value%26decimal=comma";
    let made = form(&server, "/usage/links", &own, typed);
    assert!(made.status == 201 && !made.text().contains("NUMBERVALUE"), "{}", made.text());
    // An empty range has no figure for a cell.
    let empty = server.keyless("GET", "/market/selic?from=1990-01-01&to=1990-02-01", &cookie);
    assert!(empty.status == 200 && link_forms(empty.text()).is_empty(), "{}", empty.text());
}

/// Whatever is done with tokens, well and badly: none is in an answer, the log, the metrics or a file.
#[test]
fn no_token_is_left_anywhere() {
    let mut server = Server::process(&["--admin", "127.0.0.1:0", "--log-level", "debug"]);
    let key = new_key(&server.accounts(), Plan::Platinum);
    let made = server.post(LINKS, &with(&key), r#"{"name": "Budget"}"#).json();
    let mut token: LinkToken = made["token"].as_str().unwrap().parse().unwrap();
    let mut texts = Vec::new();
    let mut secrets = Vec::new();
    for round in 0..3 {
        let secret = token.reveal().to_owned();
        let typo = format!("{secret}0");
        let referrer = format!("Referer: http://test/?token={secret}\r\n");
        for (method, target, headers) in [
            ("GET", address("/api/v1/market/selic?limit=1", &secret), ""),
            ("GET", address("/api/v1/market/selic?limit=1", &secret), ""),
            ("GET", address("/api/v1/market/selic?limit=x", &secret), ""),
            ("GET", address("/api/v1/market/selic?nonsense=1", &secret), ""),
            ("HEAD", address("/api/v1/filings?limit=1&offset=1", &secret), ""),
            ("GET", address("/api/v1/export/ipca", &secret), ""),
            ("GET", address(SELIC, &typo), ""),
            ("GET", address(&address(SELIC, &secret), &secret), ""),
            ("GET", format!("{SELIC}?%74oken={}", secret.replace('_', "%5F")), ""),
            ("GET", format!("{SELIC}?key={secret}"), ""),
            ("GET", format!("{SELIC}?{secret}=1"), ""),
            ("GET", format!("/{secret}"), ""),
            ("GET", format!("/api/v1/market/selic?limit={secret}"), ""),
            ("GET", format!("/api/v1/filings/search?q={secret}"), ""),
            ("GET", address("/filings?q=ata", &secret), "Accept: text/html\r\n"),
            ("GET", address("/nope", &secret), "Accept: text/html\r\n"),
            ("GET", address("/pricing/", &secret), "Accept: text/html\r\n"),
            ("POST", address("/mcp", &secret), ""),
            ("GET", address(SELIC, &secret), "X-API-Key: fin_x\r\n"),
            ("GET", SELIC.to_owned(), referrer.as_str()),
        ] {
            let reply = server.keyless(method, &target, headers);
            let body = String::from_utf8_lossy(&reply.body).into_owned();
            texts.push((format!("{method} {target}"), format!("{:?}{body}", reply.headers)));
        }
        let id = format!("X-Request-Id: {secret}\r\n");
        texts
            .push(("an id".to_owned(), format!("{:?}", server.keyless("GET", SELIC, &id).headers)));
        secrets.push(secret[5..].to_owned());
        if round == 0 {
            revoke_all(&server, &key);
        }
        token = link(&server, &key, None);
    }
    let listed = server.keyless("GET", LINKS, &with(&key));
    texts.push(("the list".to_owned(), listed.text().to_owned()));
    let (status, metrics) = ask(&server, "/metrics");
    assert!(status == 200 && metrics.contains("finserve_requests"), "{metrics}");
    texts.push(("the metrics".to_owned(), metrics));
    let pid = server.pid().to_string();
    assert!(Command::new("kill").arg(&pid).status().unwrap().success());
    assert!(server.wait().success());
    let log = fs::read_to_string(server.data.path().join("stderr.txt")).unwrap();
    assert!(log.contains(&format!("\"key\":\"{}\"", key.prefix())), "{log}");
    for entry in fs::read_dir(server.data.path()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        texts.push((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()));
    }
    for (place, text) in &texts {
        assert!(!secrets.iter().any(|secret| text.contains(secret)), "{place}: a token is there");
    }
}
