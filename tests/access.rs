//! Who may ask what, and how often: plans, keys and limits as a client meets them.
use std::fmt::Write;

use fincore::{Key, Plan};

use crate::harness::{Reply, Server, new_key, with};

const ELSEWHERE: &str = "203.0.113.99";
const SELIC: &str = "/api/v1/market/selic/current";

/// A server behind a proxy, so that a test can send from any address.
fn proxied() -> Server {
    Server::start_with(&["--trusted-proxy", "127.0.0.1"])
}

fn from(address: &str) -> String {
    format!("X-Forwarded-For: {address}\r\n")
}

/// Limit, what remains of it, and the plan.
fn standing(reply: &Reply) -> (u32, u32, String) {
    let number = |name| reply.header(name).unwrap_or_else(|| panic!("{name}")).parse().unwrap();
    let plan = reply.header("x-plan").unwrap().to_owned();
    (number("x-ratelimit-limit"), number("x-ratelimit-remaining"), plan)
}

#[test]
fn every_response_says_where_the_caller_stands() {
    let server = proxied();
    let gold = new_key(&server.accounts(), Plan::Gold);
    wait_for(&server, &gold, "gold");
    let tag = server.keyless("GET", SELIC, &from("192.0.2.1"));
    let tag = format!("If-None-Match: {}\r\n", tag.header("etag").unwrap());
    let register = "/api/v1/plans/register";
    let replies = [
        (200, server.keyless("GET", SELIC, "")),
        (200, server.keyless("HEAD", SELIC, "")),
        (304, server.keyless("GET", SELIC, &tag)),
        (204, server.keyless("OPTIONS", SELIC, "")),
        (200, server.keyless("GET", "/health", "")),
        (201, server.post(register, "", r#"{"name":"Ana","email":"ana@example.com"}"#)),
        (400, server.keyless("GET", "/api/v1/market/selic?limit=0", "")),
        (400, server.keyless("GET", "/%zz", "")),
        (400, server.send(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")),
        (401, server.keyless("GET", SELIC, "X-API-Key: x\r\n")),
        (401, server.keyless("GET", "/api/v1/plans/usage", "")),
        (403, server.keyless("GET", "/api/v1/market/selic?from=2000-01-01", "")),
        (404, server.keyless("GET", "/nope", "")),
        (404, server.keyless("GET", "/api/v1/market/fx?pair=XXX/BRL", "")),
        (405, server.keyless("DELETE", SELIC, "")),
        (413, server.post(register, "", &" ".repeat(16 * 1024 + 1))),
        (415, server.keyless("POST", register, "Content-Length: 0\r\n")),
    ];
    for (status, reply) in replies {
        assert_eq!(reply.status, status, "{}", reply.text());
        let (limit, remaining, plan) = standing(&reply);
        assert_eq!((limit, plan.as_str()), (30, "free"), "{status}");
        let policy = reply.header("ratelimit-policy");
        assert_eq!(policy, Some("\"free\";q=30;w=60"), "{status}");
        let state = reply.header("ratelimit").unwrap();
        assert!(state.starts_with(&format!("\"free\";r={remaining};t=")), "{status}: {state}");
        assert!(reply.header("x-ratelimit-reset").unwrap().parse::<u64>().is_ok(), "{status}");
        assert!(reply.header("x-request-id").is_some(), "{status}");
    }
    let reply = server.keyless("GET", "/nope", &with(&gold));
    assert_eq!(standing(&reply), (500, 500, "gold".into()));
}

#[test]
fn an_address_passes_exactly_thirty() {
    let server = proxied();
    let headers = from("192.0.2.1");
    for left in (0..30).rev() {
        // Neither pages nor questions about options count, nor what is nowhere.
        for (method, target) in [("GET", "/health"), ("OPTIONS", SELIC), ("GET", "/api/v1/nope")] {
            let uncounted = server.keyless(method, target, &headers);
            assert_eq!(standing(&uncounted).1, left + 1, "{method} {target}");
        }
        let target = if left % 2 == 0 { SELIC } else { "/api/v1/market/selic?limit=0" };
        let reply = server.keyless("GET", target, &headers);
        assert_eq!(
            (reply.status, standing(&reply).1),
            (if left % 2 == 0 { 200 } else { 400 }, left)
        );
    }
    let refused = server.keyless("GET", SELIC, &headers);
    refused.expect_error(429, "rate_limited");
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(refused.json()["retry_after"], wait);
    assert_eq!(standing(&refused).1, 0);

    assert_eq!(server.keyless("GET", "/health", &headers).status, 200);
    assert_eq!(server.keyless("GET", SELIC, &from("::ffff:192.0.2.1")).status, 429);
    assert_eq!(server.keyless("GET", SELIC, &from("192.0.2.2")).status, 200);
}

#[test]
fn a_crowd_passes_exactly_the_limit() {
    let server = proxied();
    let bronze = new_key(&server.accounts(), Plan::Bronze);
    wait_for(&server, &bronze, "bronze");
    for (headers, limit) in [(with(&bronze), 100), (from("2001:db8::1"), 30)] {
        let (server, headers) = (&server, &headers);
        let replies: Vec<Reply> = std::thread::scope(|scope| {
            let ask = || (0..4).map(|_| server.keyless("GET", SELIC, headers)).collect::<Vec<_>>();
            let threads: Vec<_> = (0..64).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        let passed = replies.iter().filter(|reply| reply.status == 200);
        let mut remaining: Vec<u32> = passed.map(|reply| standing(reply).1).collect();
        remaining.sort_unstable();
        assert_eq!(remaining, (0..limit).collect::<Vec<_>>());
        assert_eq!(
            replies.iter().filter(|reply| reply.status == 429).count(),
            256 - limit as usize
        );
    }
}

#[test]
fn forged_addresses_change_nothing() {
    let server = Server::start();
    let passed = (0..1000_u32)
        .map(|n| server.keyless("GET", SELIC, &from(&std::net::Ipv4Addr::from_bits(n).to_string())))
        .filter(|reply| reply.status == 200);
    assert_eq!(passed.count(), 30);
}

#[test]
fn a_key_has_a_counter_of_its_own() {
    let server = proxied();
    for plan in Plan::ALL {
        let (key, other) = (new_key(&server.accounts(), plan), new_key(&server.accounts(), plan));
        wait_for(&server, &other, plan.id());
        for used in 1..=3 {
            let reply = server.keyless("GET", SELIC, &with(&key));
            assert_eq!(standing(&reply), (plan.limit(), plan.limit() - used, plan.to_string()));
        }
        let reply = server.keyless("GET", SELIC, &with(&other));
        assert_eq!(standing(&reply).1, plan.limit() - 1);
        assert_eq!(reply.header("cache-control"), Some("private, max-age=60"));
    }
    let reply = server.keyless("GET", SELIC, "");
    assert_eq!(standing(&reply), (30, 29, "free".into()));
    assert_eq!(reply.header("cache-control"), Some("public, max-age=60"));
}

#[test]
fn a_key_may_come_in_either_header() {
    let server = proxied();
    let (key, other) =
        (new_key(&server.accounts(), Plan::Gold), new_key(&server.accounts(), Plan::Gold));
    wait_for(&server, &other, "gold");
    let bearer = |key: &Key| format!("Authorization: Bearer {}\r\n", key.reveal());
    for headers in [with(&key), bearer(&key), with(&key) + &bearer(&key)] {
        let reply = server.keyless("GET", SELIC, &headers);
        assert_eq!((reply.status, reply.header("x-plan")), (200, Some("gold")));
    }
    let both = server.keyless("GET", SELIC, &(with(&key) + &bearer(&other)));
    both.expect_error(400, "bad_request");
    for name in ["api_key", "key", "X-API-Key"] {
        let target = format!("{SELIC}?{name}={}", key.reveal());
        let message = server.keyless("GET", &target, "").expect_error(400, "bad_request");
        assert!(message.contains("unknown") && !message.contains(key.reveal()), "{message}");
    }
}

#[test]
fn forty_wrong_credentials_are_refused_and_charged_to_the_address() {
    let server = proxied();
    let (good, revoked) =
        (new_key(&server.accounts(), Plan::Gold), new_key(&server.accounts(), Plan::Gold));
    fincore::keys::revoke(&server.accounts(), &revoked.prefix(), chrono::DateTime::UNIX_EPOCH)
        .unwrap();
    wait_for(&server, &good, "gold");
    let key = good.reveal();
    let unknown = Key::generate().unwrap();
    let typo = |at: usize| {
        let mut text = key.to_owned();
        let other = if &key[at..=at] == "a" { "b" } else { "a" };
        text.replace_range(at..=at, other);
        text
    };
    let mut values = vec![
        String::new(),
        "fin_".into(),
        "x".into(),
        "null".into(),
        "undefined".into(),
        "' OR 1=1 --".into(),
        "../../etc/passwd".into(),
        "%00".into(),
        key[..41].into(),
        key[4..].into(),
        format!("{key}0"),
        format!("{key} {key}"),
        format!("{key},{key}"),
        format!("\"{key}\""),
        format!("Bearer {key}"),
        key.to_uppercase(),
        key.to_lowercase(),
        key.replace("fin_", "FIN_"),
        "x".repeat(4000),
        unknown.reveal().into(),
        revoked.reveal().into(),
    ];
    values.extend([4, 20, 35, 36, 41].map(typo));
    let plain = values.iter().map(|value| format!("X-API-Key: {value}\r\n"));
    let schemes = [
        "Bearer",
        "Bearer ",
        "Basic YTpi",
        "Token x",
        "Bearer x",
        "bearer fin_",
        "Digest a=b",
        "x",
        "Bearer null",
        "ApiKey x",
        "Bearer\t",
        "",
        "AWS4-HMAC-SHA256 x",
        "Negotiate x",
    ];
    let others = schemes.iter().map(|scheme| format!("Authorization: {scheme}\r\n"));
    let credentials: Vec<_> = plain.chain(others).collect();
    assert_eq!(credentials.len(), 40);
    for (sent, headers) in (1..).zip(credentials) {
        let reply = server.keyless("GET", SELIC, &headers);
        let message = reply.expect_error(401, "invalid_api_key");
        assert!(reply.header("www-authenticate").unwrap().starts_with("Bearer"), "{message}");
        assert_eq!(standing(&reply), (30, 30_u32.saturating_sub(sent), "free".into()), "{headers}");
        assert!(!reply.text().contains(&key[12..]), "{headers}");
    }
    assert_eq!(server.keyless("GET", SELIC, "").status, 429);
    assert_eq!(standing(&server.keyless("GET", SELIC, &with(&good))).1, 499);
    let not_ascii =
        b"GET /health HTTP/1.1\r\nHost: a\r\nX-API-Key: \xff\r\nConnection: close\r\n\r\n";
    server.send(not_ascii).expect_error(401, "invalid_api_key");
}

#[test]
fn a_key_is_judged_and_charged_the_same_way_everywhere() {
    let server = proxied();
    let gold = new_key(&server.accounts(), Plan::Gold);
    wait_for(&server, &gold, "gold");
    let unknown = with(&Key::generate().unwrap());
    let address = from("192.0.2.7");
    let places =
        [("GET", "/nope"), ("DELETE", SELIC), ("GET", "/"), ("GET", "/health"), ("GET", SELIC)];
    for (number, (method, target)) in (1..).zip(places) {
        let reply = server.keyless(method, target, &format!("{address}{unknown}"));
        reply.expect_error(401, "invalid_api_key");
        assert_eq!(standing(&reply), (30, 30 - number, "free".into()), "{method} {target}");
    }
    // Bad grammar is told first, and costs a wrong key the same.
    let reply = server.keyless("GET", "/%zz", &format!("{address}{unknown}"));
    reply.expect_error(400, "bad_request");
    assert_eq!(standing(&reply), (30, 24, "free".into()));

    // Asking about options needs no key and tells nothing of one; a good key is not charged for what is nowhere.
    for key in [with(&gold), unknown] {
        for target in [SELIC, "/", "/nope", "/%zz"] {
            let reply = server.keyless("OPTIONS", target, &format!("{address}{key}"));
            assert_eq!(standing(&reply), (30, 24, "free".into()), "{target}");
        }
    }
    server.keyless("GET", "/nope", &with(&gold)).expect_error(404, "not_found");
    let reply = server.keyless("DELETE", SELIC, &with(&gold));
    assert_eq!((reply.status, standing(&reply)), (405, (500, 500, "gold".into())));
}

#[test]
fn a_small_plan_is_told_which_one_reaches_further() {
    let server = proxied();
    let keys = Plan::ALL.map(|plan| (plan, new_key(&server.accounts(), plan)));
    wait_for(&server, &keys[3].1, "platinum");
    for (plan, key) in keys {
        for name in ["selic", "cdi", "ipca", "fx", "series/igp-m", "series/21619"] {
            for query in ["from=2020-01-01", "to=2020-01-01", "from=2020-01-01&to=2020-01-31"] {
                let target = format!("/api/v1/market/{name}?{query}");
                let reply = server.keyless("GET", &target, &with(&key));
                if plan >= Plan::Gold {
                    assert_eq!(reply.status, 200, "{plan} {target}");
                    continue;
                }
                let message = reply.expect_error(403, "plan_required");
                let json = reply.json();
                let wanted = serde_json::json!({
                    "error": "plan_required", "message": message, "feature": "historical_data",
                    "current_plan": plan.id(), "required_plan": "gold", "upgrade_url": "/pricing",
                });
                assert_eq!(json, wanted, "{target}");
                assert!(message.ends_with(&format!("this request is on {}.", plan.name())));
            }
        }
        let ipca = server.keyless("GET", "/api/v1/market/ipca?limit=1000", &with(&key));
        let months = ipca.json()["data"].as_array().unwrap().len();
        // A year up to the newest month has both its ends.
        assert_eq!(months == 13, plan < Plan::Gold, "{plan}: {months}");
    }
    let tag = |headers: &str| {
        server.keyless("GET", "/api/v1/market/ipca", headers).header("etag").unwrap().to_owned()
    };
    let gold = new_key(&server.accounts(), Plan::Gold);
    wait_for(&server, &gold, "gold");
    assert_ne!(tag(""), tag(&with(&gold)));
}

#[test]
fn each_plan_reaches_what_was_sold() {
    let server = proxied();
    let keys = Plan::ALL.map(|plan| (plan, new_key(&server.accounts(), plan)));
    wait_for(&server, &keys[3].1, "platinum");
    let endpoints = [
        (Plan::Free, "/api/v1/market/overview", ""),
        (Plan::Free, "/api/v1/market/fx/pairs", ""),
        (Plan::Free, "/api/v1/market/series", ""),
        (Plan::Free, "/api/v1/market/series/igp-m", ""),
        (Plan::Free, "/api/v1/market/series/1178/current", ""),
        (Plan::Free, "/api/v1/plans", ""),
        (Plan::Bronze, "/api/v1/companies", "companies"),
        (Plan::Bronze, "/api/v1/companies/9512", "companies"),
        (Plan::Bronze, "/api/v1/companies/search?q=petrobras", "companies"),
        (Plan::Bronze, "/api/v1/search?q=petrobras", "companies"),
        (Plan::Gold, "/api/v1/filings", "filings"),
        (Plan::Gold, "/api/v1/filings/recent", "filings"),
        (Plan::Gold, "/api/v1/filings/search?q=petrobras", "filings"),
        (Plan::Gold, "/api/v1/filings/1", "filings"),
        (Plan::Gold, "/api/v1/companies/9512/filings", "filings"),
    ];
    for (needed, target, feature) in endpoints {
        for (plan, key) in &keys {
            let reply = server.keyless("GET", target, &with(key));
            if *plan >= needed {
                assert!([200, 404].contains(&reply.status), "{plan} {target}");
                continue;
            }
            reply.expect_error(403, "plan_required");
            let json = reply.json();
            let told = ["feature", "current_plan", "required_plan"].map(|name| &json[name]);
            assert_eq!(told, [feature, plan.id(), needed.id()], "{target}");
        }
    }
    // Who has no key is on Free, and what is not reached is told before what is wrong.
    let reply = server.keyless("GET", "/api/v1/filings/search?x=1", &from("192.0.2.3"));
    reply.expect_error(403, "plan_required");
}

#[test]
fn a_search_on_bronze_says_where_the_filings_are() {
    let server = proxied();
    let keys = [Plan::Bronze, Plan::Gold].map(|plan| new_key(&server.accounts(), plan));
    wait_for(&server, &keys[1], "gold");
    let [bronze, gold] = keys
        .map(|key| server.keyless("GET", "/api/v1/search?q=petrobras&limit=1", &with(&key)).json());
    assert_eq!(bronze["companies"], gold["companies"]);
    assert_eq!((bronze["filings"].to_string(), gold["upgrade"].is_null()), ("[]".into(), true));
    assert!(!gold["filings"].as_array().unwrap().is_empty());
    let upgrade = serde_json::json!({
        "feature": "filings", "current_plan": "bronze", "required_plan": "gold", "upgrade_url": "/pricing",
        "message": "Filings need the Gold plan; this request is on Bronze.",
    });
    assert_eq!(bronze["upgrade"], upgrade);
}

#[test]
fn the_plans_are_listed() {
    let reply = Server::shared().get("/api/v1/plans");
    let json = reply.json();
    let plans = json["plans"].as_array().unwrap();
    let mut table = String::new();
    for plan in plans {
        let [id, name, currency] =
            ["id", "name", "currency"].map(|key| plan[key].as_str().unwrap());
        let (price, limit) = (&plan["price"], &plan["rate_limit"]);
        writeln!(table, "{id} {name} {price} {currency} {limit}").unwrap();
        assert!(!plan["features"].as_array().unwrap().is_empty());
    }
    let wanted = "free Free 0 USD 30\nbronze Bronze 29 USD 100\n\
        gold Gold 99 USD 500\nplatinum Platinum 299 USD 2000\n";
    assert_eq!(table, wanted);
}

/// Waits until the server has heard of what happened to a key; `/health` tells without counting. What
/// is asked too early is charged to an address that no test looks at, if the server is behind a proxy.
pub(crate) fn wait_for(server: &Server, key: &Key, plan: &str) {
    let started = std::time::Instant::now();
    loop {
        let reply = server.keyless("GET", "/health", &(with(key) + &from(ELSEWHERE)));
        if reply.header("x-plan") == Some(plan) && reply.status == 200 {
            return;
        }
        assert!(started.elapsed().as_secs() < 20, "{plan} is still {:?}", reply.header("x-plan"));
    }
}
