//! Who is signed in on the pages: from the form to the end of the session.
use std::{
    fs,
    time::{Duration, Instant},
};

use chrono::Utc;
use fincore::{Key, Plan, keys};

use crate::harness::{Reply, Server, new_key, with};

/// A form, sent with these header lines.
fn post(server: &Server, target: &str, headers: &str, form: &str) -> Reply {
    let length = form.len();
    let request = format!(
        "POST {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: {length}\r\n\
         Content-Type: application/x-www-form-urlencoded\r\n{headers}\r\n{form}"
    );
    server.send(request.as_bytes())
}

/// Signs in, and returns the header line that a browser would send from then on.
fn sign_in(server: &Server, key: &Key) -> String {
    let reply = post(server, "/sign-in", "", &format!("key={}", key.reveal()));
    assert_eq!(reply.status, 303, "{}", reply.text());
    cookie(&reply)
}

fn cookie(reply: &Reply) -> String {
    let cookie = reply.header("set-cookie").expect("a cookie");
    format!("Cookie: {}\r\n", cookie.split(';').next().unwrap())
}

fn plan(reply: &Reply) -> &str {
    reply.header("x-plan").unwrap()
}

/// Everything that a reply has, as text.
fn whole(reply: &Reply) -> String {
    format!("{:?} {}", reply.headers, String::from_utf8_lossy(&reply.body))
}

#[test]
fn a_visitor_signs_in_once_and_out_again() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Gold);
    let form = format!("key=+{}+&next=%2Fpricing%3Flang%3Dpt", key.reveal());
    let signed = post(&server, "/sign-in", "Sec-Fetch-Site: same-origin\r\n", &form);
    assert_eq!((signed.status, signed.header("location")), (303, Some("/pricing?lang=pt")));
    assert_eq!(signed.header("cache-control"), Some("no-store"));
    let set = signed.header("set-cookie").unwrap();
    let (token, rest) = set.split_once("; ").unwrap();
    assert_eq!(rest, "HttpOnly; SameSite=Lax; Path=/; Max-Age=2592000");
    assert!(token.starts_with("session=fis_") && token.len() == 8 + 36, "{token}");
    let cookie = cookie(&signed);

    for path in ["/", "/pricing", "/usage", "/sign-in", "/docs"] {
        let page = server.keyless("GET", path, &cookie);
        assert_eq!((page.status, plan(&page)), (200, "gold"), "{path}");
        let shown = format!("{}…", key.prefix());
        assert!(page.text().contains(&shown) && page.text().contains("/sign-out"), "{path}");
        assert!(page.header("vary").unwrap().contains("Cookie"), "{path}");
        let cache = page.header("cache-control").unwrap();
        assert!(cache == "no-store" || cache == "private, no-cache", "{path}: {cache}");
        let stranger = server.keyless("GET", path, "");
        assert!(!stranger.text().contains("/sign-out") && stranger.text().contains("/sign-in"));
        assert!(stranger.header("vary").unwrap().contains("Cookie"), "{path}");
    }
    // Somebody who is signed in sees the usage at once.
    let usage = server.keyless("GET", "/usage?lang=pt", &cookie);
    assert!(usage.text().contains("id=\"remaining\">500<"), "{}", usage.text());

    // No GET signs out.
    let refused = server.keyless("GET", "/sign-out", &cookie);
    refused.expect_error(405, "method_not_allowed");
    assert_eq!(plan(&server.keyless("GET", "/", &cookie)), "gold");
    let out = post(&server, "/sign-out?lang=pt", &cookie, "");
    assert_eq!((out.status, out.header("location")), (303, Some("/?lang=pt")));
    let forgotten = "session=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0";
    assert_eq!(out.header("set-cookie"), Some(forgotten));
    // The cookie is worth nothing any more, and the browser is told so.
    let after = server.keyless("GET", "/", &cookie);
    assert_eq!((plan(&after), after.header("set-cookie")), ("free", Some(forgotten)));
    assert_eq!(post(&server, "/sign-out", &cookie, "").status, 303);
}

/// What a script of one of our own pages sends.
const OWN_PAGE: &str = "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\n";

#[test]
fn scripts_of_our_own_pages_read_the_api_with_the_session() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Platinum);
    let cookie = sign_in(&server, &key);
    let own = format!("{cookie}{OWN_PAGE}");
    let history = "/api/v1/market/selic?from=2010-01-01&limit=1";
    // What others were refused or given before is not given to the session, and the other way round.
    for _ in 0..3 {
        let read = server.keyless("GET", history, &own);
        assert_eq!((read.status, plan(&read)), (200, "platinum"));
        assert_eq!(read.header("cache-control"), Some("private, max-age=60"));
        let vary = read.header("vary").unwrap();
        assert!(vary.contains("Cookie") && vary.contains("Sec-Fetch-Site"), "{vary}");
        server.keyless("GET", history, &cookie).expect_error(403, "plan_required");
        server.keyless("GET", history, "").expect_error(403, "plan_required");
        let total = |headers: &str| {
            let list = server.keyless("GET", "/api/v1/market/selic", headers);
            (plan(&list).to_owned(), list.json()["total"].as_u64().unwrap())
        };
        let (own, other) = (total(&own), total(&cookie));
        assert_eq!((own.0.as_str(), other.0.as_str()), ("platinum", "free"));
        assert!(own.1 > other.1, "{own:?} {other:?}");
    }
    for path in ["/api/v1/companies", "/api/v1/filings?limit=1", "/api/v1/export"] {
        let read = server.keyless("GET", path, &own);
        assert_eq!((read.status, plan(&read)), (200, "platinum"), "{path}");
    }
    // It is counted to the key.
    let usage = server.keyless("GET", "/api/v1/plans/usage", &own).json();
    assert_eq!(usage["total"]["requests"], 9, "{usage}");
    // Other sites read nothing with it, and nothing is changed with it.
    for foreign in ["cross-site", "same-site", "none", "Same-Origin", ""] {
        let headers = format!("{cookie}Sec-Fetch-Site: {foreign}\r\n");
        server.keyless("GET", "/api/v1/companies", &headers).expect_error(403, "plan_required");
    }
    for path in ["/api/v1/webhooks", "/api/v1/webhooks/x/test"] {
        let refused = server.keyless("POST", path, &own);
        assert_eq!((refused.status, plan(&refused)), (403, "free"), "{path}");
    }
    assert_eq!(plan(&server.keyless("DELETE", "/api/v1/webhooks/x", &own)), "free");
    assert_eq!(plan(&server.keyless("HEAD", "/api/v1/companies", &own)), "free");
}

#[test]
fn the_holder_exchanges_and_revokes_a_key() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Gold);
    let cookie = sign_in(&server, &key);
    server.keyless("GET", "/api/v1/market/selic/current", &with(&key));
    for path in ["/usage/rotate", "/usage/revoke"] {
        // Not without a session, from another site, or without being sure.
        assert_eq!(post(&server, path, "", "confirm=yes").status, 401, "{path}");
        let foreign = format!("{cookie}Sec-Fetch-Site: cross-site\r\n");
        post(&server, path, &foreign, "confirm=yes").expect_error(403, "other_site");
        for unsure in ["", "confirm=no"] {
            assert_eq!(post(&server, path, &cookie, unsure).status, 400, "{path} {unsure}");
        }
        server.keyless("GET", path, &cookie).expect_error(405, "method_not_allowed");
    }
    assert_eq!(plan(&server.keyless("GET", "/api/v1/plans", &with(&key))), "gold");

    let exchanged = post(&server, "/usage/rotate", &cookie, "confirm=yes");
    assert_eq!((exchanged.status, exchanged.header("cache-control")), (201, Some("no-store")));
    let new = exchanged.text().split("data-select>").nth(1).unwrap();
    let new: Key = new.split('<').next().unwrap().parse().unwrap();
    assert_ne!(new.reveal(), key.reveal());
    let own = self::cookie(&exchanged);
    server.keyless("GET", "/api/v1/plans", &with(&key)).expect_error(401, "invalid_api_key");
    assert_eq!(plan(&server.keyless("GET", "/pricing", &cookie)), "free");
    assert_eq!(plan(&server.keyless("GET", "/pricing", &own)), "gold");
    // Its usage came over.
    let usage = server.keyless("GET", "/api/v1/plans/usage", &with(&new)).json();
    assert_eq!(usage["data"][0]["endpoints"]["/api/v1/market/selic/current"], 1, "{usage}");

    let revoked = post(&server, "/usage/revoke", &own, "confirm=yes");
    assert_eq!(revoked.status, 200);
    assert!(revoked.header("set-cookie").unwrap().contains("Max-Age=0"));
    assert!(!revoked.text().contains(new.reveal()) && !revoked.text().contains("/sign-out"));
    server.keyless("GET", "/api/v1/plans", &with(&new)).expect_error(401, "invalid_api_key");
    assert_eq!(plan(&server.keyless("GET", "/pricing", &own)), "free");
}

/// The key that a page shows once, and the cookie of its session.
fn exchange(server: &Server, cookie: &str) -> (Key, String) {
    let page = post(server, "/usage/rotate", cookie, "confirm=yes");
    assert_eq!(page.status, 201, "{}", page.text());
    let key = page.text().split("data-select>").nth(1).unwrap().split('<').next().unwrap();
    (key.parse().unwrap(), self::cookie(&page))
}

#[test]
fn exchanging_a_key_gives_no_second_limit() {
    let server = Server::start_with(&["--registrations-per-hour", "1000"]);
    let mut key = new_key(&server.accounts(), Plan::Bronze);
    let mut cookie = sign_in(&server, &key);
    let (mut admitted, mut refused) = (0, 0);
    for _ in 0..26 {
        for _ in 0..5 {
            match server.keyless("GET", "/api/v1/market/selic/current", &with(&key)).status {
                200 => admitted += 1,
                429 => refused += 1,
                other => panic!("{other}"),
            }
        }
        (key, cookie) = exchange(&server, &cookie);
    }
    assert_eq!((admitted, refused), (100, 30));
    let standing = server.keyless("GET", "/api/v1/plans", &with(&key));
    assert_eq!(standing.header("x-ratelimit-remaining"), Some("0"));
    // Another key of the same person has a limit of its own.
    let other = new_key(&server.accounts(), Plan::Bronze);
    let first = server.keyless("GET", "/api/v1/market/selic/current", &with(&other));
    assert_eq!((first.status, first.header("x-ratelimit-remaining")), (200, Some("99")));
}

#[test]
fn exchanging_a_key_gives_no_more_sign_ins() {
    let server = Server::start_with(&["--registrations-per-hour", "1000"]);
    let key = new_key(&server.accounts(), Plan::Free);
    let mut cookie = sign_in(&server, &key);
    for _ in 1..58 {
        cookie = sign_in(&server, &key);
    }
    // Each exchange signs in too, as long as that is left.
    let (_, cookie) = exchange(&server, &cookie);
    let (_, cookie) = exchange(&server, &cookie);
    let (key, cookie) = exchange(&server, &cookie);
    assert!(!cookie.contains("fis_"), "the sixty-first does not sign in");
    let form = format!("key={}", key.reveal());
    assert_eq!(post(&server, "/sign-in", "", &form).status, 429);
}

#[test]
fn a_new_key_signs_in_by_its_own_form() {
    let server = Server::start();
    let page = post(&server, "/pricing?lang=en", "", "name=Ana&email=ana%40example.com");
    let text = page.text();
    assert_eq!((page.status, page.header("location")), (201, None));
    let key = text.split("name=\"key\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(text.matches(key).count(), 3, "the key, the command and the form: {text}");
    for next in ["/usage?lang=en", "/docs/try?lang=en"] {
        assert!(text.contains(&format!("name=\"next\" value=\"{next}\"")), "{next}");
        let form = format!("key={key}&next={}", next.replace('/', "%2F").replace('?', "%3F"));
        let signed = post(&server, "/sign-in?lang=en", "Sec-Fetch-Site: same-origin\r\n", &form);
        assert_eq!((signed.status, signed.header("location")), (303, Some(next)));
        let own = format!("{}{OWN_PAGE}", cookie(&signed));
        let first = server.keyless("GET", "/api/v1/market/overview", &own);
        let left = first.header("x-ratelimit-limit");
        assert_eq!((first.status, left), (200, Some("30")));
        assert_eq!(first.header("cache-control"), Some("private, max-age=60"));
        let home = server.keyless("GET", "/?lang=en", &cookie(&signed));
        assert!(!home.text().contains("Get a free key"), "{}", home.text());
    }
    assert!(server.keyless("GET", "/?lang=en", "").text().contains("Get a free key"));
}

#[test]
fn a_session_is_nothing_to_programs_that_ask_the_api() {
    let server = Server::start();
    let (key, other) = {
        let accounts = server.accounts();
        (new_key(&accounts, Plan::Platinum), new_key(&accounts, Plan::Bronze))
    };
    let cookie = sign_in(&server, &key);
    for path in ["/api/v1/companies", "/api/v1/filings", "/api/v1/export", "/api/v1/events"] {
        let refused = server.keyless("GET", path, &cookie);
        refused.expect_error(403, "plan_required");
        assert_eq!(plan(&refused), "free", "{path}");
    }
    server.keyless("GET", "/api/v1/plans/usage", &cookie).expect_error(401, "api_key_required");
    for path in ["/api/v1/market/overview", "/docs/openapi.yaml", "/docs/openapi.json", "/health"] {
        let reply = server.keyless("GET", path, &cookie);
        assert_eq!((reply.status, plan(&reply)), (200, "free"), "{path}");
        assert!(reply.header("set-cookie").is_none(), "{path}");
    }
    // On a page, a key in a header goes before the session; a wrong one too.
    let both = server.keyless("GET", "/pricing", &format!("{cookie}{}", with(&other)));
    assert_eq!(plan(&both), "bronze");
    let wrong = server.keyless("GET", "/pricing", &format!("{cookie}X-API-Key: fin_x\r\n"));
    wrong.expect_error(401, "invalid_api_key");
}

#[test]
fn revocation_and_plans_hold_within_a_second_and_a_restart_changes_nothing() {
    let server = Server::start();
    let accounts = server.accounts();
    let key = new_key(&accounts, Plan::Bronze);
    let cookie = sign_in(&server, &key);
    let becomes = |server: &Server, wanted: &str| {
        let since = Instant::now();
        while plan(&server.keyless("GET", "/pricing", &cookie)) != wanted {
            // A second, and what a busy machine adds.
            assert!(since.elapsed() < Duration::from_secs(20), "it is not {wanted} in time");
        }
    };
    becomes(&server, "bronze");
    keys::set_plan(&accounts, &key.prefix(), Plan::Gold).unwrap();
    becomes(&server, "gold");
    let (data, again) = (tempfile::tempdir().unwrap(), "accounts.db");
    accounts.backup(&data.path().join(again)).unwrap();
    fs::copy(server.data.path().join("catalogue.db"), data.path().join("catalogue.db")).unwrap();
    let restarted = Server::start_over(data);
    assert_eq!(plan(&restarted.keyless("GET", "/pricing", &cookie)), "gold");
    keys::revoke(&accounts, &key.prefix(), Utc::now()).unwrap();
    becomes(&server, "free");
    let refused = post(&server, "/sign-in", "", &format!("key={}", key.reveal()));
    assert_eq!((refused.status, refused.header("set-cookie")), (401, None));
}

#[test]
fn a_session_of_another_server_on_the_same_accounts_counts_at_once() {
    let server = Server::start_with(&["--shared"]);
    let key = new_key(&server.accounts(), Plan::Gold);
    let token = fincore::sessions::begin(&server.accounts(), &key, Utc::now()).unwrap();
    let cookie = format!("Cookie: session={}\r\n", token.reveal());
    assert_eq!(plan(&server.keyless("GET", "/pricing", &cookie)), "gold");
}

#[test]
fn a_wrong_key_is_told_and_charged_to_the_address() {
    let server = Server::start();
    let unknown = Key::generate().unwrap();
    for (number, wrong) in ["fin_x", "", unknown.reveal()].into_iter().enumerate() {
        let page = post(&server, "/sign-in?lang=pt&next=/usage", "", &format!("key={wrong}"));
        assert_eq!((page.status, page.header("set-cookie")), (401, None), "{wrong}");
        assert!(page.text().contains("Não reconhecemos esta chave"), "{wrong}");
        assert!(page.text().contains("name=\"next\" value=\"/usage\""));
        assert!(wrong.is_empty() || !whole(&page).contains(wrong), "{wrong}");
        let next = server.keyless("GET", "/pricing", "");
        let left = (29 - number).to_string();
        assert_eq!(next.header("x-ratelimit-remaining"), Some(left.as_str()));
    }
    assert_eq!(post(&server, "/sign-in", "", "").status, 400);
    assert_eq!(post(&server, "/sign-in", "", "key=a&more=b").status, 400);
    server.post("/sign-in", "", "{}").expect_error(415, "unsupported_media_type");
}

#[test]
fn other_sites_sign_nobody_in_or_out_and_nobody_is_led_to_them() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Gold);
    let (cookie, form) = (sign_in(&server, &key), format!("key={}", key.reveal()));
    for foreign in [
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\n",
        "Origin: https://evil.example\r\n",
        "Origin: null\r\n",
        "Referer: https://evil.example/\r\n",
    ] {
        let signed = post(&server, "/sign-in", foreign, &form);
        signed.expect_error(403, "other_site");
        assert!(signed.header("set-cookie").is_none());
        post(&server, "/sign-out", &format!("{cookie}{foreign}"), "")
            .expect_error(403, "other_site");
        assert_eq!(plan(&server.keyless("GET", "/", &cookie)), "gold", "{foreign}");
    }
    for elsewhere in [
        "https%3A%2F%2Fevil.example",
        "%2F%2Fevil.example",
        "%2F%5Cevil.example",
        "%5C%5Cevil.example",
        "evil.example",
        "%2F%09%2Fevil.example",
        "%2F%0A%2Fevil.example",
        "javascript%3Aalert(1)",
        "%2F%0D%0ASet-Cookie%3A%20a%3Db",
    ] {
        let page = server.keyless("GET", &format!("/sign-in?next={elsewhere}"), "");
        assert!(page.expect_error(400, "bad_request").contains("next"), "{elsewhere}");
        let signed = post(&server, "/sign-in", "", &format!("{form}&next={elsewhere}"));
        signed.expect_error(400, "bad_request");
        assert!(signed.header("set-cookie").is_none() && signed.header("location").is_none());
    }
    let marked = server.keyless("GET", "/sign-in?next=/%22%3E%3Cscript%3E", "");
    assert!(!marked.text().contains("<script>"), "{}", marked.text());
}

#[test]
fn strange_cookies_are_nobody() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Gold);
    let good = sign_in(&server, &key);
    let good = good.trim_end().strip_prefix("Cookie: ").unwrap();
    let other = good.replace("fis_", "fis_0")[..good.len()].to_owned();
    let long = format!("session=fis_{}", "a".repeat(6000));
    let many = vec!["session=x"; 500].join("; ");
    let lines = vec!["Cookie: a=b\r\n"; 40].concat();
    for strange in [
        "Cookie: \r\n".to_owned(),
        "Cookie: session\r\n".to_owned(),
        "Cookie: session=\r\n".to_owned(),
        "Cookie: ;;;===;;=\r\n".to_owned(),
        "Cookie: session=\"fis_\"\r\n".to_owned(),
        "Cookie: session=\u{e9}\u{1f4b0}\r\n".to_owned(),
        format!("Cookie: {long}\r\n"),
        format!("Cookie: {many}\r\n"),
        format!("{lines}Cookie: {other}\r\n"),
        format!("Cookie: {good}; {other}\r\n"),
        format!("Cookie: {}\r\n", good.to_uppercase()),
        format!("Cookie: __Host-{good}\r\n"),
        "Cookie: session=' OR 1=1 --\r\n".to_owned(),
    ] {
        for path in ["/", "/usage", "/nothing", "/api/v1/market/overview"] {
            let reply = server.keyless("GET", path, &format!("{strange}Accept: text/html\r\n"));
            assert!(reply.status == 200 || reply.status == 404, "{strange}: {}", reply.status);
            assert_eq!(plan(&reply), "free", "{strange}");
        }
        assert!(post(&server, "/sign-out", &strange, "").status == 303, "{strange}");
    }
    // Among others it is found.
    let among = format!("Cookie: a=b; {good}\r\nCookie: session=of-another-service\r\n");
    assert_eq!(plan(&server.keyless("GET", "/", &among)), "gold");
}

#[test]
fn by_tls_the_cookie_is_bound_to_it_and_below_a_path_to_that() {
    let server = Server::start_with(&["--base-path", "/data"]);
    let key = new_key(&server.accounts(), Plan::Gold);
    let https = "X-Forwarded-Proto: https\r\n";
    for (target, headers, name, end) in [
        ("/data/sign-in", "", "session=", "Path=/data; Max-Age=2592000"),
        ("/data/sign-in", https, "__Secure-session=", "Path=/data; Max-Age=2592000; Secure"),
    ] {
        let signed = post(&server, target, headers, &format!("key={}&next=/usage", key.reveal()));
        assert_eq!(signed.header("location"), Some("/data/usage"));
        let set = signed.header("set-cookie").unwrap();
        assert!(set.starts_with(name) && set.ends_with(end), "{set}");
        let cookie = cookie(&signed);
        let same = server.keyless("GET", "/data/", &format!("{cookie}{headers}"));
        assert_eq!(plan(&same), "gold");
        let page = server.keyless(
            "GET",
            "/data/",
            &format!("{cookie}{}", if headers.is_empty() { https } else { "" }),
        );
        assert_eq!(plan(&page), "free", "the way changed");
    }
}

#[test]
fn no_answer_and_no_log_repeats_a_key_or_a_session() {
    let mut server = Server::process(&["--log", "json", "--log-level", "debug"]);
    let key = new_key(&server.accounts(), Plan::Gold);
    let signed = post(&server, "/sign-in", "", &format!("key={}&next=/usage", key.reveal()));
    let cookie = cookie(&signed);
    let token = cookie.trim_end().split_once('=').unwrap().1.to_owned();
    assert!(!whole(&signed).contains(key.reveal()));
    let mut replies = vec![
        post(&server, "/sign-in", &cookie, &format!("key={}x", key.reveal())),
        post(&server, "/sign-in", &cookie, &format!("next=/&key={}&{token}=1", key.reveal())),
        server.keyless("GET", &format!("/pricing?{token}=1"), &cookie),
        server.keyless("GET", &format!("/{token}"), &format!("{cookie}Accept: text/html\r\n")),
        server.keyless(
            "GET",
            &format!("/pricing?lang={token}"),
            &format!("{cookie}Accept: text/html\r\n"),
        ),
        server.keyless("GET", "/", &format!("{cookie}X-Request-Id: {token}\r\n")),
        server.keyless("GET", &format!("/sign-in?next={token}"), ""),
    ];
    for path in ["/", "/pricing", "/usage", "/docs", "/sign-in?next=/usage"] {
        replies.push(server.keyless("GET", path, &cookie));
    }
    replies.push(post(&server, "/sign-out", &cookie, ""));
    for reply in &replies {
        assert!(!whole(reply).contains(&token[..20]), "{}", whole(reply));
        assert!(!whole(reply).contains(&key.reveal()[..16]), "{}", whole(reply));
    }
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(server.pid().try_into().unwrap()).unwrap(),
        rustix::process::Signal::TERM,
    )
    .unwrap();
    server.wait();
    let log = fs::read_to_string(server.data.path().join("stderr.txt")).unwrap();
    assert!(log.contains("/sign-in") && log.contains(key.prefix().as_str()), "{log}");
    for secret in [&token[..20], &key.reveal()[..16]] {
        assert!(!log.contains(secret), "{log}");
    }
}

#[test]
fn a_key_signs_in_so_often_in_an_hour() {
    let server = Server::start();
    let key = new_key(&server.accounts(), Plan::Gold);
    let form = format!("key={}", key.reveal());
    let first = sign_in(&server, &key);
    for _ in 1..60 {
        sign_in(&server, &key);
    }
    let refused = post(&server, "/sign-in", "", &form);
    refused.expect_error(429, "rate_limited");
    let page = post(&server, "/sign-in?lang=pt", "Accept: text/html\r\n", &form);
    assert_eq!((page.status, page.header("set-cookie")), (429, None));
    assert!(page.text().contains("Requisições demais"), "{}", page.text());
    // Twenty last; the first has ended.
    assert_eq!(plan(&server.keyless("GET", "/", &first)), "free");
}

#[test]
fn customers_are_told_where_to_ask() {
    let server = Server::start_with(&[
        "--contact",
        "sales@b.example",
        "--upgrade-url",
        "https://b.example/plans?a=b&c",
    ]);
    let refused = server.keyless("GET", "/api/v1/filings", "").json();
    assert_eq!(refused["upgrade_url"], "https://b.example/plans?a=b&c");
    assert_eq!(refused["contact"], "sales@b.example");
    let bronze = with(&new_key(&server.accounts(), Plan::Bronze));
    let search = server.keyless("GET", "/api/v1/search?q=vale", &bronze).json();
    assert_eq!(search["upgrade"]["contact"], "sales@b.example");
    let pricing = server.keyless("GET", "/pricing", "");
    assert!(pricing.text().contains("href=\"https://b.example/plans?a=b&amp;c\""));
    assert!(pricing.text().contains("href=\"mailto:sales@b.example\""));
    let wanted =
        serde_json::json!({"email": "sales@b.example", "url": "https://b.example/plans?a=b&c"});
    let json = server.keyless("GET", "/docs/openapi.json", "").json();
    assert_eq!(json["info"]["contact"], wanted);
    let yaml = server.keyless("GET", "/docs/openapi.yaml", "");
    let yaml: serde_norway::Value = serde_norway::from_slice(&yaml.body).unwrap();
    assert_eq!(yaml["info"]["contact"]["email"], "sales@b.example");
    assert_eq!(
        (&yaml["info"]["title"], &json["info"]["title"]),
        (&"finserve".into(), &"finserve".into())
    );
    assert!(pricing.text().contains("<a class=\"button primary\" href=\"https://b.example/plans"));
    let plain = Server::shared().get("/docs/openapi.json").json();
    assert!(plain["info"].get("contact").is_none());
    for wrong in ["javascript:alert(1)", "https://b.example/\"><script>", "b.example"] {
        let started = crate::harness::finserve(&["serve", "--contact", wrong]).output().unwrap();
        assert!(!started.status.success());
        assert!(String::from_utf8_lossy(&started.stderr).contains("expected an address such as"));
    }
}

#[test]
fn privacy_and_terms_are_where_the_operator_says() {
    let server = Server::start();
    let legal = server.keyless("GET", "/legal?lang=pt", "");
    assert!(legal.status == 200 && legal.text().contains("Privacidade e termos"));
    for word in ["e-mail", "SHA-256", "cookie", "/24"] {
        assert!(legal.text().contains(word), "{word}");
    }
    assert!(server.keyless("GET", "/pricing", "").text().contains("href=\"/legal\""));
    let own = Server::start_with(&["--legal-url", "https://b.example/legal?a=b&c"]);
    let moved = own.keyless("GET", "/legal", "");
    assert_eq!(
        (moved.status, moved.header("location")),
        (302, Some("https://b.example/legal?a=b&c"))
    );
    let pricing = own.keyless("GET", "/pricing", "");
    assert!(pricing.text().contains("href=\"https://b.example/legal?a=b&amp;c\""));
    for wrong in ["sales@b.example", "javascript:alert(1)"] {
        let started = crate::harness::finserve(&["serve", "--legal-url", wrong]).output().unwrap();
        assert!(!started.status.success());
        assert!(
            String::from_utf8_lossy(&started.stderr).contains("expected the address of a page")
        );
    }
}

#[test]
fn the_visitor_finds_their_plan_and_only_the_operator_how_to_set_a_contact() {
    let server = Server::start();
    let cookie = sign_in(&server, &new_key(&server.accounts(), Plan::Gold));
    let pricing = server.keyless("GET", "/pricing?lang=en", &cookie);
    assert_eq!(pricing.text().matches("Your plan").count(), 1);
    let ask = |host: &str| {
        let request =
            format!("GET /pricing?lang=en HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        server.send(request.as_bytes())
    };
    for local in ["localhost:8080", "127.0.0.1", "[::1]:8080"] {
        assert!(ask(local).text().contains("--contact sales@example.com"), "{local}");
    }
    for public in ["data.example", "localhost.evil.example", "127.0.0.1.example:80"] {
        assert!(!ask(public).text().contains("--contact"), "{public}");
    }
    let usage = server.keyless("GET", "/usage?lang=en", &cookie);
    for wanted in ["/usage/rotate", "/usage/revoke", "/pricing?lang=en#plans"] {
        assert!(usage.text().contains(wanted), "{wanted}");
    }
}
