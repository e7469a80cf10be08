//! The global search as it is answered: the library's matches, and where the plans are.
use fincore::{
    Feature, Limit, Meta, Plan, Result, Search, Snapshot,
    companies::Company,
    filings::Filing,
    plans::Upgrade,
    search::{self, Matches},
};
use serde::Serialize;

use crate::{
    http::message::{links::Extent, render::Part},
    site::upgrade_contact::{Address, UpgradeContact},
};

#[derive(Serialize)]
pub(crate) struct Everything {
    companies: Vec<Company>,
    filings: Vec<Filing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upgrade: Option<Prompt>,
    meta: Meta,
    /// How many rows the longer of the two lists has, as far as they were looked at.
    #[serde(skip)]
    seen: u64,
}

impl Part for Everything {
    fn extent(&self, limit: u32, offset: u64) -> Option<Extent> {
        Some(Extent { is_counted: false, ..Extent::of(offset + self.seen, limit, offset) })
    }
}

/// The upgrade prompt inside an answer.
#[derive(Serialize)]
struct Prompt {
    feature: Feature,
    current_plan: Plan,
    required_plan: Plan,
    message: String,
    upgrade_url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    contact: Option<&'static str>,
}

/// Companies and filings that match, and where the plans are that show more of them.
pub(crate) fn all(
    upgrade_contact: UpgradeContact,
    snapshot: &Snapshot,
    query: Search,
) -> Result<Everything> {
    // One more than is shown tells whether there is another page. Of the largest pages a full one is taken to have a next.
    let limit = query.limit.get();
    let looked = Limit::new(limit + 1).unwrap_or(query.limit);
    let found = search::global(snapshot, Search { limit: looked, ..query })?;
    let Matches { mut companies, mut filings, upgrade, meta, .. } = found;
    let longer = companies.len().max(filings.len()) as u64;
    let seen =
        if looked == query.limit && longer == u64::from(limit) { longer + 1 } else { longer };
    companies.truncate(limit as usize);
    filings.truncate(limit as usize);
    let prompt = |Upgrade { feature, current_plan, required_plan, message, .. }| Prompt {
        feature,
        current_plan,
        required_plan,
        message,
        upgrade_url: upgrade_contact.upgrade_url(),
        contact: upgrade_contact.contact().map(Address::shown),
    };
    Ok(Everything { companies, filings, upgrade: upgrade.map(prompt), meta, seen })
}
