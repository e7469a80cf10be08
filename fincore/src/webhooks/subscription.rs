//! Subscriptions: created, listed, ended, disabled.
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, Transaction};
use serde::Serialize;

use super::{NewWebhook, Secret, Targets, WebhookId, millis, time, told};
use crate::{
    accounts::Accounts,
    catalogue::Snapshot,
    error::{Error, Noun, Result},
    events::EventType,
    sqlite::parsed,
    types::{CvmCode, KeyId, KeyPrefix},
};

/// The most subscriptions of a key.
const MAX_A_KEY: i64 = 10;

/// The columns that [`read`] expects.
macro_rules! select_webhook {
    () => {
        "SELECT webhook.id, url, events, company, category, series, webhook.created, failing, disabled, reason,
            number FROM webhook "
    };
}

/// A subscription.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Webhook {
    /// Its id.
    pub id: WebhookId,
    /// Where it calls.
    pub url: String,
    /// The types of events.
    pub events: Vec<String>,
    /// Only events of the company with this CVM code.
    pub company: Option<String>,
    /// Only filings of this category.
    pub category: Option<String>,
    /// Only rates of this series.
    pub series: Option<String>,
    /// `active` or `disabled`.
    pub status: &'static str,
    /// Why it is disabled.
    pub reason: Option<String>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// Since when every call fails.
    pub failing_since: Option<DateTime<Utc>>,
    /// Since when it is disabled.
    pub disabled_at: Option<DateTime<Utc>>,
}

/// A subscription of anybody, for the operator.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Owned {
    /// The key it belongs to.
    pub key: KeyPrefix,
    /// The subscription.
    #[serde(flatten)]
    pub webhook: Webhook,
    /// Deliveries that wait.
    pub pending: u64,
}

/// Subscribes: from now on, what is published and wanted is told. The secret cannot be shown again.
///
/// Fails with [`Error::Invalid`] if the address may not be called, a type of event or a filter is unknown, a filter
/// fits none of the events, or the key has ten subscriptions already.
pub fn create(
    accounts: &Accounts,
    snapshot: &Snapshot,
    key: KeyId,
    wanted: NewWebhook,
    targets: Targets,
    now: DateTime<Utc>,
) -> Result<(Webhook, Secret)> {
    const COUNT: &str = "SELECT COUNT(*) FROM webhook WHERE key = ?1";
    const SQL: &str = "INSERT INTO webhook
            (id, key, url, secret, events, company, category, series, catalogue, since, created)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    let wanted = wanted.check(snapshot, targets)?;
    let (id, secret) = (WebhookId::generate()?, Secret::generate()?);
    let events = wanted.events.iter().copied().map(EventType::as_str).collect::<Vec<_>>().join(" ");
    let (catalogue, version) = (snapshot.catalogue_id()?, snapshot.version()?);
    let since = i64::try_from(version).unwrap_or(i64::MAX);
    let webhook = accounts.write(|tx| {
        let count: i64 = tx.prepare_cached(COUNT)?.query_row([key.get()], |row| row.get(0))?;
        if count >= MAX_A_KEY {
            let message = format!("a key has at most {MAX_A_KEY} webhooks; delete one first");
            return Err(Error::Invalid(message));
        }
        let company = wanted.company.map(CvmCode::get);
        tx.prepare_cached(SQL)?.execute(rusqlite::params![
            id.as_str(),
            key.get(),
            wanted.url.as_str(),
            secret.as_bytes(),
            events,
            company,
            wanted.category,
            wanted.series,
            catalogue,
            since,
            millis(now),
        ])?;
        // Nothing that comes after this may be taken for what was there when the log was first looked at.
        told::start(tx, &catalogue, version)?;
        Ok(get(tx, key, &id)?.1)
    })?;
    Ok((webhook, secret))
}

/// The subscriptions of a key, oldest first.
pub fn list(accounts: &Accounts, key: KeyId) -> Result<Vec<Webhook>> {
    const SQL: &str = concat!(select_webhook!(), "WHERE key = ?1 ORDER BY number");
    accounts.read(|connection| {
        let mut statement = connection.prepare_cached(SQL)?;
        let rows = statement.query_map([key.get()], read)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    })
}

/// One subscription of a key. Fails with [`Error::NotFound`] if the key has none with this id.
pub fn find(accounts: &Accounts, key: KeyId, id: &WebhookId) -> Result<Webhook> {
    accounts.read(|connection| Ok(get(connection, key, id)?.1))
}

/// Ends a subscription of a key; what waits for it is not sent any more. Fails with [`Error::NotFound`] if the key has
/// none with this id.
pub fn remove(accounts: &Accounts, key: KeyId, id: &WebhookId) -> Result<()> {
    accounts.write(|tx| {
        let (number, _) = get(tx, key, id)?;
        end(tx, number)
    })
}

/// The subscriptions of all keys that are not revoked, oldest first, for the operator.
pub fn all(accounts: &Accounts) -> Result<Vec<Owned>> {
    const SQL: &str = "SELECT webhook.id FROM webhook JOIN key ON key.id = webhook.key
        WHERE revoked IS NULL ORDER BY number";
    accounts.read(|connection| {
        let mut statement = connection.prepare_cached(SQL)?;
        let ids = statement.query_map([], |row| parsed(row, 0))?;
        ids.map(|id| owned(connection, &id?)).collect()
    })
}

/// Disables any subscription, for the operator; what waits for it fails. One that is disabled already keeps its
/// reason. Fails with [`Error::NotFound`] if there is none with this id.
pub fn disable(
    accounts: &Accounts,
    id: &WebhookId,
    reason: &str,
    now: DateTime<Utc>,
) -> Result<Owned> {
    accounts.write(|tx| {
        const SQL: &str = "SELECT number FROM webhook WHERE id = ?1";
        let number =
            tx.prepare_cached(SQL)?.query_row([id.as_str()], |row| row.get(0)).optional()?;
        let number = number.ok_or_else(|| Error::not_found(Noun::Webhook, id.as_str()))?;
        set_disabled(tx, number, reason, now)?;
        owned(tx, id)
    })
}

/// Disables a subscription. Its deliveries that wait count as failed from now on; sweeping writes that down.
pub(super) fn set_disabled(
    tx: &Transaction<'_>,
    number: i64,
    reason: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    const SQL: &str =
        "UPDATE webhook SET disabled = ?2, reason = ?3 WHERE number = ?1 AND disabled IS NULL";
    tx.prepare_cached(SQL)?.execute((number, millis(now), reason))?;
    Ok(())
}

/// Ends a subscription. There can be many deliveries, so sweeping removes them little by little.
pub(super) fn end(tx: &Transaction<'_>, number: i64) -> Result<()> {
    const ENDED: &str = "INSERT INTO ended (webhook) VALUES (?1)";
    const SQL: &str = "DELETE FROM webhook WHERE number = ?1";
    tx.prepare_cached(ENDED)?.execute([number])?;
    tx.prepare_cached(SQL)?.execute([number])?;
    Ok(())
}

/// A subscription of a key, and its number.
pub(super) fn get(connection: &Connection, key: KeyId, id: &WebhookId) -> Result<(i64, Webhook)> {
    const SQL: &str = concat!(select_webhook!(), "WHERE id = ?1 AND key = ?2");
    let mut statement = connection.prepare_cached(SQL)?;
    let found = statement
        .query_row((id.as_str(), key.get()), |row| Ok((row.get(10)?, read(row)?)))
        .optional()?;
    found.ok_or_else(|| Error::not_found(Noun::Webhook, id.as_str()))
}

fn owned(connection: &Connection, id: &WebhookId) -> Result<Owned> {
    const SQL: &str = "SELECT prefix,
            IIF(disabled IS NULL, (SELECT COUNT(*) FROM delivery WHERE webhook = number AND due IS NOT NULL), 0),
            key.id
        FROM webhook JOIN key ON key.id = webhook.key WHERE webhook.id = ?1";
    let (prefix, pending, key) =
        connection.prepare_cached(SQL)?.query_row([id.as_str()], |row| {
            Ok((parsed(row, 0)?, row.get::<_, i64>(1)?.unsigned_abs(), KeyId::new(row.get(2)?)))
        })?;
    Ok(Owned { key: prefix, webhook: get(connection, key, id)?.1, pending })
}

fn read(row: &Row<'_>) -> rusqlite::Result<Webhook> {
    let disabled = row.get::<_, Option<i64>>(8)?;
    Ok(Webhook {
        id: parsed(row, 0)?,
        url: row.get(1)?,
        events: row.get_ref(2)?.as_str()?.split_whitespace().map(str::to_owned).collect(),
        company: row.get::<_, Option<u32>>(3)?.map(|code| code.to_string()),
        category: row.get(4)?,
        series: row.get(5)?,
        status: if disabled.is_some() { "disabled" } else { "active" },
        reason: row.get(9)?,
        created_at: time(row.get(6)?),
        failing_since: row.get::<_, Option<i64>>(7)?.map(time),
        disabled_at: disabled.map(time),
    })
}
