//! What operators see of a server: its log, its metrics, whether it is ready; and the signals it obeys.
use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    process::Command,
    thread,
    time::Duration,
};

use serde_json::Value;

use crate::harness::{Server, filled};

/// The lines of a server's log, as they are by now.
fn lines(server: &Server) -> Vec<Value> {
    let log = fs::read_to_string(server.data.path().join("stderr.txt")).unwrap();
    let line =
        |line: &str| serde_json::from_str(line).unwrap_or_else(|err| panic!("{err}: {line}"));
    log.lines().map(line).collect()
}

/// Waits for a line that is as wanted.
fn line(server: &Server, wanted: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..3000 {
        if let Some(line) = lines(server).into_iter().find(&wanted) {
            return line;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("it is not in the log: {:#?}", lines(server));
}

fn signal(server: &Server, name: &str) {
    let sent = Command::new("kill").args([name, &server.pid().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// What a server says to operators: status and body.
pub(crate) fn ask(server: &Server, path: &str) -> (u16, String) {
    ask_as(server, "localhost", path)
}

/// The same under this name.
fn ask_as(server: &Server, host: &str, path: &str) -> (u16, String) {
    let started = line(server, |line| line["message"] == "started");
    let address = started["admin"].as_str().unwrap().strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head[9..12].parse().unwrap(), body.to_owned())
}

/// A number among metrics.
fn number(metrics: &str, name: &str) -> f64 {
    let line = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{name} is not in {metrics}")).parse().unwrap()
}

#[test]
fn every_request_is_one_line_that_tells_no_secrets() {
    let mut server = Server::process(&[]);
    let reply = server.get("/api/v1/companies/search?q=petrobras");
    let id = reply.header("x-request-id").unwrap().to_owned();
    server
        .keyless("GET", "/api/v1/filings", "X-API-Key: fin_wrong\r\n")
        .expect_error(401, "invalid_api_key");
    server.get("/nowhere?email=ana@example.com").expect_error(404, "not_found");
    let body = r#"{"name":"Ana","email":"ana@example.com"}"#;
    let key = server.post("/api/v1/plans/register", "", body).json()["api_key"]
        .as_str()
        .unwrap()
        .to_owned();

    let found = line(&server, |line| line["id"] == *id);
    let wanted = [
        ("level", "info"),
        ("message", "request"),
        ("method", "GET"),
        ("route", "/api/v1/companies/search"),
        ("plan", "platinum"),
        ("from", "127.0.0.0/24"),
    ];
    for (name, value) in wanted {
        assert_eq!(found[name], value, "{found}");
    }
    assert_eq!((&found["status"], &found["bytes"]), (&200.into(), &reply.body.len().into()));
    assert!(found["key"].as_str().unwrap().starts_with("fin_") && found["micros"].is_u64());
    signal(&server, "-TERM");
    assert!(server.wait().success());
    let log = fs::read_to_string(server.data.path().join("stderr.txt")).unwrap();
    for secret in ["petrobras", "example.com", "fin_wrong", "127.0.0.1\"", &key] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
    let said: Vec<Value> = lines(&server).iter().map(|line| line["message"].clone()).collect();
    assert_eq!(said.iter().filter(|message| *message == "request").count(), 4);
    assert_eq!(said[0], "started");
    assert!(said.contains(&"stopping: SIGTERM".into()));
    assert!(said.last().unwrap().as_str().unwrap().starts_with("stopped"), "{said:?}");
    // Every dataset has its age.
    let ages = lines(&server).iter().filter(|line| line["message"] == "data").count();
    assert!(ages > 10, "{ages}");
}

#[test]
fn says_as_much_as_is_wanted() {
    for (flags, requests, started) in [
        (&["--log-level", "info"][..], 1, 1),
        (&["--no-access-log"], 0, 1),
        (&["--log-level", "warn"], 0, 0),
    ] {
        let mut server = Server::process(flags);
        assert_eq!(server.get("/health").status, 200);
        signal(&server, "-INT");
        assert!(server.wait().success());
        let count =
            |what: &str| lines(&server).iter().filter(|line| line["message"] == what).count();
        assert_eq!((count("request"), count("started")), (requests, started), "{flags:?}");
    }
    let mut server = Server::process(&["--log", "human"]);
    assert_eq!(server.get("/health").status, 200);
    signal(&server, "-INT");
    assert!(server.wait().success());
    let log = fs::read_to_string(server.data.path().join("stderr.txt")).unwrap();
    assert!(log.contains(" INFO  request id="), "{log}");
}

#[test]
fn metrics_count_every_request() {
    let server = Server::process_on(filled(), &["--admin", "127.0.0.1:0"]);
    for _ in 0..7 {
        assert_eq!(server.get("/api/v1/market/selic/current").status, 200);
    }
    server.get("/nowhere").expect_error(404, "not_found");
    let (status, text) = ask(&server, "/metrics");
    assert_eq!(status, 200);
    let number = |name: &str| number(&text, name);
    let selic = "{route=\"/api/v1/market/selic/current\",method=\"GET\"";
    assert_eq!(number(&format!("finserve_requests_total{selic},class=\"2xx\"}}")), 7.0);
    assert_eq!(number(&format!("finserve_requests_total{selic},class=\"4xx\"}}")), 0.0);
    assert_eq!(number(&format!("finserve_request_duration_seconds_count{selic}}}")), 7.0);
    assert_eq!(number("finserve_requests_total{route=\"none\",method=\"any\",class=\"4xx\"}"), 1.0);
    assert_eq!(number("finserve_requests_in_flight"), 0.0);
    let asked =
        ["hit", "miss"].map(|what| number(&format!("finserve_cache_total{{outcome=\"{what}\"}}")));
    assert_eq!(asked.iter().sum::<f64>(), 7.0);
    assert!(number("finserve_sent_bytes_total") > 0.0);
    assert!(number("finserve_data_version") >= 1.0);
    assert!(number("finserve_dataset_newest_timestamp_seconds{dataset=\"selic\"}") > 1.7e9);
    assert!(number("finserve_file_bytes{file=\"catalogue.db\"}") > 1e6);
    assert_eq!((number("finserve_ready"), number("finserve_panics_total")), (1.0, 0.0));
    assert!(number("process_open_fds") > 5.0 && number("process_resident_memory_bytes") > 1e6);
    assert!(text.ends_with("# EOF\n"));
}

#[test]
fn metrics_count_what_is_refused() {
    let server = Server::process_on(filled(), &["--admin", "127.0.0.1:0"]);
    // Another program holds the accounts.
    let accounts = rusqlite::Connection::open(server.data.path().join("accounts.db")).unwrap();
    accounts.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let body = r#"{"name":"Ana","email":"ana@example.com"}"#;
    server.post("/api/v1/plans/register", "", body).expect_error(503, "unavailable");
    let path = "/api/v1/market/selic/current";
    let over = (0..40).filter(|_| server.keyless("GET", path, "").status == 429).count();
    let metrics = ask(&server, "/metrics").1;
    let refused =
        |reason: &str| number(&metrics, &format!("finserve_refused_total{{reason=\"{reason}\"}}"));
    assert!(over > 0);
    assert_eq!(refused("rate_limit"), over as f64);
    assert_eq!(refused("busy"), 1.0);
    for reason in ["connections_per_address", "overdue", "queue", "unread", "slots", "unavailable"]
    {
        assert_eq!(refused(reason), 0.0, "{reason}");
    }
}

#[test]
fn tells_whether_it_is_ready() {
    let server = Server::process_on(filled(), &["--admin", "127.0.0.1:0"]);
    let (status, body) = ask(&server, "/ready");
    assert_eq!((status, body.trim()), (200, r#"{"late":[],"ready":true,"reasons":[]}"#));
    assert_eq!(ask(&server, "/live").0, 200);
    assert_eq!(ask(&server, "/other").0, 404);
    // Only operators are told.
    for path in ["/ready", "/live", "/metrics"] {
        server.get(path).expect_error(404, "not_found");
    }
}

#[test]
fn a_hole_in_a_daily_series_is_shown() {
    let data = filled();
    let file = rusqlite::Connection::open(data.path().join("catalogue.db")).unwrap();
    let remove =
        "DELETE FROM rate WHERE series = 432 AND date BETWEEN '2026-03-10' AND '2026-03-12'";
    assert_eq!(file.execute(remove, []).unwrap(), 3);
    drop(file);
    let server = Server::process_on(data, &["--admin", "127.0.0.1:0"]);
    let status = server.get("/api/v1/status").json();
    let selic = status["data"].as_array().unwrap().iter().find(|one| one["dataset"] == "selic");
    let hole = serde_json::json!([{ "from": "2026-03-10", "to": "2026-03-12" }]);
    assert_eq!(selic.unwrap()["holes"], hole);
    let page = server.get("/status");
    let shown = "<strong class=\"age\">missing</strong> 10 Mar 2026 – 12 Mar 2026";
    assert!(page.text().contains(shown), "{}", page.text());
    let metrics = ask(&server, "/metrics").1;
    let holes =
        |name: &str| number(&metrics, &format!("finserve_dataset_holes{{dataset=\"{name}\"}}"));
    assert_eq!((holes("selic"), holes("ipca")), (1.0, 0.0));
}

#[test]
fn a_terminal_that_hangs_up_does_not_end_it() {
    let mut server = Server::process(&[]);
    signal(&server, "-HUP");
    line(&server, |line| line["message"].as_str().is_some_and(|said| said.starts_with("SIGHUP")));
    assert_eq!(server.get("/health").status, 200);
    signal(&server, "-TERM");
    assert!(server.wait().success());
}

#[test]
fn an_address_has_at_most_its_share_of_the_connections() {
    let flags = ["--max-connections", "8", "--admin", "127.0.0.1:0"];
    let server = Server::process_on(filled(), &flags);
    let silent: Vec<_> = (0..8).map(|_| TcpStream::connect(&server.address).unwrap()).collect();
    let closed = || {
        let is_closed = |mut stream: &TcpStream| {
            stream.set_nonblocking(true).unwrap();
            stream.read(&mut [0; 1]).is_ok_and(|length| length == 0)
        };
        silent.iter().filter(|stream| is_closed(stream)).count()
    };
    for _ in 0..3000 {
        if closed() >= 6 {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    let metrics = ask(&server, "/metrics").1;
    let refused = "finserve_refused_total{reason=\"connections_per_address\"}";
    assert_eq!((closed(), number(&metrics, refused)), (6, 6.0));
}

#[test]
fn the_admin_address_answers_its_own_names_only() {
    let server = Server::process_on(filled(), &["--admin", "127.0.0.1:0"]);
    for host in ["localhost:9464", "127.0.0.1", "[::1]:1"] {
        assert_eq!(ask_as(&server, host, "/metrics").0, 200, "{host}");
    }
    for host in ["rebound.example", "localhost.rebound.example:9464", "a#"] {
        let (status, text) = ask_as(&server, host, "/metrics");
        assert_eq!(status, 421, "{host}");
        assert!(!text.contains("finserve_"), "{text}");
    }
}
