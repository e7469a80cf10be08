//! What a change of the data is as an event: its type, and what was published.
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::{EventType, cursor::Place};
use crate::{
    catalogue::{Change, Snapshot},
    companies,
    error::{Error, Result},
    filings,
    market::{self, parts, published},
    types::{CompanyId, CvmCode, Date, Decimal, FilingId, Pair, fold},
};

// The names of datasets in the change log.
const FX: &str = market::freshness::FX;
const COMPANIES: &str = companies::DATASET;
const FILINGS: &str = filings::DATASET;

/// What was published, and what filters compare.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) data: Box<RawValue>,
    pub(crate) about: About,
}

/// What filters compare.
#[derive(Clone, Debug, Default)]
pub(crate) struct About {
    pub(crate) company: Option<CvmCode>,
    /// Folded.
    pub(crate) category: Option<String>,
    /// The name of its dataset.
    pub(crate) series: Option<String>,
}

/// The type of the event that a change is, if it is one.
pub(super) fn kind(dataset: &str, change: Change) -> Option<EventType> {
    let is_news = matches!(change, Change::Added | Change::Changed);
    match (dataset, change) {
        (COMPANIES, Change::Added) => Some(EventType::CompanyCreated),
        (COMPANIES, Change::Changed) => Some(EventType::CompanyUpdated),
        (FILINGS, Change::Added) => Some(EventType::FilingPublished),
        (COMPANIES, Change::Removed) | (FILINGS, Change::Changed | Change::Removed) => None,
        (FX, _) => is_news.then_some(EventType::FxPublished),
        (series, _) => {
            (is_news && published::logged(series).is_some()).then_some(EventType::RatePublished)
        }
    }
}

/// What the data has now of something that changed; `None` if it is gone or cannot be read.
pub(super) fn content(
    snapshot: &Snapshot,
    kind: EventType,
    place: &Place,
    change: Change,
) -> Result<Option<Content>> {
    match kind {
        EventType::RatePublished => rate(snapshot, place, change),
        EventType::FxPublished => quote(snapshot, &place.key, change),
        EventType::CompanyCreated | EventType::CompanyUpdated => company(snapshot, &place.key),
        EventType::FilingPublished => filing(snapshot, &place.key),
        EventType::WebhookTest => Ok(None),
    }
}

#[derive(Serialize)]
struct PublishedRate<'r> {
    series: &'r str,
    number: u32,
    date: Date,
    value: Decimal,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'static str>,
    change: Change,
}

fn rate(snapshot: &Snapshot, place: &Place, change: Change) -> Result<Option<Content>> {
    let (Some(series), Ok(day)) = (published::logged(&place.dataset), place.key.parse()) else {
        return Ok(None);
    };
    let found = parts::rates(snapshot, series.number, (day, day), 1)?.pop();
    let Some(rate) = found else { return Ok(None) };
    let data = PublishedRate {
        series: &place.dataset,
        number: series.number,
        date: rate.date,
        value: rate.value,
        unit: series.known.map(|known| known.unit.en),
        change,
    };
    let about = About { series: Some(place.dataset.clone()), ..About::default() };
    Ok(Some(Content { data: raw(&data)?, about }))
}

#[derive(Serialize)]
struct PublishedQuote {
    pair: Pair,
    date: Date,
    buy: Decimal,
    sell: Decimal,
    change: Change,
}

fn quote(snapshot: &Snapshot, key: &str, change: Change) -> Result<Option<Content>> {
    let parsed = key.split_once(' ').map(|(pair, day)| (pair.parse::<Pair>(), day.parse()));
    let Some((Ok(pair), Ok(day))) = parsed else { return Ok(None) };
    let found = parts::quotes(snapshot, pair.base, (day, day), 1)?.pop();
    let Some(quote) = found else { return Ok(None) };
    let (buy, sell) = (quote.buy, quote.sell);
    let data = PublishedQuote { pair: quote.pair, date: quote.date, buy, sell, change };
    Ok(Some(Content { data: raw(&data)?, about: About::default() }))
}

fn company(snapshot: &Snapshot, key: &str) -> Result<Option<Content>> {
    let Ok(code) = key.parse::<CvmCode>() else { return Ok(None) };
    let company = if_any(companies::find(snapshot, CompanyId::Cvm(code)))?;
    let about = About { company: Some(code), ..About::default() };
    company.map(|company| Ok(Content { data: raw(&company.answer)?, about })).transpose()
}

fn filing(snapshot: &Snapshot, key: &str) -> Result<Option<Content>> {
    let Ok(id) = key.parse::<FilingId>() else { return Ok(None) };
    let Some(filing) = if_any(filings::find(snapshot, id))? else { return Ok(None) };
    let about = About {
        company: Some(filing.company_id),
        category: Some(fold(&filing.category)),
        series: None,
    };
    Ok(Some(Content { data: raw(&filing.answer)?, about }))
}

/// What was found; `None` if there is no such thing.
fn if_any<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Error::NotFound { .. }) => Ok(None),
        Err(err) => Err(err),
    }
}

/// JSON as it is sent, so that numbers keep their digits.
fn raw(data: &impl Serialize) -> Result<Box<RawValue>> {
    to_raw_value(data).map_err(|err| Error::storage("cannot write JSON", err))
}
