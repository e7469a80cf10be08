//! Forgets what is over, in steps of bounded size.
use chrono::{DateTime, TimeDelta, Utc};

use super::{millis, subscription};
use crate::{
    accounts::{Accounts, Session, values},
    error::Result,
};

/// How long deliveries are kept.
const KEEP: TimeDelta = TimeDelta::days(30);

/// The most rows that a step changes, so that others can write soon.
const ROWS: usize = 1_000;

/// Forgets deliveries after 30 days, and ends the subscriptions of revoked keys. A step of bounded size; `true` if
/// there is more to do.
///
/// Deliveries that wait are never forgotten, except with their webhook.
pub fn sweep(accounts: &Accounts, now: DateTime<Utc>) -> Result<bool> {
    let before = millis(now - KEEP);
    accounts.write(|tx| {
        let mut left = ROWS;
        left -= end_revoked(tx, left)?;
        left -= forget_ended(tx, left)?;
        left -= give_up_disabled(tx, left)?;
        left -= forget_deliveries(tx, before, left)?;
        left -= forget_events(tx, before, left)?;
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

/// Removes the deliveries of webhooks that are gone.
fn forget_ended(tx: &dyn Session, limit: usize) -> Result<usize> {
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

/// Writes down that what waits for a disabled webhook has failed.
fn give_up_disabled(tx: &dyn Session, limit: usize) -> Result<usize> {
    const SQL: &str = "UPDATE delivery
        SET due = NULL,
            error = COALESCE(error, (SELECT reason FROM webhook WHERE number = delivery.webhook))
        WHERE id IN (SELECT id FROM delivery
            WHERE webhook IN (SELECT number FROM webhook WHERE disabled IS NOT NULL) AND due IS NOT NULL
            LIMIT ?1)";
    tx.execute(SQL, values![limit])
}

fn forget_deliveries(tx: &dyn Session, before: i64, limit: usize) -> Result<usize> {
    const SQL: &str = "DELETE FROM delivery WHERE id IN (
        SELECT id FROM delivery WHERE due IS NULL AND created < ?1 ORDER BY created LIMIT ?2)";
    tx.execute(SQL, values![before, limit])
}

/// Removes events that no delivery needs any more.
fn forget_events(tx: &dyn Session, before: i64, limit: usize) -> Result<usize> {
    const SQL: &str = "DELETE FROM event WHERE number IN (
        SELECT number FROM event WHERE time < ?1
            AND NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.event = event.number)
        ORDER BY time LIMIT ?2)";
    tx.execute(SQL, values![before, limit])
}
