//! Requests of a client, its reading of answers, and its waits: against a server that plays its part.
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::mpsc::{Receiver, channel},
    thread,
};

use fincore::{Feature, market::History, search::Suggest};
use flate2::{Compression, read::GzEncoder};
use tokio::runtime;

use super::*;
use crate::{Source, Sourced, market};

const SELIC: &str =
    r#"{"date":"2026-10-05","value":13.750,"meta":{"source":"BCB SGS 432","licence":"ODbL-1.0"}}"#;

/// A server that gives these answers in turn, each to a request of its own; and the requests that it got.
fn serve(answers: Vec<Vec<u8>>) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/finance/", listener.local_addr().unwrap());
    let (sender, requests) = channel();
    thread::spawn(move || {
        let mut answers = answers.into_iter();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            while let Some(request) = head(&mut stream) {
                let Some(answer) = answers.next() else { return };
                sender.send(request).unwrap();
                stream.write_all(&answer).unwrap();
                if answers.len() == 0 {
                    return;
                }
            }
        }
    });
    (address, requests)
}

/// The next request of a connection, without its body, because none has one.
fn head(stream: &mut TcpStream) -> Option<String> {
    let mut head = String::new();
    let mut lines = BufReader::new(stream);
    while !head.ends_with("\r\n\r\n") {
        if lines.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    Some(head)
}

fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n{headers}\r\n");
    [head.as_bytes(), body].concat()
}

fn ok(body: &str) -> Vec<u8> {
    answer("200 OK", "", body.as_bytes())
}

fn limited(seconds: u32) -> Vec<u8> {
    let body = format!(r#"{{"error":"rate_limited","message":"no more","retry_after":{seconds}}}"#);
    answer("429 Too Many Requests", &format!("Retry-After: {seconds}\r\n"), body.as_bytes())
}

/// Asks for the Selic.
fn ask(address: &str, settings: Settings) -> Result<Sourced<market::Rate>> {
    block_on(async {
        let source = Source::from(Client::new(address, settings)?);
        market::selic_current(&source).await
    })
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn waiting(seconds: u64) -> Settings {
    Settings { longest_wait: Duration::from_secs(seconds), ..Settings::default() }
}

#[test]
fn a_query_is_a_get_below_the_base_address_with_the_key_and_its_digits_are_kept() {
    let key = Key::generate().unwrap();
    let (address, requests) = serve(vec![ok(SELIC)]);
    let selic = ask(&address, Settings { key: Some(key.clone()), ..Settings::default() }).unwrap();
    assert_eq!(selic.value.to_string(), "13.750");
    assert_eq!(selic.meta.source, "BCB SGS 432");
    let request = requests.recv().unwrap().to_lowercase();
    assert!(
        request.starts_with("get /finance/api/v1/market/selic/current http/1.1\r\n"),
        "{request}"
    );
    for line in [
        format!("x-api-key: {}", key.reveal().to_lowercase()),
        "accept: application/json".into(),
        "accept-encoding: gzip".into(),
        format!("user-agent: finserve-client/{}", env!("CARGO_PKG_VERSION")),
    ] {
        assert!(request.contains(&format!("\r\n{line}\r\n")), "{line}: {request}");
    }
}

#[test]
fn two_queries_use_one_connection() {
    let (address, requests) = serve(vec![ok(SELIC), ok(SELIC)]);
    block_on(async {
        let source = Source::from(Client::new(&address, Settings::default()).unwrap());
        market::selic_current(&source).await.unwrap();
        // The server takes the next connection only after this one.
        market::selic_current(&source).await.unwrap();
    });
    assert_eq!(requests.iter().take(2).count(), 2);
}

#[test]
fn compressed_answers_are_read_and_damaged_ones_refused() {
    let mut compressed = Vec::new();
    GzEncoder::new(SELIC.as_bytes(), Compression::fast()).read_to_end(&mut compressed).unwrap();
    let gzip = "Content-Encoding: gzip\r\n";
    let damaged = answer("200 OK", gzip, &compressed[..compressed.len() / 2]);
    let (address, _requests) = serve(vec![answer("200 OK", gzip, &compressed), damaged]);
    assert_eq!(ask(&address, Settings::default()).unwrap().value.to_string(), "13.750");
    let said = ask(&address, Settings::default()).unwrap_err().to_string();
    assert!(said.ends_with("the answer is damaged"), "{said}");
}

#[test]
fn a_limit_is_waited_for_only_as_long_as_the_program_wants() {
    let busy = br#"{"error":"unavailable","message":"busy"}"#;
    let busy = answer("503 Service Unavailable", "Retry-After: 0\r\n", busy);
    let (address, requests) = serve(vec![limited(0), busy, ok(SELIC)]);
    ask(&address, waiting(60)).unwrap();
    assert_eq!(requests.iter().take(3).count(), 3);
    // Not at all by default, and not longer than is left.
    for settings in [waiting(0), waiting(29)] {
        let (address, _requests) = serve(vec![limited(30)]);
        match ask(&address, settings).unwrap_err() {
            Error::RateLimited { retry_after, message } => {
                assert_eq!((retry_after.as_secs(), message.as_str()), (30, "no more"));
            }
            other => panic!("{other:?}"),
        }
    }
    let (address, requests) = serve(vec![limited(0); 9]);
    let settings = Settings { longest_wait: 3 * SHORTEST_WAIT, ..Settings::default() };
    assert!(matches!(ask(&address, settings), Err(Error::RateLimited { .. })));
    assert_eq!(requests.try_iter().count(), 4);
}

#[test]
fn refusals_are_errors_of_their_kind() {
    let refused = |status: &str, headers: &str, body: &str| {
        let (address, _requests) = serve(vec![answer(status, headers, body.as_bytes())]);
        ask(&address, Settings::default()).unwrap_err()
    };
    let wrong = refused(
        "400 Bad Request",
        "",
        r#"{"error":"bad_request","message":"parameter \"from\": \"x\" is not a date (YYYY-MM-DD)"}"#,
    );
    assert!(matches!(wrong, Error::Invalid { parameter: Some(name), .. } if name == "from"));
    let plan = refused(
        "403 Forbidden",
        "",
        r#"{"error":"plan_required","message":"m","feature":"filings","current_plan":"free","required_plan":"gold","upgrade_url":"/finance/pricing"}"#,
    );
    match plan {
        Error::PlanRequired { upgrade, plans_url: Some(url) } => {
            assert_eq!(upgrade.feature, Feature::Filings);
            assert!(
                url.starts_with("http://127.0.0.1:") && url.ends_with("/finance/pricing"),
                "{url}"
            );
        }
        other => panic!("{other:?}"),
    }
    let missing =
        refused("404 Not Found", "", r#"{"error":"not_found","message":"there is nothing"}"#);
    assert!(matches!(missing, Error::NotFound { message } if message == "there is nothing"));
    let key = refused("401 Unauthorized", "", r#"{"error":"invalid_api_key","message":"the key"}"#);
    assert!(matches!(key, Error::InvalidKey { .. }));
    let busy = refused(
        "503 Service Unavailable",
        "Retry-After: 5\r\n",
        r#"{"error":"unavailable","message":"a\u001b[2Jb"}"#,
    );
    match busy {
        Error::Unavailable { message, retry_after } => {
            assert_eq!(message, "a\\u{1b}[2Jb");
            assert_eq!(retry_after, Some(Duration::from_secs(5)));
        }
        other => panic!("{other:?}"),
    }
    let failed =
        refused("500 Internal Server Error", "", r#"{"error":"internal_error","message":"m"}"#);
    assert!(matches!(failed, Error::Failed { .. }));
}

#[test]
fn what_is_no_answer_of_finserve_is_said_so() {
    let said = |answers: Vec<Vec<u8>>| {
        let (address, _requests) = serve(answers);
        ask(&address, Settings::default()).unwrap_err().to_string()
    };
    let moved = said(vec![answer("302 Found", "Location: https://other.example/\r\n", b"")]);
    assert!(moved.contains("has moved to https://other.example/"), "{moved}");
    let other = said(vec![answer("502 Bad Gateway", "", b"oops")]);
    assert!(other.contains("answers 502, and not as finserve does"), "{other}");
    let other = said(vec![ok("<html>")]);
    assert!(other.contains("the answer cannot be read"), "{other}");
    let broken = said(vec![b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{".to_vec()]);
    assert!(!broken.contains("  ") && broken.starts_with("http://127.0.0.1:"), "{broken}");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    match ask(&format!("http://{closed}"), Settings::default()).unwrap_err() {
        Error::Unreachable { reason, source: Some(_), .. } => {
            assert_eq!(reason, "the server refuses connections");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_server_that_says_nothing_is_given_up() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", silent.local_addr().unwrap());
    let settings = Settings { timeout: Duration::from_millis(50), ..Settings::default() };
    let said = ask(&address, settings).unwrap_err().to_string();
    assert_eq!(said, format!("{address}: the server did not answer in time"));
}

#[test]
fn any_path_can_be_asked_for_and_no_key_is_shown() {
    let (address, requests) = serve(vec![answer("404 Not Found", "", b"{}")]);
    let settings = Settings { key: Key::generate().ok(), ..Settings::default() };
    let shown = format!("{settings:?}");
    assert!(!shown.contains(settings.key.as_ref().unwrap().reveal()), "{shown}");
    let client = Client::new(&address, settings).unwrap();
    let reply = block_on(client.fetch("/api/v1/events?limit=1")).unwrap();
    assert_eq!((reply.status, reply.body.as_str()), (404, "{}"));
    assert!(requests.recv().unwrap().starts_with("GET /finance/api/v1/events?limit=1 "));
    assert!(matches!(block_on(client.fetch("/a b")), Err(Error::Setup { .. })));
}

#[test]
fn queries_can_run_on_other_threads() {
    fn check(_: impl Send) {}
    let client = Client::new("http://localhost:1", Settings::default()).unwrap();
    let source = Source::from(client);
    check(market::selic(&source, History::default()));
    check(crate::search::suggest(&source, Suggest::new("vale").unwrap()));
}
