//! One search over companies and filings.
//!
//! [`global`] runs both searches and returns the [`Matches`]. On a plan without filings it returns the
//! companies, and an upgrade prompt in place of the filings. [`suggest`] completes what is being typed.
//!
//! ```
//! use fincore::{Search, search};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let catalogue = fincore::bundle::filled_copy(dir.path())?;
//! let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
//! let matches = search::global(&snapshot, Search::new("petrobras")?)?;
//! assert_eq!(matches.companies[0].id.get(), 9512);
//! assert!(matches.upgrade.is_none());
//! # Ok::<(), fincore::Error>(())
//! ```
use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use crate::{
    answers::{Meta, Rows},
    catalogue::Snapshot,
    companies::{self, Company},
    error::Result,
    filings::{self, Filing},
    language::forms,
    names::Names,
    plans::{Feature, Upgrade},
    types::{CvmCode, Limit, Search, Words, fold, words},
};

/// The source of matches and suggestions.
const SOURCE: &str = "CVM, cadastro e documentos de companhias abertas";

/// The matches of each kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Matches {
    /// Companies, best match first.
    pub companies: Vec<Company>,
    /// Filings, newest first; empty if the snapshot's plan does not include them.
    pub filings: Vec<Filing>,
    /// The upgrade prompt, if the filings were left out: an empty list alone would look like no match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upgrade: Option<Upgrade>,
    /// The source of the matches; `fuzzy` if nothing matches exactly.
    pub meta: Meta,
}

/// The companies and filings that match, as in [`companies::search`] and [`filings::search`]. Limit and offset apply to
/// each list separately. Fuzzy matches are returned only if nothing of either kind matches exactly.
pub fn global(snapshot: &Snapshot, query: Search) -> Result<Matches> {
    let mut companies = companies::search(snapshot, query.clone().into())?;
    let (mut filings, upgrade) = match snapshot.plan().need(Feature::Filings) {
        Ok(()) => (Some(filings::search(snapshot, query.into())?), None),
        Err(prompt) => (None, Some(prompt)),
    };
    let exact = |meta: &Meta, total: u64| !meta.fuzzy && total > 0;
    let is_exact = exact(&companies.meta, companies.total)
        || filings.as_ref().is_some_and(|filings| exact(&filings.meta, filings.total));
    if is_exact && companies.meta.fuzzy {
        companies.data = Rows::default();
    }
    if is_exact && let Some(filings) = filings.as_mut().filter(|filings| filings.meta.fuzzy) {
        filings.data = Rows::default();
    }
    let fuzzy =
        !is_exact && (companies.total > 0 || filings.as_ref().is_some_and(|found| found.total > 0));
    let stale = |meta: &Meta| meta.stale == Some(true);
    let of_filings = filings.as_ref().map(|found| &found.meta);
    let mut meta = Meta {
        fuzzy,
        updated_at: companies.meta.updated_at.max(of_filings.and_then(|meta| meta.updated_at)),
        stale: Some(stale(&companies.meta) || of_filings.is_some_and(stale)),
        coverage: of_filings.map(|meta| meta.coverage.clone()).unwrap_or_default(),
        ..Meta::new(SOURCE)
    };
    if fuzzy {
        let lists = [
            Some((&companies.meta, companies.total)),
            filings.as_ref().map(|found| (&found.meta, found.total)),
        ];
        let near: Vec<&Meta> = lists
            .into_iter()
            .flatten()
            .filter(|(_, total)| *total > 0)
            .map(|(meta, _)| meta)
            .collect();
        describe_near(&mut meta, &near);
    }
    let filings = filings.map(|filings| filings.data.into_vec()).unwrap_or_default();
    Ok(Matches { companies: companies.data.into_vec(), filings, upgrade, meta })
}

/// Says how the nearest matches differ from the search: words that neither list has in all its rows, and words that one of
/// them spells otherwise.
fn describe_near(meta: &mut Meta, lists: &[&Meta]) {
    let Some((first, others)) = lists.split_first() else { return };
    meta.dropped.clone_from(&first.dropped);
    meta.dropped.retain(|word| others.iter().all(|list| list.dropped.contains(word)));
    for corrected in lists.iter().flat_map(|list| &list.corrected) {
        if !meta.corrected.iter().any(|known| known.from == corrected.from) {
            meta.corrected.push(corrected.clone());
        }
    }
}

/// A query for completions of a text that is being typed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suggest {
    /// The text so far.
    pub q: Words,
    /// The most suggestions to return.
    #[serde(default)]
    pub limit: Limit<10>,
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
    },
    /// A ticker.
    Ticker {
        /// The code.
        text: String,
        /// The CVM code of the company.
        company_id: CvmCode,
    },
    /// A category of filings.
    Category {
        /// Its name.
        text: String,
    },
}

/// Completes a text: tickers that start with it, companies whose names have all its words, categories of filings. It works
/// in memory, fast enough to be called with every letter.
///
/// ```
/// use fincore::search::{Suggest, Suggestion, suggest};
///
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let found = suggest(&snapshot, Suggest::new("petro")?)?;
/// assert!(matches!(&found.data[0], Suggestion::Company { company_id, .. } if company_id.get() == 9512));
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
    for company in names.suggest(&words, most) {
        let (text, tickers) = (company.legal_name.clone(), &company.tickers);
        let tickers = tickers.iter().map(|ticker| ticker.to_ascii_uppercase()).collect();
        let company_id = CvmCode::new(company.code).ok();
        data.extend(company_id.map(|company_id| Suggestion::Company { text, company_id, tickers }));
    }
    // Categories get their share even if many companies match.
    let categories = categories
        .matching(&words)
        .take(2)
        .map(|text| Suggestion::Category { text: text.to_owned() });
    let categories: Vec<Suggestion> = categories.collect();
    data.truncate(most.saturating_sub(categories.len()));
    data.extend(categories);
    data.truncate(most);
    Ok(Suggestions { data, meta: Meta::new(SOURCE) })
}

/// Computes what searches and suggestions need, and keeps it until the data changes. A server calls this after every
/// change, so that no request has to wait for it.
pub fn prepare(snapshot: &Snapshot) -> Result<()> {
    /// Marks the data as prepared.
    struct Prepared;
    snapshot.memo(|_| {
        snapshot.memo(Names::read)?.prepare();
        snapshot.memo(CategoryWords::read)?;
        filings::prepare(snapshot)?;
        // These pages of the file are not needed again soon.
        snapshot.release_memory()?;
        Ok(Prepared)
    })?;
    Ok(())
}

impl Suggest {
    /// At most ten suggestions for a text.
    ///
    /// Fails if `text` has no words, or too many.
    pub fn new(text: &str) -> Result<Suggest> {
        Ok(Suggest { q: text.parse()?, limit: Limit::default() })
    }
}

/// The categories of filings with their words, those with most filings first.
#[derive(Debug)]
struct CategoryWords(Vec<(String, Vec<String>)>);

impl CategoryWords {
    fn read(connection: &Connection) -> Result<CategoryWords> {
        const SQL: &str = "SELECT category FROM class_total JOIN class ON class.id = class
            GROUP BY category ORDER BY SUM(filings) DESC, category";
        let mut statement = connection.prepare_cached(SQL)?;
        let mut rows = statement.query([])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let Ok(name) = row.get_ref(0)?.as_str() else { continue };
            all.push((name.to_owned(), words(&fold(name)).map(str::to_owned).collect()));
        }
        Ok(CategoryWords(all))
    }

    /// The categories that have all the words in one of their forms, the last one as a prefix.
    fn matching<'c>(&'c self, wanted: &'c [&str]) -> impl Iterator<Item = &'c str> {
        let has =
            |words: &[String], word: &str| forms(word).iter().any(|form| words.contains(form));
        let fits = move |words: &[String]| match wanted.split_last() {
            Some((last, others)) => {
                others.iter().all(|word| has(words, word))
                    && (has(words, last) || words.iter().any(|word| word.starts_with(last)))
            }
            None => false,
        };
        self.0.iter().filter(move |(_, words)| fits(words)).map(|(name, _)| name.as_str())
    }
}
