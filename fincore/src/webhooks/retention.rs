//! Deletes old deliveries and events, and the subscriptions of revoked keys, in transactions of bounded size.
use chrono::{DateTime, TimeDelta, Utc};

use super::{stored_time::to_millis, subscription};
use crate::{
    accounts::{Accounts, Session, values},
    error::Result,
};

const KEEP: TimeDelta = TimeDelta::days(30);

/// The most rows that one transaction changes, so that other writers do not wait long.
const ROWS: usize = 1_000;

/// Deletes deliveries after 30 days, and ends the subscriptions of revoked keys. One call does a bounded part of it, and
/// returns `true` if there is more to do.
///
/// Pending deliveries are never deleted, except with their webhook.
pub fn sweep(accounts: &Accounts, now: DateTime<Utc>) -> Result<bool> {
    let before = to_millis(now - KEEP);
    accounts.write(|tx| {
        let mut left = ROWS;
        left -= end_revoked(tx, left)?;
        left -= delete_ended(tx, left)?;
        left -= fail_disabled(tx, left)?;
        left -= delete_deliveries(tx, before, left)?;
        left -= delete_events(tx, before, left)?;
        Ok(left == 0)
    })
}

/// Ends the subscriptions of revoked keys.
fn end_revoked(tx: &dyn Session, limit: usize) -> Result<usize> {
    const SQL: &str = "SELECT number FROM key JOIN webhook ON webhook.key = key.id
        WHERE revoked IS NOT NULL LIMIT ?1";
    let rows = tx.query(SQL, values![limit])?;
    rows.iter().try_for_each(|row| subscription::end(tx, row.get(0)?))?;
    Ok(rows.len())
}

/// Deletes the deliveries of webhooks that were removed.
fn delete_ended(tx: &dyn Session, limit: usize) -> Result<usize> {
    const ENDED: &str = "SELECT webhook FROM ended LIMIT 1";
    const SQL: &str = "DELETE FROM delivery
        WHERE id IN (SELECT id FROM delivery WHERE webhook = ?1 LIMIT ?2)";
    const DONE: &str = "DELETE FROM ended WHERE webhook = ?1";
    let mut removed = 0;
    while removed < limit {
        let Some(ended) = tx.first(ENDED, &[])? else { break };
        let webhook: i64 = ended.get(0)?;
        removed += tx.execute(SQL, values![webhook, limit - removed])?;
        if removed < limit {
            // Counts as a row too: very many webhooks without deliveries may have ended.
            removed += tx.execute(DONE, values![webhook])?;
        }
    }
    Ok(removed)
}

/// Marks the pending deliveries of disabled webhooks as failed.
fn fail_disabled(tx: &dyn Session, limit: usize) -> Result<usize> {
    const SQL: &str = "UPDATE delivery
        SET due = NULL,
            error = COALESCE(error, (SELECT reason FROM webhook WHERE number = delivery.webhook))
        WHERE id IN (SELECT id FROM delivery
            WHERE webhook IN (SELECT number FROM webhook WHERE disabled IS NOT NULL) AND due IS NOT NULL
            LIMIT ?1)";
    tx.execute(SQL, values![limit])
}

fn delete_deliveries(tx: &dyn Session, before: i64, limit: usize) -> Result<usize> {
    const SQL: &str = "DELETE FROM delivery WHERE id IN (
        SELECT id FROM delivery WHERE due IS NULL AND created < ?1 ORDER BY created LIMIT ?2)";
    tx.execute(SQL, values![before, limit])
}

/// Deletes events that no delivery refers to any more.
fn delete_events(tx: &dyn Session, before: i64, limit: usize) -> Result<usize> {
    const SQL: &str = "DELETE FROM event WHERE number IN (
        SELECT number FROM event WHERE time < ?1
            AND NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.event = event.number)
        ORDER BY time LIMIT ?2)";
    tx.execute(SQL, values![before, limit])
}
