//! From the change log to the outbox: each event once for every webhook that wants it.
//!
//! Importing happens in another process and another file. So the accounts file notes how far the log of a catalogue
//! was read, and moves that note in the transaction that adds the deliveries: whatever is killed when, each change
//! is told exactly once. The events are read before that transaction starts, so that it is short; if another process
//! has moved the note meanwhile, the step is dropped.
use chrono::{DateTime, Utc};

use super::{millis, outbox::body, told};
use crate::{
    accounts::{Accounts, Session, values},
    catalogue::Snapshot,
    error::Result,
    events::{
        Cursor, EventType,
        content::About,
        cursor::Place,
        log::{self, Bounds, Found},
    },
    plans::{Feature, Plan},
    types::{CvmCode, fold},
};

/// The most events that a step tells, and the most changes that it looks at.
const EVENTS: usize = 200;
const ENTRIES: usize = 4_000;

/// About the most deliveries that a step adds: at least one event is told to all who want it.
const DELIVERIES: usize = 2_000;

/// What one step of [`tell`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Told {
    /// How many deliveries it put into the outbox.
    pub deliveries: u64,
    /// Whether there is more to do at once.
    pub more: bool,
}

/// Reads the change log from where it left off, and puts what subscriptions want into the outbox: one step of bounded
/// size, in one transaction. Several programs may do so at the same time.
///
/// What a catalogue has when it is seen for the first time is no news; nor is what an older copy of the file has that
/// takes its place. An older copy is believed after a minute, because the snapshot of a slow program looks the same.
pub fn tell(accounts: &Accounts, snapshot: &Snapshot, now: DateTime<Utc>) -> Result<Told> {
    let (catalogue, newest) = (snapshot.catalogue_id()?, Place::newest(snapshot)?);
    let Some(noted) = accounts.read(|session| told::noted(session, &catalogue))? else {
        accounts.write(|tx| told::start(tx, &catalogue, snapshot.version()?))?;
        return Ok(Told::default());
    };
    if noted.place > newest {
        let more = told::fall(accounts, &catalogue, (noted, newest), now)?;
        return Ok(Told { deliveries: 0, more });
    }
    if noted.fallen.is_some() {
        accounts.write(|tx| told::forget_fall(tx, &catalogue))?;
    }
    if noted.place == newest {
        return Ok(Told::default());
    }
    let subscribers = accounts.read(|session| subscribers(session, &catalogue))?;
    let start = noted.place.clone().max(Place::oldest(snapshot)?);
    let step = read(snapshot, start, newest, &subscribers)?;
    let kinds = kinds(&subscribers);
    accounts.write(|tx| {
        let subscribers = self::subscribers(tx, &catalogue)?;
        let seen_all = self::kinds(&subscribers).iter().all(|kind| kinds.contains(kind));
        let place = told::noted(tx, &catalogue)?.map(|noted| noted.place);
        if place != Some(noted.place) || !seen_all {
            return Ok(Told { deliveries: 0, more: true });
        }
        let mut told = Told { deliveries: 0, more: step.more };
        for found in &step.events {
            told.deliveries += deliver(tx, &catalogue, found, &subscribers, now)?;
        }
        told::note(tx, &catalogue, &step.place)?;
        Ok(told)
    })
}

/// Reads on, as much as fits into one step.
fn read(
    snapshot: &Snapshot,
    start: Place,
    newest: Place,
    subscribers: &[Subscriber],
) -> Result<log::Step> {
    if subscribers.is_empty() {
        return Ok(log::Step { events: Vec::new(), place: newest, more: false });
    }
    let events = (DELIVERIES / subscribers.len()).clamp(1, EVENTS);
    let kinds = kinds(subscribers);
    log::read(snapshot, start, Bounds { events, entries: ENTRIES }, |kind| kinds.contains(&kind))
}

/// What an active webhook wants.
struct Subscriber {
    number: i64,
    kinds: Vec<EventType>,
    company: Option<u32>,
    /// Folded.
    category: Option<String>,
    series: Option<String>,
    /// Changes up to this version are none of its business.
    since: u64,
}

impl Subscriber {
    fn wants(&self, kind: EventType, version: u64, about: &About) -> bool {
        /// A filter lets pass what has nothing that it could compare.
        fn passes<T: PartialEq>(filter: Option<T>, value: Option<T>) -> bool {
            filter.is_none() || value.is_none() || filter == value
        }
        self.kinds.contains(&kind)
            && self.since < version
            && passes(self.company, about.company.map(CvmCode::get))
            && passes(self.category.as_deref(), about.category.as_deref())
            && passes(self.series.as_deref(), about.series.as_deref())
    }
}

/// The types of events that somebody wants.
fn kinds(subscribers: &[Subscriber]) -> Vec<EventType> {
    let wanted = |kind: &EventType| subscribers.iter().any(|one| one.kinds.contains(kind));
    EventType::ALL.into_iter().filter(wanted).collect()
}

/// The webhooks that are active, of a valid key whose plan includes webhooks.
fn subscribers(session: &dyn Session, catalogue: &str) -> Result<Vec<Subscriber>> {
    const SQL: &str = "SELECT number, events, company, category, series, catalogue, since, plan
        FROM webhook JOIN key ON key.id = webhook.key
        WHERE disabled IS NULL AND revoked IS NULL ORDER BY number";
    let mut subscribers = Vec::new();
    for row in session.query(SQL, &[])? {
        if !row.parsed::<Plan>(7)?.includes(Feature::Webhooks) {
            continue;
        }
        // Versions of other data say nothing about this: the file was replaced since it subscribed.
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

/// Puts an event into the outbox for all who want it; returns how many do.
fn deliver(
    tx: &dyn Session,
    catalogue: &str,
    found: &Found,
    subscribers: &[Subscriber],
    now: DateTime<Utc>,
) -> Result<u64> {
    const SQL: &str = "INSERT INTO delivery (webhook, event, created, due) VALUES (?1, ?2, ?3, ?3)
        ON CONFLICT DO NOTHING";
    let Found { place, kind, content, .. } = found;
    let wanting = |one: &&Subscriber| one.wants(*kind, place.version, &content.about);
    let mut wanting = subscribers.iter().filter(wanting).peekable();
    if wanting.peek().is_none() {
        return Ok(0);
    }
    let event = event(tx, &Cursor::new(catalogue, place.clone()).to_string(), found, now)?;
    let mut added = 0;
    for one in wanting {
        added += tx.execute(SQL, values![one.number, event, millis(now)])? as u64;
    }
    Ok(added)
}

/// The number of an event in the outbox, which it is added to if need be.
fn event(tx: &dyn Session, id: &str, found: &Found, now: DateTime<Utc>) -> Result<i64> {
    const SQL: &str = "INSERT INTO event (id, type, body, time) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT DO NOTHING";
    const NUMBER: &str = "SELECT number FROM event WHERE id = ?1";
    let body = body(found.kind, found.time, &found.content.data)?;
    tx.execute(SQL, values![id, found.kind.as_str(), &body, millis(now)])?;
    tx.number(NUMBER, values![id])
}
