//! One search over companies and filings.
use serde::Serialize;

use crate::{
    Feature, Result, Search, Snapshot,
    companies::{self, Company},
    filings::{self, Filing},
    plans::Upgrade,
};

/// What matches, of each kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// Companies, best match first.
    pub companies: Vec<Company>,
    /// Filings, newest first; none where the snapshot's plan does not reach them.
    pub filings: Vec<Filing>,
    /// Which plan reaches the filings, so that none does not look like none there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upgrade: Option<Upgrade>,
}

/// Companies and filings that match, as [`companies::search`] and [`filings::search`] give them; limit
/// and offset hold for each.
pub fn global(snapshot: &Snapshot, query: Search) -> Result<Found> {
    let companies = companies::search(snapshot, query.clone())?.data;
    if !snapshot.plan().reaches(Feature::Filings) {
        let upgrade = Some(snapshot.plan().upgrade(Feature::Filings));
        return Ok(Found { companies, filings: Vec::new(), upgrade });
    }
    Ok(Found { companies, filings: filings::search(snapshot, query)?.data, upgrade: None })
}
