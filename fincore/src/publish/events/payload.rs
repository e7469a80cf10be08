//! Reads events from the change log: the type of a change, and the JSON of what was published.
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::{
    companies::{self, company},
    filings::{self, filing, withdrawn},
    market::{Origin, decisions, freshness, holes, past, whole_histories},
    publish::{EventType, EventWindow},
    statements::{FINANCIALS, STATEMENTS, batches},
    store::{Change, ChangeEntry, LogPosition, Snapshot, changes},
    values::{CvmCode, Date, Decimal, Error, FilingId, Pair, Result, fold},
};

// The names of datasets in the change log.
const FX: &str = freshness::FX;
const DECISIONS: &str = decisions::DECISIONS;
const COMPANIES: &str = company::DATASET;
const FILINGS: &str = filing::DATASET;

/// The JSON of what was published, and the values that filters compare.
#[derive(Debug)]
pub(crate) struct EventPayload {
    pub(crate) data: Box<RawValue>,
    pub(crate) subject: EventSubject,
    /// The day on which it was published; `None` if that is when it came in.
    pub(crate) published: Option<Date>,
}

/// The values that filters compare.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventSubject {
    pub(crate) company: Option<CvmCode>,
    /// Folded.
    pub(crate) category: Option<String>,
    /// The name of its dataset.
    pub(crate) series: Option<String>,
}

/// The type of the event that a change makes, if any.
fn event_type(dataset: &str, change: Change) -> Option<EventType> {
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
            (is_news && whole_histories::find(series).is_some()).then_some(EventType::RatePublished)
        }
    }
}

/// The present data of what changed; `None` if it is gone or cannot be read.
pub(crate) fn load(
    snapshot: &Snapshot,
    kind: EventType,
    entry: &ChangeEntry,
) -> Result<Option<EventPayload>> {
    match kind {
        EventType::RatePublished => rate(snapshot, entry),
        EventType::SelicDecided => decision(snapshot, &entry.key),
        EventType::FxPublished => quote(snapshot, entry),
        EventType::CompanyCreated | EventType::CompanyUpdated => company(snapshot, &entry.key),
        EventType::FilingPublished => filing(snapshot, &entry.key),
        EventType::FilingWithdrawn => withdrawn_filing(snapshot, &entry.key),
        EventType::StatementPublished => statement(snapshot, &entry.key),
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

fn rate(snapshot: &Snapshot, entry: &ChangeEntry) -> Result<Option<EventPayload>> {
    let (Some(series), Ok(day)) = (whole_histories::find(&entry.dataset), entry.key.parse()) else {
        return Ok(None);
    };
    let found = whole_histories::rates(snapshot, series.number, (day, day), 1)?.pop();
    let Some(rate) = found else { return Ok(None) };
    let previous = match entry.change {
        Change::Changed => past::value_before(snapshot, series.number, day, entry.version)?,
        Change::Added | Change::Removed => None,
    };
    let data = PublishedRate {
        series: &entry.dataset,
        number: series.number,
        date: rate.date,
        value: rate.value,
        unit: series.definition.map(|definition| definition.unit.en),
        origin: rate.origin,
        change: entry.change,
        previous,
    };
    let subject = EventSubject { series: Some(entry.dataset.clone()), ..EventSubject::default() };
    let published = match entry.change {
        Change::Added => Some(holes::published_by(snapshot, series.number, day)?),
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

fn quote(snapshot: &Snapshot, entry: &ChangeEntry) -> Result<Option<EventPayload>> {
    let parsed = entry.key.split_once(' ').map(|(pair, day)| (pair.parse::<Pair>(), day.parse()));
    let Some((Ok(pair), Ok(day))) = parsed else { return Ok(None) };
    let found = whole_histories::quotes(snapshot, pair.base, (day, day), 1)?.pop();
    let Some(quote) = found else { return Ok(None) };
    let (buy, sell) = (quote.buy, quote.sell);
    let previous = match entry.change {
        Change::Changed => past::quote_before(snapshot, pair.base, day, entry.version)?,
        Change::Added | Change::Removed => None,
    };
    let previous = previous.map(|(buy, sell)| PreviousQuote { buy, sell });
    let data = PublishedQuote {
        pair: quote.pair,
        date: quote.date,
        buy,
        sell,
        change: entry.change,
        previous,
    };
    let published = (entry.change == Change::Added).then_some(day);
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
    let Some(form) = batches::published(snapshot, key)? else { return Ok(None) };
    let subject = EventSubject { company: Some(form.company_id), ..EventSubject::default() };
    Ok(Some(EventPayload { data: to_json(&form)?, subject, published: form.received }))
}

/// The filing as it was. One that was removed because it could not be read is not there.
fn withdrawn_filing(snapshot: &Snapshot, key: &str) -> Result<Option<EventPayload>> {
    let Ok(id) = key.parse::<FilingId>() else { return Ok(None) };
    let Some(filing) = withdrawn::find(snapshot, id)? else { return Ok(None) };
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

/// An event, and its position in the log.
#[derive(Debug)]
pub(crate) struct LoggedEvent {
    pub(crate) position: LogPosition,
    pub(crate) kind: EventType,
    pub(crate) time: DateTime<Utc>,
    pub(crate) payload: EventPayload,
}

/// The most that one batch reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchBounds {
    pub(crate) events: usize,
    /// Entries of the log, of which not all are events.
    pub(crate) entries: usize,
}

/// The events of one batch.
#[derive(Debug)]
pub(crate) struct EventBatch {
    pub(crate) events: Vec<LoggedEvent>,
    /// The position after the last entry that was read.
    pub(crate) position: LogPosition,
    /// Whether there is more after it already.
    pub(crate) more: bool,
    /// How many changes were published too long before they came in to be events.
    pub(crate) left_out: u64,
}

/// Reads the events of a window after a position whose types are `wanted`, oldest first.
pub(crate) fn read_batch(
    snapshot: &Snapshot,
    after: LogPosition,
    bounds: BatchBounds,
    window: EventWindow,
    wanted: impl Fn(EventType) -> bool,
) -> Result<EventBatch> {
    let mut entries = changes::after(snapshot, after.clone(), None);
    let mut batch = EventBatch { events: Vec::new(), position: after, more: true, left_out: 0 };
    for entry in entries.by_ref().take(bounds.entries) {
        let entry = entry?;
        batch.position = entry.position();
        let Some(event) = to_event(snapshot, &entry, &wanted)? else { continue };
        match event.payload.published {
            Some(day) if !window.includes(day, event.time) => batch.left_out += 1,
            Some(_) | None => batch.events.push(event),
        }
        if batch.events.len() == bounds.events {
            break;
        }
    }
    batch.more = entries.next().transpose()?.is_some();
    if !batch.more {
        batch.position = LogPosition::newest(snapshot)?.max(batch.position);
    }
    Ok(batch)
}

/// The event that a change makes, if it is one of a wanted type.
fn to_event(
    snapshot: &Snapshot,
    entry: &ChangeEntry,
    wanted: impl Fn(EventType) -> bool,
) -> Result<Option<LoggedEvent>> {
    let kind = event_type(&entry.dataset, entry.change).filter(|kind| wanted(*kind));
    let Some(kind) = kind else { return Ok(None) };
    let (position, time) = (entry.position(), entry.time);
    let payload = load(snapshot, kind, entry)?;
    Ok(payload.map(|payload| LoggedEvent { position, kind, time, payload }))
}
