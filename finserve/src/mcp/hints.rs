//! What an agent is told where nothing matches what it asked for, lest it conclude that there is nothing.

/// What helps with each parameter that narrows a list.
const HINTS: &[(&str, &str)] = &[
    ("q", "All words must match: try fewer words, or others."),
    ("company", COMPANIES),
    ("category", CATEGORIES),
    ("type", CATEGORIES),
    ("status", "Statuses are ATIVO, CANCELADA and others that the rows of list_companies show."),
    ("sector", "Sectors are those that the rows of list_companies show, in Portuguese."),
    ("from", DAYS),
    ("to", DAYS),
];

const COMPANIES: &str = "search_companies finds the code of a company by any name or ticker.";
const CATEGORIES: &str = "list_filing_categories lists the categories and types that there are.";
const DAYS: &str = "Other days may have some: leave out from and to.";

/// What is said of an empty list that was asked for with these parameters; nothing where none of them narrows it.
pub(super) fn for_nothing(query: &[(&str, &str)]) -> Option<String> {
    let given = |name: &str| query.iter().any(|(given, _)| *given == name);
    let mut hints: Vec<&str> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for (name, hint) in HINTS.iter().filter(|(name, _)| given(name)) {
        names.push(name);
        if !hints.contains(hint) {
            hints.push(hint);
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
    fn hints_are_about_what_was_given_and_are_said_once() {
        let said = for_nothing(&[("type", "x"), ("category", "y"), ("limit", "10")]).unwrap();
        assert_eq!(said, format!("Nothing matches category, type as given. {CATEGORIES}"));
        assert_eq!(for_nothing(&[("limit", "10"), ("offset", "5")]), None);
    }
}
