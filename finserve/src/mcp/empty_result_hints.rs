//! Hints for an agent whose query matches nothing, so that it does not conclude that there is no such data.

/// Terms of the API, and the tools that agents know instead.
const TOOL_NAMES: &[(&str, &str)] = &[
    ("see /api/v1/filings/categories", "list_filing_categories lists them"),
    ("see /api/v1/companies/sectors", "list_sectors lists them"),
    (
        "see /api/v1/companies/search",
        "search_companies finds the code of a company by any name or ticker",
    ),
    ("GET /api/v1/market/series/", "get_series_history with series="),
];

/// The hint for an empty list: what the service says about it, or what helps a search.
pub(super) fn hint(query: &[(&str, &str)], hints: &[String]) -> Option<String> {
    let given = |name: &str| query.iter().any(|(given, _)| *given == name);
    if !hints.is_empty() {
        let said = TOOL_NAMES
            .iter()
            .fold(hints.join("; "), |said, (theirs, ours)| said.replace(theirs, ours));
        return Some(format!("Nothing found: {said}."));
    }
    given("q").then(|| "Nothing found. All words must match: try fewer or other words.".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::tools::Tool;

    #[test]
    fn every_tool_in_a_hint_exists() {
        for (_, hint) in TOOL_NAMES {
            for word in hint.split([' ', '.', ',', ':', '=']).filter(|word| word.contains('_')) {
                assert!(Tool::find(word).is_some(), "{word}");
            }
        }
    }

    #[test]
    fn a_hint_names_what_is_at_fault() {
        let said = ["no filing has the category \"x\"; see /api/v1/filings/categories".to_owned()];
        assert_eq!(
            hint(&[("company", "VALE3"), ("category", "x")], &said).unwrap(),
            "Nothing found: no filing has the category \"x\"; list_filing_categories lists them."
        );
        assert!(hint(&[("q", "x")], &[]).unwrap().contains("fewer"));
        assert_eq!(hint(&[("limit", "10"), ("offset", "5")], &[]), None);
    }
}
