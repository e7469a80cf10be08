//! Agents over HTTP: every tool gives a caller what the API gives the same caller, and counts the same.
use std::fmt::Write;

use fincore::{Key, Plan};
use serde_json::{Value, json};

use crate::harness::{Reply, Server, new_key, with};

/// A tool, and the endpoint that it stands for.
pub(crate) struct Tool {
    pub(crate) name: String,
    /// The path of the endpoint, with braces.
    pub(crate) path: String,
    schema: Value,
}

/// The tools that a list names; their endpoints are found by what both are called.
pub(crate) fn tools(list: &Value) -> Vec<Tool> {
    let openapi: Value = Server::shared().get("/docs/openapi.json").json();
    let paths = openapi["paths"].as_object().unwrap();
    let path = |title: &Value| {
        let mut fits = paths.iter().filter(|(_, methods)| methods["get"]["summary"] == *title);
        let (path, _) = fits.next().unwrap_or_else(|| panic!("{title} is no endpoint"));
        assert!(fits.next().is_none(), "two endpoints are called {title}");
        path.clone()
    };
    let tool = |tool: &Value| Tool {
        name: tool["name"].as_str().unwrap().to_owned(),
        path: path(&tool["title"]),
        schema: tool["inputSchema"].clone(),
    };
    list["result"]["tools"].as_array().unwrap().iter().map(tool).collect()
}

impl Tool {
    pub(crate) fn takes(&self, name: &str) -> bool {
        self.schema["properties"][name].is_object()
    }

    /// What it requires, by its own examples.
    pub(crate) fn required(&self) -> Value {
        let names = self.schema["required"].as_array().unwrap().iter();
        let named = names.map(|name| {
            let name = name.as_str().unwrap().to_owned();
            let example = self.schema["properties"][&name]["examples"][0].clone();
            (name, example)
        });
        Value::Object(named.collect())
    }

    /// The address that answers the same question.
    pub(crate) fn target(&self, arguments: &Value) -> String {
        let mut arguments = arguments.as_object().unwrap().clone();
        if self.takes("limit") && !arguments.contains_key("limit") {
            let rows = self.schema["properties"]["limit"]["default"].clone();
            arguments.insert("limit".into(), rows);
        }
        let (mut path, mut query) = (self.path.clone(), String::new());
        for (name, value) in &arguments {
            let text = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
            let text: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
            let place = format!("{{{name}}}");
            if path.contains(&place) {
                path = path.replace(&place, &text);
            } else {
                let mark = if query.is_empty() { '?' } else { '&' };
                write!(query, "{mark}{name}={text}").unwrap();
            }
        }
        path + &query
    }
}

pub(crate) fn request(id: u32, method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

pub(crate) fn call(name: &str, arguments: &Value) -> String {
    request(7, "tools/call", &json!({ "name": name, "arguments": arguments }))
}

fn listed(server: &Server) -> Vec<Tool> {
    tools(&server.post("/mcp", "", &request(1, "tools/list", &json!({}))).json())
}

/// How the caller stands, and on which plan.
fn standing(reply: &Reply) -> (u32, String) {
    let remaining = reply.header("x-ratelimit-remaining").unwrap().parse().unwrap();
    (remaining, reply.header("x-plan").unwrap().to_owned())
}

/// What is asked of each tool: what it requires, and what is wrong or beyond some plans.
pub(crate) fn variants(tool: &Tool) -> Vec<Value> {
    let mut variants = vec![tool.required()];
    let mut vary = |name: &str, value: Value| {
        if tool.takes(name) {
            let mut arguments = tool.required();
            arguments[name] = value;
            variants.push(arguments);
        }
    };
    vary("limit", json!(0));
    vary("offset", json!(3));
    vary("from", json!("1999-12-31"));
    vary("series", json!("there is no such series"));
    vary("id", json!("999999"));
    vary("q", json!("?"));
    variants
}

#[test]
fn a_tool_gives_every_caller_what_the_api_gives_and_counts_as_much() {
    let server = Server::start_with(&["--trusted-proxy", "127.0.0.1"]);
    let (tools, accounts) = (listed(&server), server.accounts());
    assert!(tools.len() >= 18);
    let mut statuses = Vec::new();
    for (at, tool) in tools.iter().enumerate() {
        let nobody = format!("X-Forwarded-For: 192.0.2.{at}\r\n");
        let callers: Vec<(Option<Plan>, String)> = Plan::ALL
            .into_iter()
            .map(|plan| (Some(plan), with(&new_key(&accounts, plan))))
            .chain([(None, nobody)])
            .collect();
        for (plan, headers) in &callers {
            let mut asked = 0;
            for arguments in variants(tool) {
                let message = call(&tool.name, &arguments);
                let (by_tool, by_api) = (
                    server.post("/mcp", headers, &message),
                    server.keyless("GET", &tool.target(&arguments), headers),
                );
                statuses.push(same(&by_tool, &by_api, &message));
                let (tool_left, api_left) = (standing(&by_tool), standing(&by_api));
                asked += 2;
                let (limit, name) =
                    plan.map_or((30, "free".into()), |plan| (plan.limit(), plan.to_string()));
                assert_eq!(tool_left, (limit - asked + 1, name.clone()), "{message}");
                assert_eq!(api_left, (limit - asked, name), "{message}");
            }
            if plan.is_some() {
                let usage = server.keyless("GET", "/api/v1/plans/usage", headers).json();
                assert_eq!(
                    usage["data"][0]["endpoints"][&tool.path], asked,
                    "{}: {usage}",
                    tool.name
                );
            }
        }
    }
    for status in [200, 400, 403, 404] {
        assert!(statuses.contains(&status), "{status} was never met");
    }
}

/// A list as agents get it: without the address of its next page.
pub(crate) fn without_next(text: &str) -> String {
    match text.rsplit_once(",\"next\":") {
        Some((list, _)) if list.contains("],\"total\":") => format!("{list}}}"),
        // Lists inside of an answer have no total.
        Some((answer, "null}")) => format!("{answer}}}"),
        Some((answer, next)) if next.starts_with("\"/") => format!("{answer}}}"),
        Some(_) | None => text.to_owned(),
    }
}

/// The outcome of a call must be the answer of the API, or its refusal; the status that the API gave.
#[track_caller]
pub(crate) fn same(by_tool: &Reply, by_api: &Reply, message: &str) -> u16 {
    assert_eq!(by_tool.status, 200, "{message}: {}", by_tool.text());
    let (outcome, body) = (by_tool.json(), &*without_next(by_api.text()));
    assert_eq!(outcome["id"], 7);
    let failed = by_api.status != 200;
    assert_eq!(outcome["result"]["isError"], failed, "{message}: {outcome}");
    let structured = format!("\"structuredContent\":{body}");
    assert!(by_tool.text().contains(&structured), "{message}: {}, not {body}", by_tool.text());
    let text = outcome["result"]["content"][0]["text"].as_str().unwrap();
    if failed {
        let said = by_api.json()["message"].as_str().unwrap().to_owned();
        let beginning = said.split("GET /api").next().unwrap();
        // Agents know no paths.
        let beginning = beginning.trim_start_matches("there is nothing at this path: ");
        assert!(text.starts_with(beginning), "{message}: {text}, not {said}");
    } else {
        assert_eq!(text, body, "{message}");
    }
    by_api.status
}

#[test]
fn the_limit_is_shared_and_its_end_is_told() {
    let server = Server::start_with(&["--trusted-proxy", "127.0.0.1"]);
    let headers = "X-Forwarded-For: 192.0.2.1\r\n";
    let overview = call("get_market_overview", &json!({}));
    for left in (0..30).rev() {
        for uncounted in ["ping", "tools/list", "initialize", "nope", "resources/list"] {
            let params = json!({ "protocolVersion": "2025-06-18" });
            let reply = server.post("/mcp", headers, &request(1, uncounted, &params));
            assert_eq!((reply.status, standing(&reply).0), (200, left + 1), "{uncounted}");
        }
        let reply = match left % 2 {
            0 => server.post("/mcp", headers, &overview),
            _ => server.keyless("GET", "/api/v1/market/overview", headers),
        };
        assert_eq!((reply.status, standing(&reply).0), (200, left));
    }
    let refused = server.post("/mcp", headers, &overview);
    assert_eq!((refused.status, standing(&refused).0), (200, 0));
    let result = &refused.json()["result"];
    assert_eq!(result["isError"], true);
    assert_eq!(result["structuredContent"]["error"], "rate_limited");
    let wait = result["structuredContent"]["retry_after"].as_u64().unwrap();
    assert!((1..=60).contains(&wait));
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains(&format!("retry in {wait} s")), "{text}");
    assert_eq!(server.keyless("GET", "/api/v1/market/overview", headers).status, 429);
}

#[test]
fn a_bad_key_is_refused_as_everywhere() {
    let server = Server::start_with(&["--trusted-proxy", "127.0.0.1"]);
    let bad = "Authorization: Bearer fin_x\r\nX-Forwarded-For: 192.0.2.9\r\n";
    for (left, message) in [
        (29, request(1, "initialize", &json!({ "protocolVersion": "2025-06-18" }))),
        (28, call("get_market_overview", &json!({}))),
    ] {
        let reply = server.post("/mcp", bad, &message);
        reply.expect_error(401, "invalid_api_key");
        assert!(reply.header("www-authenticate").is_some());
        assert_eq!(standing(&reply).0, left);
    }
    let key: Key = new_key(&server.accounts(), Plan::Gold);
    let bearer = format!("Authorization: Bearer {}\r\n", key.reveal());
    let reply = server.post("/mcp", &bearer, &call("list_filings", &json!({ "limit": 1 })));
    assert_eq!(
        (reply.json()["result"]["isError"].as_bool(), standing(&reply).1),
        (Some(false), "gold".into())
    );
}

#[test]
fn requests_that_carry_messages_badly_are_refused() {
    let server = Server::shared();
    let ping = request(1, "ping", &json!({}));
    for method in ["GET", "DELETE"] {
        let reply = server.keyless(method, "/mcp", "Accept: text/event-stream\r\n");
        reply.expect_error(405, "method_not_allowed");
        assert_eq!(reply.header("allow"), Some("POST, OPTIONS"));
    }
    assert_eq!(server.keyless("OPTIONS", "/mcp", "").status, 204);
    for message in [ping.clone(), call("get_market_overview", &json!({}))] {
        for (headers, status, code) in [
            ("Origin: https://example.com\r\n", 403, "other_origin"),
            ("Origin: http://test\r\n", 403, "other_origin"),
            ("Origin: null\r\n", 403, "other_origin"),
            ("Accept: text/event-stream\r\n", 406, "not_acceptable"),
            ("Accept: application/json;q=0\r\n", 406, "not_acceptable"),
        ] {
            let reply = server.post("/mcp", headers, &message);
            reply.expect_error(status, code);
        }
        let headers = "MCP-Protocol-Version: 1999-01-01\r\n";
        let reply = server.post("/mcp", headers, &message);
        assert_eq!((reply.status, &reply.json()["error"]["code"]), (400, &json!(-32022)));
        server.post("/mcp?x=1", "", &message).expect_error(400, "bad_request");
        let plain = format!(
            "POST /mcp HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Type: text/plain\r\n\
             Content-Length: {}\r\n\r\n{message}",
            message.len()
        );
        server.send(plain.as_bytes()).expect_error(415, "unsupported_media_type");
    }
    for headers in [
        "",
        "Origin: http://localhost:6274\r\n",
        "Accept: application/json, text/event-stream\r\n",
        "Accept: */*\r\nMCP-Protocol-Version: 2025-03-26\r\n",
    ] {
        assert_eq!(server.post("/mcp", headers, &ping).status, 200, "{headers}");
    }
    let blank = |length: usize| " ".repeat(length - ping.len()) + &ping;
    assert_eq!(server.post("/mcp", "", &blank(64 * 1024)).status, 200);
    server.post("/mcp", "", &blank(64 * 1024 + 1)).expect_error(413, "payload_too_large");
    let note = server.post("/mcp", "", r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert_eq!((note.status, note.text()), (202, ""));
}

/// Messages that nobody should send.
pub(crate) fn hostile() -> Vec<String> {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(8_000), close.repeat(8_000));
    let long = "x".repeat(10_000);
    let with = |arguments: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"search","arguments":{arguments}}}}}"#
        )
    };
    vec![
        "x".into(),
        "{".into(),
        "[]".into(),
        deep("[", "]"),
        deep("{\"a\":", "}"),
        with(&deep("[", "]")),
        with(&format!("{{\"q\":{}}}", deep("[", "]"))),
        with(&format!("{{\"q\":\"{long}\"}}")),
        with(&format!("{{\"{long}\":1}}")),
        with(r#"{"q":"\u0000"}"#),
        with(r#"{"q":"\ud800"}"#),
        with(r#"{"q":"a","limit":1e999}"#),
        with(r#"{"q":"a","limit":-1}"#),
        with(r#"{"q":"a","limit":"10"}"#),
        with(r#"{"q":true,"offset":99999999999999999999}"#),
        with("null"),
        with("\"text\""),
        call(&long, &json!({})),
        call("get_company", &json!({ "id": "../../etc/passwd" })),
        call("get_company", &json!({ "id": "9512/filings" })),
        call("get_filing", &json!({ "id": "recent" })),
        call("get_business_day", &json!({ "date": "business-days" })),
        request(1, &long, &json!({})),
        format!(r#"{{"jsonrpc":"2.0","id":"{long}","method":"ping"}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":{},"method":"ping"}}"#, "9".repeat(10_000)),
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#.into(),
        r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#.into(),
        r#"{"jsonrpc":"2.0","id":1,"method":null}"#.into(),
        r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#.into(),
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}"#.into(),
    ]
}

#[test]
fn hostile_messages_are_answered_and_harm_nobody() {
    let server = Server::start();
    for message in hostile() {
        let reply = server.post("/mcp", "", &message);
        let shown = fincore::truncate(&message);
        assert!([200, 400].contains(&reply.status), "{shown}: {}", reply.status);
        let said = reply.json();
        let wrong = said["error"]["code"].is_i64() || said["result"]["isError"] == true;
        let fine = said["result"] == json!({}) || said["result"]["isError"] == false;
        assert!(wrong || fine, "{shown}: {said}");
        assert!(reply.text().len() < 32 * 1024, "{shown}");
    }
    assert_eq!(server.keyless("GET", "/health", "").status, 200);
}

#[test]
fn long_answers_come_whole_and_compressed() {
    let server = Server::shared();
    let key = new_key(&server.accounts(), Plan::Platinum);
    let arguments = json!({ "limit": 1000 });
    let message = call("list_filings", &arguments);
    let by_api = server.keyless("GET", "/api/v1/filings?limit=1000", &with(&key));
    assert!(by_api.body.len() > 64 * 1024);
    let headers =
        format!("{}Accept-Encoding: gzip\r\nIf-None-Match: *\r\nRange: bytes=0-1\r\n", with(&key));
    let mut by_tool = server.post("/mcp", &headers, &message);
    assert_eq!(by_tool.header("content-encoding"), Some("gzip"));
    let mut plain = Vec::new();
    std::io::copy(&mut flate2::read::GzDecoder::new(&by_tool.body[..]), &mut plain).unwrap();
    by_tool.body = plain;
    same(&by_tool, &by_api, &message);
}

#[test]
fn documents_for_models_name_this_server() {
    let server = Server::start_with(&["--base-path", "/data"]);
    for path in ["/llms.txt", "/llms-full.txt"] {
        let reply = server.keyless("GET", &format!("/data{path}"), "");
        assert_eq!(
            (reply.status, reply.header("content-type")),
            (200, Some("text/plain; charset=utf-8"))
        );
        assert_eq!(reply.header("cache-control"), Some("no-cache"));
        assert!(reply.text().contains("http://test/data/mcp"), "{path}");
        assert!(!reply.text().contains("localhost"), "{path}");
    }
    let reply = server.post("/data/mcp", "", &call("list_filings", &json!({})));
    let said = reply.json();
    let text = said["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.ends_with("The plans are at http://test/data/pricing."), "{text}");
}
