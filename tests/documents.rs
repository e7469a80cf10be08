//! What the documents promise: the curl examples of the README give the answers shown there.
use serde_json::Value;

use crate::harness::Server;

const README: &str = include_str!("../README.md");

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
        let want: Value =
            serde_json::from_str(answer).unwrap_or_else(|err| panic!("{err}: {answer}"));
        assert_eq!(Server::shared().keyless("GET", target, "").json(), want, "{command}");
    }
}
