//! Decisions of the Copom: the list, its page, and what is told of a new one.
use chrono::{NaiveDate, TimeDelta};
use fincore::{Date, Plan, market};
use serde_json::{Value, json};

use crate::{
    harness::{Server, filled, finserve, import, new_key, with},
    publisher::Fault,
    receiver::Receiver,
    sync,
    webhooks::Place,
};

const PATH: &str = "/api/v1/market/selic/decisions";

#[test]
fn lists_decisions_with_published_digits_and_the_meetings_to_come() {
    let reply = Server::shared().get(&format!("{PATH}?from=2026-01-01&to=2026-04-30&limit=2"));
    let (list, rest) = reply.text().split_once(r#","upcoming":"#).unwrap();
    let wanted = r#"{"data":[{"date":"2026-04-29","effective_from":"2026-04-30","before":14.75,"after":14.50,"change":-0.25},{"date":"2026-03-18","effective_from":"2026-03-19","before":15.00,"after":14.75,"change":-0.25}],"total":3,"limit":2,"offset":0,"meta":{"source":"BCB SGS 432 and calendar of Copom meetings","licence":"ODbL-1.0","unit":"percent per year","updated_at":"2026-10-05T00:00:00Z","stale":true}"#;
    assert_eq!((reply.status, list), (200, wanted));
    assert!(reply.header("link").unwrap().contains("offset=2>; rel=\"next\""));
    // Whatever day it is, all meetings to come are announced in order, and none has passed.
    let next = format!(r#","next":"{PATH}?from=2026-01-01&to=2026-04-30&limit=2&offset=2"}}"#);
    let upcoming: Vec<Value> = serde_json::from_str(rest.strip_suffix(&*next).unwrap()).unwrap();
    let today = chrono::Utc::now().date_naive() - TimeDelta::days(1);
    let days: Vec<NaiveDate> =
        upcoming.iter().map(|one| one["second_day"].as_str().unwrap().parse().unwrap()).collect();
    assert!(days.is_sorted() && days.iter().all(|day| *day >= today), "{days:?}");
    // A change of long ago has no meeting.
    let old = Server::shared().get(&format!("{PATH}?to=1999-03-25&limit=1")).json();
    let wanted = json!([{"date": null, "effective_from": "1999-03-25", "before": 45.0, "after": 42.0, "change": -3.0}]);
    assert_eq!(old["data"], wanted);
}

#[test]
fn has_the_limits_formats_and_refusals_of_a_history() {
    let server = Server::shared();
    let csv = server.get(&format!("{PATH}?from=2026-01-01&to=2026-03-31&format=csv"));
    let wanted = "date,effective_from,before,after,change\r\n2026-03-18,2026-03-19,15.00,14.75,-0.25\r\n2026-01-28,2026-01-29,15.00,15.00,0.00\r\n";
    assert_eq!((csv.text(), csv.header("x-total-count")), (wanted, Some("2")));
    for (query, named) in [
        ("limit=0", "limit"),
        ("limit=10001", "limit"),
        ("offset=-1", "offset"),
        ("from=2026-13-01", "from"),
        ("from=2026-02-01&to=2026-01-01", "from"),
        ("units=change", "units"),
        ("page=2", "page"),
    ] {
        let message = server.get(&format!("{PATH}?{query}")).expect_error(400, "bad_request");
        assert!(message.contains(named), "{query}: {message}");
    }
    let server = Server::start();
    let free = new_key(&server.accounts(), Plan::Free);
    let ask = |target: &str| server.keyless("GET", target, &with(&free));
    let year = ask(PATH).json();
    assert_eq!((&year["total"], &year["data"][5]["date"]), (&json!(6), &json!("2026-01-28")));
    ask(&format!("{PATH}?from=2020-01-01")).expect_error(403, "plan_required");
}

#[test]
fn the_page_shows_what_the_list_has_in_both_languages() {
    let server = Server::start();
    let free = new_key(&server.accounts(), Plan::Free);
    let gold = new_key(&server.accounts(), Plan::Gold);
    let page = |target: &str, key| {
        let reply = server.keyless("GET", target, &format!("Accept: text/html\r\n{}", with(key)));
        assert_eq!(reply.status, 200, "{target}");
        reply.text().to_owned()
    };
    let english = page("/market/selic/decisions?lang=en", &free);
    let rows = |page: &str| page.matches("<th scope=\"row\">").count();
    assert_eq!(rows(&english), 6);
    for part in [
        "<h1>Decisions of the Copom</h1>",
        "<time datetime=\"2026-03-18\">18 Mar 2026</time>",
        "<td class=\"count\">−0.25</td>",
        "<td class=\"count\">0.00</td>",
        "<time datetime=\"2027-12-08\">8 Dec 2027</time>",
        "/api/v1/market/selic/decisions",
        "/market/download/selic/decisions",
        "the whole history",
    ] {
        assert!(english.contains(part), "no {part}");
    }
    let portuguese = page("/market/selic/decisions?lang=pt", &gold);
    assert!(rows(&portuguese) > 100 && portuguese.contains("<h1>Decisões do Copom</h1>"));
    for part in ["Próximas reuniões", "18/03/2026", "<td class=\"count\">+1,00</td>", "−0,25"] {
        assert!(portuguese.contains(part), "no {part}");
    }
    assert!(!portuguese.contains("class=\"upgrade\""));
    let selic = page("/market/selic?lang=pt", &free);
    assert!(selic.contains("href=\"/market/selic/decisions?lang=pt\""));
    assert!(!page("/market/ipca?lang=pt", &free).contains("/market/selic/decisions"));
    let file = server.keyless("GET", "/market/download/selic/decisions?limit=2", &with(&free));
    assert_eq!(file.json()["data"].as_array().unwrap().len(), 2);
    assert!(server.get("/sitemap.xml").text().contains("/market/selic/decisions</loc>"));
}

#[test]
fn the_command_line_and_imports_know_the_meetings() {
    let (data, files) = (filled(), tempfile::tempdir().unwrap());
    let file = files.path().join("meetings-of-2028.csv");
    std::fs::write(&file, "first_day,second_day\n2028-01-25,2028-01-26\n").unwrap();
    let done = import(data.path(), &[&file]);
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(said.contains("calendar of Copom meetings: 1 new, 0 changed, 0 unchanged"), "{said}");
    let arguments = ["get", "market", "decisions", "--limit", "1", "--format", "json", "--data"];
    let shown = finserve(&arguments).arg(data.path()).output().unwrap();
    let answer: Value = serde_json::from_slice(&shown.stdout).unwrap();
    let last = answer["upcoming"].as_array().unwrap().last().unwrap();
    assert_eq!(last, &json!({"first_day": "2028-01-25", "second_day": "2028-01-26"}));
}

#[test]
fn sync_asks_the_central_bank_for_the_calendar() {
    let place = sync::Place::days_ago(0);
    let ran = place.sync(&["--only", "copom"]);
    let meetings = || {
        let found = market::selic_decisions(&place.snapshot(), market::History::default());
        let days =
            found.unwrap().upcoming.into_iter().map(|meeting| meeting.second_day.to_string());
        days.filter(|day| day.as_str() >= "2027-12-01").collect::<Vec<_>>()
    };
    assert!(ran.output.starts_with("copom: 1 new"), "{}{}", ran.output, ran.errors);
    assert_eq!(meetings(), ["2027-12-08", "2028-01-26"]);
    // An answer of another kind changes nothing.
    place.publisher.break_down("agendaics", Fault::Instead(b"[{\"reuniao\":1}]".to_vec()));
    let ran = place.sync(&["--only", "copom"]);
    assert!(ran.output.starts_with("copom: failed: calendar of Copom meetings"), "{}", ran.output);
    assert_eq!(meetings(), ["2027-12-08", "2028-01-26"]);
}

/// DD/MM/YYYY.
fn brazilian(day: Date) -> String {
    format!("{:02}/{:02}/{}", day.day(), day.month(), day.year())
}

#[test]
fn a_decision_is_told_once_by_webhook_and_in_the_stream() {
    let (place, receiver) = (Place::new(), Receiver::start(&[]));
    let files = tempfile::tempdir().unwrap();
    let publish = |name: &str, text: &str| {
        let file = files.path().join(name);
        std::fs::write(&file, text).unwrap();
        let done = import(place.server.data.path(), &[&file]);
        assert!(done.status.success(), "{done:?}");
    };
    let target = |day, value| format!(r#"[{{"data":"{}","valor":"{value}"}}]"#, brazilian(day));
    // A meeting that ended yesterday.
    let today = Date::in_brasilia(chrono::Utc::now());
    let (second, first) = (today.days_before(1), today.days_before(2));
    publish("bcdata.sgs.432.json", &target(second, "13.75"));
    let wanted = json!({"url": receiver.url("/"), "events": ["selic.decided"], "series": "selic"});
    place.subscribe(&wanted);
    publish("copom.csv", &format!("first_day,second_day\n{first},{second}\n"));
    for _ in 0..2 {
        publish("bcdata.sgs.432.json", &target(today, "13.50"));
    }
    let call = &receiver.wait_for(1)[0];
    let body: Value = serde_json::from_slice(&call.body).unwrap();
    assert_eq!(body["type"], "selic.decided");
    let decision = &body["data"];
    assert_eq!(decision["date"], second.to_string());
    assert_eq!(decision["effective_from"], today.to_string());
    assert_eq!((&decision["before"], &decision["change"]), (&json!(13.75), &json!(-0.25)));
    let events = place.get("/api/v1/events").json();
    let of_today = |event: &&Value| event["data"]["effective_from"] == today.to_string();
    assert_eq!(events["data"].as_array().unwrap().iter().filter(of_today).count(), 1);
    assert_eq!(&place.get(&format!("{PATH}?limit=1")).json()["data"][0], decision);
}
