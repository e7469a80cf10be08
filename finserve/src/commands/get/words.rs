//! Sentences of the API in the words of the command line.
use percent_encoding::percent_decode_str;

use crate::api::{NO_SUCH_PATH, lacks_company};

/// What has another name here.
const NAMES: [(&str, &str); 4] = [
    (NO_SUCH_PATH, ""),
    ("this endpoint takes", "this takes"),
    ("GET /api/v1/market/fx/pairs", "finserve get market pairs"),
    ("GET /api/v1/market/series", "finserve get series"),
];

/// What the API says of its parameters, said of flags.
pub(super) fn of_command_line(message: &str) -> String {
    let mut said = message.to_owned();
    for (theirs, ours) in NAMES {
        said = said.replace(theirs, ours);
    }
    if let Some((name, rest)) =
        said.strip_prefix("parameter \"").and_then(|rest| rest.split_once('"'))
    {
        said = format!("{}{rest}", flag(name));
    }
    if lacks_company(message) {
        // Whatever was given is the text in quotes; one that needs more of them is not repeated.
        let given = said.split_once('"').and_then(|(_, rest)| rest.rsplit_once('"'));
        let given = given.map(|(given, _)| given).filter(|given| !given.contains(['"', '\\']));
        let given = given.map_or_else(|| "NAME".to_owned(), |given| format!("\"{given}\""));
        return format!("{said}; finserve get companies {given} looks for it");
    }
    // The names that it takes are the last of the sentence.
    match said.split_once("; this takes ") {
        Some((before, names)) if names != "none" => {
            let flags: Vec<String> = names.split(", ").map(flag).collect();
            format!("{before}; this takes {}", flags.join(", "))
        }
        _ => said,
    }
}

fn flag(name: &str) -> String {
    if name == "q" { "QUERY".into() } else { format!("--{name}") }
}

/// A part of a path as it was typed.
pub(super) fn decoded(part: &str) -> String {
    percent_decode_str(part).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_flags() {
        for (theirs, ours) in [
            (
                "parameter \"pair\" is unknown; this endpoint takes from, to",
                "--pair is unknown; this takes --from, --to",
            ),
            (
                "parameter \"from\" is unknown; this endpoint takes none",
                "--from is unknown; this takes none",
            ),
            ("parameter \"q\": \"\" is not a text", "QUERY: \"\" is not a text"),
            (
                "no observations of the series \"x\"; GET /api/v1/market/series lists the series that have some",
                "no observations of the series \"x\"; finserve get series lists the series that have some",
            ),
            ("there is nothing at this path: \"x\" is not a date", "\"x\" is not a date"),
            ("the server is away", "the server is away"),
            (
                "parameter \"company\": \"vale\" is not a company (a CVM code, a CNPJ or a ticker)",
                "--company: \"vale\" is not a company (a CVM code, a CNPJ or a ticker); finserve get companies \"vale\" looks for it",
            ),
            (
                "parameter \"company\": \"a\\\"b\" is not a company (a ticker)",
                "--company: \"a\\\"b\" is not a company (a ticker); finserve get companies NAME looks for it",
            ),
            (
                "there is no company \"999999\"",
                "there is no company \"999999\"; finserve get companies \"999999\" looks for it",
            ),
        ] {
            assert_eq!(of_command_line(theirs), ours);
        }
    }
}
