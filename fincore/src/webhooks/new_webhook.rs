//! The request to create a webhook, and its validation.
use serde::Deserialize;
use url::Url;

use super::allowed_targets::Targets;
use crate::{
    catalogue::Snapshot,
    company_lookup,
    error::{self, Error, Result, WebhookFault},
    events::EventType,
    market::logged_series,
    truncate::truncate,
    types::{CvmCode, SeriesId},
};

/// Longer than any category.
const MAX_CATEGORY: usize = 100;

/// A webhook to create.
///
/// A filter applies only to the types of events that have such a value; other events pass.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewWebhook {
    /// The address to call.
    pub url: String,
    /// The types of events.
    pub events: Vec<String>,
    /// Only events of this company: CVM code, CNPJ or ticker.
    #[serde(default)]
    pub company: Option<String>,
    /// Only filings of this category; case and accents are ignored.
    #[serde(default)]
    pub category: Option<String>,
    /// Only rates of this series, by number or name.
    #[serde(default)]
    pub series: Option<String>,
}

/// A webhook to create, after validation.
pub(super) struct CheckedWebhook {
    pub(super) url: Url,
    pub(super) events: Vec<EventType>,
    pub(super) company: Option<CvmCode>,
    pub(super) category: Option<String>,
    pub(super) series: Option<String>,
}

impl NewWebhook {
    /// A webhook that calls `url` for events of these types, without filters.
    #[must_use]
    pub fn new<T: Into<String>>(
        url: impl Into<String>,
        events: impl IntoIterator<Item = T>,
    ) -> NewWebhook {
        NewWebhook {
            url: url.into(),
            events: events.into_iter().map(Into::into).collect(),
            company: None,
            category: None,
            series: None,
        }
    }

    pub(super) fn check(&self, snapshot: &Snapshot, targets: Targets) -> Result<CheckedWebhook> {
        let url = targets.parse(&self.url)?;
        let events = parse_types(&self.events)?;
        let has = |wanted: &[EventType]| events.iter().any(|kind| wanted.contains(kind));
        let no_such_type = |filter, about| Err(WebhookFault::IdleFilter { filter, about }.into());
        if self.company.is_some() && !events.iter().any(|kind| kind.has_company()) {
            return no_such_type(
                "company",
                "company.created, company.updated, filing.published, filing.withdrawn and statement.published",
            );
        }
        if self.category.is_some()
            && !has(&[EventType::FilingPublished, EventType::FilingWithdrawn])
        {
            return no_such_type("category", "filing.published and filing.withdrawn");
        }
        if self.series.is_some() && !has(&[EventType::RatePublished, EventType::SelicDecided]) {
            return no_such_type("series", "rate.published and selic.decided");
        }
        let company =
            self.company.as_deref().map(|text| find_company(snapshot, text)).transpose()?;
        let category = self.category.as_deref().map(check_category).transpose()?;
        let series = self.series.as_deref().map(|text| find_dataset(snapshot, text)).transpose()?;
        Ok(CheckedWebhook { url, events, company, category, series })
    }
}

fn parse_types(texts: &[String]) -> Result<Vec<EventType>> {
    if texts.is_empty() {
        return Err(WebhookFault::NoEvents.into());
    }
    let mut types = Vec::new();
    for text in texts {
        let kind: EventType = text.parse()?;
        if types.contains(&kind) {
            return Err(WebhookFault::EventTwice { event: kind.as_str() }.into());
        }
        types.push(kind);
    }
    Ok(types)
}

fn find_company(snapshot: &Snapshot, text: &str) -> Result<CvmCode> {
    text.parse()
        .ok()
        .map(|company| company_lookup::resolve(snapshot, &company))
        .transpose()?
        .flatten()
        .ok_or_else(|| Error::invalid(text, error::Wanted::KnownCompany))
}

fn check_category(text: &str) -> Result<String> {
    let fits = (1..=MAX_CATEGORY).contains(&text.chars().count())
        && !text.trim().is_empty()
        && !text.contains(char::is_control);
    let wanted = error::Wanted::Category { most: MAX_CATEGORY };
    if fits { Ok(text.to_owned()) } else { Err(Error::invalid(text, wanted)) }
}

/// The dataset of a series.
fn find_dataset(snapshot: &Snapshot, text: &str) -> Result<String> {
    let id: SeriesId = text.parse()?;
    let unknown = || Error::invalid(text, error::Wanted::KnownSeries);
    let dataset = logged_series::dataset_name(snapshot, &id)?.ok_or_else(unknown)?;
    if logged_series::find(&dataset).is_none() {
        let series = truncate(text).into_owned();
        return Err(WebhookFault::SideOfExchangeRate { series }.into());
    }
    Ok(dataset)
}
