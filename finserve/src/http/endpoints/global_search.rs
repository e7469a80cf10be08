//! The global search as it is answered: the library's matches, and where the plans are.
use fincore::{
    Feature, Meta, Plan, Result, Search, Snapshot,
    companies::Company,
    filings::Filing,
    plans::Upgrade,
    search::{self, Matches},
};
use serde::Serialize;

use crate::site::upgrade_contact::{Address, UpgradeContact};

#[derive(Serialize)]
pub(crate) struct Everything {
    companies: Vec<Company>,
    filings: Vec<Filing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upgrade: Option<Prompt>,
    meta: Meta,
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
    let Matches { companies, filings, upgrade, meta, .. } = search::global(snapshot, query)?;
    let prompt = |Upgrade { feature, current_plan, required_plan, message, .. }| Prompt {
        feature,
        current_plan,
        required_plan,
        message,
        upgrade_url: upgrade_contact.upgrade_url(),
        contact: upgrade_contact.contact().map(Address::shown),
    };
    Ok(Everything { companies, filings, upgrade: upgrade.map(prompt), meta })
}
