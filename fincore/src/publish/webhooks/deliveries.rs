//! Deliveries as the owner of a webhook sees them: list, test call, replay.
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    accounts::{Accounts, Row, Session, values},
    publish::{
        DeliveryId, EventType, WebhookId,
        webhooks::{
            from_millis,
            outbox::{call_body, due_first},
            subscription::{Webhook, find_with_number},
            to_millis,
        },
    },
    values::{Error, KeyId, Limit, Offset, Resource, Result, WebhookFault, random_with_mark},
};

/// A call, made or to be made.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Delivery {
    /// Its id.
    pub id: DeliveryId,
    /// The id of the event, sent as `webhook-id`.
    pub event: String,
    /// The type of the event.
    #[serde(rename = "type")]
    pub kind: String,
    /// `pending`, `delivered` or `failed`.
    pub status: &'static str,
    /// The number of attempts since it was created or replayed.
    pub attempts: u32,
    /// The HTTP status of the last attempt.
    pub response_status: Option<u16>,
    /// The error of the last attempt.
    pub error: Option<String>,
    /// The time of its creation.
    pub created_at: DateTime<Utc>,
    /// The time of the last attempt.
    pub attempted_at: Option<DateTime<Utc>>,
    /// The time of the next attempt.
    pub next_attempt_at: Option<DateTime<Utc>>,
}

/// A query for the deliveries of a webhook, newest first.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeliveriesQuery {
    /// The webhook.
    pub id: WebhookId,
    /// The most deliveries to return.
    #[serde(default)]
    pub limit: Limit<1000>,
    /// The number of deliveries to skip.
    #[serde(default)]
    pub offset: Offset,
}

impl DeliveriesQuery {
    /// The newest twenty deliveries of a webhook.
    #[must_use]
    pub fn new(id: WebhookId) -> DeliveriesQuery {
        DeliveriesQuery { id, limit: Limit::default(), offset: Offset::default() }
    }
}

/// Deliveries of a webhook.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Deliveries {
    /// The deliveries, newest first.
    pub data: Vec<Delivery>,
    /// The number of all deliveries of the webhook.
    pub total: u64,
    /// The most deliveries on a page.
    pub limit: u32,
    /// The number of deliveries skipped.
    pub offset: u64,
}

/// The deliveries of a webhook of a key, newest first. They are kept for 30 days.
///
/// Fails with [`Error::NotFound`] if the key has no such webhook.
pub fn list_deliveries(
    accounts: &Accounts,
    key: KeyId,
    query: &DeliveriesQuery,
) -> Result<Deliveries> {
    const TOTAL: &str = "SELECT COUNT(*) FROM delivery WHERE webhook = ?1";
    // The index has the ids of a webhook, so that only the rows of this page are read.
    const SQL: &str = "SELECT delivery.id, event.id, type, created, attempts, due, attempted,
            status, error, delivered
        FROM delivery JOIN event ON event.number = delivery.event
        WHERE delivery.id IN (SELECT id FROM delivery WHERE webhook = ?1
            ORDER BY id DESC LIMIT ?2 OFFSET ?3) ORDER BY delivery.id DESC";
    let (limit, offset) = (query.limit.get(), query.offset);
    accounts.read(|session| {
        let (number, webhook) = find_with_number(session, key, &query.id)?;
        let total = session.number(TOTAL, values![number])?;
        let mut deliveries = Deliveries {
            data: Vec::new(),
            total: total.unsigned_abs(),
            limit,
            offset: offset.get(),
        };
        if deliveries.offset < deliveries.total {
            let rows = session.query(SQL, values![number, limit, offset.sql()])?;
            deliveries.data =
                rows.iter().map(|row| read_delivery(row, &webhook)).collect::<Result<_>>()?;
        }
        Ok(deliveries)
    })
}

/// Puts a `webhook.test` event at the front of the outbox, even if the webhook has not subscribed to this type.
///
/// Fails with [`Error::NotFound`] if the key has no such webhook, with [`Error::Invalid`] if it is disabled.
pub fn send_test(
    accounts: &Accounts,
    key: KeyId,
    id: &WebhookId,
    now: DateTime<Utc>,
) -> Result<Delivery> {
    const EVENT: &str = "INSERT INTO event (id, type, body, time) VALUES (?1, ?2, ?3, ?4)
        RETURNING number";
    const SQL: &str = "INSERT INTO delivery (webhook, event, created, due) VALUES (?1, ?2, ?3, ?4)
        RETURNING id";
    #[derive(Serialize)]
    struct TestData<'w> {
        webhook: &'w WebhookId,
    }
    let event = random_with_mark("evt_test_", 22)?;
    let body = call_body(
        EventType::WebhookTest,
        from_millis(now.timestamp() * 1000),
        &TestData { webhook: id },
    )?;
    accounts.write(|tx| {
        let (number, webhook) = find_enabled(tx, key, id)?;
        let kind = EventType::WebhookTest.as_str();
        let event = tx.number(EVENT, values![&event, kind, &body, to_millis(now)])?;
        let delivery = tx.number(SQL, values![number, event, to_millis(now), due_first(now)])?;
        find_delivery(tx, number, &webhook, DeliveryId::new(delivery))
    })
}

/// Puts a delivery at the front of the outbox once more, with the same event id and as many attempts as a new one.
///
/// Fails with [`Error::NotFound`] if the key has no such webhook or delivery, with [`Error::Invalid`] if the webhook
/// is disabled.
pub fn replay(
    accounts: &Accounts,
    key: KeyId,
    id: &WebhookId,
    delivery: DeliveryId,
    now: DateTime<Utc>,
) -> Result<Delivery> {
    const SQL: &str = "UPDATE delivery SET attempts = 0, due = ?3, delivered = NULL, error = NULL
        WHERE id = ?1 AND webhook = ?2";
    accounts.write(|tx| {
        let (number, webhook) = find_enabled(tx, key, id)?;
        tx.execute(SQL, values![delivery.get(), number, due_first(now)])?;
        find_delivery(tx, number, &webhook, delivery)
    })
}

fn find_enabled(session: &dyn Session, key: KeyId, id: &WebhookId) -> Result<(i64, Webhook)> {
    let (number, webhook) = find_with_number(session, key, id)?;
    if webhook.disabled_at.is_some() {
        let reason = webhook.reason.unwrap_or_default();
        return Err(WebhookFault::Disabled { id: id.to_string(), reason }.into());
    }
    Ok((number, webhook))
}

fn find_delivery(
    session: &dyn Session,
    number: i64,
    webhook: &Webhook,
    id: DeliveryId,
) -> Result<Delivery> {
    const SQL: &str = "SELECT delivery.id, event.id, type, created, attempts, due, attempted,
            status, error, delivered
        FROM delivery JOIN event ON event.number = delivery.event
        WHERE delivery.id = ?1 AND webhook = ?2";
    let found = session.first(SQL, values![id.get(), number])?;
    read_delivery(
        &found.ok_or_else(|| Error::not_found(Resource::Delivery, &id.to_string()))?,
        webhook,
    )
}

fn read_delivery(row: &Row, webhook: &Webhook) -> Result<Delivery> {
    // Deliveries at the front of the outbox have a negative number.
    let due = row.get::<Option<i64>>(5)?.map(|due| from_millis(due.abs()));
    let delivered = row.get::<Option<i64>>(9)?.is_some();
    // The deliveries of a disabled webhook have failed, even if `sweep` has not marked them yet.
    let given_up = due.is_some() && webhook.disabled_at.is_some();
    let next_attempt_at = due.filter(|_| !given_up);
    let error: Option<String> = row.get(8)?;
    let error = if given_up { error.or_else(|| webhook.reason.clone()) } else { error };
    let status = match (delivered, next_attempt_at) {
        (true, _) => "delivered",
        (false, Some(_)) => "pending",
        (false, None) => "failed",
    };
    Ok(Delivery {
        id: DeliveryId::new(row.get(0)?),
        event: row.get(1)?,
        kind: row.get(2)?,
        status,
        attempts: row.get(4)?,
        response_status: row.get(7)?,
        error,
        created_at: from_millis(row.get(3)?),
        attempted_at: row.get::<Option<i64>>(6)?.map(from_millis),
        next_attempt_at,
    })
}
