//! Makes an event of a change: its type, and the JSON of what was published.
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::{cursor::LogPosition, event_type::EventType};
use crate::{
    catalogue::{Change, Snapshot},
    companies,
    error::{Error, Result},
    filings,
    market::{self, Origin, batches, decisions, logged_series},
    statements::{self, FINANCIALS, STATEMENTS},
    types::{CvmCode, Date, Decimal, FilingId, Pair, fold},
};

// The names of datasets in the change log.
const FX: &str = market::freshness::FX;
const DECISIONS: &str = decisions::DECISIONS;
const COMPANIES: &str = companies::DATASET;
const FILINGS: &str = filings::DATASET;

/// The JSON of what was published, and the values that filters compare.
#[derive(Debug)]
pub(crate) struct EventPayload {
    pub(crate) data: Box<RawValue>,
    #[cfg_attr(
        not(feature = "webhooks"),
        expect(dead_code, reason = "only webhooks filter events")
    )]
    pub(crate) subject: EventSubject,
    /// The day on which it was published; `None` if that is when it came in.
    pub(crate) published: Option<Date>,
}

/// The values that filters compare.
#[cfg_attr(not(feature = "webhooks"), expect(dead_code, reason = "only webhooks filter events"))]
#[derive(Clone, Debug, Default)]
pub(crate) struct EventSubject {
    pub(crate) company: Option<CvmCode>,
    /// Folded.
    pub(crate) category: Option<String>,
    /// The name of its dataset.
    pub(crate) series: Option<String>,
}

/// The type of the event that a change makes, if any.
pub(super) fn event_type(dataset: &str, change: Change) -> Option<EventType> {
    let is_news = matches!(change, Change::Added | Change::Changed);
    match (dataset, change) {
        (COMPANIES, Change::Added) => Some(EventType::CompanyCreated),
        (COMPANIES, Change::Changed) => Some(EventType::CompanyUpdated),
        (FILINGS, Change::Added) => Some(EventType::FilingPublished),
        (FILINGS, Change::Removed) => Some(EventType::FilingWithdrawn),
        (COMPANIES, Change::Removed) | (FILINGS, Change::Changed) => None,
        (STATEMENTS, Change::Added) => Some(EventType::StatementPublished),
        // A filing that is withdrawn says so; figures follow from statements.
        (STATEMENTS, Change::Changed | Change::Removed) | (FINANCIALS, _) => None,
        // A decision is known once, whatever is revised later.
        (DECISIONS, Change::Added) => Some(EventType::SelicDecided),
        (DECISIONS, Change::Changed | Change::Removed) => None,
        (FX, _) => is_news.then_some(EventType::FxPublished),
        (series, _) => {
            (is_news && logged_series::find(series).is_some()).then_some(EventType::RatePublished)
        }
    }
}

/// The present data of what changed; `None` if it is gone or cannot be read.
pub(super) fn load(
    snapshot: &Snapshot,
    kind: EventType,
    position: &LogPosition,
    change: Change,
) -> Result<Option<EventPayload>> {
    match kind {
        EventType::RatePublished => rate(snapshot, position, change),
        EventType::SelicDecided => decision(snapshot, &position.key),
        EventType::FxPublished => quote(snapshot, position, change),
        EventType::CompanyCreated | EventType::CompanyUpdated => company(snapshot, &position.key),
        EventType::FilingPublished => filing(snapshot, &position.key),
        EventType::FilingWithdrawn => withdrawn_filing(snapshot, &position.key),
        EventType::StatementPublished => statement(snapshot, &position.key),
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
    #[serde(skip_serializing_if = "Origin::is_published")]
    origin: Origin,
    change: Change,
    /// The value that this one replaced, of a figure that changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous: Option<Decimal>,
}

fn rate(
    snapshot: &Snapshot,
    position: &LogPosition,
    change: Change,
) -> Result<Option<EventPayload>> {
    let (Some(series), Ok(day)) = (logged_series::find(&position.dataset), position.key.parse())
    else {
        return Ok(None);
    };
    let found = batches::rates(snapshot, series.number, (day, day), 1)?.pop();
    let Some(rate) = found else { return Ok(None) };
    let previous = match change {
        Change::Changed => market::value_before(snapshot, series.number, day, position.version)?,
        Change::Added | Change::Removed => None,
    };
    let data = PublishedRate {
        series: &position.dataset,
        number: series.number,
        date: rate.date,
        value: rate.value,
        unit: series.definition.map(|definition| definition.unit.en),
        origin: rate.origin,
        change,
        previous,
    };
    let subject =
        EventSubject { series: Some(position.dataset.clone()), ..EventSubject::default() };
    let published = match change {
        Change::Added => Some(market::published_by(snapshot, series.number, day)?),
        Change::Changed | Change::Removed => None,
    };
    Ok(Some(EventPayload { data: to_json(&data)?, subject, published }))
}

/// The decision of a meeting is published on its second day.
fn decision(snapshot: &Snapshot, key: &str) -> Result<Option<EventPayload>> {
    let Ok(day) = key.parse() else { return Ok(None) };
    let Some(decision) = decisions::effective_from(snapshot, day)? else { return Ok(None) };
    let series = Some(decisions::SERIES.to_owned());
    let subject = EventSubject { series, ..EventSubject::default() };
    let published = Some(decision.date.unwrap_or(day));
    Ok(Some(EventPayload { data: to_json(&decision)?, subject, published }))
}

#[derive(Serialize)]
struct PublishedQuote {
    pair: Pair,
    date: Date,
    buy: Decimal,
    sell: Decimal,
    change: Change,
    /// The sides that these replaced, of a quote that changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous: Option<PreviousQuote>,
}

#[derive(Serialize)]
struct PreviousQuote {
    buy: Decimal,
    sell: Decimal,
}

fn quote(
    snapshot: &Snapshot,
    position: &LogPosition,
    change: Change,
) -> Result<Option<EventPayload>> {
    let parsed =
        position.key.split_once(' ').map(|(pair, day)| (pair.parse::<Pair>(), day.parse()));
    let Some((Ok(pair), Ok(day))) = parsed else { return Ok(None) };
    let found = batches::quotes(snapshot, pair.base, (day, day), 1)?.pop();
    let Some(quote) = found else { return Ok(None) };
    let (buy, sell) = (quote.buy, quote.sell);
    let previous = match change {
        Change::Changed => market::quote_before(snapshot, pair.base, day, position.version)?,
        Change::Added | Change::Removed => None,
    };
    let previous = previous.map(|(buy, sell)| PreviousQuote { buy, sell });
    let data = PublishedQuote { pair: quote.pair, date: quote.date, buy, sell, change, previous };
    let published = (change == Change::Added).then_some(day);
    Ok(Some(EventPayload { data: to_json(&data)?, subject: EventSubject::default(), published }))
}

fn company(snapshot: &Snapshot, key: &str) -> Result<Option<EventPayload>> {
    let Ok(code) = key.parse::<CvmCode>() else { return Ok(None) };
    let company = companies::with_code(snapshot, code)?;
    let subject = EventSubject { company: Some(code), ..EventSubject::default() };
    let payload = |company| Ok(EventPayload { data: to_json(&company)?, subject, published: None });
    company.map(payload).transpose()
}

fn filing(snapshot: &Snapshot, key: &str) -> Result<Option<EventPayload>> {
    let Ok(id) = key.parse::<FilingId>() else { return Ok(None) };
    let Some(filing) = found_or_none(filings::find(snapshot, id))? else { return Ok(None) };
    let subject = EventSubject {
        company: Some(filing.company_id),
        category: Some(fold(&filing.category)),
        series: None,
    };
    Ok(Some(EventPayload { data: to_json(&filing.answer)?, subject, published: Some(filing.date) }))
}

fn statement(snapshot: &Snapshot, key: &str) -> Result<Option<EventPayload>> {
    let Some(form) = statements::batches::published(snapshot, key)? else { return Ok(None) };
    let subject = EventSubject { company: Some(form.company_id), ..EventSubject::default() };
    Ok(Some(EventPayload { data: to_json(&form)?, subject, published: form.received }))
}

/// The filing as it was. One that was removed because it could not be read is not there.
fn withdrawn_filing(snapshot: &Snapshot, key: &str) -> Result<Option<EventPayload>> {
    let Ok(id) = key.parse::<FilingId>() else { return Ok(None) };
    let Some(filing) = filings::withdrawn_filings::find(snapshot, id)? else { return Ok(None) };
    let Ok(data) = RawValue::from_string(filing.json) else { return Ok(None) };
    let subject = EventSubject {
        company: Some(filing.company),
        category: Some(fold(&filing.category)),
        series: None,
    };
    // The withdrawal happens when it comes in, however old the filing is.
    Ok(Some(EventPayload { data, subject, published: None }))
}

/// `None` instead of "not found".
fn found_or_none<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Error::NotFound { .. }) => Ok(None),
        Err(err) => Err(err),
    }
}

/// JSON as it is sent, so that numbers keep their digits.
fn to_json(data: &impl Serialize) -> Result<Box<RawValue>> {
    to_raw_value(data).map_err(|err| Error::storage("cannot write JSON", err))
}
