//! One search over companies and filings.
//!
//! [`global`] runs both searches and returns the [`Matches`]. On a plan without filings it returns the
//! companies, and an upgrade prompt in place of the filings.
//!
//! ```
//! use fincore::{Search, search};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
//! # fincore::bundle::fill(&catalogue)?;
//! let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
//! let matches = search::global(&snapshot, Search::new("petrobras")?)?;
//! assert_eq!(matches.companies[0].id.get(), 9512);
//! assert!(matches.upgrade.is_none());
//! # Ok::<(), fincore::Error>(())
//! ```
use serde::Serialize;

use crate::{
    answers::Meta,
    catalogue::Snapshot,
    companies::{self, Company},
    error::Result,
    filings::{self, Filing},
    plans::{Feature, Upgrade},
    types::Search,
};

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
    /// The source of the matches.
    pub meta: Meta,
}

/// The companies and filings that match, as in [`companies::search`] and [`filings::search`]. Limit and
/// offset apply to each list separately.
pub fn global(snapshot: &Snapshot, query: Search) -> Result<Matches> {
    let meta = Meta::of("CVM, cadastro e documentos de companhias abertas");
    let companies = companies::search(snapshot, query.clone())?.data;
    let (filings, upgrade) = match snapshot.plan().need(Feature::Filings) {
        Ok(()) => (filings::search(snapshot, query)?.data, None),
        Err(prompt) => (Vec::new(), Some(prompt)),
    };
    Ok(Matches { companies, filings, upgrade, meta })
}
