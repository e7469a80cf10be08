//! One search over companies and filings.
use serde::Serialize;

use crate::{
    Result, Search, Snapshot,
    companies::{self, Company},
    filings::{self, Filing},
};

/// What matches, of each kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// Companies, best match first.
    pub companies: Vec<Company>,
    /// Filings, newest first.
    pub filings: Vec<Filing>,
}

/// Companies and filings that match, as [`companies::search`] and [`filings::search`] give them; limit
/// and offset hold for each.
pub fn global(snapshot: &Snapshot, query: Search) -> Result<Found> {
    Ok(Found {
        companies: companies::search(snapshot, query.clone())?.data,
        filings: filings::search(snapshot, query)?.data,
    })
}
