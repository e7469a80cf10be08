//! Records the outcomes of calls: success, the next attempt, or a subscription that ends or is disabled; and deletes
//! old ones.
use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    accounts::{Accounts, Session, values},
    publish::{
        DeliveryId, WebhookId,
        webhooks::{from_millis, outbox::AttemptToken, subscription, to_millis},
    },
    values::{Error, Result, printable},
};

/// After this time without a single success, a webhook is disabled.
const DISABLE_AFTER: TimeDelta = TimeDelta::days(5);

/// With the status "gone", a receiver ends the subscription.
const GONE: u16 = 410;

/// The most characters of an error that are stored.
const MAX_ERROR: usize = 300;

/// The outcome of a call.
#[derive(Clone, Debug)]
pub struct CallOutcome {
    /// The delivery.
    pub delivery: DeliveryId,
    /// The webhook.
    pub webhook: WebhookId,
    /// The token of the call.
    pub token: AttemptToken,
    /// The HTTP status of the answer, or what went wrong.
    pub answer: std::result::Result<u16, String>,
    /// The time at which the call ended.
    pub time: DateTime<Utc>,
    /// From -1 to 1: how much earlier or later than scheduled the next attempt is, as a part of the tolerance.
    pub jitter: f64,
}

/// Records the outcomes of calls in one transaction: success, the next attempt, or a subscription that ends or is disabled.
///
/// The outcome is ignored if the delivery or the webhook was removed meanwhile, or the delivery was replayed.
pub fn record_outcomes(accounts: &Accounts, outcomes: &[CallOutcome]) -> Result<()> {
    if outcomes.is_empty() {
        return Ok(());
    }
    accounts.write(|tx| outcomes.iter().try_for_each(|outcome| record_one(tx, outcome)))
}

/// Sets a delivery aside whose outcome cannot be recorded: it counts as failed, and is not called again until it is
/// replayed. Returns `false` if not even that can be stored; then the program must not call it again.
///
/// Fails if the accounts as a whole cannot be used, so that the outcome can be recorded later.
pub fn set_aside(accounts: &Accounts, outcome: &CallOutcome) -> Result<bool> {
    const SQL: &str = "UPDATE delivery SET due = NULL, attempted = ?2, error = ?3
        WHERE id = ?1 AND delivered IS NULL";
    const ERROR: &str = "the outcome of the last call could not be recorded";
    let marked = accounts.write(|tx| {
        tx.execute(SQL, values![outcome.delivery.get(), to_millis(outcome.time), ERROR])
    });
    match marked {
        Ok(_) => Ok(true),
        Err(err @ Error::Busy(_)) => Err(err),
        Err(_) => accounts.verify().map(|()| false),
    }
}

/// The state of a delivery and its webhook before the call ended.
struct DeliveryState {
    webhook: i64,
    attempts: u32,
    failing: Option<DateTime<Utc>>,
    disabled: bool,
}

fn record_one(tx: &dyn Session, outcome: &CallOutcome) -> Result<()> {
    const SQL: &str = "SELECT number, attempts, failing, disabled IS NOT NULL FROM delivery
        JOIN webhook ON webhook.number = delivery.webhook
        WHERE delivery.id = ?1 AND webhook.id = ?2 AND COALESCE(due, ?3) = ?3";
    let CallOutcome { delivery, webhook, token, .. } = outcome;
    let found = tx.first(SQL, values![delivery.get(), webhook.as_str(), token.0])?;
    let Some(row) = found else { return Ok(()) };
    let state = DeliveryState {
        webhook: row.get(0)?,
        attempts: row.get(1)?,
        failing: row.get::<Option<i64>>(2)?.map(from_millis),
        disabled: row.get(3)?,
    };
    match &outcome.answer {
        Ok(status @ 200..=299) => succeed(tx, &state, outcome, *status),
        Ok(GONE) => subscription::end(tx, state.webhook),
        Ok(status @ 300..=399) => {
            let error = format!("HTTP {status}: redirects are not followed");
            fail(tx, &state, outcome, Some(*status), &error)
        }
        Ok(status) => fail(tx, &state, outcome, Some(*status), &format!("HTTP {status}")),
        Err(error) => {
            let error: String = printable(error).chars().take(MAX_ERROR).collect();
            fail(tx, &state, outcome, None, &error)
        }
    }
}

fn succeed(
    tx: &dyn Session,
    state: &DeliveryState,
    outcome: &CallOutcome,
    status: u16,
) -> Result<()> {
    const DELIVERY: &str =
        "UPDATE delivery SET attempts = ?2, due = NULL, attempted = ?3, status = ?4,
            error = NULL, delivered = ?3
        WHERE id = ?1";
    const WEBHOOK: &str = "UPDATE webhook SET failing = NULL WHERE number = ?1";
    let now = to_millis(outcome.time);
    tx.execute(DELIVERY, values![outcome.delivery.get(), state.attempts + 1, now, status])?;
    if state.failing.is_some() {
        tx.execute(WEBHOOK, values![state.webhook])?;
    }
    Ok(())
}

fn fail(
    tx: &dyn Session,
    state: &DeliveryState,
    outcome: &CallOutcome,
    status: Option<u16>,
    error: &str,
) -> Result<()> {
    const DELIVERY: &str =
        "UPDATE delivery SET attempts = ?2, due = ?3, attempted = ?4, status = ?5,
            error = ?6
        WHERE id = ?1 AND delivered IS NULL";
    const WEBHOOK: &str = "UPDATE webhook SET failing = ?2 WHERE number = ?1";
    let (attempts, now) = (state.attempts + 1, outcome.time);
    let continues = state.attempts > 0 || has_pending_retry(tx, state.webhook, now)?;
    let since = state.failing.filter(|_| continues);
    let next = retry_delay(attempts, outcome.jitter).filter(|_| !state.disabled);
    let due = next.map(|delay| to_millis(now + delay));
    let delivery = outcome.delivery.get();
    tx.execute(DELIVERY, values![delivery, attempts, due, to_millis(now), status, error])?;
    let Some(since) = since else {
        tx.execute(WEBHOOK, values![state.webhook, to_millis(now)])?;
        return Ok(());
    };
    if now - since < DISABLE_AFTER {
        return Ok(());
    }
    let since = since.format("%Y-%m-%d %H:%M");
    let reason =
        format!("every call failed since {since} UTC, for five days; the last one: {error}");
    subscription::set_disabled(tx, state.webhook, &reason, now)
}

/// If no failed call waits for another attempt, this failure starts a new series: a receiver that is
/// seldom called is not disabled by its first failure after a long time.
fn has_pending_retry(tx: &dyn Session, webhook: i64, now: DateTime<Utc>) -> Result<bool> {
    const SQL: &str = "SELECT 1 FROM delivery WHERE webhook = ?1 AND due > ?2 LIMIT 1";
    Ok(tx.first(SQL, values![webhook, to_millis(now)])?.is_some())
}

/// The time after each failed attempt, in seconds. The attempt after the last of them is the last.
const DELAYS: [i32; 9] =
    [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600];

/// The largest part of the time that jitter adds or takes, so that calls that failed together are not retried together.
/// 10 % is documented, and a call also starts some moments after it is due.
const TOLERANCE: f64 = 0.07;

/// The wait after this number of failed attempts; `None` after the last one. `jitter` is from -1 to 1.
fn retry_delay(failed: u32, jitter: f64) -> Option<TimeDelta> {
    let seconds = DELAYS.get((failed as usize).checked_sub(1)?)?;
    let jitter = if jitter.is_nan() { 0.0 } else { jitter.clamp(-1.0, 1.0) };
    let milliseconds = f64::from(*seconds) * 1000.0 * (1.0 + TOLERANCE * jitter);
    #[expect(clippy::cast_possible_truncation, reason = "at most 26.4 hours")]
    Some(TimeDelta::milliseconds(milliseconds.round() as i64))
}

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

#[cfg(test)]
mod retry_schedule_tests {
    use super::*;

    #[test]
    fn there_are_ten_attempts_each_later_than_the_one_before() {
        let seconds = |jitter| -> Vec<i64> {
            (1..)
                .map_while(|failed| retry_delay(failed, jitter))
                .map(|time| time.num_seconds())
                .collect()
        };
        let exact = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
        assert_eq!(seconds(0.0), exact);
        assert_eq!(seconds(f64::NAN), exact);
        for (jitter, share) in [(1.0, 107), (-1.0, 93), (7.0, 107)] {
            assert_eq!(seconds(jitter), exact.map(|time| time * share / 100), "{jitter}");
        }
        assert_eq!(retry_delay(0, 0.0), None);
    }
}
