//! What somebody who subscribes says, checked.
use serde::Deserialize;
use url::Url;

use super::Targets;
use crate::{
    catalogue::Snapshot,
    error::{Error, Result},
    events::EventType,
    excerpt::excerpt,
    lookup,
    market::published,
    types::{CvmCode, SeriesId},
};

/// Longer than any category.
const MAX_CATEGORY: usize = 100;

/// What somebody who wants to be called says.
///
/// A filter applies to the events that have such a thing, and lets others pass.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewWebhook {
    /// Where to call.
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

/// The same, checked.
pub(super) struct Wanted {
    pub(super) url: Url,
    pub(super) events: Vec<EventType>,
    pub(super) company: Option<CvmCode>,
    pub(super) category: Option<String>,
    pub(super) series: Option<String>,
}

impl NewWebhook {
    pub(super) fn check(&self, snapshot: &Snapshot, targets: Targets) -> Result<Wanted> {
        let url = targets.check(&self.url)?;
        let events = types(&self.events)?;
        let has = |wanted: &[EventType]| events.iter().any(|kind| wanted.contains(kind));
        let is_idle = |name: &str, wanted: &str| {
            Err(Error::Invalid(format!(
                "the filter {name} fits none of the types in events; it is about {wanted}"
            )))
        };
        if self.company.is_some() && !events.iter().any(|kind| kind.has_company()) {
            return is_idle("company", "company.created, company.updated and filing.published");
        }
        if self.category.is_some() && !has(&[EventType::FilingPublished]) {
            return is_idle("category", "filing.published");
        }
        if self.series.is_some() && !has(&[EventType::RatePublished]) {
            return is_idle("series", "rate.published");
        }
        let company = self.company.as_deref().map(|text| company(snapshot, text)).transpose()?;
        let category = self.category.as_deref().map(category).transpose()?;
        let series = self.series.as_deref().map(|text| series(snapshot, text)).transpose()?;
        Ok(Wanted { url, events, company, category, series })
    }
}

fn types(texts: &[String]) -> Result<Vec<EventType>> {
    if texts.is_empty() {
        return Err(Error::Invalid("events is empty; name at least one type of event".into()));
    }
    let mut types = Vec::new();
    for text in texts {
        let kind: EventType = text.parse()?;
        if types.contains(&kind) {
            return Err(Error::Invalid(format!("events has {kind} twice")));
        }
        types.push(kind);
    }
    Ok(types)
}

fn company(snapshot: &Snapshot, text: &str) -> Result<CvmCode> {
    let wanted = "a company that is known here (by CVM code, CNPJ or ticker)";
    text.parse()
        .ok()
        .map(|company| lookup::meant(snapshot, &company))
        .transpose()?
        .flatten()
        .ok_or_else(|| Error::invalid(text, wanted))
}

fn category(text: &str) -> Result<String> {
    let fits = (1..=MAX_CATEGORY).contains(&text.chars().count())
        && !text.trim().is_empty()
        && !text.contains(char::is_control);
    let wanted = format!("a category (1 to {MAX_CATEGORY} characters)");
    if fits { Ok(text.to_owned()) } else { Err(Error::invalid(text, wanted)) }
}

/// The dataset of a series.
fn series(snapshot: &Snapshot, text: &str) -> Result<String> {
    let id: SeriesId = text.parse()?;
    let wanted = "a series that is known here (by its number in SGS, or a name such as igp-m)";
    let dataset = published::dataset(snapshot, &id)?.ok_or_else(|| Error::invalid(text, wanted))?;
    if published::logged(&dataset).is_none() {
        return Err(Error::Invalid(format!(
            "{:?} is one side of an exchange rate: subscribe to fx.published instead",
            excerpt(text)
        )));
    }
    Ok(dataset)
}
