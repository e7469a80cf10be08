//! What clients rely on from one answer to the next: links between pages, the same tags everywhere, no day of the
//! future, and answers for clients that half-close or do not read.
use std::{
    fs,
    io::{Read, Write},
    net::{Shutdown, TcpStream},
    path::{Path, PathBuf},
    time::Duration,
};

use chrono::{Datelike, Days, Months, NaiveDate, Utc};
use fincore::Plan;
use serde_json::{Value, json};

use crate::harness::{Reply, Server, import, new_key, with};

/// Every list, each narrowed down to what one large page can hold.
pub(crate) const LISTS: [&str; 16] = [
    "/api/v1/market/selic?from=2006-01-01",
    "/api/v1/market/cdi",
    "/api/v1/market/ipca",
    "/api/v1/market/fx?pair=usd-brl",
    "/api/v1/market/fx/pairs",
    "/api/v1/market/series",
    "/api/v1/market/series/igp-m",
    "/api/v1/market/series/21619?from=2019-02-01",
    "/api/v1/companies?status=CANCELADA&sector=Emp.+Adm.%20Participa%C3%A7%C3%B5es",
    "/api/v1/companies/search?q=banco",
    "/api/v1/companies/9512/filings",
    "/api/v1/filings?category=fato+relevante&from=2024-04-01&to=2024-04-30",
    "/api/v1/filings/search?q=petrobras",
    "/api/v1/filings/search?q=assembleia&company=PETR4&from=2024-01-01&order=relevance",
    "/api/v1/filings/categories",
    "/api/v1/filings/recent",
];

/// Where a link of the answer leads.
fn link<'r>(reply: &'r Reply, rel: &str) -> Option<&'r str> {
    let links = reply.header("link").unwrap_or_else(|| panic!("no links: {}", reply.text()));
    let wanted = format!("; rel=\"{rel}\"");
    let link = links.split(", ").find_map(|link| link.strip_suffix(&wanted))?;
    Some(link.strip_prefix('<').unwrap().strip_suffix('>').unwrap())
}

fn rows(reply: &Reply) -> Vec<Value> {
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()["data"].as_array().unwrap().clone()
}

fn get(target: &str) -> Reply {
    Server::shared().get(target)
}

#[test]
fn links_lead_through_every_list_and_back() {
    for list in LISTS {
        let and = |parameter: &str| {
            let mark = if list.contains('?') { '&' } else { '?' };
            format!("{list}{mark}{parameter}")
        };
        let is_history = list.contains("/market/")
            && !["pairs", "series"].iter().any(|name| list.ends_with(name));
        let most = if is_history { 10_000 } else { 1000 };
        let large = get(&and(&format!("limit={most}")));
        let whole = rows(&large);
        assert!(whole.len() >= 20, "{list}: {}", whole.len());
        assert_eq!(large.json()["total"], whole.len(), "{list}");

        // A size that does not divide the total, so that the last page is a short one.
        let size = whole.len() / 7 + 1;
        // From the middle, where the list has one.
        let middle = if list.ends_with("recent") {
            get(&and(&format!("limit={}", whole.len())))
        } else {
            get(&and(&format!("limit={size}&offset={}", size * 3)))
        };
        let (mut forth, mut pages) = (Vec::new(), 0);
        let mut page = get(link(&middle, "first").unwrap());
        assert_eq!(link(&page, "prev"), None, "{list}");
        loop {
            forth.extend(rows(&page));
            pages += 1;
            let Some(next) = link(&page, "next") else { break };
            page = get(next);
        }
        assert_eq!(pages, if list.ends_with("recent") { 1 } else { whole.len().div_ceil(size) });
        assert!(forth == whole, "{list}: {} rows, not {}", forth.len(), whole.len());

        let (mut back, mut page) = (Vec::new(), get(link(&middle, "last").unwrap()));
        assert_eq!(link(&page, "next"), None, "{list}");
        loop {
            back.splice(0..0, rows(&page));
            let Some(previous) = link(&page, "prev") else { break };
            page = get(previous);
        }
        assert!(back == whole, "{list}: {} rows back, not {}", back.len(), whole.len());
    }
}

#[test]
fn links_keep_what_was_asked_for() {
    let reply = get("/api/v1/companies?sector=Emp.+Adm.%20Participa%C3%A7%C3%B5es&offset=40");
    let next = "/api/v1/companies?sector=Emp.+Adm.%20Participa%C3%A7%C3%B5es&limit=20&offset=60";
    assert_eq!(link(&reply, "next"), Some(next));
    // Beyond the end there is a way back, and none further.
    let beyond = get("/api/v1/market/ipca?limit=10&offset=1000000000");
    assert_eq!((rows(&beyond).len(), link(&beyond, "next")), (0, None));
    assert!(!rows(&get(link(&beyond, "last").unwrap())).is_empty());
    // What is not a list has no pages.
    for target in ["/api/v1/companies/9512", "/api/v1/market/selic/current", "/api/v1/plans"] {
        assert_eq!(get(target).header("link"), None, "{target}");
    }
}

/// The day in Brasília.
fn today() -> NaiveDate {
    (Utc::now() - chrono::Duration::hours(3)).date_naive()
}

/// Official files in a directory of their own.
fn official(files: &[(&str, String)]) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(place.path().join(name), content).unwrap();
    }
    place
}

fn import_all(server: &Server, place: &Path, files: &[(&str, String)]) {
    let paths: Vec<_> = files.iter().map(|(name, _)| place.join(name)).collect();
    let paths: Vec<_> = paths.iter().map(PathBuf::as_path).collect();
    let output = import(server.data.path(), &paths);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A file of the central bank with these days and one value.
fn series(days: impl IntoIterator<Item = NaiveDate>, value: &str) -> String {
    let row =
        |day: NaiveDate| format!(r#"{{"data":"{}","valor":"{value}"}}"#, day.format("%d/%m/%Y"));
    format!("[{}]", days.into_iter().map(row).collect::<Vec<_>>().join(","))
}

#[test]
fn the_same_data_has_the_same_tags_on_every_machine() {
    let day = |text: &str| text.parse::<NaiveDate>().unwrap();
    let files = [
        ("bcdata.sgs.433.json", series([day("2026-09-01")], "0.48")),
        ("bcdata.sgs.432.json", series([day("2026-11-05"), day("2026-11-06")], "13.50")),
    ];
    let servers = [Server::start(), Server::start()];
    let before = tags(&servers[0]);
    let places = [official(&files), official(&files)];
    for (server, place) in servers.iter().zip(&places) {
        import_all(server, place.path(), &files);
    }
    // Tags change with the day, so both must be asked on the same one.
    let (one, other) = loop {
        let start = today();
        let both = (tags(&servers[0]), tags(&servers[1]));
        if today() == start {
            break both;
        }
    };
    assert_eq!(one, other);
    assert_ne!(one, before, "new data has new tags");
}

/// The tags of all lists and of some answers that are none.
fn tags(server: &Server) -> Vec<String> {
    let others = ["/api/v1/market/overview", "/api/v1/companies/9512", "/api/v1/search?q=vale"];
    let tag = |target: &&str| server.get(target).header("etag").unwrap().to_owned();
    LISTS.iter().chain(&others).map(tag).collect()
}

#[test]
fn no_history_holds_a_day_that_has_not_come() {
    let server = Server::start();
    let start = today();
    let days = || (0..40).map(|ahead| start + Days::new(ahead));
    let month = start.with_day(1).unwrap();
    let files = [
        ("bcdata.sgs.432.json", series(days(), "17.25")),
        ("bcdata.sgs.12.json", series(days(), "0.051660")),
        ("bcdata.sgs.433.json", series((0..3).map(|ahead| month + Months::new(ahead)), "7.75")),
    ];
    import_all(&server, official(&files).path(), &files);
    for (name, newest) in [("selic", start), ("cdi", start), ("ipca", month)] {
        let check = |target: &str, at: &str| {
            let reply = server.get(target);
            let json = reply.json();
            let date = json.pointer(at).unwrap_or_else(|| panic!("{}", reply.text()));
            let date: NaiveDate = date.as_str().unwrap().parse().unwrap();
            // Midnight may come between the import and the question.
            assert!((newest..=today()).contains(&date), "{target}: {date}");
        };
        check(&format!("/api/v1/market/{name}?limit=1"), "/data/0/date");
        check(&format!("/api/v1/market/{name}?limit=1&to=9999-12-31"), "/data/0/date");
        check(&format!("/api/v1/market/{name}/current"), "/date");
        check("/api/v1/market/overview", &format!("/{name}/date"));
        let ahead = format!("/api/v1/market/{name}?from={}", start + Days::new(2));
        let ahead = server.get(&ahead).json();
        assert_eq!((&ahead["total"], &ahead["data"]), (&json!(0), &json!([])), "{name}");
    }
}

#[test]
fn who_half_closes_is_answered_every_time() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Platinum);
    let targets =
        ["/health", "/api/v1/market/cdi?limit=10000", "/api/v1/filings/search?q=petrobras"];
    for target in targets {
        for round in 0..100 {
            let mut stream = connect(&server);
            let head = format!("GET {target} HTTP/1.1\r\nHost: test\r\n{}\r\n", with(&key));
            stream.write_all(head.as_bytes()).unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).unwrap();
            let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
            let end = end.unwrap_or_else(|| panic!("{target}, round {round}: no answer"));
            let head = str::from_utf8(&answer[..end]).unwrap();
            assert!(head.starts_with("HTTP/1.1 200 "), "{target}: {head}");
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            assert_eq!(length, Some((answer.len() - end - 4).to_string().as_str()), "{target}");
        }
    }
}

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
    stream
}

#[test]
fn browsers_may_send_what_they_are_used_to() {
    for asked in
        ["cache-control", "x-api-key", "authorization", "content-type", "if-none-match", "pragma"]
    {
        let headers = format!(
            "Origin: https://example.com\r\nAccess-Control-Request-Method: GET\r\n\
             Access-Control-Request-Headers: {asked}\r\n"
        );
        for target in ["/api/v1/market/selic", "/api/v1/companies/9512", "/docs/openapi.json"] {
            let reply = Server::shared().keyless("OPTIONS", target, &headers);
            assert_eq!(reply.status, 204, "{target}");
            assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
            let allowed = reply.header("access-control-allow-headers").unwrap();
            // Browsers do not take the star for a name where a key is sent.
            let named = allowed.split(", ").any(|name| name.eq_ignore_ascii_case(asked));
            assert!(named, "{asked} is not among {allowed}");
            let methods = reply.header("access-control-allow-methods").unwrap();
            assert!(methods.split(", ").any(|method| method == "GET"), "{methods}");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn whoever_does_not_read_the_largest_file_costs_no_memory() {
    let server = Server::process(&[]);
    let page = server.keyless("GET", "/docs/try", "");
    let (_, rest) = page.text().split_once("\"/assets/scalar.").expect("the page has its script");
    let target = format!("/assets/scalar.{}", rest.split('"').next().unwrap());
    let before = resident(&server);
    for method in ["GET", "HEAD"] {
        let ask = |_| {
            let mut stream = connect(&server);
            write!(stream, "{method} {target} HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
            // The first byte comes when the whole answer is ready.
            stream.read_exact(&mut [0]).unwrap();
            stream
        };
        let clients: Vec<_> = (0..50).map(ask).collect();
        let grown = resident(&server).saturating_sub(before) / 1024;
        assert!(grown <= 30 * 1024, "{method}: grown by {grown} KiB");
        drop(clients);
    }
    let (head, whole) = (server.keyless("HEAD", &target, ""), server.keyless("GET", &target, ""));
    assert_eq!((head.status, head.body.len(), head.header("content-encoding")), (200, 0, None));
    assert!(whole.body.len() > 1024 * 1024, "{}", whole.body.len());
    for reply in [&head, &whole] {
        assert_eq!(reply.header("content-length"), Some(whole.body.len().to_string().as_str()));
    }
}

/// The memory that the server holds, in bytes.
#[cfg(target_os = "linux")]
fn resident(server: &Server) -> u64 {
    let pages = fs::read_to_string(format!("/proc/{}/statm", server.pid())).unwrap();
    pages.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}
