//! The calls that are due, for the program that makes them.
use std::collections::HashSet;

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::{
    accounts::{Accounts, values},
    publish::{
        DeliveryId, EventType, WebhookId,
        webhooks::{allowed_targets, signature::Secret, to_millis},
    },
    values::{Error, Feature, KeyId, Plan, Result},
};

/// A webhook that has deliveries due.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DueWebhook {
    /// The webhook.
    pub webhook: WebhookId,
    /// The key that it belongs to.
    pub key: KeyId,
    /// The host that it calls, with its port: `example.com:443`.
    pub host: String,
}

/// The webhooks that have deliveries due, and may be called: active, of a valid key whose plan includes webhooks.
pub fn due_webhooks(accounts: &Accounts, now: DateTime<Utc>) -> Result<Vec<DueWebhook>> {
    const SQL: &str =
        "SELECT webhook.id, url, plan, key.id FROM webhook JOIN key ON key.id = webhook.key
        WHERE disabled IS NULL AND revoked IS NULL
            AND (SELECT MIN(due) FROM delivery WHERE webhook = number AND due IS NOT NULL) <= ?1
        ORDER BY number";
    let mut webhooks = Vec::new();
    for row in accounts.read(|session| session.query(SQL, values![to_millis(now)]))? {
        if row.parse::<Plan>(2)?.includes(Feature::Webhooks) {
            webhooks.push(DueWebhook {
                webhook: row.parse(0)?,
                key: KeyId::new(row.get(3)?),
                host: allowed_targets::host(row.text(1)?),
            });
        }
    }
    Ok(webhooks)
}

/// A call to make now.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Call {
    /// The delivery.
    pub delivery: DeliveryId,
    /// The webhook.
    pub webhook: WebhookId,
    /// The address to call.
    pub url: String,
    /// The body.
    pub body: String,
    /// The id of the event.
    pub event: String,
    /// The key that signs.
    pub secret: Secret,
    /// Tells this call from a call of the same delivery after a replay.
    pub token: AttemptToken,
}

/// Identifies the attempt that a call was made for. If the delivery is replayed while a call is in progress, the token
/// changes, and the outcome of that call is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptToken(pub(crate) i64);

/// The due time of a call that goes before all others: such times are stored as negative numbers.
pub(crate) fn due_first(now: DateTime<Utc>) -> i64 {
    -to_millis(now)
}

impl Call {
    /// The headers of the Standard Webhooks scheme: id, timestamp, signature.
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

/// Up to `limit` calls of a webhook that are due and not in progress, the longest due first; none if the webhook may not
/// be called.
pub fn due_calls(
    accounts: &Accounts,
    webhook: &WebhookId,
    now: DateTime<Utc>,
    limit: usize,
    in_progress: &HashSet<DeliveryId>,
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
        if !found.parse::<Plan>(3)?.includes(Feature::Webhooks) {
            return Ok(Vec::new());
        }
        let (url, secret) = (found.get::<String>(1)?, Secret::from_bytes(found.get(2)?));
        let enough = limit.saturating_add(in_progress.len());
        let mut calls = Vec::new();
        for row in session.query(SQL, values![found.get::<i64>(0)?, to_millis(now), enough])? {
            let delivery = DeliveryId::new(row.get(0)?);
            if calls.len() < limit && !in_progress.contains(&delivery) {
                calls.push(Call {
                    delivery,
                    webhook: webhook.clone(),
                    url: url.clone(),
                    body: row.get(2)?,
                    event: row.get(1)?,
                    secret: secret.clone(),
                    token: AttemptToken(row.get(3)?),
                });
            }
        }
        Ok(calls)
    })
}

/// The body of a call.
pub(crate) fn call_body(
    kind: EventType,
    time: DateTime<Utc>,
    data: impl Serialize,
) -> Result<String> {
    #[derive(Serialize)]
    struct Body<D> {
        r#type: EventType,
        timestamp: DateTime<Utc>,
        data: D,
    }
    serde_json::to_string(&Body { r#type: kind, timestamp: time, data })
        .map_err(|err| Error::storage("cannot write JSON", err))
}
