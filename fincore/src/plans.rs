//! The plans: the only place that knows their prices, limits and what each of them reaches.
use std::{fmt, str::FromStr, time::Duration};

use serde::Serialize;

use crate::{Error, Result};

/// The time over which [`Plan::limit`] is counted.
pub const WINDOW: Duration = Duration::from_secs(60);

/// How far market history goes back without [`Feature::HistoricalData`], counted from the newest
/// observation of the series.
pub const RECENT_DAYS: u32 = 365;

/// A plan, from the smallest to the largest; each reaches all that the smaller ones do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Plan {
    /// Without a key, or with one that anyone may register.
    Free,
    /// Companies and search.
    Bronze,
    /// Filings, historical data and bulk export.
    Gold,
    /// Everything.
    Platinum,
}

impl Plan {
    /// All plans, the smallest first.
    pub const ALL: [Plan; 4] = [Plan::Free, Plan::Bronze, Plan::Gold, Plan::Platinum];

    /// The word by which programs know it: `free`.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.row().0
    }

    /// The name that people read: `Free`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// US dollars a month.
    #[must_use]
    pub fn price(self) -> u32 {
        self.row().2
    }

    /// Requests in any [`WINDOW`].
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

    /// Whether the plan includes the feature.
    #[must_use]
    pub fn reaches(self, feature: Feature) -> bool {
        self >= feature.plan()
    }

    /// Fails with [`Error::PlanRequired`], the upgrade prompt, where the plan does not include the
    /// feature.
    pub fn need(self, feature: Feature) -> Result<()> {
        if self.reaches(feature) {
            return Ok(());
        }
        Err(Error::PlanRequired { feature, current: self })
    }

    /// What the holder of this plan is told about a feature that it does not include.
    #[must_use]
    pub fn upgrade(self, feature: Feature) -> Upgrade {
        let (needs, required) = (feature.row().needs, feature.plan().name());
        Upgrade {
            feature,
            required_plan: feature.plan(),
            message: format!("{needs} the {required} plan; this request is on {}.", self.name()),
            upgrade_url: "/pricing",
        }
    }
}

/// The upgrade prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Upgrade {
    /// What was asked for.
    pub feature: Feature,
    /// The smallest plan that includes it.
    pub required_plan: Plan,
    /// A sentence that says so.
    pub message: String,
    /// Where the service tells what the plans are.
    pub upgrade_url: &'static str,
}

impl FromStr for Plan {
    type Err = Error;

    fn from_str(text: &str) -> Result<Plan> {
        let known = |plan: &Plan| plan.id().eq_ignore_ascii_case(text);
        Plan::ALL
            .into_iter()
            .find(known)
            .ok_or_else(|| Error::invalid(text, "a plan (free, bronze, gold or platinum)"))
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

crate::types::serialize_as_str!(Plan);

/// Something that a plan includes or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// The list of plans, registration, usage.
    Plans,
    /// Market rates: current, and history of the last 12 months.
    Market,
    /// Companies and search.
    Companies,
    /// Market history as far back as it is known.
    HistoricalData,
    /// Filings, also in the global search.
    Filings,
    /// Whole datasets.
    BulkExport,
    /// Lists and datasets as CSV.
    Csv,
    /// Messages about what is new.
    Webhooks,
    /// Questions of the plan's holders are answered first.
    PrioritySupport,
}

/// What a feature is called, who has it, and how to say so.
struct FeatureRow {
    id: &'static str,
    /// The smallest plan that reaches it.
    plan: Plan,
    /// The beginning of "… the Gold plan".
    needs: &'static str,
    /// Among the features of a plan that has it.
    with: &'static str,
    /// Among the restrictions of a plan that has it not.
    without: &'static str,
}

impl Feature {
    /// All features, in the order in which plans list them.
    pub const ALL: [Feature; 9] = [
        Feature::Market,
        Feature::Plans,
        Feature::Companies,
        Feature::HistoricalData,
        Feature::Filings,
        Feature::BulkExport,
        Feature::Csv,
        Feature::Webhooks,
        Feature::PrioritySupport,
    ];

    /// The word by which programs know it: `historical_data`.
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
            Feature::Companies => row("companies", Plan::Bronze, "Companies and search need",
                "Companies: list, search and look-up",
                "No companies and no search"),
            Feature::HistoricalData => row("historical_data", Plan::Gold,
                "Market history of more than 12 months needs",
                "Historical data: market history as far back as it is known",
                "Market history of the last 12 months only"),
            Feature::Filings => row("filings", Plan::Gold, "Filings need",
                "Filings: list, search, newest and of a company",
                "No filings"),
            Feature::BulkExport => row("bulk_export", Plan::Gold, "Bulk export needs",
                "Bulk export of whole datasets as NDJSON",
                "No bulk export"),
            Feature::Csv => row("csv", Plan::Platinum, "CSV needs",
                "CSV on every list and on bulk export",
                "No CSV"),
            Feature::Webhooks => row("webhooks", Plan::Platinum, "Webhooks need",
                "Webhooks for new rates, companies and filings",
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

crate::types::serialize_as_str!(Feature);

/// What there is to choose from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Plans {
    /// One entry a plan, the smallest first.
    pub plans: Vec<Offer>,
}

/// A plan as it is offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Offer {
    /// The word by which programs know it.
    pub id: Plan,
    /// The name that people read.
    pub name: &'static str,
    /// The price of a month.
    pub price: u32,
    /// The currency of the price.
    pub currency: &'static str,
    /// Requests a minute.
    pub rate_limit: u32,
    /// What it includes, as sentences.
    pub features: Vec<&'static str>,
    /// What it does not, as sentences.
    pub restrictions: Vec<&'static str>,
}

/// All plans with what they include.
#[must_use]
pub fn list() -> Plans {
    Plans { plans: Plan::ALL.map(offer).into() }
}

fn offer(plan: Plan) -> Offer {
    let (with, without): (Vec<_>, Vec<_>) =
        Feature::ALL.into_iter().partition(|feature| plan.reaches(*feature));
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
    fn reaches_what_the_table_of_plans_says() {
        use Feature::{BulkExport, Companies, Csv, Filings, HistoricalData, Market, Webhooks};
        let reached = [
            (Plan::Free, vec![Market]),
            (Plan::Bronze, vec![Market, Companies]),
            (Plan::Gold, vec![Market, Companies, HistoricalData, Filings, BulkExport]),
            (
                Plan::Platinum,
                vec![Market, Companies, HistoricalData, Filings, BulkExport, Csv, Webhooks],
            ),
        ];
        for (plan, wanted) in reached {
            let beside = [Feature::Plans, Feature::PrioritySupport];
            let has = |feature: &Feature| plan.reaches(*feature) && !beside.contains(feature);
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
            (Plan::Gold, Feature::Csv, "CSV needs the Platinum plan; this request is on Gold."),
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
        }
        let message = "silver".parse::<Plan>().unwrap_err().to_string();
        assert_eq!(message, "\"silver\" is not a plan (free, bronze, gold or platinum)");
    }
}
