//! Suggestions of a search field, in the language of the page.
use fincore::{
    CvmCode,
    search::{MatchedName, MatchedNameKind},
};

use super::{filings::official_names, page_url::Address, view::View};

/// Why a company is suggested: `former name: Via Varejo`.
pub(crate) fn why_suggested(view: &View, matched: &MatchedName) -> String {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let by = match matched.by {
        MatchedNameKind::Ticker => say("ticker", "código"),
        MatchedNameKind::Number => say("number", "número"),
        MatchedNameKind::FormerName => say("former name", "nome anterior"),
        MatchedNameKind::OtherName => say("also", "também"),
        MatchedNameKind::Spelling => say("did you mean", "você quis dizer"),
        // A kind that this version has no words for.
        _ => "",
    };
    format!("({by}: {})", matched.text)
}

/// Filings of a company, by category and year: `Vale · Material fact · 2024`.
pub(crate) fn filings_of(
    view: &View,
    name: &str,
    category: Option<&str>,
    year: Option<u16>,
) -> String {
    let category =
        category.map(|category| official_names::category_name(view, category).unwrap_or(category));
    let year = year.map(|year| year.to_string());
    [Some(name), category, year.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// The link to those filings.
pub(crate) fn company_filings_link(
    view: &View,
    company: CvmCode,
    category: Option<&str>,
    year: Option<u16>,
) -> String {
    let day = |end: &str| year.map(|year| format!("{year}-{end}"));
    Address::at("/filings")
        .with("company", Some(company))
        .with("category", category)
        .with("from", day("01-01"))
        .with("to", day("12-31"))
        .link(view)
}
