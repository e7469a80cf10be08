//! How old the data is: the status, `finserve check`, the start of the server, and the home page.
use std::{fs, path::Path};

use chrono::{DateTime, TimeDelta, Utc};
use fincore::{Catalogue, Date, calendar, downloads};
use serde_json::Value;

use crate::harness::{Reply, Server, filled, finserve, import};

fn status(server: &Server) -> Value {
    let reply = server.get("/api/v1/status");
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

fn dataset<'s>(status: &'s Value, name: &str) -> &'s Value {
    let all = status["data"].as_array().unwrap();
    all.iter().find(|one| one["dataset"] == name).unwrap_or_else(|| panic!("no {name} in {status}"))
}

/// The day of the server, which may end between two questions.
fn today(status: &Value) -> Date {
    status["today"].as_str().unwrap().parse().unwrap()
}

/// Imports the Selic of today and tomorrow, so that it stays fresh if the day ends meanwhile.
fn import_selic(data: &Path) {
    let days = [0, 1].map(|days| Utc::now() - TimeDelta::hours(3) + TimeDelta::days(days));
    let rows =
        days.map(|day| format!(r#"{{"data":"{}","valor":"13.75"}}"#, day.format("%d/%m/%Y")));
    let file = data.join("bcdata.sgs.432.json");
    fs::write(&file, format!("[{}]", rows.join(","))).unwrap();
    let imported = import(data, &[&file]);
    assert!(imported.status.success(), "{}", String::from_utf8_lossy(&imported.stderr));
}

#[test]
fn the_status_names_every_dataset() {
    let status = status(Server::shared());
    let names: Vec<_> = status["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["dataset"].as_str().unwrap())
        .collect();
    assert_eq!(names[..3], ["selic", "cdi", "ipca"]);
    let last = [
        "fx",
        "companies",
        "filings.ipe",
        "filings.dfp",
        "filings.itr",
        "filings.fre",
        "filings.fca",
        "statements",
    ];
    assert_eq!(names[names.len() - last.len()..], last);
    assert_eq!(status["total"], names.len());
    for (name, path) in
        [("selic", "selic"), ("cdi", "cdi"), ("ipca", "ipca"), ("fx", "fx?pair=USD/BRL")]
    {
        let newest = Server::shared().get(&format!("/api/v1/market/{path}")).json();
        let dataset = dataset(&status, name);
        assert_eq!(dataset["newest"], newest["data"][0]["date"], "{name}");
        assert_eq!(dataset["updated_at"], newest["meta"]["updated_at"], "{name}");
        assert_eq!(dataset["stale"], newest["meta"]["stale"], "{name}");
        if name != "fx" {
            assert_eq!(dataset["rows"], newest["total"], "{name}");
            assert_eq!(dataset["source"], newest["meta"]["source"], "{name}");
        }
    }
    let companies = Server::shared().get("/api/v1/companies?limit=1").json();
    for field in ["stale", "updated_at", "source"] {
        assert_eq!(dataset(&status, "companies")[field], companies["meta"][field], "{field}");
    }
    assert_eq!(dataset(&status, "companies")["rows"], companies["total"]);
    let filings = Server::shared().get("/api/v1/filings?limit=1").json();
    let forms: Vec<&Value> = ["ipe", "dfp", "itr", "fre", "fca"]
        .iter()
        .map(|form| dataset(&status, &format!("filings.{form}")))
        .collect();
    let rows: u64 = forms.iter().map(|form| form["rows"].as_u64().unwrap()).sum();
    assert_eq!(rows, filings["total"].as_u64().unwrap());
    for form in forms {
        let name = form["dataset"].as_str().unwrap().trim_start_matches("filings.");
        assert_eq!(form.get("coverage"), filings["meta"]["coverage"].get(name), "{name}");
    }
    assert_eq!(filings["meta"]["stale"], true);
    let newest = filings["data"][0]["date"].as_str().unwrap();
    assert!(newest.starts_with(dataset(&status, "filings.dfp")["newest"].as_str().unwrap()));
}

/// The bundled data ends in November 2026, and the clock goes on.
#[test]
fn the_bundled_data_is_stale() {
    let status = status(Server::shared());
    assert_eq!(status["stale"], true);
    let before = |day| calendar::previous(day).unwrap();
    let today = today(&status);
    for (name, expected) in
        [("selic", today), ("fx", before(today)), ("cdi", before(before(today)))]
    {
        assert_eq!(dataset(&status, name)["expected"], expected.to_string(), "{name}");
        assert_eq!(dataset(&status, name)["stale"], true, "{name}");
    }
    for name in ["ipca", "companies", "filings.ipe", "filings.itr"] {
        assert_eq!(dataset(&status, name)["stale"], true, "{name}");
    }
}

#[test]
fn the_status_is_free_uncounted_and_confirmed_by_its_tag() {
    let server = Server::start();
    let ask = |method: &str| server.keyless(method, "/api/v1/status", "");
    let left = |reply: &Reply| reply.header("x-ratelimit-remaining").unwrap().to_owned();
    for _ in 0..40 {
        let reply = ask("GET");
        assert_eq!((reply.status, left(&reply).as_str()), (200, "30"));
        assert_eq!(reply.header("cache-control"), Some("no-cache"));
        assert_eq!(reply.header("x-plan"), Some("free"));
    }
    let tag = ask("HEAD").header("etag").unwrap().to_owned();
    let again = || {
        let confirmed = format!("If-None-Match: {tag}\r\n");
        server.keyless("GET", "/api/v1/status", &confirmed).status
    };
    assert_eq!(again(), 304);
    import_selic(server.data.path());
    assert_eq!(again(), 200);
    ask("POST").expect_error(405, "method_not_allowed");
    server.keyless("GET", "/api/v1/status?x=1", "").expect_error(400, "bad_request");
}

#[test]
fn an_import_refreshes_status_answers_and_home() {
    let server = Server::start();
    let bundled = dataset(&status(&server), "selic")["updated_at"].clone();
    import_selic(server.data.path());
    let status = status(&server);
    let selic = dataset(&status, "selic");
    assert_eq!((&selic["stale"], &selic["newest"]), (&false.into(), &status["today"]));
    assert!(selic["updated_at"].as_str() > bundled.as_str(), "{selic}");
    let current = server.get("/api/v1/market/selic/current").json();
    assert_eq!(current["meta"]["stale"], false);
    assert_eq!(current["meta"]["updated_at"], selic["updated_at"]);
    let overview = server.get("/api/v1/market/overview").json();
    let stale = |name: &str| overview["meta"]["indicators"][name]["stale"].as_bool();
    assert_eq!((stale("selic"), stale("cdi")), (Some(false), Some(true)));
    assert_eq!(overview["meta"]["stale"], true);
    let home = server.get("/?lang=en");
    let card = |name: &str| {
        let (_, rest) = home.text().split_once(&format!(">{name}</a> <small>")).unwrap();
        rest.split_once("<svg").unwrap().0.to_owned()
    };
    assert!(!card("Selic").contains("class=\"age\""), "{}", card("Selic"));
    assert!(card("CDI").contains("class=\"age\""), "{}", card("CDI"));
}

#[test]
fn the_status_tells_how_synchronising_went() {
    let server = Server::start();
    let catalogue = Catalogue::open(server.data.path().join("catalogue.db")).unwrap();
    let [first, second] = ["2026-11-15T12:00:00Z", "2026-11-15T12:30:00Z"];
    let time = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
    let before = server.get("/api/v1/market/ipca/current");
    downloads::record_sync(&catalogue, time(first), "ipca", Ok(())).unwrap();
    downloads::record_sync(&catalogue, time(second), "ipca", Err("the source answered 503"))
        .unwrap();
    let ipca = dataset(&status(&server), "ipca").clone();
    assert_eq!((&ipca["last_success"], &ipca["last_attempt"]), (&first.into(), &second.into()));
    assert_eq!(ipca["error"], "the source answered 503");
    // A note is not data: the answers, and so their tags, stay what they were.
    let after = server.get("/api/v1/market/ipca/current");
    assert_eq!((before.text(), before.header("etag")), (after.text(), after.header("etag")));
    downloads::record_sync(&catalogue, time(second), "ipca", Ok(())).unwrap();
    let ipca = dataset(&status(&server), "ipca").clone();
    assert_eq!((&ipca["error"], &ipca["last_success"]), (&Value::Null, &second.into()));
}

#[test]
fn check_prints_a_table_of_freshness() {
    let server = Server::start();
    let catalogue = Catalogue::open(server.data.path().join("catalogue.db")).unwrap();
    let noon = "2026-11-15T12:00:00Z".parse().unwrap();
    downloads::record_sync(&catalogue, noon, "fx", Err("the answer is not JSON\nbut HTML"))
        .unwrap();
    downloads::record_sync(&catalogue, noon, "ipca", Ok(())).unwrap();
    let check = finserve(&["check", "--data"]).arg(server.data.path()).output().unwrap();
    let text = String::from_utf8(check.stdout).unwrap();
    assert!(check.status.success(), "{text}");
    let (_, table) = text.split_once("freshness on ").unwrap();
    let (today, rows) = table.split_once(":\n").unwrap();
    let row = |name: &str| -> Vec<&str> {
        let mut rows = rows.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        rows.find(|row| row.first() == Some(&name)).unwrap_or_else(|| panic!("no {name} in {text}"))
    };
    assert_eq!(row("dataset")[1..4], ["newest", "expected", "stale"]);
    assert_eq!(row("selic")[2..], [today, "yes", "-", "-"]);
    assert_eq!(row("ipca")[3..], ["yes", "2026-11-15", "12:00", "-"]);
    assert_eq!(row("fx")[3..].join(" "), "yes - the answer is not JSON but HTML");
}

#[test]
fn the_server_says_at_its_start_what_is_stale() {
    use std::io::{BufRead, BufReader};
    let data = filled();
    let mut child = finserve(&["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(data.path())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let lines: Vec<String> = lines.take(4).map(Result::unwrap).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(lines[3].starts_with("stale: Selic 20"), "{lines:?}");
    assert!(
        lines[3].contains(", notices (IPE) 2025-06-07") && lines[3].contains(" (expected 20"),
        "{lines:?}"
    );
    assert!(lines[3].ends_with("brings newer data"), "{lines:?}");
}
