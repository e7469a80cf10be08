//! Completes a text that is being typed, to companies, tickers, categories, and filings of a company.
use serde::{Deserialize, Serialize};

use crate::{
    answers::Meta,
    filings::{self, queries},
    lexicon::{
        CompanyInSearch, CompanyNames, Names, is_particle,
        market_words::market_words,
        names::{SuggestedCompany, SuggestionReason, capitalised},
    },
    search::{CategoryWords, SOURCE},
    store::Snapshot,
    values::{CompanyRef, CvmCode, Date, Feature, Limit, Result, TICKER_ROOT, Words},
};

/// A query for completions of a text that is being typed.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Suggest {
    /// The text so far.
    pub q: Words,
    /// The most suggestions to return.
    #[serde(default)]
    pub limit: Limit<10>,
}

impl Suggest {
    /// At most ten suggestions for a text.
    ///
    /// Fails if `text` has no words, or too many.
    pub fn new(text: &str) -> Result<Suggest> {
        Ok(Suggest { q: text.parse()?, limit: Limit::default() })
    }
}

/// Suggestions, best first.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Suggestions {
    /// At most ten.
    pub data: Vec<Suggestion>,
    /// Their source.
    pub meta: Meta,
}

/// A completion of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Suggestion {
    /// A company.
    Company {
        /// Its legal name.
        text: String,
        /// Its CVM code.
        company_id: CvmCode,
        /// The codes that its securities trade under.
        tickers: Vec<String>,
        /// Why it is suggested, if neither its legal nor its trade name nor one of these tickers says so.
        #[serde(skip_serializing_if = "Option::is_none")]
        matched: Option<MatchedName>,
    },
    /// A ticker.
    Ticker {
        /// The code.
        text: String,
        /// The CVM code of the company.
        company_id: CvmCode,
    },
    /// Filings of one company.
    Filings {
        /// Its name, category and year: `Vale · Fato Relevante · 2024`.
        text: String,
        /// The CVM code of the company.
        company_id: CvmCode,
        /// The name of the company, as it was typed.
        name: String,
        /// The category of the filings; `None` for those of all categories.
        #[serde(skip_serializing_if = "Option::is_none")]
        category: Option<String>,
        /// The year of delivery, if the text has one.
        #[serde(skip_serializing_if = "Option::is_none")]
        year: Option<u16>,
        /// How many there are.
        filings: u64,
    },
    /// A category of filings.
    Category {
        /// Its name.
        text: String,
    },
}

/// A name of a company that matches a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MatchedName {
    /// The kind of name.
    pub by: MatchedNameKind,
    /// The name, ticker or number.
    pub text: String,
}

/// The kind of name that matches a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MatchedNameKind {
    /// A ticker that it had, or that trades abroad.
    Ticker,
    /// Its CVM code, its CNPJ, or an ISIN.
    Number,
    /// A name that it had.
    FormerName,
    /// A brand, a nickname or a short form.
    OtherName,
    /// The text was taken for this.
    Spelling,
}

/// Completes a text: tickers that start with it, companies whose names have all its words or, if there is none, are spelled
/// alike, filings of the company that it names for certain, and categories of filings. It works in memory, fast enough to be
/// called with every letter.
///
/// ```
/// use fincore::search::{Suggest, Suggestion, suggest};
///
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let found = suggest(&snapshot, Suggest::new("petro")?)?;
/// assert!(matches!(&found.data[0], Suggestion::Company { company_id, .. } if company_id.get() == 9512));
///
/// let found = suggest(&snapshot, Suggest::new("vale fato relevante 2024")?)?;
/// let Suggestion::Filings { text, .. } = &found.data[0] else { panic!() };
/// assert_eq!(text, "Vale · Fato Relevante · 2024");
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn suggest(snapshot: &Snapshot, query: Suggest) -> Result<Suggestions> {
    let most = query.limit.get() as usize;
    let words: Vec<&str> = query.q.all().collect();
    let (names, categories) = (snapshot.memo(Names::read)?, snapshot.memo(CategoryWords::read)?);
    let mut data = Vec::new();
    for (ticker, company) in names.tickers_with_prefix(&words, most) {
        let text = ticker.to_ascii_uppercase();
        data.extend(
            CvmCode::new(company.code)
                .ok()
                .map(|company_id| Suggestion::Ticker { text, company_id }),
        );
    }
    let of_filings = filings_of_company(snapshot, &names, &categories, &words)?;
    // Categories get their share even if many companies match.
    let categories: Vec<Suggestion> = categories
        .matching(&words)
        .take(2)
        .map(|text| Suggestion::Category { text: text.to_owned() })
        .collect();
    // Categories and words of filings are not misspelled names.
    let is_spelled = of_filings.is_empty() && categories.is_empty();
    let companies = names.suggest(&query.q, most).into_iter();
    let is_wanted = |found: &SuggestedCompany<'_>| {
        is_spelled || !matches!(found.reason, Some(SuggestionReason::Spelling(_)))
    };
    data.extend(companies.filter(is_wanted).filter_map(company_suggestion));
    // Filings beside companies leave them at least half of the places.
    let free = most.saturating_sub(categories.len());
    let most_filings = if data.is_empty() { free } else { free / 2 };
    let of_filings = of_filings.into_iter().take(most_filings);
    let others: Vec<Suggestion> = of_filings.chain(categories).take(most).collect();
    data.truncate(most - others.len());
    data.extend(others);
    Ok(Suggestions { data, meta: Meta::new(SOURCE) })
}

fn company_suggestion(found: SuggestedCompany<'_>) -> Option<Suggestion> {
    let company = found.company;
    let tickers = company.tickers.iter().map(|ticker| ticker.to_ascii_uppercase()).collect();
    let matched = found.reason.map(|reason| {
        let (by, text) = match reason {
            SuggestionReason::Ticker(text) => (MatchedNameKind::Ticker, text),
            SuggestionReason::Number(text) => (MatchedNameKind::Number, text),
            SuggestionReason::FormerName(text) => (MatchedNameKind::FormerName, text),
            SuggestionReason::OtherName(text) => (MatchedNameKind::OtherName, text),
            SuggestionReason::Spelling(text) => (MatchedNameKind::Spelling, text),
        };
        MatchedName { by, text }
    });
    let company_id = CvmCode::new(company.code).ok()?;
    Some(Suggestion::Company { text: company.legal_name.clone(), company_id, tickers, matched })
}

/// Filings of the company that a text names for certain: those of the categories that the other words begin, in the year that
/// is one of them; of no other word, its material facts.
fn filings_of_company(
    snapshot: &Snapshot,
    names: &Names,
    categories: &CategoryWords,
    words: &[&str],
) -> Result<Vec<Suggestion>> {
    const MOST: usize = 2;
    const USUAL: &str = "Fato Relevante";
    if snapshot.plan().need(Feature::Filings).is_err() {
        return Ok(Vec::new());
    }
    let Some(named) = names.surest_company(words).filter(CompanyInSearch::is_certain) else {
        return Ok(Vec::new());
    };
    let Ok(company_id) = CvmCode::new(named.codes[0]) else { return Ok(Vec::new()) };
    let typed = words[named.at.clone()].join(" ");
    // `petr` begins tickers, and is no name to call the company by.
    let is_word = |company: &CompanyNames| company.words().any(|word| word == typed);
    if typed.len() == TICKER_ROOT && !names.get(named.codes[0]).is_some_and(is_word) {
        return Ok(Vec::new());
    }
    let is_number = typed.bytes().any(|byte| byte.is_ascii_digit());
    let name = if is_number { typed.to_ascii_uppercase() } else { capitalised(&typed) };
    let rest = words[..named.at.start].iter().chain(&words[named.at.end..]).copied();
    let (years, rest): (Vec<&str>, Vec<&str>) = rest.partition(|word| year(word).is_some());
    let rest: Vec<&str> = rest.into_iter().filter(|word| !is_particle(word)).collect();
    let year = years.first().and_then(|word| year(word));
    let market = market_words(&rest).filter(|market| market.length == rest.len());
    let means = market.map_or(&[][..], |market| market.means).iter();
    let means: Vec<Vec<&str>> = means.map(|text| text.split(' ').collect()).collect();
    let mut wanted: Vec<Option<&str>> = match &rest[..] {
        [] if year.is_some() => vec![Some(USUAL), None],
        [] => vec![Some(USUAL)],
        rest => std::iter::once(rest)
            .chain(means.iter().map(Vec::as_slice))
            .flat_map(|words| categories.matching(words))
            .map(Some)
            .collect(),
    };
    wanted.truncate(MOST + 1);
    let mut found = Vec::new();
    for category in wanted {
        let day = |month, day| year.and_then(|year| Date::new(year, month, day));
        let list = queries::List {
            company: Some(CompanyRef::Id(company_id.into())),
            category: category.map(str::to_owned),
            from: day(1, 1),
            to: day(12, 31),
            limit: Limit::new(1)?,
            ..queries::List::default()
        };
        let filings = filings::list(snapshot, list)?.total;
        if filings == 0 || found.len() == MOST {
            continue;
        }
        let parts =
            [Some(name.clone()), category.map(str::to_owned), year.map(|year| year.to_string())];
        let text = parts.into_iter().flatten().collect::<Vec<_>>().join(" · ");
        let (name, category) = (name.clone(), category.map(str::to_owned));
        found.push(Suggestion::Filings { text, company_id, name, category, year, filings });
    }
    Ok(found)
}

/// The year that a word is.
fn year(word: &str) -> Option<u16> {
    let year = word.parse().ok().filter(|_| word.len() == 4)?;
    (1990..2050).contains(&year).then_some(year)
}
