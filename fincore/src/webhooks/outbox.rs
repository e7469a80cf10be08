//! The outbox as the sender sees it: which calls are due.
use std::collections::HashSet;

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::{DeliveryId, Secret, WebhookId, millis, target};
use crate::{
    accounts::{Accounts, values},
    error::{Error, Result},
    events::EventType,
    plans::{Feature, Plan},
};

/// A webhook that has deliveries due.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Waiting {
    /// The webhook.
    pub webhook: WebhookId,
    /// The host that it calls, with its port: `example.com:443`.
    pub host: String,
}

/// The webhooks that have deliveries due, and may be called: active, of a valid key whose plan includes webhooks.
pub fn waiting(accounts: &Accounts, now: DateTime<Utc>) -> Result<Vec<Waiting>> {
    const SQL: &str = "SELECT webhook.id, url, plan FROM webhook JOIN key ON key.id = webhook.key
        WHERE disabled IS NULL AND revoked IS NULL
            AND (SELECT MIN(due) FROM delivery WHERE webhook = number AND due IS NOT NULL) <= ?1
        ORDER BY number";
    let mut waiting = Vec::new();
    for row in accounts.read(|session| session.query(SQL, values![millis(now)]))? {
        if row.parsed::<Plan>(2)?.includes(Feature::Webhooks) {
            waiting.push(Waiting { webhook: row.parsed(0)?, host: target::host(row.text(1)?) });
        }
    }
    Ok(waiting)
}

/// A call to make now.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Call {
    /// The delivery.
    pub delivery: DeliveryId,
    /// The webhook.
    pub webhook: WebhookId,
    /// Where to call.
    pub url: String,
    /// The body.
    pub body: String,
    /// The id of the event.
    pub event: String,
    /// The key that signs.
    pub secret: Secret,
    /// Which turn of the delivery it is.
    pub turn: Turn,
}

/// A turn of a delivery: a replay while a call is under way begins another, and the call does not count for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn(pub(super) i64);

/// When a call is due that goes out before all that wait already: such times are stored as negative numbers.
pub(super) fn at_once(now: DateTime<Utc>) -> i64 {
    -millis(now)
}

impl Call {
    /// The headers of the scheme: id, timestamp, signature.
    #[must_use]
    pub fn headers(&self, now: DateTime<Utc>) -> [(&'static str, String); 3] {
        let timestamp = now.timestamp().to_string();
        let signature = self.secret.sign(&self.event, &timestamp, self.body.as_bytes());
        [
            ("webhook-id", self.event.clone()),
            ("webhook-timestamp", timestamp),
            ("webhook-signature", signature),
        ]
    }
}

/// Up to `limit` calls of a webhook that are due and not under way, the longest due first; nothing if it may not be
/// called.
pub fn due(
    accounts: &Accounts,
    webhook: &WebhookId,
    now: DateTime<Utc>,
    limit: usize,
    under_way: &HashSet<DeliveryId>,
) -> Result<Vec<Call>> {
    const WEBHOOK: &str = "SELECT number, url, secret, plan FROM webhook
        JOIN key ON key.id = webhook.key
        WHERE webhook.id = ?1 AND disabled IS NULL AND revoked IS NULL";
    const SQL: &str = "SELECT delivery.id, event.id, body, due FROM delivery
        JOIN event ON event.number = delivery.event
        WHERE webhook = ?1 AND due <= ?2 ORDER BY due, delivery.id LIMIT ?3";
    accounts.read(|session| {
        let Some(found) = session.first(WEBHOOK, values![webhook.as_str()])? else {
            return Ok(Vec::new());
        };
        if !found.parsed::<Plan>(3)?.includes(Feature::Webhooks) {
            return Ok(Vec::new());
        }
        let (url, secret) = (found.get::<String>(1)?, Secret::from_bytes(found.get(2)?));
        let enough = limit.saturating_add(under_way.len());
        let mut calls = Vec::new();
        for row in session.query(SQL, values![found.get::<i64>(0)?, millis(now), enough])? {
            let delivery = DeliveryId::new(row.get(0)?);
            if calls.len() < limit && !under_way.contains(&delivery) {
                calls.push(Call {
                    delivery,
                    webhook: webhook.clone(),
                    url: url.clone(),
                    body: row.get(2)?,
                    event: row.get(1)?,
                    secret: secret.clone(),
                    turn: Turn(row.get(3)?),
                });
            }
        }
        Ok(calls)
    })
}

/// The body of a call.
pub(super) fn body(kind: EventType, time: DateTime<Utc>, data: impl Serialize) -> Result<String> {
    #[derive(Serialize)]
    struct Body<D> {
        r#type: EventType,
        timestamp: DateTime<Utc>,
        data: D,
    }
    serde_json::to_string(&Body { r#type: kind, timestamp: time, data })
        .map_err(|err| Error::storage("cannot write JSON", err))
}
