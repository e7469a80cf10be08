//! From the change log to the outbox: each event once for every webhook that subscribed to it.
//!
//! Imports run in another process and write another file. So the accounts store how far the log of a catalogue was read,
//! and this position moves in the transaction that adds the deliveries: even if a process is killed, each event is
//! enqueued exactly once. The events are read before that transaction starts, so that it is short; if another process has
//! moved the position meanwhile, the batch is dropped.
use chrono::{DateTime, Utc};

use crate::{
    accounts::{Accounts, Session, values},
    publish::{
        EventType, EventWindow,
        events::{
            Cursor,
            payload::{self, BatchBounds, EventBatch, EventSubject, LoggedEvent},
        },
        webhooks::{self, outbox::call_body, to_millis},
    },
    store::{LogPosition, Snapshot},
    values::{CvmCode, Feature, Plan, Result, fold},
};

/// The most events that one call enqueues, and the most changes that it reads.
const EVENTS: usize = 200;
const ENTRIES: usize = 4_000;

/// About the most deliveries that one call adds: at least one event is enqueued for all its subscribers.
const DELIVERIES: usize = 2_000;

/// The result of a call of [`enqueue_events`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Enqueued {
    /// The number of deliveries added to the outbox.
    pub deliveries: u64,
    /// More events are waiting: call again at once.
    pub more: bool,
    /// The number of changes that were imported too long after their publication to be events.
    pub left_out: u64,
}

/// Reads new events of a window from the change log, and puts them into the outbox for the webhooks that subscribed to them: a bounded
/// number in one transaction. Several programs may do so at the same time.
///
/// The data that a catalogue has when it is first seen makes no events, and neither does a catalogue that was restored from
/// an older copy. An older version counts as restored after a minute, because a slow program's snapshot looks the same.
pub fn enqueue_events(
    accounts: &Accounts,
    snapshot: &Snapshot,
    window: EventWindow,
    now: DateTime<Utc>,
) -> Result<Enqueued> {
    let (catalogue, newest) = (snapshot.catalogue_id()?, LogPosition::newest(snapshot)?);
    let Some(progress) = accounts.read(|session| webhooks::load(session, &catalogue))? else {
        accounts.write(|tx| webhooks::start(tx, &catalogue, snapshot.version()?))?;
        return Ok(Enqueued::default());
    };
    if progress.position > newest {
        let more = webhooks::handle_rollback(accounts, &catalogue, progress, newest, now)?;
        return Ok(Enqueued { more, ..Enqueued::default() });
    }
    if progress.behind.is_some() {
        accounts.write(|tx| webhooks::clear_rollback(tx, &catalogue))?;
    }
    if progress.position == newest {
        return Ok(Enqueued::default());
    }
    let subscribers = accounts.read(|session| read_subscribers(session, &catalogue))?;
    let start = progress.position.clone().max(LogPosition::oldest(snapshot)?);
    let batch = read_events(snapshot, start, newest, window, &subscribers)?;
    let types = subscribed_types(&subscribers);
    accounts.write(|tx| {
        let subscribers = read_subscribers(tx, &catalogue)?;
        let has_all = subscribed_types(&subscribers).iter().all(|kind| types.contains(kind));
        let position = webhooks::load(tx, &catalogue)?.map(|progress| progress.position);
        if position != Some(progress.position) || !has_all {
            return Ok(Enqueued { more: true, ..Enqueued::default() });
        }
        let EventBatch { more, left_out, .. } = batch;
        let mut enqueued = Enqueued { deliveries: 0, more, left_out };
        for event in &batch.events {
            enqueued.deliveries += enqueue(tx, &catalogue, event, &subscribers, now)?;
        }
        webhooks::save(tx, &catalogue, &batch.position)?;
        Ok(enqueued)
    })
}

/// Reads as many events as one call enqueues.
fn read_events(
    snapshot: &Snapshot,
    start: LogPosition,
    newest: LogPosition,
    window: EventWindow,
    subscribers: &[Subscriber],
) -> Result<EventBatch> {
    if subscribers.is_empty() {
        let (events, position) = (Vec::new(), newest);
        return Ok(EventBatch { events, position, more: false, left_out: 0 });
    }
    let events = (DELIVERIES / subscribers.len()).clamp(1, EVENTS);
    let types = subscribed_types(subscribers);
    let bounds = BatchBounds { events, entries: ENTRIES };
    payload::read_batch(snapshot, start, bounds, window, |kind| types.contains(&kind))
}

/// An active webhook with its filters.
struct Subscriber {
    number: i64,
    kinds: Vec<EventType>,
    company: Option<u32>,
    /// Folded.
    category: Option<String>,
    series: Option<String>,
    /// Only changes after this version.
    since: u64,
}

impl Subscriber {
    fn matches(&self, kind: EventType, version: u64, subject: &EventSubject) -> bool {
        /// An event without the value that a filter compares passes the filter.
        fn passes<T: PartialEq>(filter: Option<T>, value: Option<T>) -> bool {
            filter.is_none() || value.is_none() || filter == value
        }
        self.kinds.contains(&kind)
            && self.since < version
            && passes(self.company, subject.company.map(CvmCode::get))
            && passes(self.category.as_deref(), subject.category.as_deref())
            && passes(self.series.as_deref(), subject.series.as_deref())
    }
}

/// The types of events that at least one webhook has subscribed to.
fn subscribed_types(subscribers: &[Subscriber]) -> Vec<EventType> {
    let wanted = |kind: &EventType| subscribers.iter().any(|one| one.kinds.contains(kind));
    EventType::ALL.into_iter().filter(wanted).collect()
}

/// The webhooks that are active, of a valid key whose plan includes webhooks.
fn read_subscribers(session: &dyn Session, catalogue: &str) -> Result<Vec<Subscriber>> {
    const SQL: &str = "SELECT number, events, company, category, series, catalogue, since, plan
        FROM webhook JOIN key ON key.id = webhook.key
        WHERE disabled IS NULL AND revoked IS NULL ORDER BY number";
    let mut subscribers = Vec::new();
    for row in session.query(SQL, &[])? {
        if !row.parse::<Plan>(7)?.includes(Feature::Webhooks) {
            continue;
        }
        // Versions of another catalogue mean nothing here: the file was replaced since the webhook was created.
        let is_same = row.text(5)? == catalogue;
        subscribers.push(Subscriber {
            number: row.get(0)?,
            kinds: row.text(1)?.split_whitespace().filter_map(|kind| kind.parse().ok()).collect(),
            company: row.get(2)?,
            category: row.get::<Option<String>>(3)?.map(|category| fold(&category)),
            series: row.get(4)?,
            since: if is_same { row.get::<i64>(6)?.unsigned_abs() } else { 0 },
        });
    }
    Ok(subscribers)
}

/// Puts an event into the outbox for all its subscribers; returns the number of new deliveries.
fn enqueue(
    tx: &dyn Session,
    catalogue: &str,
    event: &LoggedEvent,
    subscribers: &[Subscriber],
    now: DateTime<Utc>,
) -> Result<u64> {
    const SQL: &str = "INSERT INTO delivery (webhook, event, created, due) VALUES (?1, ?2, ?3, ?3)
        ON CONFLICT DO NOTHING";
    let LoggedEvent { position, kind, payload, .. } = event;
    let matches = |one: &&Subscriber| one.matches(*kind, position.version, &payload.subject);
    let mut matching = subscribers.iter().filter(matches).peekable();
    if matching.peek().is_none() {
        return Ok(0);
    }
    let id = Cursor::new(catalogue, position.clone()).to_string();
    let number = event_number(tx, &id, event, now)?;
    let mut added = 0;
    for one in matching {
        added += tx.execute(SQL, values![one.number, number, to_millis(now)])? as u64;
    }
    Ok(added)
}

/// The number of an event in the outbox; adds the event if it is not there yet.
fn event_number(
    tx: &dyn Session,
    id: &str,
    event: &LoggedEvent,
    now: DateTime<Utc>,
) -> Result<i64> {
    const SQL: &str = "INSERT INTO event (id, type, body, time) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT DO NOTHING";
    const NUMBER: &str = "SELECT number FROM event WHERE id = ?1";
    let body = call_body(event.kind, event.time, &event.payload.data)?;
    tx.execute(SQL, values![id, event.kind.as_str(), &body, to_millis(now)])?;
    tx.number(NUMBER, values![id])
}
