//! What is answered without being counted: it costs little, and is the same whatever a client calls the service.
use std::io::Read;

use fincore::Plan;
use flate2::read::GzDecoder;
use serde_json::json;

use crate::{
    access,
    harness::{Reply, Server, new_key, with},
    mcp::call,
};

/// What a client is sent that calls the service by this name.
fn named(server: &Server, host: &str, target: &str, headers: &str) -> Reply {
    let request =
        format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n{headers}Connection: close\r\n\r\n");
    server.send(request.as_bytes())
}

#[test]
fn a_path_that_is_longer_than_any_leads_nowhere() {
    let server = Server::shared();
    for path in ["/".to_owned() + &"%61".repeat(2700) + "/", "/a".repeat(3000), "/%zz".repeat(400)]
    {
        let message = server.get(&path).expect_error(404, "not_found");
        assert!(message.len() < 400, "{message}");
    }
    // Escapes in a path that may lead somewhere are read once.
    assert_eq!(server.get("/%68ealth").status, 200);
    assert_eq!(server.get("/api/v1/market/series/%73elic/current").status, 200);
    server.get("/api/v1/market/series/%zz/current").expect_error(400, "bad_request");
}

#[test]
fn a_kept_page_names_what_each_client_calls_the_service() {
    let server = Server::shared();
    for path in ["/", "/pricing", "/docs", "/sitemap.xml", "/docs/openapi.json", "/llms.txt"] {
        let mut lengths = Vec::new();
        for host in ["one.example", "two.example:8443", "one.example"] {
            let page = named(server, host, path, "");
            assert_eq!(page.status, 200, "{path}");
            let text = page.text();
            assert!(text.contains(&format!("http://{host}")), "{path} does not name {host}");
            assert!(!text.contains(".invalid"), "{path} has a gap");
            let other = if host.starts_with("one") { "two.example" } else { "one.example" };
            assert!(!text.contains(other), "{path} names another client's host");
            let packed = named(server, host, path, "Accept-Encoding: gzip\r\n");
            assert_eq!(packed.header("content-encoding"), Some("gzip"), "{path}");
            let mut plain = String::new();
            GzDecoder::new(&packed.body[..]).read_to_string(&mut plain).unwrap();
            assert_eq!(plain, text, "{path}");
            lengths.push(text.len());
        }
        assert_eq!(lengths[0], lengths[2], "{path}");
    }
}

#[test]
fn a_public_address_is_named_whatever_clients_call_the_service() {
    let server =
        Server::start_with(&["--public-url", "https://data.example/", "--base-path", "/fin"]);
    for path in ["/", "/market", "/sitemap.xml", "/robots.txt", "/docs/openapi.yaml", "/llms.txt"] {
        let target = format!("/fin{path}");
        let page = named(&server, "other.example", &target, "");
        assert_eq!(page.status, 200, "{path}");
        assert!(page.text().contains("https://data.example/fin"), "{path}");
        assert!(!page.text().contains("other.example"), "{path}");
        assert_eq!(page.text(), named(&server, "third.example", &target, "").text(), "{path}");
    }
}

#[test]
fn parameters_that_a_page_does_not_read_make_no_new_page() {
    let server = Server::shared();
    let page = server.get("/pricing?lang=pt");
    let long = "x".repeat(2000);
    for query in ["lang=pt&x=1", "y=2&lang=pt", &format!("lang=pt&x={long}"), "lang=pt&%78=1"] {
        let other = server.get(&format!("/pricing?{query}"));
        assert_eq!(other.header("etag"), page.header("etag"), "{query}");
        assert_eq!(other.text(), page.text(), "{query}");
    }
}

#[test]
fn a_kept_page_repeats_nothing_of_the_visitor_who_asked_first() {
    let server = Server::start();
    for query in ["?page=mine-alone", "?%6cang=%65n", "?x=mine-alone"] {
        server.keyless("GET", &format!("/docs/guide/search{query}"), "");
    }
    let page = server.keyless("GET", "/docs/guide/search", "");
    for text in ["mine-alone", "%6cang", "%256cang"] {
        assert!(!page.text().contains(text), "{text}");
    }
    // Documents are the same in every language and for the operator.
    let tag = |headers: &str| {
        let reply = named(&server, "one.example", "/docs/openapi.yaml", headers);
        reply.header("etag").map(str::to_owned)
    };
    assert_eq!(tag("Accept-Language: pt\r\n"), tag("Accept-Language: en\r\n"));
}

#[test]
fn a_refused_call_of_an_agent_is_charged_to_its_address_and_not_to_its_key() {
    let server = Server::start_with(&["--trusted-proxy", "127.0.0.1/32"]);
    let key = new_key(&server.accounts(), Plan::Gold);
    access::wait_for(&server, &key, Plan::Gold.id());
    let key = with(&key);
    let post = |headers: &str, message: &str| {
        let headers = format!("X-Forwarded-For: 192.0.2.7\r\n{headers}");
        let length = message.len();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{message}"
        );
        server.send(request.as_bytes())
    };
    let many: String = (0..5000).map(|at| format!("\"x{at}\":1,")).collect();
    let long = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"get_quote\",\"arguments\":{{{many}\"y\":1}}}}}}"
    );
    let refused = [call("get_quote", &json!({ "x": 1 })), call("no_such_tool", &json!({})), long];
    for turn in 0..30_u32 {
        let reply = post(&key, &refused[turn as usize % 3]);
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert!(reply.text().contains("rror"), "{}", reply.text());
        let left = (29 - turn).to_string();
        assert_eq!(reply.header("x-ratelimit-remaining"), Some(&*left));
    }
    post(&key, &refused[0]).expect_error(429, "rate_limited");
    // What the key asks for is not refused, and is counted against the key.
    let reply = post(&key, &call("get_quote", &json!({})));
    assert_eq!((reply.status, reply.header("x-ratelimit-remaining")), (200, Some("499")));
    assert!(reply.text().contains("\"isError\":false"), "{}", reply.text());
}
