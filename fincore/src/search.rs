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
use serde::Serialize;

use crate::{
    answers::{Meta, Rows},
    companies::{self, Company},
    filings::{self, Filing, search_words},
    lexicon::{for_each_extra_word, forms, meanings, names::Names},
    store::snapshot::Snapshot,
    values::{
        Search,
        error::Result,
        fold,
        plans::{Feature, Upgrade},
        words::words,
    },
};

pub mod datasets;
mod suggest;

pub use suggest::{MatchedName, MatchedNameKind, Suggest, Suggestion, Suggestions, suggest};

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

/// The companies and filings that match, as in [`crate::companies::search`] and [`crate::filings::search_words::search`]. Limit and offset apply to
/// each list separately. Fuzzy matches are returned only if nothing of either kind matches exactly.
pub fn global(snapshot: &Snapshot, query: Search) -> Result<Matches> {
    let mut companies = companies::search(snapshot, query.clone().into())?;
    let (mut filings, upgrade) = match snapshot.plan().need(Feature::Filings) {
        Ok(()) => (Some(search_words::search(snapshot, query.into())?), None),
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
        linked: of_filings.map(|meta| meta.linked.clone()).unwrap_or_default(),
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
    // Hint at unknown names only; a filter that matches nothing is no fault of the search.
    meta.hints = std::mem::take(&mut companies.meta.hints);
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

/// The categories of filings with their words, those with most filings first.
#[derive(Debug)]
pub(crate) struct CategoryWords(Vec<CategoryName>);

#[derive(Debug)]
struct CategoryName {
    name: String,
    words: Vec<String>,
    /// Words that stand for its expressions.
    meanings: Vec<String>,
}

impl CategoryWords {
    pub(crate) fn read(connection: &Connection) -> Result<CategoryWords> {
        const SQL: &str = "SELECT category FROM class_total JOIN class ON class.id = class
            GROUP BY category ORDER BY SUM(filings) DESC, category";
        let mut statement = connection.prepare_cached(SQL)?;
        let mut rows = statement.query([])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let Ok(name) = row.get_ref(0)?.as_str() else { continue };
            let words: Vec<String> = words(&fold(name)).map(str::to_owned).collect();
            let texts: Vec<&str> = words.iter().map(String::as_str).collect();
            let mut meanings = Vec::new();
            for_each_extra_word(&texts, |word| meanings.push(word.to_owned()));
            all.push(CategoryName { name: name.to_owned(), words, meanings });
        }
        Ok(CategoryWords(all))
    }

    /// The categories that have all the words in one of their forms, or expressions that mean the same; the last one as a
    /// prefix.
    pub(crate) fn matching<'c>(
        &'c self,
        wanted: &'c [&str],
    ) -> impl Iterator<Item = &'c str> + use<'c> {
        let meanings = meanings(wanted);
        let fits = move |category: &&CategoryName| {
            let has = |word: &str| forms(word).iter().any(|form| category.words.contains(form));
            let means = |at: usize| {
                let meaning = meanings.iter().find(|meaning| meaning.at.contains(&at));
                meaning.is_some_and(|meaning| category.meanings.contains(&meaning.word))
            };
            let begins = |word: &str| category.words.iter().any(|known| known.starts_with(word));
            !wanted.is_empty()
                && wanted.iter().enumerate().all(|(at, word)| {
                    let is_last = at + 1 == wanted.len();
                    has(word)
                        || means(at)
                        || is_last
                            && (begins(word) || category.meanings.iter().any(|own| own == word))
                        || !is_last && category.meanings.iter().any(|own| own == word)
                })
        };
        self.0.iter().filter(fits).map(|category| category.name.as_str())
    }
}
