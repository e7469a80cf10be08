//! Messages of the API reworded for the command line.
use percent_encoding::percent_decode_str;

use crate::openapi::{NO_SUCH_PATH, lacks_company};

/// Terms of the API and what they are called on the command line.
const NAMES: [(&str, &str); 8] = [
    (NO_SUCH_PATH, ""),
    ("this endpoint takes", "this takes"),
    ("GET /api/v1/market/fx/pairs", "finserve get market pairs"),
    ("GET /api/v1/market/series/", "finserve get series "),
    ("GET /api/v1/market/series", "finserve get series"),
    ("see /api/v1/filings/categories", "finserve get categories lists them"),
    ("see /api/v1/companies/sectors", "finserve get companies shows those that there are"),
    ("; see /api/v1/companies/search", ""),
];

/// Rewords a message of the API: parameters become flags, endpoints become commands.
pub(super) fn to_command_line(message: &str) -> String {
    let mut reworded = message.to_owned();
    for (theirs, ours) in NAMES {
        reworded = reworded.replace(theirs, ours);
    }
    if let Some((name, rest)) =
        reworded.strip_prefix("parameter \"").and_then(|rest| rest.split_once('"'))
    {
        reworded = format!("{}{rest}", flag(name));
    }
    if lacks_company(message) {
        // The text in quotes is what the user gave; one that needs escaping is not repeated.
        let given = reworded.split_once('"').and_then(|(_, rest)| rest.rsplit_once('"'));
        let given = given.map(|(given, _)| given).filter(|given| !given.contains(['"', '\\']));
        let given = given.map_or_else(|| "NAME".to_owned(), |given| format!("\"{given}\""));
        return format!("{reworded}; finserve get companies {given} searches for it");
    }
    // The sentence ends with the names of the parameters.
    match reworded.split_once("; this takes ") {
        Some((before, names)) if names != "none" => {
            let flags: Vec<String> = names.split(", ").map(flag).collect();
            format!("{before}; this takes {}", flags.join(", "))
        }
        _ => reworded,
    }
}

fn flag(name: &str) -> String {
    if name == "q" { "QUERY".into() } else { format!("--{}", name.replace('_', "-")) }
}

/// Decodes a part of a path.
pub(super) fn decode(part: &str) -> String {
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
            ("parameter \"as_of\": it is after today", "--as-of: it is after today"),
            (
                "no observations of the series \"x\"; GET /api/v1/market/series lists the series that have some",
                "no observations of the series \"x\"; finserve get series lists the series that have some",
            ),
            ("there is nothing at this path: \"x\" is not a date", "\"x\" is not a date"),
            ("the server is away", "the server is away"),
            (
                "parameter \"company\": \"vale\" is not a company (a CVM code, a CNPJ or a ticker)",
                "--company: \"vale\" is not a company (a CVM code, a CNPJ or a ticker); finserve get companies \"vale\" searches for it",
            ),
            (
                "parameter \"company\": \"a\\\"b\" is not a company (a ticker)",
                "--company: \"a\\\"b\" is not a company (a ticker); finserve get companies NAME searches for it",
            ),
            (
                "there is no company \"999999\"",
                "there is no company \"999999\"; finserve get companies \"999999\" searches for it",
            ),
        ] {
            assert_eq!(to_command_line(theirs), ours);
        }
    }
}
