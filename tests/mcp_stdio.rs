//! Agents over the standard input and output: the same tools on a data directory, or through a server.
use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use fincore::Plan;
use serde_json::{Value, json};

use crate::{
    harness::{Server, finserve, new_key, with},
    mcp::{call, hostile, request, tools, variants, without_next},
};

/// `finserve mcp`, as a desktop client starts it.
struct Agent {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Agent {
    fn start(arguments: &[&str], key: Option<&str>) -> Agent {
        let mut command = finserve(&["mcp"]);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.env_remove("FINSERVE_KEY").env_remove("FINSERVE_SERVER");
        let mut child = command.envs(key.map(|key| ("FINSERVE_KEY", key))).spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Agent { child, input, output }
    }

    fn tell(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).and_then(|()| input.write_all(b"\n")).unwrap();
    }

    fn ask(&mut self, line: &str) -> Value {
        self.tell(line);
        let mut reply = String::new();
        self.output.read_line(&mut reply).unwrap();
        serde_json::from_str(&reply).unwrap_or_else(|err| panic!("{err}: {reply}"))
    }

    /// Ends the input; the program must end by itself, without another word.
    fn end(mut self) {
        drop(self.input.take());
        let mut rest = String::new();
        self.output.read_line(&mut rest).unwrap();
        assert_eq!(rest, "");
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn every_tool_says_what_the_api_says() {
    let server = Server::start();
    let (data, address) =
        (server.data.path().to_str().unwrap(), format!("http://{}", server.address));
    let platinum = new_key(&server.accounts(), Plan::Platinum);
    let mut local = Agent::start(&["--data", data], None);
    let mut through = Agent::start(&["--server", &address], Some(platinum.reveal()));
    let list = local.ask(&request(1, "tools/list", &json!({})));
    assert_eq!(list, through.ask(&request(1, "tools/list", &json!({}))));
    let mut statuses = Vec::new();
    for tool in tools(&list) {
        for arguments in variants(&tool) {
            let (message, target) = (call(&tool.name, &arguments), tool.target(&arguments));
            let by_api = server.keyless("GET", &target, &with(&platinum));
            let outcome = local.ask(&message);
            let text = outcome["result"]["content"][0]["text"].as_str().unwrap();
            assert_eq!(outcome["result"]["isError"], by_api.status != 200, "{outcome}");
            let wanted = without_next(by_api.text());
            let structured = serde_json::from_str::<Value>(&wanted).unwrap();
            assert_eq!(outcome["result"]["structuredContent"], structured, "{message}");
            if by_api.status == 200 {
                assert_eq!(text, wanted, "{message}");
            }
            assert_eq!(outcome, through.ask(&message), "{message}");
            statuses.push(by_api.status);
        }
    }
    for status in [200, 400, 404] {
        assert!(statuses.contains(&status), "{status} was never met");
    }
    local.end();
    through.end();
}

#[test]
fn an_agent_that_finds_nothing_is_told_where_the_values_are() {
    let data = Server::shared().data.path().to_str().unwrap();
    let mut agent = Agent::start(&["--data", data], None);
    for (tool, arguments, said) in [
        ("list_filings", json!({"category": "fatos relevantes"}), "; nearest: Fato Relevante."),
        ("list_filings", json!({"type": "x"}), "no filing has the type \"x\"; "),
        ("list_filings", json!({"company": "XXXX9"}), "search_companies finds the code"),
        ("list_company_filings", json!({"id": "9512", "category": "x"}), "list_filing_categories"),
        ("list_companies", json!({"status": "active"}), "the statuses are ATIVO, CANCELADA"),
        (
            "list_companies",
            json!({"sector": "mining"}),
            "the sector \"mining\"; list_sectors lists them",
        ),
        ("search_filings", json!({"q": "qqqqqq zzzzzz"}), "All words must match"),
        ("search", json!({"q": "qqqqqq zzzzzz"}), "All words must match"),
        ("list_filings", json!({"from": "2999-01-01"}), "filings are held from 2021-"),
        ("list_companies", json!({"offset": 9999}), "offset=9999 is beyond the last"),
    ] {
        let outcome = agent.ask(&call(tool, &arguments));
        let content = outcome["result"]["content"].as_array().unwrap();
        assert_eq!(content.len(), 2, "{tool} {arguments}: {outcome}");
        let note = content[1]["text"].as_str().unwrap();
        assert!(note.contains(said), "{tool} {arguments}: {note}");
        let data: Value = serde_json::from_str(content[0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(outcome["result"]["structuredContent"], data, "{tool} {arguments}");
        assert_eq!(outcome["result"]["isError"], false);
    }
    for (tool, arguments, said) in [
        ("get_company", json!({"id": "VALE999"}), "there is no company \"VALE999\""),
        ("get_company", json!({"id": "999999"}), "there is no company \"999999\""),
        ("list_company_filings", json!({"id": "vale"}), "\"vale\" is not a company ("),
        ("list_filings", json!({"company": "vale"}), "\"vale\" is not a company ("),
        ("search_filings", json!({"q": "a", "company": "vale"}), "\"vale\" is not a company ("),
    ] {
        let outcome = agent.ask(&call(tool, &arguments));
        let text = outcome["result"]["content"][0]["text"].as_str().unwrap();
        let helps = "; the tool search_companies finds companies by any name or ticker";
        assert!(text.contains(said) && text.ends_with(helps), "{tool} {arguments}: {text}");
        assert!(!text.contains("path"), "{text}");
        assert_eq!(outcome["result"]["isError"], true);
    }
    agent.end();
}

#[test]
fn a_small_plan_is_told_the_same_as_over_http() {
    let server = Server::start();
    let address = format!("http://{}", server.address);
    let list = server.post("/mcp", "", &request(1, "tools/list", &json!({}))).json();
    let mut statuses = Vec::new();
    for tool in tools(&list) {
        // A key of its own, so that no limit is in the way.
        let free = new_key(&server.accounts(), Plan::Free);
        let mut small = Agent::start(&["--server", &address, "--key", free.reveal()], None);
        for arguments in variants(&tool) {
            let message = call(&tool.name, &arguments);
            let outcome = small.ask(&message);
            let by_http = server.post("/mcp", &with(&free), &message).text().to_owned();
            // Only the name that the service was called by is another.
            let by_http = by_http.replace("http://test/", &format!("{address}/"));
            assert_eq!(outcome, serde_json::from_str::<Value>(&by_http).unwrap(), "{message}");
            let by_api = server.keyless("GET", &tool.target(&arguments), &with(&free));
            if by_api.status == 403 {
                let text = outcome["result"]["content"][0]["text"].as_str().unwrap();
                assert!(text.ends_with(&format!("The plans are at {address}/pricing.")), "{text}");
            }
            statuses.push(by_api.status);
        }
        small.end();
    }
    assert!(!statuses.contains(&429));
    for status in [200, 400, 403, 404] {
        assert!(statuses.contains(&status), "{status} was never met");
    }
}

#[test]
fn a_directory_that_is_missing_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("new");
    let output = finserve(&["mcp", "--data"]).arg(&missing).stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && output.stdout.is_empty());
    assert!(said.contains(missing.to_str().unwrap()), "{said}");
}

#[test]
fn hostile_lines_are_answered_and_the_conversation_goes_on() {
    let server = Server::shared();
    let mut agent = Agent::start(&["--data", server.data.path().to_str().unwrap()], None);
    agent.tell("");
    agent.tell(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    agent.tell(" \t\r");
    for line in hostile() {
        let said = agent.ask(&line);
        assert!(said["error"].is_object() || said["result"].is_object(), "{said}");
        let pong = agent.ask(&request(2, "ping", &json!({})));
        assert_eq!(pong, json!({ "jsonrpc": "2.0", "id": 2, "result": {} }));
    }
    let said = agent.ask(&"x".repeat(1_000_000));
    assert_eq!((&said["id"], &said["error"]["code"]), (&json!(null), &json!(-32600)));
    let pong = agent.ask(&(request(3, "ping", &json!({})) + "\r"));
    assert_eq!(pong["id"], 3);
    agent.end();
}

#[test]
fn what_cannot_work_is_said_at_once_and_no_key_with_it() {
    let bad = format!("fin_{}", "a".repeat(38));
    for arguments in
        [vec!["--server", "nowhere"], vec!["--server", "http://127.0.0.1:1", "--key", &bad]]
    {
        let output = finserve(&["mcp"]).args(&arguments).stdin(Stdio::null()).output().unwrap();
        assert!(!output.status.success(), "{arguments:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.stdout.is_empty() && !said.is_empty() && !said.contains(&bad), "{said}");
    }
    let mut agent = Agent::start(&["--server", "http://127.0.0.1:1"], None);
    let outcome = agent.ask(&call("get_market_overview", &json!({})));
    let text = outcome["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("http://127.0.0.1:1: the server refuses connections"), "{text}");
    agent.end();
}
