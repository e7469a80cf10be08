//! What is refused, and how: every wrong request gets a clear error, none a 500.
use crate::harness::Server;

#[test]
fn every_bad_parameter_is_named() {
    let history = [
        ("limit=0", "limit"),
        ("limit=10001", "limit"),
        ("limit=-1", "limit"),
        ("limit=%2B5", "limit"),
        ("limit=1.5", "limit"),
        ("limit=1e3", "limit"),
        ("limit=abc", "limit"),
        ("limit=", "limit"),
        ("limit", "limit"),
        ("limit=%2020", "limit"),
        ("limit=020", "limit"),
        ("limit=0x10", "limit"),
        ("limit=99999999999999999999", "limit"),
        ("limit=%D9%A3", "limit"),
        ("limit=5&limit=5", "limit"),
        ("from=2024-13-01", "from"),
        ("from=2024-02-30", "from"),
        ("from=2023-02-29", "from"),
        ("from=2024-1-1", "from"),
        ("from=24-01-01", "from"),
        ("from=01/02/2024", "from"),
        ("from=20240101", "from"),
        ("from=2024-01-01T00:00:00", "from"),
        ("from=0000-01-01", "from"),
        ("from=10000-01-01", "from"),
        ("from=-2024-01-01", "from"),
        ("from=today", "from"),
        ("from=", "from"),
        ("from=2024-01-02&to=2024-01-01", "from"),
        ("from=2024-01-01&from=2024-01-01", "from"),
        ("to=2024-00-10", "to"),
        ("to=2024-04-31", "to"),
        ("to=2024-01-01+", "to"),
        ("to=NaN", "to"),
        ("to=%F0%9F%98%80", "to"),
        ("offset=-1", "offset"),
        ("offset=1000000001", "offset"),
        ("Limit=5", "Limit"),
        ("page=2", "page"),
        ("q=selic", "q"),
        ("api_key=fin_x", "api_key"),
        ("=5", "\"\""),
        ("limit=5;from=2024-01-01", "limit"),
    ];
    let pairs = [
        ("pair=", "pair"),
        ("pair=USD", "pair"),
        ("pair=USDBRLX", "pair"),
        ("pair=USD_BRL", "pair"),
        ("pair=US1/BRL", "pair"),
        ("pair=USD/BRL&pair=USD/BRL", "pair"),
        ("pair=%E2%82%ACUR/BRL", "pair"),
        ("pair=U'S/BRL", "pair"),
    ];
    for name in ["selic", "cdi", "ipca", "fx", "series/igp-m"] {
        for (query, parameter) in history {
            check(&format!("/api/v1/market/{name}?{query}"), parameter);
        }
    }
    for (query, parameter) in pairs {
        check(&format!("/api/v1/market/fx?{query}"), parameter);
        check(&format!("/api/v1/market/fx/current?{query}"), parameter);
    }
    for path in [
        "/health",
        "/api/v1/market/overview",
        "/api/v1/market/selic/current",
        "/api/v1/market/fx/pairs",
        "/api/v1/market/series",
        "/api/v1/market/series/igp-m",
        "/api/v1/market/series/igp-m/current",
        "/api/v1/market/series/igp-m/summary",
    ] {
        check(&format!("{path}?x=1"), "x");
    }
}

#[track_caller]
fn check(target: &str, parameter: &str) {
    let message = Server::shared().get(target).expect_error(400, "bad_request");
    assert!(message.contains(parameter), "{target}: {message}");
}

#[test]
fn says_which_parameters_there_are() {
    let message = Server::shared().get("/api/v1/market/fx?x=1").expect_error(400, "bad_request");
    assert_eq!(
        message,
        "parameter \"x\" is unknown; this endpoint takes pair, from, to, limit, offset, side, frequency, aggregate, units, base, only, partial, as_of, first_release, format, dialect, field, decimal"
    );
}

#[test]
fn undecodable_addresses_are_refused() {
    for target in [
        "/%zz",
        "/health%",
        "/%ff",
        "/a%00b",
        "/health?%zz=1",
        "/health?a=%f",
        "/health?a=%00",
        "/health?a=%c3%28",
    ] {
        Server::shared().get(target).expect_error(400, "bad_request");
    }
}

#[test]
fn unknown_paths_are_not_found() {
    let paths = [
        "/nope",
        "//",
        "/health/",
        "/Health",
        "/api",
        "/api/v1",
        "/api/v1/",
        "/api/v1/market",
        "/api/v1/market/",
        "/api/v1/market/selic/",
        "/api/v1/market/selic/x",
        "/api/v1/market//selic",
        "/api/v2/market/selic",
        "/api/v1/market/../market/selic",
        "/api/v1/market/{id}",
        "/api/v1/market/series/",
        "/api/v1/market/series/igp-m/",
        "/api/v1/market/series/igp-m/x",
        "/api/v1/market/series//current",
        "/%C3%A9",
        "/api/v1/market/selic%2Fcurrent",
    ];
    for path in paths {
        Server::shared().get(path).expect_error(404, "not_found");
    }
}

#[test]
fn an_escaped_letter_is_the_letter() {
    assert_eq!(Server::shared().get("/%68ealth").status, 200);
    assert_eq!(Server::shared().get("/api/v1/market/%73elic/current").status, 200);
}

#[test]
fn a_wrong_method_is_told_the_right_ones() {
    for method in ["POST", "PUT", "DELETE", "PATCH", "TRACE", "QUERY"] {
        let reply = Server::shared().request(method, "/health", "Content-Length: 0\r\n");
        reply.expect_error(405, "method_not_allowed");
        assert_eq!(reply.header("allow"), Some("GET, HEAD, OPTIONS"));
    }
    Server::shared().request("BREW", "/health", "").expect_error(400, "bad_request");
    Server::shared()
        .request("POST", "/nope", "Content-Length: 0\r\n")
        .expect_error(404, "not_found");
}

#[test]
fn options_tells_browsers_what_they_may_do() {
    let cases = [
        ("/health", "GET, HEAD, OPTIONS"),
        ("/api/v1/market/selic", "GET, HEAD, OPTIONS"),
        ("/api/v1/plans/register", "POST, OPTIONS"),
        ("*", "GET, HEAD, POST, DELETE, OPTIONS"),
    ];
    for (target, methods) in cases {
        let reply = Server::shared().request("OPTIONS", target, "Origin: https://example.com\r\n");
        assert_eq!((reply.status, reply.body.len()), (204, 0));
        assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
        assert_eq!(reply.header("access-control-allow-methods"), Some(methods));
    }
    assert_eq!(Server::shared().request("OPTIONS", "/nope", "").status, 404);
}

#[test]
fn the_host_must_be_given_exactly_once() {
    let send =
        |head: &str| Server::shared().send(format!("{head}Connection: close\r\n\r\n").as_bytes());
    send("GET /health HTTP/1.1\r\n").expect_error(400, "bad_request");
    send("GET /health HTTP/1.1\r\nHost: a\r\nHost: a\r\n").expect_error(400, "bad_request");
    assert_eq!(send("GET http://a/health HTTP/1.1\r\nHost: a\r\n").status, 200);
    assert_eq!(send("GET /health HTTP/1.0\r\nHost: a\r\n").status, 200);
    send("GET /health HTTP/1.0\r\nHost: a\r\nHost: a\r\n").expect_error(400, "bad_request");
    for host in ["x y", "a#", "evil.example/path", "a\"b", "a?b", "a@b", "a:b", ""] {
        for path in ["/health", "/api/v1/plans", "/openapi.json", "/sitemap.xml", "/"] {
            let reply = send(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n"));
            assert_eq!(reply.status, 400, "{path} as {host:?}");
            let is_repeated = |text: &str| host.len() > 2 && text.contains(host);
            assert!(!is_repeated(reply.text()), "{path} repeats {host:?}");
        }
    }
    for host in ["data.example:8080", "[::1]:8080", "a_b.example", "10.0.0.1"] {
        assert_eq!(
            send(&format!("GET /health HTTP/1.1\r\nHost: {host}\r\n")).status,
            200,
            "{host}"
        );
    }
}

#[test]
fn the_probes_of_old_load_balancers_are_answered() {
    let send = |target: &str| {
        let probe = format!("GET {target} HTTP/1.0\r\nAccept: text/html\r\n\r\n");
        Server::shared().send(probe.as_bytes())
    };
    for target in ["/health", "/", "/pricing", "/docs/openapi.yaml"] {
        assert_eq!(send(target).status, 200, "{target}");
    }
    assert_eq!(send("/nope").status, 404);
    assert!(send("/").text().contains(">curl /api/v1/market/overview<"));
}

#[test]
fn a_request_holds_no_more_than_it_may() {
    let server = Server::shared();
    let query = |count: usize| (0..count).map(|at| format!("p{at}=1&")).collect::<String>();
    for path in ["/health", "/nope", "/api/v1/market/selic"] {
        let message = server.get(&format!("{path}?{}", query(65))).expect_error(400, "bad_request");
        assert_eq!(message, "there are more than 64 parameters", "{path}");
    }
    server.get(&format!("/nope?{}", query(64))).expect_error(404, "not_found");

    let long = |length: usize| server.get(&format!("/{}", "x".repeat(length - 1)));
    long(8 * 1024).expect_error(404, "not_found");
    for length in [8 * 1024 + 1, 14_000] {
        long(length).expect_error(414, "uri_too_long");
    }

    // The harness sends three of its own.
    let many = |count: usize| {
        let headers: String = (3..count).map(|at| format!("X-{at}: 1\r\n")).collect();
        server.request("GET", "/health", &headers)
    };
    assert_eq!(many(64).status, 200);
    for count in [65, 100] {
        many(count).expect_error(431, "headers_too_large");
    }
    for reply in [long(9000), many(65)] {
        for name in ["x-plan", "x-ratelimit-limit", "x-request-id", "access-control-allow-origin"] {
            assert!(reply.header(name).is_some(), "{}: {name}", reply.status);
        }
    }
}

#[test]
fn no_bytes_bring_it_down() {
    let long = format!(
        "GET /health?a={} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "x".repeat(20_000)
    );
    let many = format!(
        "GET /health HTTP/1.1\r\nHost: a\r\n{}Connection: close\r\n\r\n",
        "X-A: b\r\n".repeat(300)
    );
    let requests: [&[u8]; 9] = [
        b"\r\n\r\nGET\r\n\r\n",
        b"GET /health\r\n\r\n",
        b"GET /health HTTP/9.9\r\nHost: a\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"CONNECT a:80 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: a\r\nX-A: \xff\xfe\r\nAccept-Encoding: \xff\r\nIf-None-Match: \xff\r\nConnection: close\r\n\r\n",
        b"GET /\xc3\xa9 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        long.as_bytes(),
        many.as_bytes(),
    ];
    for request in requests {
        let reply = Server::shared().send(request);
        assert!(reply.status < 500, "{reply:?}");
    }
    assert_eq!(Server::shared().get("/health").status, 200);
}

#[test]
fn a_caller_may_name_its_request() {
    let sent = |id: &str| {
        let headers = format!("X-Request-Id: {id}\r\n");
        let targets = ["/health", "/nope", "/api/v1/market/selic", "/api/v1/market/selic"];
        targets.map(|target| {
            let reply = Server::shared().request("GET", target, &headers);
            reply.header("x-request-id").unwrap().to_owned()
        })
    };
    let long = "a".repeat(64);
    for id in ["7", "0af7651916cd43dd8448eb211c80319c", "a-b_c.D", &long] {
        assert_eq!(sent(id), [id; 4]);
    }
    for id in ["", "a b", "<script>", "a;b", "\u{e9}", &format!("{long}a")] {
        assert!(sent(id).iter().all(|own| own != id && !own.is_empty()), "{id}");
    }
}

#[test]
fn every_answer_carries_an_id_of_its_own() {
    let id = |target: &str| Server::shared().get(target).header("x-request-id").unwrap().to_owned();
    let ids = [id("/health"), id("/nope"), id("/api/v1/market/selic"), id("/health?x=1")];
    for (index, id) in ids.iter().enumerate() {
        assert!(!ids[..index].contains(id), "{ids:?}");
    }
}
