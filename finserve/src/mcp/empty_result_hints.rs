//! Hints for an agent whose query matches nothing, so that it does not conclude that there is no such data.

/// The hint for each parameter that narrows a list.
const HINTS: &[(&str, &str)] = &[
    ("q", "All words must match: try fewer or other words."),
    ("company", COMPANIES),
    ("category", CATEGORIES),
    ("type", CATEGORIES),
    (
        "status",
        "Statuses include ATIVO and CANCELADA; list_companies shows the status of each company.",
    ),
    ("sector", "list_sectors lists the sectors, in Portuguese."),
    ("from", DAYS),
    ("to", DAYS),
];

const COMPANIES: &str = "search_companies finds the code of a company by any name or ticker.";
const CATEGORIES: &str = "list_filing_categories lists all categories and types.";
const DAYS: &str = "Other days may have matches: leave out from and to.";

/// The hint for an empty list with these parameters; `None` if none of them narrows it.
pub(super) fn hint(query: &[(&str, &str)]) -> Option<String> {
    let given = |name: &str| query.iter().any(|(given, _)| *given == name);
    let mut hints: Vec<&str> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for (name, text) in HINTS.iter().filter(|(name, _)| given(name)) {
        names.push(name);
        if !hints.contains(text) {
            hints.push(text);
        }
    }
    let names = names.join(", ");
    (!hints.is_empty()).then(|| format!("Nothing matches {names} as given. {}", hints.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::tools::{TOOLS, Tool};

    #[test]
    fn every_filter_has_its_hint_and_every_tool_in_it_exists() {
        let filters = TOOLS.iter().flat_map(|tool| &tool.parameters).map(|one| one.name.as_str());
        let filters: Vec<&str> = filters.collect();
        for (name, hint) in HINTS {
            assert!(filters.contains(name), "{name}");
            for word in hint.split([' ', '.', ',', ':']).filter(|word| word.contains('_')) {
                assert!(Tool::find(word).is_some(), "{word}");
            }
        }
    }

    #[test]
    fn hints_are_about_what_was_given_and_come_once() {
        let hint_text = hint(&[("type", "x"), ("category", "y"), ("limit", "10")]).unwrap();
        assert_eq!(hint_text, format!("Nothing matches category, type as given. {CATEGORIES}"));
        assert_eq!(hint(&[("limit", "10"), ("offset", "5")]), None);
    }
}
