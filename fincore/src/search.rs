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
use serde::Serialize;

use crate::{
    answers::{Meta, Rows},
    catalogue::Snapshot,
    companies::{self, Company},
    error::Result,
    filings::{self, Filing},
    names::Names,
    plans::{Feature, Upgrade},
    types::Search,
};

mod category_words;
mod suggest;

use category_words::CategoryWords;
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
    // What the search names that is not there; filters that match nothing have no part in it.
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
