//! The contract: what `openapi.yaml` says of an operation is what a real server answers, on every plan.
use std::iter;

use fincore::{Feature, Key, Plan, plans};
use serde_json::json;

use crate::{
    access,
    harness::{Reply, new_key, with},
};

mod document;
mod schema;
mod service;

use document::{Document, Given, Operation};
use service::Service;

/// All that is wrong, each with the place where it is.
#[derive(Default)]
struct Findings(Vec<String>);

impl Findings {
    fn add(&mut self, place: &str, wrongs: Vec<String>) {
        self.0.extend(wrongs.iter().map(|wrong| format!("{place}: {wrong}")));
    }

    #[track_caller]
    fn expect_none(self) {
        assert!(self.0.is_empty(), "\n{}", self.0.join("\n"));
    }
}

#[test]
fn every_example_is_what_its_schema_says() {
    let document = Document::read();
    let examples = document.examples();
    assert!(examples.len() > 50, "{}", examples.len());
    let mut findings = Findings::default();
    for (place, schema, example) in examples {
        findings.add(&place, document.wrongs(schema, example));
    }
    findings.expect_none();
}

/// An unquoted comma in a flow mapping cuts a description short, and makes what follows a key without a value.
#[test]
fn no_description_is_cut_short_by_a_comma() {
    assert_eq!(Document::read().keys_without_value(), Vec::<String>::new());
}

#[test]
#[ignore = "long"]
fn every_operation_answers_each_plan_as_described() {
    let service = Service::start();
    let operations = service.document.operations();
    // Keys of their own for each operation: a key on Free passes no more than 30 requests.
    let accounts = service.server.accounts();
    let keys: Vec<_> =
        operations.iter().map(|_| Plan::ALL.map(|plan| new_key(&accounts, plan))).collect();
    access::wait_for(&service.server, &keys[keys.len() - 1][3], Plan::Platinum.id());
    let mut findings = Findings::default();
    for (operation, keys) in operations.iter().zip(&keys) {
        let with_keys = Plan::ALL.into_iter().zip(keys.iter().map(Some));
        for (plan, key) in iter::once((Plan::Free, None)).chain(with_keys) {
            let as_csv = operation.comes_as_csv().then_some(Given::Csv);
            for given in [Given::Required, Given::All].into_iter().chain(as_csv) {
                let target = match key {
                    Some(key) if plan >= operation.plan() => {
                        service.own_target(operation, given, key)
                    }
                    _ => service.target(operation, given),
                };
                let headers = service.stranger() + &key.map(with).unwrap_or_default();
                let reply = service.call(operation, &target, &headers);
                let caller = key.map_or("no key", |_| plan.id());
                let place = format!("{} {target} with {caller}", operation.method);
                let mut wrongs = service.document.differences(operation, &reply);
                wrongs.extend(unlike_the_plan(operation, plan, key, given, &reply));
                findings.add(&place, wrongs);
            }
        }
    }
    findings.expect_none();
}

/// What the answer must be by the caller's plan, where it is another one.
fn unlike_the_plan(
    operation: &Operation<'_>,
    plan: Plan,
    key: Option<&Key>,
    given: Given,
    reply: &Reply,
) -> Option<String> {
    let needed = match given {
        // A list that the plan does not reach names its own plan first.
        Given::Csv if plan >= operation.plan() => Feature::Csv.plan(),
        Given::Required | Given::All | Given::Csv => operation.plan(),
    };
    if plan < needed {
        let told = reply.json()["required_plan"] == needed.id();
        return (reply.status != 403 || !told).then(|| format!("{plan} gets {}", reply.text()));
    }
    let succeeds = match reply.status {
        401 => key.is_none() && operation.needs_key(),
        // The days in the examples are older than the year that the smaller plans reach.
        403 => given == Given::All && plan < Plan::Gold,
        status => (200..300).contains(&status),
    };
    (!succeeds).then(|| format!("{plan} gets {}: {}", reply.status, reply.text()))
}

#[test]
fn every_operation_refuses_as_described() {
    let service = Service::start();
    let key = with(&service.key);
    let mut findings = Findings::default();
    for operation in &service.document.operations() {
        let target = service.target(operation, Given::Required);
        let mark = if target.contains('?') { '&' } else { '?' };
        let wrong = format!("{target}{mark}nonsense=1");
        let reply = service.call(operation, &wrong, &key);
        let mut wrongs = service.check(operation, &reply, 400);
        if !reply.text().contains("nonsense") {
            wrongs.push(format!("it does not name the parameter: {}", reply.text()));
        }
        findings.add(&format!("{} {wrong}", operation.method), wrongs);

        let stranger = service.stranger();
        let guessed = service.call(operation, &target, &format!("{stranger}X-API-Key: fin_x\r\n"));
        let place = format!("{} {target}", operation.method);
        findings.add(&place, service.check(operation, &guessed, 401));
        let many =
            service.call(operation, &target, &format!("{key}{}", "X-More: 1\r\n".repeat(70)));
        findings.add(&place, service.check(operation, &many, 431));
        let long = format!(
            "{target}{}{}",
            if target.contains('?') { "&" } else { "?" },
            "x".repeat(9_000)
        );
        findings.add(&place, service.check(operation, &service.call(operation, &long, &key), 414));
        let patched = service.server.keyless("PATCH", &target, &key);
        findings.add(&place, service.check(operation, &patched, 405));
        if let Some((media, _)) = operation.body() {
            let long = "x".repeat(17_000);
            let long = service.send(&operation.method, &target, &key, media, &long);
            findings.add(&place, service.check(operation, &long, 413));
            let picture = service.send(&operation.method, &target, &key, "image/png", "x");
            findings.add(&place, service.check(operation, &picture, 415));
        }
    }
    findings.expect_none();
}

#[test]
fn what_is_nowhere_or_unchanged_is_answered_as_described() {
    let service = Service::start();
    let key = with(&service.key);
    let mut findings = Findings::default();
    for operation in &service.document.operations() {
        let (method, path) = (&operation.method, operation.path);
        if operation.describes(404) {
            let nowhere = match path.split_once('{') {
                Some((before, rest)) => {
                    let after = rest.split_once('}').unwrap().1;
                    format!(
                        "{before}999999{}",
                        after.replace("{delivery}", "dlv_1").replace("{kind}", "income")
                    )
                }
                None => format!("{path}?{}", nowhere(path)),
            };
            let reply = service.call(operation, &nowhere, &key);
            if nowhere.contains("format=value") {
                assert_eq!((reply.status, reply.text()), (404, "no row matches"), "{nowhere}");
            } else {
                findings.add(&format!("{method} {nowhere}"), service.check(operation, &reply, 404));
            }
        }
        if operation.describes(304) {
            let target = service.target(operation, Given::Required);
            let reply = service.call(operation, &target, &key);
            let tag = format!("If-None-Match: {}\r\n", reply.header("etag").unwrap_or("none"));
            let again = service.call(operation, &target, &(tag + &key));
            findings.add(&format!("{method} {target}"), service.check(operation, &again, 304));
        }
    }
    findings.expect_none();
}

#[test]
fn every_counted_operation_is_limited_as_described() {
    let service = Service::start();
    let caller = service.stranger();
    for _ in 0..Plan::Free.limit() {
        service.server.keyless("GET", "/api/v1/plans", &caller);
    }
    let mut findings = Findings::default();
    for operation in service.document.operations().iter().filter(|one| one.is_counted()) {
        let target = service.target(operation, Given::Required);
        let reply = service.call(operation, &target, &caller);
        findings.add(&target, service.check(operation, &reply, 429));
    }
    findings.expect_none();
}

/// The replies that the examples of errors show, by the names that the document gives them.
fn refusals(service: &Service) -> Vec<(&'static str, Reply)> {
    let server = &service.server;
    let get = |target: &str, headers: &str| {
        server.keyless("GET", target, &(service.stranger() + headers))
    };
    let register = |media: &str, body: &str| {
        service.send("POST", "/api/v1/plans/register", &service.stranger(), media, body)
    };
    let key = with(&service.key);
    let subscribe =
        |body: &str| service.send("POST", "/api/v1/webhooks", &key, "application/json", body);
    let (webhook, _) = service.webhook(&service.key);
    let shown = service.document.at("/components/parameters/webhookId/example").as_str().unwrap();
    let replay = format!("/api/v1/webhooks/{webhook}/deliveries/dlv_999999/replay");
    let link = |body: &str| service.send("POST", "/api/v1/links", &key, "application/json", body);
    let many: Vec<Reply> =
        (0..21).map(|_| link(r#"{"name":"x","path":"/api/v1/market/cdi"}"#)).collect();
    let token = many[0].json()["token"].as_str().unwrap().to_owned();
    let address = format!("/api/v1/market/selic?token={token}");
    let shown_link = service.document.at("/components/parameters/linkId/example").as_str().unwrap();
    let unknown = format!("/api/v1/links/{shown_link}");
    let busy = service.stranger();
    for _ in 0..Plan::Free.limit() {
        server.keyless("GET", "/api/v1/plans", &busy);
    }
    vec![
        ("BadRequest", get("/api/v1/market/selic?limit=0", "")),
        ("InvalidRegistration", register("application/json", r#"{"name":"Ana"}"#)),
        ("InvalidKey", get("/api/v1/market/overview", "X-API-Key: fin_x\r\n")),
        ("KeyRequired", get("/api/v1/plans/usage", "")),
        ("PlanRequired", get("/api/v1/market/selic?from=2000-01-01", "")),
        ("UnknownPair", get("/api/v1/market/fx?pair=XXX/BRL", "")),
        ("UnknownSeries", get("/api/v1/market/series/xyz", "")),
        ("UnknownDate", get("/api/v1/calendar/2026-02-30", "")),
        ("UnknownCompany", get("/api/v1/companies/999999", &key)),
        ("UnknownFiling", get("/api/v1/filings/1", &key)),
        ("UnknownDataset", get("/api/v1/export/xyz", &key)),
        ("LinkScope", get(&address, "")),
        ("WrongLink", link("{}")),
        ("TooManyLinks", many.into_iter().last().expect("the 21st")),
        ("UnknownLink", server.keyless("DELETE", &unknown, &key)),
        ("UnknownWebhook", get(&format!("/api/v1/webhooks/{shown}"), &key)),
        ("UnknownDelivery", server.keyless("POST", &replay, &key)),
        ("InvalidWebhook", subscribe(r#"{"url":"https://hooks.example/finserve"}"#)),
        ("MethodNotAllowed", server.keyless("DELETE", "/health", &service.stranger())),
        ("UriTooLong", get(&format!("/{}", "x".repeat(9_000)), "")),
        ("HeadersTooLarge", get("/health", &"X-More: 1\r\n".repeat(70))),
        ("PayloadTooLarge", register("application/json", &"x".repeat(17_000))),
        ("UnsupportedMediaType", register("text/plain", "x")),
        ("RateLimited", server.keyless("GET", "/api/v1/plans", &busy)),
    ]
}

#[test]
fn the_examples_of_errors_are_what_is_answered() {
    let service = Service::start();
    let refusals = refusals(&service);
    let mut findings = Findings::default();
    for (name, mut example) in service.document.errors() {
        // No request brings these about, or none that a test would wait for.
        if ["InternalError", "Unavailable", "RequestTimeout"].contains(&name) {
            continue;
        }
        let reply = refusals.iter().find(|(of, _)| *of == name);
        let (_, reply) = reply.unwrap_or_else(|| panic!("nothing is compared with {name}"));
        let reply = reply.json();
        // How long to wait differs from moment to moment.
        if let (Some(shown), Some(now)) =
            (example["retry_after"].as_u64(), reply.get("retry_after"))
        {
            let message = example["message"].as_str().unwrap();
            assert!(message.contains(&format!(" {shown} s")), "{message}");
            example["message"] =
                message.replace(&format!(" {shown} s"), &format!(" {now} s")).into();
            example["retry_after"] = now.clone();
        }
        if example != reply {
            findings.add(name, vec![format!("\n  shown    {example}\n  answered {reply}")]);
        }
    }
    findings.expect_none();
}

#[test]
fn every_description_ends_with_the_plan() {
    let document = Document::read();
    let mut findings = Findings::default();
    for operation in document.operations() {
        let plan = operation.plan();
        let end = match plan {
            _ if !operation.is_counted() => "Needs no plan and no key.".to_owned(),
            Plan::Free if operation.needs_key() => "Plan: Free; needs an API key.".to_owned(),
            Plan::Free => "Plan: Free, no key needed.".to_owned(),
            Plan::Platinum => "Plan: Platinum.".to_owned(),
            plan => format!("Plan: {} or higher.", plan.name()),
        };
        if !operation.description().ends_with(&end) {
            findings.add(operation.path, vec![format!("the description does not end in {end:?}")]);
        }
        if plan > Plan::Free && !operation.needs_key() {
            findings.add(operation.path, vec!["a key is described as optional".to_owned()]);
        }
    }
    findings.expect_none();
}

/// A query for what is not there.
fn nowhere(path: &str) -> &'static str {
    if path == "/api/v1/market/series" {
        return "ids=nope";
    }
    match path.strip_prefix("/api/v1/calc/") {
        Some("convert") => "from=XXX&to=BRL",
        Some("correction") => "amount=1&from=2024-01-01&index=nope",
        Some("accumulated") => "series=nope&from=2024-01-01",
        Some("real-rate") => "from=2024-01-01&interest=nope",
        Some(_) => "pair=XXX/BRL",
        None => match path {
            "/api/v1/market/fx" | "/api/v1/market/fx/current" => "pair=XXX/BRL",
            _ if path.ends_with("/search") => "q=petrobras&format=value&limit=1&offset=99999999",
            // A list without a row has no value.
            _ => "format=value&limit=1&offset=99999999",
        },
    }
}

#[test]
fn every_list_is_described_with_its_links() {
    /// Their lists stand inside of the answer.
    const INSIDE: [&str; 4] = [
        "/api/v1/calc/accumulated",
        "/api/v1/calc/correction",
        "/api/v1/calc/real-rate",
        "/api/v1/search",
    ];
    let document = Document::read();
    let mut lists = 0;
    for operation in document.operations() {
        let described = operation.describes_header(200, "Link");
        let is_list = document.is_list(&operation) || INSIDE.contains(&operation.path);
        assert_eq!(is_list, described, "{}", operation.path);
        lists += usize::from(described);
    }
    assert_eq!(lists, 22 + INSIDE.len());
}

/// The deliveries of a webhook belong to a key, and are no data.
#[test]
fn every_list_of_data_is_described_as_csv() {
    let document = Document::read();
    let mut described = 0;
    for operation in document.operations() {
        let whole = ["/api/v1/calendar/business-days", "/api/v1/export/{dataset}"];
        let is_data = document.is_list(&operation) && operation.describes(304);
        let wanted = is_data || whole.contains(&operation.path);
        assert_eq!(operation.comes_as_csv(), wanted, "{}", operation.path);
        let target = document.target(&operation, Given::Csv);
        assert_eq!(target.contains("format=csv&dialect=br"), wanted, "{target}");
        assert!(!wanted || operation.describes(403), "{}", operation.path);
        described += usize::from(wanted);
    }
    assert_eq!(described, 23);
}

#[test]
fn the_plans_of_the_document_are_those_of_the_library() {
    let document = Document::read();
    let ids: Vec<_> = Plan::ALL.iter().map(|plan| plan.id()).collect();
    assert_eq!(document.at("/components/schemas/PlanId/enum"), &json!(ids));
    let (mut limits, mut listed) = (0, false);
    for (place, _, example) in document.examples() {
        if example["plans"].is_array() {
            assert_eq!(*example, serde_json::to_value(plans::list()).unwrap(), "{place}");
            listed = true;
        }
        // An answer that names a plan and a limit names that plan's limit.
        if let (Some(plan), Some(limit)) = (example["plan"].as_str(), example.get("rate_limit")) {
            assert_eq!(*limit, plan.parse::<Plan>().unwrap().limit(), "{place}");
            limits += 1;
        }
    }
    assert_eq!((listed, limits), (true, 2));
}
