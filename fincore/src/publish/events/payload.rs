//! Makes an event of a change: its type, and the JSON of what was published.
use chrono::{DateTime, Utc};
use rusqlite::Row;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::{
    companies::{self, company},
    filings::{self, filing, withdrawn},
    market::{Origin, decisions, freshness, holes, past, whole_histories},
    publish::events::{EventType, EventWindow, LogPosition},
    statements::{FINANCIALS, STATEMENTS, batches},
    store::{snapshot::Snapshot, writer::Change},
    values::{
        CvmCode, Date, Decimal, FilingId, Pair,
        error::{Error, Result},
        fold,
    },
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
    let (Some(series), Ok(day)) = (whole_histories::find(&position.dataset), position.key.parse())
    else {
        return Ok(None);
    };
    let found = whole_histories::rates(snapshot, series.number, (day, day), 1)?.pop();
    let Some(rate) = found else { return Ok(None) };
    let previous = match change {
        Change::Changed => past::value_before(snapshot, series.number, day, position.version)?,
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

fn quote(
    snapshot: &Snapshot,
    position: &LogPosition,
    change: Change,
) -> Result<Option<EventPayload>> {
    let parsed =
        position.key.split_once(' ').map(|(pair, day)| (pair.parse::<Pair>(), day.parse()));
    let Some((Ok(pair), Ok(day))) = parsed else { return Ok(None) };
    let found = whole_histories::quotes(snapshot, pair.base, (day, day), 1)?.pop();
    let Some(quote) = found else { return Ok(None) };
    let (buy, sell) = (quote.buy, quote.sell);
    let previous = match change {
        Change::Changed => past::quote_before(snapshot, pair.base, day, position.version)?,
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

/// How many entries are read from the log at a time.
const BATCH: usize = 128;

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
    let mut batch = EventBatch { events: Vec::new(), position: after, more: true, left_out: 0 };
    let mut left = bounds.entries;
    while left > 0 && batch.events.len() < bounds.events {
        let entries = read_entries(snapshot, &batch.position, left.min(BATCH))?;
        if entries.is_empty() {
            break;
        }
        for entry in entries {
            left -= 1;
            batch.position = entry.position.clone();
            let Some(event) = entry.into_event(snapshot, &wanted)? else { continue };
            match event.payload.published {
                Some(day) if !window.includes(day, event.time) => batch.left_out += 1,
                Some(_) | None => batch.events.push(event),
            }
            if batch.events.len() == bounds.events {
                break;
            }
        }
    }
    batch.more = !read_entries(snapshot, &batch.position, 1)?.is_empty();
    if !batch.more {
        batch.position = LogPosition::newest(snapshot)?.max(batch.position);
    }
    Ok(batch)
}

/// An entry of the log. Time and change are missing where they cannot be read.
struct Entry {
    position: LogPosition,
    time: Option<DateTime<Utc>>,
    change: Option<Change>,
}

impl Entry {
    /// The event of this entry, if it is one of a wanted type.
    fn into_event(
        self,
        snapshot: &Snapshot,
        wanted: impl Fn(EventType) -> bool,
    ) -> Result<Option<LoggedEvent>> {
        let (Some(time), Some(change)) = (self.time, self.change) else { return Ok(None) };
        let kind = event_type(&self.position.dataset, change);
        let Some(kind) = kind.filter(|kind| wanted(*kind)) else { return Ok(None) };
        let payload = load(snapshot, kind, &self.position, change)?;
        Ok(payload.map(|payload| LoggedEvent { position: self.position, kind, time, payload }))
    }
}

/// The entries after a position, in the order of the log.
fn read_entries(snapshot: &Snapshot, after: &LogPosition, limit: usize) -> Result<Vec<Entry>> {
    const SQL: &str = "SELECT change.version, dataset, key, kind, time
        FROM change LEFT JOIN revision ON revision.version = change.version
        WHERE (change.version, dataset, key) > (?1, ?2, ?3)
        ORDER BY change.version, dataset, key LIMIT ?4";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    snapshot.rows(SQL, (after.sql_version(), &after.dataset, &after.key, limit), read_entry)
}

fn read_entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let version = row.get::<_, i64>(0)?.unsigned_abs();
    let time: Option<String> = row.get(4)?;
    Ok(Entry {
        position: LogPosition { version, dataset: row.get(1)?, key: row.get(2)? },
        time: time.and_then(|time| time.parse().ok()),
        change: Change::of_code(row.get(3)?),
    })
}
