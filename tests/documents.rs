//! What the documents promise: the examples of the README and of `openapi.yaml` give what they show.
use serde_json::Value;

use crate::harness::Server;

const README: &str = include_str!("../README.md");
const OPENAPI: &str = include_str!("../openapi.yaml");

/// Each `curl` line of the README and the JSON below it.
fn examples() -> Vec<(&'static str, &'static str)> {
    README
        .split("```console\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("```").map(|(block, _)| block))
        .flat_map(|block| block.split("$ ").skip(1))
        .filter_map(|example| example.split_once('\n'))
        .filter(|(command, answer)| command.starts_with("curl ") && !answer.trim().is_empty())
        .collect()
}

#[test]
fn the_curl_examples_of_the_readme_give_what_they_show() {
    let examples = examples();
    assert!(examples.len() >= 4, "{examples:?}");
    for (command, answer) in examples {
        let url = command
            .split(['\'', '"', ' '])
            .find(|word| word.contains("localhost:8080"))
            .expect(command);
        let target = &url[url.find("8080").unwrap() + 4..];
        let reply = if command.contains("X-API-Key") {
            Server::shared().get(target)
        } else {
            Server::shared().keyless("GET", target, "")
        };
        // Compared as text, because digits count; the members of an error may stand in any order.
        if reply.status == 200 {
            assert_eq!(reply.text(), answer.trim(), "{command}");
        } else {
            assert_eq!(Some(reply.json()), serde_json::from_str(answer).ok(), "{command}");
        }
    }
}

/// A list is asked for as many rows as its example shows; of the other parameters only those are given that must
/// be. What Free includes is asked for without a key: it is shown as it is for everybody.
#[test]
fn the_examples_of_openapi_are_what_the_server_answers() {
    let document: Value = serde_norway::from_str(OPENAPI).unwrap();
    let server = Server::start();
    let mut checked = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        let operation = &item["get"];
        // What belongs to a key differs from key to key.
        if operation.is_null() || path == "/api/v1/plans/usage" {
            continue;
        }
        let example = &operation["responses"]["200"]["content"]["application/json"]["example"];
        let (mut target, mut query) = (path.clone(), Vec::new());
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let reference = parameter["$ref"].as_str().unwrap().trim_start_matches('#');
            let parameter = document.pointer(reference).unwrap();
            let name = parameter["name"].as_str().unwrap();
            let value = parameter["example"].as_str().unwrap_or_default();
            match parameter["in"].as_str() {
                Some("path") => target = target.replace("{id}", value),
                _ if name == "limit" => {
                    query.push(format!("limit={}", example["limit"].as_u64().unwrap_or(1)));
                }
                _ if parameter["required"] == true => query.push(format!("{name}={value}")),
                _ => (),
            }
        }
        if !query.is_empty() {
            target = format!("{target}?{}", query.join("&"));
        }
        let paid = operation["x-plan"].as_str().is_some_and(|plan| plan != "free");
        let reply = if paid { server.get(&target) } else { server.keyless("GET", &target, "") };
        assert_eq!(reply.status, 200, "{target}: {}", reply.text());
        assert_eq!(reply.json(), *example, "{target}");
        checked += 1;
    }
    assert_eq!(checked, 21);
}
