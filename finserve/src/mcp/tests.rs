//! The protocol without a transport: the reply to each message.
use hyper::Method;
use serde_json::{Value, json};

use super::{Call, McpHeaders, Reaction, ReplyStatus, TOOLS, react, tools::rows};
use crate::{
    http::{Handler, Match, Routes},
    openapi::FORMATS,
    site::upgrade_contact::UpgradeContact,
};

fn reply_to(message: &str) -> (Value, ReplyStatus) {
    match react(message.as_bytes(), None) {
        Reaction::Reply(reply) => (serde_json::from_str(&reply.text).unwrap(), reply.status),
        Reaction::Silence => (Value::Null, ReplyStatus::Answered),
        Reaction::Call(_) => panic!("a call"),
    }
}

fn call_tool(name: &str, arguments: Value) -> Result<Call, String> {
    let params = json!({ "name": name, "arguments": arguments });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    match react(message.to_string().as_bytes(), None) {
        Reaction::Call(call) => Ok(call),
        Reaction::Reply(reply) => {
            let reply: Value = serde_json::from_str(&reply.text).unwrap();
            assert_eq!(reply["result"]["isError"], true, "{reply}");
            Err(reply["result"]["content"][0]["text"].as_str().unwrap().to_owned())
        }
        Reaction::Silence => panic!("there was no reply"),
    }
}

#[test]
fn every_tool_is_an_endpoint_of_the_table_with_its_parameters() {
    assert_eq!(TOOLS.len(), rows(), "a tool names a path that openapi.yaml does not have");
    let routes = Routes::new(UpgradeContact::default());
    for tool in TOOLS.iter() {
        let path = &tool.operation.path;
        let Ok(Match::Row(_, row, _)) = routes.find(&Method::GET, path) else {
            panic!("{path} is not in the table");
        };
        assert_eq!(row.path, path, "another row answers");
        assert!(matches!(row.handler, Handler::Query(_)), "{path} asks for more than data");
        let mut taken: Vec<&str> = tool.parameters.iter().map(|one| one.name.as_str()).collect();
        let mut known: Vec<&str> = row.params.clone();
        known.retain(|name| !FORMATS.contains(name));
        taken.sort_unstable();
        known.sort_unstable();
        assert_eq!(taken, known, "{}", tool.name);
    }
}

#[test]
fn tools_have_small_defaults_and_examples_of_what_they_require() {
    let (reply, _) = reply_to(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    let tools = reply["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), rows());
    for tool in tools {
        let (name, schema) = (tool["name"].as_str().unwrap(), &tool["inputSchema"]);
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{name}");
        let limit = &schema["properties"]["limit"]["default"];
        assert!(limit.is_null() || limit.as_u64().unwrap() <= 50, "{name}: {limit}");
        for required in schema["required"].as_array().unwrap() {
            let property = &schema["properties"][required.as_str().unwrap()];
            assert!(property["examples"].is_array(), "{name}: {required} has no example");
        }
    }
    let history = tools.iter().find(|tool| tool["name"] == "get_series_history").unwrap();
    assert_eq!(history["inputSchema"]["properties"]["limit"]["default"], 10);
    let filings = tools.iter().find(|tool| tool["name"] == "list_filings").unwrap();
    assert!(filings["description"].as_str().unwrap().ends_with("Needs the Gold plan."));
}

#[test]
fn a_handshake_agrees_on_a_revision() {
    for (wanted, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1.0", "2025-11-25"),
    ] {
        let params = json!({ "protocolVersion": wanted });
        let message =
            json!({ "jsonrpc": "2.0", "id": 7, "method": "initialize", "params": params });
        let (reply, _) = reply_to(&message.to_string());
        assert_eq!(reply["result"]["protocolVersion"], agreed);
        assert_eq!(
            (&reply["id"], &reply["result"]["serverInfo"]["name"]),
            (&json!(7), &json!("finserve"))
        );
    }
}

#[test]
fn what_is_wrong_with_a_message_has_its_code() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let in_params = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{deep}}}"#);
    let cases = [
        ("", -32700, json!(null)),
        ("{", -32700, json!(null)),
        ("\u{feff}{}", -32700, json!(null)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"} x"#, -32700, json!(null)),
        ("[]", -32600, json!(null)),
        (&deep, -32600, json!(null)),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600, json!(null)),
        ("1", -32600, json!(null)),
        ("null", -32600, json!(null)),
        ("{}", -32600, json!(null)),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1}"#, -32600, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, -32600, json!(1)),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, json!(null)),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600, json!(null)),
        (r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, -32600, json!(null)),
        (r#"{"jsonrpc":"2.0","id":1e999,"method":"ping"}"#, -32600, json!(null)),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32600, json!(null)),
        (r#"{"jsonrpc":"2.0","id":"a","method":"nope"}"#, -32601, json!("a")),
        (r#"{"jsonrpc":"2.0","id":"a","method":"server/discover"}"#, -32601, json!("a")),
        (&in_params, -32602, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#, -32602, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, -32602, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}"#, -32602, json!(1)),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}"#,
            -32602,
            json!(1),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":[]}}"#,
            -32602,
            json!(1),
        ),
    ];
    for (message, code, id) in cases {
        let (reply, status) = reply_to(message);
        let shown = fincore::truncate(message);
        assert_eq!(
            (&reply["error"]["code"], &reply["id"]),
            (&json!(code), &id),
            "{shown}: {reply}"
        );
        let rejected = code == -32700 || code == -32600;
        assert_eq!(status == ReplyStatus::Rejected, rejected, "{shown}");
    }
}

#[test]
fn ids_come_back_as_they_were_and_notifications_get_nothing() {
    let long = format!("\"{}\"", "i".repeat(10_000));
    for id in ["0", "-1", "1e3", "123456789012345678901234567890.10", r#""a\"\u00e9""#, &long] {
        let message = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let Reaction::Reply(reply) = react(message.as_bytes(), None) else { panic!("{id}") };
        assert_eq!(reply.text, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    }
    for message in [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"nope","params":[]}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"search"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}"#,
    ] {
        assert!(matches!(react(message.as_bytes(), None), Reaction::Silence), "{message}");
    }
}

#[test]
fn arguments_become_a_request() {
    let target = |name, arguments| call_tool(name, arguments).map(|call| call.target());
    let cases = [
        ("get_market_overview", json!({}), "/api/v1/market/overview"),
        ("get_series_value", json!({"series": 433}), "/api/v1/market/series/433/current"),
        (
            "get_series_value",
            json!({"series": "a/../b?c"}),
            "/api/v1/market/series/a%2F..%2Fb%3Fc/current",
        ),
        ("get_series_history", json!({"series": "ipca"}), "/api/v1/market/series/ipca?limit=10"),
        (
            "get_series_history",
            json!({"offset": 3, "limit": null, "from": "2024-01-01", "series": "ipca"}),
            "/api/v1/market/series/ipca?from=2024-01-01&limit=10&offset=3",
        ),
        (
            "search",
            json!({"q": "São & Cia+%", "limit": 3}),
            "/api/v1/search?q=S%C3%A3o%20%26%20Cia%2B%25&limit=3",
        ),
        ("list_series", json!({}), "/api/v1/market/series?limit=50"),
    ];
    for (name, arguments, wanted) in cases {
        assert_eq!(target(name, arguments).unwrap(), wanted);
    }
    let wrong = [
        ("get_series_value", json!({}), "argument \"series\" is missing, such as \"igp-m\""),
        (
            "get_series_value",
            json!({"series": ""}),
            "argument \"series\" is missing, such as \"igp-m\"",
        ),
        (
            "get_company",
            json!({"id": "search"}),
            "argument \"id\": get_company finds nothing under \"search\"",
        ),
        (
            "get_quote",
            json!({"pair": ["EUR"]}),
            "argument \"pair\" must be a string, a number, true or false",
        ),
        (
            "get_quote",
            json!({"pairs": "EUR"}),
            "argument \"pairs\" is unknown; get_quote takes pair, as_of",
        ),
        (
            "list_series",
            json!({"format": "csv"}),
            "argument \"format\" is unknown; list_series takes q, ids, from, to, limit, offset, frequency, aggregate, units, base, only, partial, as_of, first_release",
        ),
        (
            "get_market_overview",
            json!({"x": 1}),
            "argument \"x\" is unknown; get_market_overview takes as_of",
        ),
        (
            "search",
            json!({"q": "x".repeat(10_000)}),
            "the arguments take more than 8192 bytes together",
        ),
    ];
    for (name, arguments, words) in wrong {
        assert_eq!(target(name, arguments).unwrap_err(), words);
    }
    let twice = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"q":"a","q":"b"}}}"#;
    assert!(reply_to(twice).0.to_string().contains("is given twice"));
}

#[test]
fn an_outcome_keeps_every_digit_and_says_what_is_missing() {
    let call = call_tool("get_series_history", json!({"series": "ipca"})).unwrap();
    let body = r#"{"data":[{"value":0.10},{"value":123456789012345678901.50}],"total":5,"limit":10,"offset":1}"#;
    let text = call.answer_message(body);
    assert!(text.contains(&format!("\"structuredContent\":{body}")), "{text}");
    let reply: Value = serde_json::from_str(&text).unwrap();
    let content = &reply["result"]["content"];
    assert_eq!(content[0]["text"], body);
    assert_eq!(content[1]["text"], "These are rows 2 to 3 of 5. For more, call with offset=3.");
    let whole = call.answer_message(r#"{"data":[1],"total":1,"limit":10,"offset":0}"#);
    assert!(!whole.contains("For more"), "{whole}");
    let next = r#"{"data":[1],"total":2,"next":"/api/v1/a?ids=x,y&q=\u0022}&offset=1"}"#;
    assert!(call.answer_message(next).contains(r#""structuredContent":{"data":[1],"total":2}"#));
    let day = r#"{"business_day":false,"next":"2026-11-23","holiday":null}"#;
    assert!(call.answer_message(day).contains(&format!("\"structuredContent\":{day}")));
    let pretty = call.answer_message("{\n \"data\": [],\r\n \"total\": 0\n}");
    assert!(!pretty.contains(['\n', '\r']), "{pretty}");
    assert!(call.answer_message("<html>").contains("\"isError\":true"));
    let search = call_tool("search", json!({"q": "a", "limit": 1})).unwrap();
    assert!(search.answer_message(r#"{"companies":[1],"filings":[]}"#).contains("offset=1"));
}

#[test]
fn a_refusal_names_tools_and_plans() {
    let call = call_tool("get_series_value", json!({"series": "x"})).unwrap();
    let text = |body: &str| {
        let reply: Value = serde_json::from_str(&call.refusal_message(body, "http://a")).unwrap();
        assert_eq!(reply["result"]["isError"], true);
        assert_eq!(
            reply["result"]["structuredContent"],
            serde_json::from_str::<Value>(body).unwrap()
        );
        reply["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    };
    let unknown = r#"{"error":"not_found","message":"no x; GET /api/v1/market/series lists them"}"#;
    assert_eq!(text(unknown), "no x; the tool list_series lists them");
    let upgrade = r#"{"error":"plan_required","message":"Gold.","upgrade_url":"/pricing"}"#;
    assert_eq!(text(upgrade), "Gold. The plans are at http://a/pricing.");
}

/// A message of the revision without a handshake, with these headers.
fn stateless(method: &str, params: Value, headers: &McpHeaders<'_>) -> (Value, ReplyStatus) {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    match react(message.to_string().as_bytes(), Some(headers)) {
        Reaction::Reply(reply) => (serde_json::from_str(&reply.text).unwrap(), reply.status),
        Reaction::Call(call) => {
            (serde_json::from_str(&call.answer_message("{}")).unwrap(), ReplyStatus::Answered)
        }
        Reaction::Silence => panic!("there was no reply"),
    }
}

#[test]
fn a_request_may_say_for_itself_which_revision_it_speaks() {
    let all = |method| McpHeaders {
        version: Some("2026-07-28"),
        method: Some(method),
        name: Some("search"),
    };
    let (found, _) = stateless("server/discover", json!({}), &all("server/discover"));
    assert_eq!(found["result"]["supportedVersions"], json!(["2026-07-28"]));
    for (method, params) in [
        ("server/discover", json!({})),
        ("tools/list", json!({})),
        ("prompts/list", json!({})),
        ("tools/call", json!({ "name": "search", "arguments": { "q": "a" } })),
    ] {
        let (reply, status) = stateless(method, params, &all(method));
        assert_eq!(
            (&reply["result"]["resultType"], status),
            (&json!("complete"), ReplyStatus::Answered)
        );
        assert_eq!(reply["result"]["ttlMs"].is_u64(), method != "tools/call", "{method}");
    }
    let (reply, status) = stateless("ping", json!({}), &all("ping"));
    assert_eq!((&reply["error"]["code"], status), (&json!(-32601), ReplyStatus::Unknown));
    let wrong = [
        McpHeaders { version: None, ..all("tools/call") },
        McpHeaders { version: Some("2025-06-18"), ..all("tools/call") },
        McpHeaders { method: Some("tools/list"), ..all("tools/call") },
        McpHeaders { name: Some("get_quote"), ..all("tools/call") },
        McpHeaders { name: None, ..all("tools/call") },
    ];
    for headers in wrong {
        let params = json!({ "name": "search", "arguments": { "q": "a" } });
        let (reply, status) = stateless("tools/call", params, &headers);
        assert_eq!(
            (&reply["error"]["code"], status),
            (&json!(-32020), ReplyStatus::Rejected),
            "{headers:?}"
        );
    }
    let ping = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for (version, code) in [("2026-07-28", -32602), ("2030-01-01", -32022), ("", -32022)] {
        let headers = McpHeaders { version: Some(version), ..McpHeaders::default() };
        let Reaction::Reply(reply) = react(ping, Some(&headers)) else { panic!("{version}") };
        let text: Value = serde_json::from_str(&reply.text).unwrap();
        assert_eq!((&text["error"]["code"], reply.status), (&json!(code), ReplyStatus::Rejected));
        let supported = text["error"]["data"]["supported"].as_array().map(Vec::len);
        assert_eq!(supported, (code == -32022).then_some(5));
    }
}

#[test]
fn no_key_is_repeated() {
    let key = format!("fin_{}", "a".repeat(38));
    for message in [
        json!({ "jsonrpc": "2.0", "id": 1, "method": key }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": key } }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": { "name": "search", "arguments": { (key.clone()): 1 } } }),
    ] {
        let (reply, _) = reply_to(&message.to_string());
        assert!(!reply.to_string().contains(&key), "{reply}");
    }
}

#[test]
fn whatever_arrives_the_reply_is_json() {
    almost_right(|message| match react(message, None) {
        Reaction::Silence => (),
        Reaction::Reply(reply) => assert!(serde_json::from_str::<Value>(&reply.text).is_ok()),
        Reaction::Call(call) => assert!(call.target().parse::<hyper::Uri>().is_ok()),
    });
}

/// Messages that are almost right: one with each byte left out, doubled or replaced.
fn almost_right(mut receive: impl FnMut(&[u8])) {
    let message = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"q":"a\u00e9","limit":2.50,"offset":null}}}"#;
    for at in 0..message.len() {
        let mut without = message.to_vec();
        without.remove(at);
        receive(&without);
        for byte in [b'"', b'{', b']', b'\\', b'0', 0, 0xff] {
            let mut with = message.to_vec();
            with[at] = byte;
            receive(&with);
            with.insert(at, message[at]);
            receive(&with);
        }
    }
}
