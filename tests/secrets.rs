//! Secrets that were sent in the wrong place, in any encoding, are repeated nowhere.
use std::fs;

use fincore::{Key, LinkToken};

use crate::harness::{Reply, Server};

/// Where people and programs put a secret by mistake.
const ADDRESSES: [&str; 58] = [
    "/?q={}",
    "/{}",
    "/{}/",
    "/nothing/{}/?next={}",
    "/market/{}",
    "/market/{}/",
    "/market/?q={}",
    "/market/fx/{}",
    "/market/fx/usd-brl/?range={}",
    "/market/selic?from={}",
    "/market/selic?page={}&units={}",
    "/market/compare?series={}",
    "/market/compare?series=selic&units={}",
    "/companies?q={}",
    "/companies?q={}&lang=pt",
    "/companies?q=vale&status={}",
    "/companies?page={}",
    "/companies?q=vale&{}=1",
    "/companies/?q={}",
    "/companies/{}",
    "/companies/{}/",
    "/companies/{}/statements",
    "/companies/PETR4?lang={}",
    "/companies/PETR4/statements?kind={}&period=ttm",
    "/companies/9512/statements?kind={}",
    "/companies/9512/statements?as_of={}&lang=en",
    "/companies/compare?ids={}",
    "/companies/screen?metric={}",
    "/companies/suggest?q={}",
    "/filings?q={}",
    "/filings?company={}&category={}",
    "/filings?from={}",
    "/filings/{}",
    "/calc/correction?amount={}",
    "/calc/convert?amount=10&from={}",
    "/calc/rate?rate={}",
    "/sign-in?next=/companies?q={}",
    "/sign-in?next=%2F{}&lang=pt",
    "/sign-in?lang={}",
    "/pricing/?q={}",
    "/usage?next={}",
    "/docs/guide/{}",
    "/docs/{}/",
    "/assets/{}",
    "/api/v1/{}",
    "/api/v1/market/{}",
    "/api/v1/market/selic?limit={}",
    "/api/v1/market/selic?{}=1",
    "/api/v1/market/selic/current?format=value&field={}",
    "/api/v1/market/compare?series={}",
    "/api/v1/companies?q={}&limit=1",
    "/api/v1/companies/{}",
    "/api/v1/companies/search?q={}",
    "/api/v1/search?q={}",
    "/api/v1/search/suggest?q={}",
    "/api/v1/filings/search?q={}&limit=1",
    "/api/v1/calc/convert?amount={}&from=usd&to=brl",
    "/api/v1/filings?company={}&category={}",
];

/// Writes the mark of a secret and the rest of it.
type Encode = fn(&str, &str) -> String;

/// How a secret can be written.
const ENCODINGS: [(&str, Encode); 7] = [
    ("plain", |mark, body| format!("{mark}{body}")),
    ("%5F", |mark, body| mark.replace('_', "%5F") + body),
    ("%5f", |mark, body| mark.replace('_', "%5f") + body),
    ("first letter", |mark, body| format!("{}{}{body}", escaped(&mark[..1]), &mark[1..])),
    ("all letters", |mark, body| escaped(mark) + &escaped(body)),
    ("twice", |mark, body| mark.replace('_', "%255F") + body),
    ("the rest", |mark, body| {
        format!("{mark}{}%{:02x}{}", &body[..9], body.as_bytes()[9], &body[10..])
    }),
];

fn escaped(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// Secrets: the mark, what follows it, and what of that may be shown nowhere.
fn secrets() -> Vec<(&'static str, String, String)> {
    let body = |text: &str, mark: &str| text[mark.len()..].to_owned();
    let key = body(Key::generate().unwrap().reveal(), "fin_");
    let link = body(LinkToken::generate().unwrap().reveal(), "finl_");
    let others = body(Key::generate().unwrap().reveal(), "fin_");
    // Of a key, the first eight characters are shown.
    let hidden = key[8..].to_owned();
    vec![
        ("fin_", key, hidden),
        ("finl_", link.clone(), link),
        ("fis_", others[..32].to_owned(), others[..32].to_owned()),
        ("whsec_", others[6..].to_owned(), others[6..].to_owned()),
    ]
}

/// A text without its percent escapes, however often it was escaped.
fn decoded(text: &str) -> String {
    let once = percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
    if once == text { once } else { decoded(&once) }
}

/// All that a reply says, as it is and decoded.
fn whole(reply: &Reply) -> String {
    let text = format!("{:?}\n{}", reply.headers, String::from_utf8_lossy(&reply.body));
    let decoded = decoded(&text);
    text + &decoded
}

#[test]
fn nothing_repeats_a_secret_that_was_sent_in_an_address() {
    let server = Server::process(&["--log-level", "debug"]);
    let secrets = secrets();
    for (number, address) in ADDRESSES.into_iter().enumerate() {
        for (kind, (mark, body, hidden)) in secrets.iter().enumerate() {
            for (turn, (name, encode)) in ENCODINGS.into_iter().enumerate() {
                // Every address meets every encoding of a key; the other secrets take turns.
                if kind > 0 && (number + turn) % ENCODINGS.len() != kind {
                    continue;
                }
                let sent = address.replace("{}", &encode(mark, body));
                let accept = if address.starts_with("/api/") { "*/*" } else { "text/html" };
                let reply = server.request("GET", &sent, &format!("Accept: {accept}\r\n"));
                let said = whole(&reply);
                assert!(reply.status < 500, "{} {sent}", reply.status);
                assert!(!said.contains(hidden.as_str()), "{mark} {name} {sent}: {said}");
            }
        }
    }
    let log = fs::read_to_string(server.data.path().join("stderr.txt")).unwrap();
    let log = format!("{log}{}", decoded(&log));
    for (mark, _, hidden) in &secrets {
        assert!(log.contains("\"request\"") && !log.contains(hidden.as_str()), "{mark}: {log}");
    }
}

#[test]
fn nothing_repeats_a_secret_that_was_sent_in_a_form_or_a_header() {
    let server = Server::start();
    let form = |target: &str, body: &str| {
        let length = body.len();
        server.send(
            format!(
                "POST {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\nAccept: text/html\r\n\
                 Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {length}\r\n\r\n{body}"
            )
            .as_bytes(),
        )
    };
    for (mark, body, hidden) in secrets() {
        for (name, encode) in ENCODINGS {
            let sent = encode(mark, &body);
            let header = format!("X-Request-Id: {sent}\r\nReferer: http://test/?q={sent}\r\n");
            let hook =
                format!(r#"{{"url":"https://example.com/?k={sent}","events":["fx.published"]}}"#);
            let key = server.with_key();
            let replies = [
                form("/sign-in", &format!("key=x{sent}&next=/companies?q={sent}")),
                form(&format!("/sign-in?next=/{sent}"), &format!("key={sent}&lang={sent}")),
                form("/pricing", &format!("name={sent}&email={sent}")),
                form("/usage", &format!("key=x{sent}")),
                server.keyless("GET", "/nothing", &header),
                server.post("/api/v1/plans/register", "", &format!(r#"{{"name":"{sent}"}}"#)),
                server.post("/api/v1/webhooks", &key, &hook),
                server.post(
                    "/api/v1/links",
                    &key,
                    &format!(r#"{{"name":"a","path":"/api/v1/{sent}"}}"#),
                ),
            ];
            for (number, reply) in replies.iter().enumerate() {
                let said = whole(reply);
                assert!((400..500).contains(&reply.status), "{number} {}: {said}", reply.status);
                assert!(!said.contains(hidden.as_str()), "{mark} {name} {number}: {said}");
            }
        }
    }
}
