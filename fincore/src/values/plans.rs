//! Plans: their prices, their rate limits, and the features they include.
//!
//! A [`Plan`] includes [`Feature`]s; [`Plan::need`] fails with an [`Upgrade`] prompt if it does not
//! include one. [`list`] returns all plans as they are offered. This module is the only place that
//! defines them.
//!
//! ```
//! use fincore::{Feature, Plan};
//!
//! assert!(Plan::Gold.includes(Feature::Filings));
//! let prompt = Plan::Free.need(Feature::Filings).unwrap_err();
//! assert_eq!(prompt.required_plan, Plan::Gold);
//! assert_eq!(prompt.message, "Filings need the Gold plan; this request is on Free.");
//! ```
use std::{fmt, str::FromStr, time::Duration};

use serde::{Deserialize, Serialize};

use crate::values::truncate;

/// The window that [`Plan::limit`] applies to.
pub const WINDOW: Duration = Duration::from_secs(60);

/// How many days market history goes back without [`Feature::HistoricalData`], counted from the newest
/// observation of the series.
///
/// On a monthly series both ends are included, so that a month can be compared with the same month of the previous
/// year.
pub const RECENT_DAYS: u32 = 365;

/// A plan, from the smallest to the largest. Each one includes everything in the smaller ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Plan {
    /// Without a key, or with one that is issued on registration.
    Free,
    /// Companies and search.
    Bronze,
    /// Filings and historical data.
    Gold,
    /// Everything.
    Platinum,
}

impl Plan {
    /// All plans, smallest first.
    pub const ALL: [Plan; 4] = [Plan::Free, Plan::Bronze, Plan::Gold, Plan::Platinum];

    /// Its identifier: `free`.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.row().0
    }

    /// Its display name: `Free`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// US dollars per month.
    #[must_use]
    pub fn price(self) -> u32 {
        self.row().2
    }

    /// The most requests in any [`WINDOW`].
    #[must_use]
    pub fn limit(self) -> u32 {
        self.row().3
    }

    fn row(self) -> (&'static str, &'static str, u32, u32) {
        match self {
            Plan::Free => ("free", "Free", 0, 30),
            Plan::Bronze => ("bronze", "Bronze", 29, 100),
            Plan::Gold => ("gold", "Gold", 99, 500),
            Plan::Platinum => ("platinum", "Platinum", 299, 2000),
        }
    }

    /// True if the plan has the feature.
    #[must_use]
    pub fn includes(self, feature: Feature) -> bool {
        self >= feature.plan()
    }

    /// Fails with an upgrade prompt if the plan does not include the feature.
    pub fn need(self, feature: Feature) -> Result<(), Upgrade> {
        if self.includes(feature) { Ok(()) } else { Err(self.upgrade(feature)) }
    }

    /// The upgrade prompt for a feature that needs a larger plan than this one.
    #[must_use]
    pub fn upgrade(self, feature: Feature) -> Upgrade {
        let (needs, required) = (feature.row().needs, feature.plan().name());
        Upgrade {
            feature,
            current_plan: self,
            required_plan: feature.plan(),
            message: format!("{needs} the {required} plan; this request is on {}.", self.name()),
        }
    }
}

/// An upgrade prompt: which plan includes the requested feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct Upgrade {
    /// The requested feature.
    pub feature: Feature,
    /// The caller's plan.
    pub current_plan: Plan,
    /// The smallest plan that includes the feature.
    pub required_plan: Plan,
    /// A sentence that says so.
    pub message: String,
}

/// The error for a text that is not a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{:?} is not a plan (free, bronze, gold or platinum)", truncate(.0))]
pub struct UnknownPlan(String);

impl UnknownPlan {
    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl FromStr for Plan {
    type Err = UnknownPlan;

    fn from_str(text: &str) -> Result<Plan, UnknownPlan> {
        let known = |plan: &Plan| plan.id().eq_ignore_ascii_case(text);
        Plan::ALL.into_iter().find(known).ok_or_else(|| UnknownPlan(text.to_owned()))
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

/// Something that a plan may include.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Feature {
    /// The list of plans, registration and usage reports.
    Plans,
    /// Market rates: current, and history of the last 12 months.
    Market,
    /// Calculators over the whole history, with their steps.
    Calculators,
    /// Companies and search.
    Companies,
    /// The whole market history.
    HistoricalData,
    /// Filings, including those in the global search.
    Filings,
    /// Export of whole datasets.
    BulkExport,
    /// Lists as CSV, datasets as CSV and Parquet.
    Csv,
    /// Signed HTTP calls when something is published, and the same events to read.
    Webhooks,
    /// Faster answers to questions.
    PrioritySupport,
}

/// The definition of a feature.
struct FeatureRow {
    id: &'static str,
    /// The smallest plan that includes it.
    plan: Plan,
    /// The start of the upgrade message, before "the Gold plan".
    needs: &'static str,
    /// The text in the feature list of a plan that includes it.
    with: &'static str,
    /// The text in the restrictions of a plan that does not.
    without: &'static str,
}

impl Feature {
    /// All features, in the order of a plan's list.
    pub const ALL: [Feature; 10] = [
        Feature::Market,
        Feature::Calculators,
        Feature::Plans,
        Feature::Companies,
        Feature::HistoricalData,
        Feature::Filings,
        Feature::BulkExport,
        Feature::Csv,
        Feature::Webhooks,
        Feature::PrioritySupport,
    ];

    /// Its identifier: `historical_data`.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.row().id
    }

    /// The smallest plan that includes it.
    #[must_use]
    pub fn plan(self) -> Plan {
        self.row().plan
    }

    #[rustfmt::skip]
    fn row(self) -> FeatureRow {
        let row = |id, plan, needs, with, without| FeatureRow { id, plan, needs, with, without };
        match self {
            Feature::Plans => row("plans", Plan::Free, "Plans need",
                "A key of your own with usage statistics, or no key at all",
                "No key"),
            Feature::Market => row("market", Plan::Free, "Market data needs",
                "Selic, CDI, IPCA and exchange rates: current and of the last 12 months",
                "No market data"),
            Feature::Calculators => row("calculators", Plan::Free, "Calculators need",
                "Calculators over the whole history, with every figure of their steps",
                "No calculators"),
            Feature::Companies => row("companies", Plan::Bronze, "Companies and search need",
                "Companies: list, search and look-up",
                "No companies and no search"),
            Feature::HistoricalData => row("historical_data", Plan::Gold,
                "Market history of more than 12 months needs",
                "Historical data: market history as far back as the data goes",
                "Market history of the last 12 months only"),
            Feature::Filings => row("filings", Plan::Gold, "Filings need",
                "Filings: list, search, recent and by company",
                "No filings"),
            Feature::BulkExport => row("bulk_export", Plan::Gold, "Bulk export needs",
                "Bulk export of whole datasets as NDJSON",
                "No bulk export"),
            Feature::Csv => row("csv", Plan::Platinum, "CSV and Parquet need",
                "CSV on every list of data, CSV and Parquet on bulk export",
                "No CSV"),
            Feature::Webhooks => row("webhooks", Plan::Platinum, "Webhooks and events need",
                "Webhooks and event stream: signed calls for new rates, companies and filings",
                "No webhooks"),
            Feature::PrioritySupport => row("priority_support", Plan::Platinum,
                "Priority support needs",
                "Priority support",
                "No priority support"),
        }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

/// All plans.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Plans {
    /// One entry per plan, smallest first.
    pub plans: Vec<Offer>,
}

/// A plan as offered to customers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Offer {
    /// Its identifier.
    pub id: Plan,
    /// Its display name.
    pub name: &'static str,
    /// The price per month.
    pub price: u32,
    /// The currency of the price.
    pub currency: &'static str,
    /// Requests per minute.
    pub rate_limit: u32,
    /// The included features, as text for people.
    pub features: Vec<&'static str>,
    /// The features it does not include, as text for people.
    pub restrictions: Vec<&'static str>,
}

/// All plans, with what each includes.
#[must_use]
pub fn list() -> Plans {
    Plans { plans: Plan::ALL.map(offer).into() }
}

fn offer(plan: Plan) -> Offer {
    let (with, without): (Vec<_>, Vec<_>) =
        Feature::ALL.into_iter().partition(|feature| plan.includes(*feature));
    Offer {
        id: plan,
        name: plan.name(),
        price: plan.price(),
        currency: "USD",
        rate_limit: plan.limit(),
        features: with.into_iter().map(|feature| feature.row().with).collect(),
        restrictions: without.into_iter().map(|feature| feature.row().without).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_what_the_table_of_plans_says() {
        use Feature::{
            BulkExport, Calculators, Companies, Csv, Filings, HistoricalData, Market, Webhooks,
        };
        let included = [
            (Plan::Free, vec![Market, Calculators]),
            (Plan::Bronze, vec![Market, Calculators, Companies]),
            (Plan::Gold, vec![Market, Calculators, Companies, HistoricalData, Filings, BulkExport]),
            (
                Plan::Platinum,
                vec![
                    Market,
                    Calculators,
                    Companies,
                    HistoricalData,
                    Filings,
                    BulkExport,
                    Csv,
                    Webhooks,
                ],
            ),
        ];
        for (plan, wanted) in included {
            let beside = [Feature::Plans, Feature::PrioritySupport];
            let has = |feature: &Feature| plan.includes(*feature) && !beside.contains(feature);
            assert_eq!(Feature::ALL.into_iter().filter(has).collect::<Vec<_>>(), wanted, "{plan}");
        }
    }

    #[test]
    fn prompts_with_a_sentence() {
        let cases = [
            (Plan::Free, Feature::Filings, "Filings need the Gold plan; this request is on Free."),
            (
                Plan::Bronze,
                Feature::HistoricalData,
                "Market history of more than 12 months needs the Gold plan; this request is on Bronze.",
            ),
            (
                Plan::Gold,
                Feature::Csv,
                "CSV and Parquet need the Platinum plan; this request is on Gold.",
            ),
        ];
        for (plan, feature, sentence) in cases {
            assert_eq!(plan.need(feature).unwrap_err().to_string(), sentence);
        }
        assert!(Plan::Gold.need(Feature::Filings).is_ok());
    }

    #[test]
    fn offers_each_feature_or_names_it_as_a_restriction() {
        for offer in list().plans {
            assert_eq!(offer.features.len() + offer.restrictions.len(), Feature::ALL.len());
        }
        let free = &list().plans[0];
        assert_eq!((free.name, free.price, free.rate_limit), ("Free", 0, 30));
        assert!(free.restrictions.contains(&"Market history of the last 12 months only"));
        assert_eq!(list().plans[3].restrictions, Vec::<&str>::new());
    }

    #[test]
    fn reads_a_plan_by_its_id() {
        for plan in Plan::ALL {
            assert_eq!(plan.id().parse::<Plan>().unwrap(), plan);
            assert_eq!(plan.name().parse::<Plan>().unwrap(), plan);
            assert_eq!(serde_json::to_value(plan).unwrap(), plan.id());
        }
        for feature in Feature::ALL {
            assert_eq!(serde_json::to_value(feature).unwrap(), feature.id());
        }
        let message = "silver".parse::<Plan>().unwrap_err().to_string();
        assert_eq!(message, "\"silver\" is not a plan (free, bronze, gold or platinum)");
    }
}
