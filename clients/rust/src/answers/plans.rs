//! Answers about plans.
use fincore::{Feature, Plan};
use serde::Deserialize;

/// As [`fincore::plans::Plans`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Plans {
    pub plans: Vec<Offer>,
}

/// As [`fincore::plans::Offer`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Offer {
    pub id: Plan,
    pub name: String,
    pub price: u32,
    pub currency: String,
    pub rate_limit: u32,
    pub features: Vec<String>,
    pub restrictions: Vec<String>,
}

/// As [`fincore::plans::Upgrade`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Upgrade {
    pub feature: Feature,
    pub current_plan: Plan,
    pub required_plan: Plan,
    pub message: String,
}

impl From<&fincore::plans::Upgrade> for Upgrade {
    fn from(upgrade: &fincore::plans::Upgrade) -> Upgrade {
        let fincore::plans::Upgrade { feature, current_plan, required_plan, message, .. } = upgrade;
        let (feature, message) = (*feature, message.clone());
        Upgrade { feature, current_plan: *current_plan, required_plan: *required_plan, message }
    }
}
