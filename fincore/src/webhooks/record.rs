//! What became of calls: success, the next attempt, a subscription that ends or is disabled.
use chrono::{DateTime, TimeDelta, Utc};

use super::{DeliveryId, Turn, WebhookId, millis, schedule, subscription, time};
use crate::{
    accounts::{Accounts, Session, values},
    error::Result,
    excerpt::printable,
};

/// After so long without a single success, a webhook is disabled.
const PATIENCE: TimeDelta = TimeDelta::days(5);

/// The receiver wants no more calls: HTTP says "gone".
const GONE: u16 = 410;

/// As much of an error as is kept.
const MAX_ERROR: usize = 300;

/// How a call went.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The delivery.
    pub delivery: DeliveryId,
    /// The webhook.
    pub webhook: WebhookId,
    /// The turn of the delivery that the call was.
    pub turn: Turn,
    /// The HTTP status of the answer, or what went wrong.
    pub answer: std::result::Result<u16, String>,
    /// When that was.
    pub time: DateTime<Utc>,
    /// From -1 to 1: where in its tolerance the next attempt falls.
    pub jitter: f64,
}

/// Notes how calls went, in one transaction: success, the next attempt, a subscription that ends or is disabled.
///
/// An outcome of a delivery or webhook that is gone by now is ignored, and so is one of a delivery that was replayed
/// meanwhile.
pub fn record(accounts: &Accounts, outcomes: &[Outcome]) -> Result<()> {
    if outcomes.is_empty() {
        return Ok(());
    }
    accounts.write(|tx| outcomes.iter().try_for_each(|outcome| note(tx, outcome)))
}

/// What is known of a delivery and its webhook.
struct Known {
    webhook: i64,
    attempts: u32,
    failing: Option<DateTime<Utc>>,
    disabled: bool,
}

fn note(tx: &dyn Session, outcome: &Outcome) -> Result<()> {
    const SQL: &str = "SELECT number, attempts, failing, disabled IS NOT NULL FROM delivery
        JOIN webhook ON webhook.number = delivery.webhook
        WHERE delivery.id = ?1 AND webhook.id = ?2 AND COALESCE(due, ?3) = ?3";
    let Outcome { delivery, webhook, turn, .. } = outcome;
    let found = tx.first(SQL, values![delivery.get(), webhook.as_str(), turn.0])?;
    let Some(row) = found else { return Ok(()) };
    let known = Known {
        webhook: row.get(0)?,
        attempts: row.get(1)?,
        failing: row.get::<Option<i64>>(2)?.map(time),
        disabled: row.get(3)?,
    };
    match &outcome.answer {
        Ok(status @ 200..=299) => succeed(tx, &known, outcome, *status),
        Ok(GONE) => subscription::end(tx, known.webhook),
        Ok(status @ 300..=399) => {
            let error = format!("HTTP {status}: redirects are not followed");
            fail(tx, &known, outcome, (Some(*status), &error))
        }
        Ok(status) => fail(tx, &known, outcome, (Some(*status), &format!("HTTP {status}"))),
        Err(error) => {
            let error: String = printable(error).chars().take(MAX_ERROR).collect();
            fail(tx, &known, outcome, (None, &error))
        }
    }
}

fn succeed(tx: &dyn Session, known: &Known, outcome: &Outcome, status: u16) -> Result<()> {
    const DELIVERY: &str =
        "UPDATE delivery SET attempts = ?2, due = NULL, attempted = ?3, status = ?4,
            error = NULL, delivered = ?3
        WHERE id = ?1";
    const WEBHOOK: &str = "UPDATE webhook SET failing = NULL WHERE number = ?1";
    let now = millis(outcome.time);
    tx.execute(DELIVERY, values![outcome.delivery.get(), known.attempts + 1, now, status])?;
    if known.failing.is_some() {
        tx.execute(WEBHOOK, values![known.webhook])?;
    }
    Ok(())
}

fn fail(
    tx: &dyn Session,
    known: &Known,
    outcome: &Outcome,
    (status, error): (Option<u16>, &str),
) -> Result<()> {
    const DELIVERY: &str =
        "UPDATE delivery SET attempts = ?2, due = ?3, attempted = ?4, status = ?5,
            error = ?6
        WHERE id = ?1 AND delivered IS NULL";
    const WEBHOOK: &str = "UPDATE webhook SET failing = ?2 WHERE number = ?1";
    let (attempts, now) = (known.attempts + 1, outcome.time);
    let goes_on = known.attempts > 0 || is_retried(tx, known.webhook, now)?;
    let since = known.failing.filter(|_| goes_on);
    let next = schedule::delay(attempts, outcome.jitter).filter(|_| !known.disabled);
    let due = next.map(|delay| millis(now + delay));
    let delivery = outcome.delivery.get();
    tx.execute(DELIVERY, values![delivery, attempts, due, millis(now), status, error])?;
    let Some(since) = since else {
        tx.execute(WEBHOOK, values![known.webhook, millis(now)])?;
        return Ok(());
    };
    if now - since < PATIENCE {
        return Ok(());
    }
    let since = since.format("%Y-%m-%d %H:%M");
    let reason =
        format!("every call failed since {since} UTC, for five days; the last one: {error}");
    subscription::set_disabled(tx, known.webhook, &reason, now)
}

/// Whether calls that failed wait for another attempt. If none does, the failures before are over, and a new one begins
/// a new series: a receiver that is seldom called is not disabled by the first bad moment after a long time.
fn is_retried(tx: &dyn Session, webhook: i64, now: DateTime<Utc>) -> Result<bool> {
    const SQL: &str = "SELECT 1 FROM delivery WHERE webhook = ?1 AND due > ?2 LIMIT 1";
    Ok(tx.first(SQL, values![webhook, millis(now)])?.is_some())
}
