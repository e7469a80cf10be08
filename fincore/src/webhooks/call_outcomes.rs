//! Records the outcomes of calls: success, the next attempt, or a subscription that ends or is disabled.
use chrono::{DateTime, TimeDelta, Utc};

use super::{
    ids::{DeliveryId, WebhookId},
    outbox::AttemptToken,
    retry_schedule,
    stored_time::{from_millis, to_millis},
    subscription,
};
use crate::{
    accounts::{Accounts, Session, values},
    error::{Error, Result},
    truncate::printable,
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
            fail(tx, &state, outcome, (Some(*status), &error))
        }
        Ok(status) => fail(tx, &state, outcome, (Some(*status), &format!("HTTP {status}"))),
        Err(error) => {
            let error: String = printable(error).chars().take(MAX_ERROR).collect();
            fail(tx, &state, outcome, (None, &error))
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
    (status, error): (Option<u16>, &str),
) -> Result<()> {
    const DELIVERY: &str =
        "UPDATE delivery SET attempts = ?2, due = ?3, attempted = ?4, status = ?5,
            error = ?6
        WHERE id = ?1 AND delivered IS NULL";
    const WEBHOOK: &str = "UPDATE webhook SET failing = ?2 WHERE number = ?1";
    let (attempts, now) = (state.attempts + 1, outcome.time);
    let continues = state.attempts > 0 || has_pending_retry(tx, state.webhook, now)?;
    let since = state.failing.filter(|_| continues);
    let next = retry_schedule::retry_delay(attempts, outcome.jitter).filter(|_| !state.disabled);
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
