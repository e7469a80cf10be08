//! The pages, as a browser without JavaScript meets them.
use crate::harness::{Reply, Server};

const PAGES: [&str; 16] = [
    "/",
    "/market",
    "/market/compare",
    "/market/ipca",
    "/companies/9512/statements",
    "/companies/compare",
    "/companies/screen",
    "/calc",
    "/calc/convert",
    "/pricing",
    "/usage",
    "/sign-in",
    "/docs",
    "/docs/try",
    "/legal",
    "/status",
];

/// A form, sent as browsers do.
fn post(server: &Server, target: &str, form: &str) -> Reply {
    let length = form.len();
    let request = format!(
        "POST {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: {length}\r\n\
         Content-Type: application/x-www-form-urlencoded\r\n\r\n{form}"
    );
    server.send(request.as_bytes())
}

/// The text after `start` and before the next `end`.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no {start} in {text}"));
    rest.split_once(end).unwrap().0
}

#[test]
fn every_page_is_bound_to_our_own_files() {
    for path in PAGES {
        let page = Server::shared().get(path);
        assert_eq!(
            (page.status, page.header("content-type")),
            (200, Some("text/html; charset=utf-8"))
        );
        let policy = page.header("content-security-policy").unwrap();
        let scripts = between(policy, "script-src ", ";");
        assert_eq!(scripts, "'self'", "{path}");
        assert!(!policy.contains("unsafe"), "{path}");
        assert_eq!(policy.contains("nonce"), path == "/docs/try", "{path}");
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
        assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(page.header("referrer-policy"), Some("same-origin"));
        let text = page.text();
        for wrong in
            ["<style", " style=", "onclick=", "<script>", "href=\"http://www", "src=\"http"]
        {
            assert!(!text.contains(wrong), "{path} holds {wrong}");
        }
    }
}

#[test]
fn every_page_and_file_says_where_the_caller_stands_and_answers_head() {
    // One of its own: the keys that are guessed here use up the limit of the address.
    let server = Server::start();
    let mut targets: Vec<_> = PAGES
        .iter()
        .chain(&["/docs/openapi.yaml", "/docs/openapi.json"])
        .map(ToString::to_string)
        .collect();
    for path in PAGES {
        targets.extend(files(&server.get(path)));
    }
    assert!(targets.len() >= 18, "{targets:?}");
    for target in &targets {
        for (method, status) in [("GET", 200), ("HEAD", 200), ("OPTIONS", 204), ("PUT", 405)] {
            let reply = server.request(method, target, "");
            assert_eq!(reply.status, status, "{method} {target}");
            assert_eq!(
                reply.body.is_empty(),
                ["HEAD", "OPTIONS"].contains(&method),
                "{method} {target}"
            );
            for name in ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"] {
                let value =
                    reply.header(name).unwrap_or_else(|| panic!("{method} {target}: {name}"));
                assert!(value.parse::<u64>().is_ok(), "{method} {target}: {name} is {value}");
            }
            // Whoever only asks about options is answered without a look at the key.
            let plan = if method == "OPTIONS" { "free" } else { "platinum" };
            assert_eq!(reply.header("x-plan"), Some(plan), "{method} {target}");
            for name in ["x-request-id", "ratelimit", "ratelimit-policy"] {
                assert!(reply.header(name).is_some(), "{method} {target}: {name}");
            }
            if status != 200 {
                let allow = reply.header("allow").unwrap_or_else(|| panic!("{method} {target}"));
                assert!(allow.starts_with("GET, HEAD, "), "{method} {target}: {allow}");
            }
        }
        let [get, head] = ["GET", "HEAD"].map(|method| server.request(method, target, ""));
        for name in [
            "content-type",
            "content-length",
            "cache-control",
            "vary",
            "etag",
            "content-security-policy",
        ] {
            let value = |reply: &Reply| reply.header(name).map(without_nonce);
            assert_eq!(value(&get), value(&head), "{target}: {name}");
        }
        assert_eq!(get.header("content-length"), Some(get.body.len().to_string().as_str()));
        let wrong = server.get(&format!("{target}?nonsense=1"));
        if target.contains('.') {
            assert!(wrong.expect_error(400, "bad_request").contains("nonsense"), "{target}");
        } else {
            // A page ignores what it does not read.
            assert_eq!(wrong.status, 200, "{target}");
        }
        let guessed = server.keyless("GET", target, "X-API-Key: fin_x\r\n");
        guessed.expect_error(401, "invalid_api_key");
    }
}

/// A policy without what differs from answer to answer.
fn without_nonce(policy: &str) -> String {
    match policy.split_once("'nonce-") {
        Some((before, rest)) => format!("{before}{}", rest.split_once('\'').unwrap().1),
        None => policy.to_owned(),
    }
}

#[test]
fn the_reference_has_a_nonce_of_its_own_each_time() {
    let nonce = || {
        let page = Server::shared().get("/docs/try");
        let policy = page.header("content-security-policy").unwrap();
        let nonce = between(policy, "style-src 'self' 'nonce-", "'").to_owned();
        assert_eq!(between(page.text(), "<meta property=\"csp-nonce\" content=\"", "\""), nonce);
        nonce
    };
    let (one, other) = (nonce(), nonce());
    assert!(one != other && one.len() == 32, "{one} {other}");
}

/// The addresses of the files that a page refers to.
fn files(page: &Reply) -> Vec<String> {
    let names = page.text().split("\"/assets/").skip(1).map(|rest| rest.split('"').next().unwrap());
    names.map(|name| format!("/assets/{name}")).collect()
}

#[test]
fn home_shows_the_figures_of_the_api() {
    let overview = Server::shared().get("/api/v1/market/overview").json();
    let home = Server::shared().get("/");
    for (name, figure) in [("selic", "value"), ("cdi", "value"), ("ipca", "value"), ("fx", "sell")]
    {
        let shown = format!("<data value=\"{}\">", overview[name][figure]);
        // JSON numbers lose their last zeros on the way through this test, the page keeps them.
        let shown = shown.trim_end_matches("\">");
        assert!(home.text().contains(shown), "{name}: no {shown}");
        let day = format!("<time datetime={}>", overview[name]["date"]);
        assert!(home.text().contains(&day), "{name}: no {day}");
    }
    assert_eq!(home.text().matches("<svg").count(), 4);
    assert_eq!(home.text().matches("<caption>").count(), 4);
}

/// The bundled figures are older than what their sources publish by now, whenever this runs.
#[test]
fn home_shows_the_age_of_stale_figures() {
    for (language, ages) in [("en", [" days old", " months old"]), ("pt", ["há ", " meses"])] {
        let home = Server::shared().get(&format!("/?lang={language}"));
        for card in ["Selic", "CDI", "IPCA", "USD/BRL"] {
            let line = between(home.text(), &format!(">{card}</a> <small>"), "<svg");
            let age = between(line, "<strong class=\"age\">", "</strong>");
            let wanted = ages[usize::from(card == "IPCA")];
            assert!(age.contains(wanted), "{card}: {age}");
            assert!(age.contains(|digit: char| digit.is_ascii_digit()), "{card}: {age}");
        }
        let filings = between(home.text(), "class=\"note coverage\">", "</p>");
        assert!(filings.contains("<time datetime=\"20") && filings.contains(ages[0]), "{filings}");
        assert!(filings.contains(&format!("href=\"/status?lang={language}\"")), "{filings}");
    }
}

#[test]
fn charts_have_axes_and_points_with_their_values() {
    for (language, unit, last) in
        [("en", "% a year", "4 Nov 2026"), ("pt", "% ao ano", "04/11/2026")]
    {
        let home = Server::shared().get(&format!("/?lang={language}"));
        let selic = between(home.text(), "id=\"selic-title\"", "</figure>");
        assert!(selic.contains(&format!(">{unit}</text>")), "no unit: {selic}");
        let axes = between(selic, "<g class=\"axes\"", "</g>");
        let labels = axes.matches("</text>").count();
        assert!((8..=11).contains(&labels), "{labels} labels: {axes}");
        let points = selic.matches("<g class=\"point\" role=\"img\"").count();
        assert!((12..=13).contains(&points), "{points} months");
        assert_eq!(selic.matches("tabindex").count(), 1, "the chart is one stop of the tab key");
        let value = if language == "pt" { "13,75" } else { "13.75" };
        assert!(selic.contains(&format!("aria-label=\"{last}: {value} {unit}\"")), "{selic}");
        assert!(!selic.contains("polygon"), "an axis that leaves out zero has no filled area");
    }
}

#[test]
fn the_free_key_is_one_click_from_home() {
    for (target, link) in [("/", "/pricing#key"), ("/?lang=pt", "/pricing?lang=pt#key")] {
        let home = Server::shared().get(target);
        assert!(home.text().contains(&format!("class=\"button primary\" href=\"{link}\"")));
    }
    let pricing = Server::shared().get("/pricing");
    let (before, _) = pricing.text().split_once("<form").unwrap();
    assert!(before.contains("id=\"key\"") && !before.contains("class=\"card plan\""));
}

#[test]
fn pricing_offers_nothing_that_does_not_exist() {
    for (language, words, export) in [
        ("en", ["oming", "planned", "yet"], "Bulk export of whole datasets (NDJSON)"),
        ("pt", ["Em breve", "em breve", "planejado"], "Exportação de bases completas (NDJSON)"),
    ] {
        let page = Server::shared().get(&format!("/pricing?lang={language}"));
        for word in words {
            assert!(!page.text().contains(word), "{language}: {word}");
        }
        // In the table, and not once more on the cards.
        assert_eq!(page.text().matches(export).count(), 1, "{language}");
    }
}

#[test]
fn speaks_the_language_of_the_browser_or_the_one_chosen() {
    let get = |target: &str, accept: &str| {
        let page =
            Server::shared().request("GET", target, &format!("Accept-Language: {accept}\r\n"));
        between(page.text(), "<html lang=\"", "\"").to_owned()
    };
    for path in PAGES {
        assert_eq!(get(path, "pt-BR,en;q=0.5"), "pt-BR");
        assert_eq!(get(path, "de"), "en");
        assert_eq!(get(&format!("{path}?lang=en"), "pt-BR"), "en");
        assert_eq!(get(&format!("{path}?lang=pt"), "en"), "pt-BR");
    }
    Server::shared().get("/?lang=fr").expect_error(400, "bad_request");
    let chosen = Server::shared().get("/?lang=pt");
    assert!(chosen.text().contains("href=\"/pricing?lang=pt\""), "links keep a chosen language");
}

#[test]
fn the_pricing_form_gives_a_key_that_works() {
    let server = Server::start();
    let page = post(&server, "/pricing", "name=Ana+%3Cb%3E&email=ana%40example.com");
    assert_eq!((page.status, page.header("cache-control")), (201, Some("no-store")));
    assert_eq!(page.header("content-encoding"), None);
    let key = between(page.text(), "data-select>", "<");
    assert_eq!(page.text().matches(key).count(), 3, "to copy, in the first call, to sign in");
    let headers = format!("X-API-Key: {key}\r\n");
    let answer = server.keyless("GET", "/api/v1/market/overview", &headers);
    assert_eq!((answer.status, answer.header("x-plan")), (200, Some("free")));

    let usage = post(&server, "/usage", &format!("key={key}"));
    assert_eq!((usage.status, usage.header("cache-control")), (200, Some("no-store")));
    assert_eq!(between(usage.text(), "<dd id=\"requests\">", "<"), "1");
    assert_eq!(between(usage.text(), "<dd id=\"remaining\">", "<"), "29");
    let endpoints = between(usage.text(), "id=\"by-endpoint\"", "</table>");
    let row = "<code>/api/v1/market/overview</code></th><td class=\"count\">1</td>";
    assert!(endpoints.contains(row), "{endpoints}");
    assert!(!usage.text().contains(key), "the key is not shown again");
}

#[test]
fn wrong_fields_are_told_beside_the_field() {
    let server = Server::start();
    let cases = [
        ("name=&email=ana%40example.com", "wrong-name"),
        ("name=%0A&email=ana%40example.com", "wrong-name"),
        ("name=Ana&email=nope", "wrong-email"),
    ];
    for (form, field) in cases {
        let page = post(&server, "/pricing?lang=pt", form);
        assert_eq!(page.status, 400, "{form}");
        let reason = between(page.text(), &format!("id=\"{field}\">"), "<");
        assert!(reason.starts_with("Informe"), "{form}: {reason}");
    }
    let shown_again = post(&server, "/pricing", "name=%22%3E%3Cscript%3E&email=nope");
    assert!(!shown_again.text().contains("\"><script>"), "what was sent is escaped");
    let page = post(&server, "/usage", "key=fin_nope");
    assert_eq!(page.status, 401);
    assert!(page.text().contains("We don't recognise this key. Check that you copied all of it."));
    post(&server, "/pricing", "name=Ana").expect_error(400, "bad_request");
    let fields: String = (0..65).map(|at| format!("f{at}=1&")).collect();
    let many = post(&server, "/pricing", &fields).expect_error(400, "bad_request");
    assert_eq!(many, "there are more than 64 parameters");
    post(&server, "/pricing", &"x".repeat(20_000)).expect_error(413, "payload_too_large");
    let json = "Content-Type: application/json\r\nContent-Length: 0\r\n";
    server.request("POST", "/pricing", json).expect_error(415, "unsupported_media_type");
}

#[test]
fn no_page_repeats_a_key() {
    let server = Server::start();
    let page = post(&server, "/pricing", "name=Ana&email=ana%40example.com");
    let key = between(page.text(), "data-select>", "<").to_owned();
    let browser = "Accept: text/html\r\n";
    let answers = [
        server.keyless("GET", &format!("/{key}"), browser),
        post(&server, "/pricing", &format!("name={key}&email=nope")),
        post(&server, "/pricing", &format!("name=&email={key}")),
        post(&server, "/usage", &format!("key={key}x")),
    ];
    for answer in answers {
        assert!(!answer.text().contains(&key), "{}", answer.text());
    }
}

#[test]
fn guessing_keys_on_the_page_counts_on_the_address() {
    let server = Server::start();
    let left = |reply: &Reply| reply.header("x-ratelimit-remaining").unwrap().to_owned();
    for _ in 0..3 {
        assert_eq!(post(&server, "/usage", "key=fin_nope").status, 401);
    }
    assert_eq!(left(&server.keyless("GET", "/health", "")), "27");
}

#[test]
fn too_many_registrations_are_told_on_the_page() {
    let server = Server::start_with(&["--registrations-per-hour", "1"]);
    assert_eq!(post(&server, "/pricing", "name=Ana&email=ana%40example.com").status, 201);
    let page = post(&server, "/pricing", "name=Ana&email=ana%40example.com");
    assert_eq!(page.status, 429);
    assert!(page.header("retry-after").is_some());
    assert!(page.text().contains("Too many keys were registered"));
}

#[test]
fn a_browser_gets_a_page_where_there_is_none() {
    let browser = "Accept: text/html,application/xhtml+xml\r\n";
    let page = Server::shared().request("GET", "/nope%3Cb%3E", browser);
    assert_eq!((page.status, page.header("content-type")), (404, Some("text/html; charset=utf-8")));
    assert!(page.text().contains("/nope&lt;b&gt;"), "{}", page.text());
    Server::shared().request("GET", "/api/nope", browser).expect_error(404, "not_found");
    Server::shared().get("/nope").expect_error(404, "not_found");
}

#[test]
fn files_of_pages_are_kept_for_good() {
    let mut seen = 0;
    for path in PAGES {
        let page = Server::shared().get(path);
        for target in files(&page) {
            let file = Server::shared().get(&target);
            assert_eq!((file.status, file.header("content-encoding")), (200, None), "{target}");
            assert_eq!(file.header("cache-control"), Some("public, max-age=31536000, immutable"));
            let packed = Server::shared().request("GET", &target, "Accept-Encoding: gzip\r\n");
            assert!(packed.body.len() <= file.body.len(), "{target}");
            let tag = format!("If-None-Match: {}\r\n", file.header("etag").unwrap());
            assert_eq!(Server::shared().request("GET", &target, &tag).status, 304);
            seen += 1;
        }
    }
    assert!(seen >= 12, "{seen}");
    Server::shared().get("/assets/style.css").expect_error(404, "not_found");
}

#[test]
fn the_description_is_the_file_in_the_repository() {
    let description = Server::shared().get("/docs/openapi.yaml");
    assert_eq!(description.header("content-type"), Some("application/yaml"));
    let here = "http://localhost:8080";
    let file = include_str!("../openapi.yaml");
    assert_eq!(file.matches(here).count(), 1, "the address is replaced where it stands");
    assert!(description.text() == file.replace(here, "http://test"));

    let yaml: serde_json::Value = serde_norway::from_str(description.text()).unwrap();
    let json = Server::shared().get("/docs/openapi.json");
    assert_eq!(json.header("content-type"), Some("application/json"));
    assert_eq!(json.json(), yaml);
}

#[test]
fn nobody_writes_into_the_description() {
    for host in ["a\"b", "x\\ny", "a b", "<script>", "", "a:99999", ":80"] {
        let request =
            format!("GET /docs/openapi.yaml HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        let description = Server::shared().send(request.as_bytes());
        description.expect_error(400, "bad_request");
        assert!(host.len() < 3 || !description.text().contains(host), "{host}");
    }
    let proxied =
        Server::shared().keyless("GET", "/docs/openapi.json", "X-Forwarded-Proto: https\r\n");
    assert_eq!(proxied.json()["servers"][0]["url"], "https://test");
}

#[test]
fn the_status_page_shows_what_the_api_answers() {
    let status = Server::shared().get("/api/v1/status").json();
    for (language, due) in
        [("en", "Newer data is due for"), ("pt", "Já deve haver dados mais novos de")]
    {
        let page = Server::shared().get(&format!("/status?lang={language}"));
        assert!(page.text().contains(due), "{language}");
        for dataset in status["data"].as_array().unwrap() {
            let name = dataset["dataset"].as_str().unwrap();
            let (_, row) = page.text().split_once(&format!("<code>{name}</code>")).expect(name);
            let row = row.split_once("</tr>").unwrap().0;
            let held = dataset["coverage"]["to"].as_str().or(dataset["newest"].as_str());
            for day in [dataset["first"].as_str(), held, dataset["expected"].as_str()] {
                let Some(day) = day else { continue };
                assert!(row.contains(&format!("datetime=\"{day}\"")), "{name} {day}: {row}");
            }
        }
    }
}
