//! Webhooks: signed HTTP calls when something is published. No socket is opened here.
//!
//! A subscription ([`create`]) says which [events](crate::events) it is for, and which address to call.
//! [`enqueue_events`] puts the events of new imports into an outbox in the accounts file. The program that makes the
//! calls reads [`due_webhooks`] and their [`due_calls`], and reports each call with [`record_outcomes`]; failed calls
//! are retried for three days. [`sweep`] deletes old deliveries. A receiver checks calls with [`verify`].
//!
//! Calls follow the Standard Webhooks scheme. Each event arrives at least once, always with the same id.
//!
//! ```
//! use std::collections::HashSet;
//! use fincore::{Accounts, Import, Plan, events::EventWindow, keys, webhooks::{self, CallOutcome, NewWebhook, Targets}};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
//! # let now = "2026-11-15T12:00:00Z".parse().unwrap();
//! # let today = "2026-11-15".parse()?;
//! let accounts = Accounts::open(dir.path().join("accounts.db"))?;
//! let who = keys::Registration { name: "Ana".parse()?, email: "ana@example.com".parse()? };
//! let key = keys::issue(&accounts, &who, Plan::Platinum, now)?;
//! let key = keys::id(&accounts, &key.prefix())?;
//!
//! let new = NewWebhook::new("https://example.com/hook", ["rate.published"]);
//! let snapshot = catalogue.snapshot(today)?;
//! let (webhook, secret) = webhooks::create(&accounts, &snapshot, key, new, Targets::Public, now)?;
//! println!("shown once: {}", secret.reveal());
//!
//! let mut import = Import::begin(&catalogue, now)?;
//! import.file("bcdata.sgs.433.json", br#"[{"data":"01/10/2026","valor":"-0.11"}]"#)?;
//! import.commit()?;
//!
//! while webhooks::enqueue_events(&accounts, &catalogue.snapshot(today)?, EventWindow::default(), now)?.more {}
//! let calls = webhooks::due_calls(&accounts, &webhook.id, now, 10, &HashSet::new())?;
//! assert_eq!(calls.len(), 1);
//! let outcome = CallOutcome {
//!     delivery: calls[0].delivery,
//!     webhook: webhook.id,
//!     token: calls[0].token,
//!     answer: Ok(204),
//!     time: now,
//!     jitter: 0.0,
//! };
//! webhooks::record_outcomes(&accounts, &[outcome])?;
//! assert!(webhooks::due_webhooks(&accounts, now)?.is_empty());
//! # Ok::<(), fincore::Error>(())
//! ```
use std::{fmt, str::FromStr};

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    accounts::{Accounts, Session, values},
    store::LogPosition,
    values::{Error, Result, Wanted, as_text, is_marked, random_with_mark, whole_number},
};

mod allowed_targets;
mod call_outcomes;
mod deliveries;
mod fan_out;
pub(crate) mod outbox;
pub(crate) mod signature;
pub(crate) mod subscription;

pub use allowed_targets::{Ports, Targets};
pub use call_outcomes::{CallOutcome, record_outcomes, set_aside, sweep};
pub use deliveries::{Deliveries, DeliveriesQuery, Delivery, list_deliveries, replay, send_test};
pub use fan_out::{Enqueued, enqueue_events};
pub use outbox::{AttemptToken, Call, DueWebhook, due_calls, due_webhooks};
pub use signature::{Secret, SignatureHeaders, verify};
pub use subscription::{
    NewWebhook, OwnedWebhook, Webhook, create, disable, find, list, list_all, remove,
};

const WEBHOOK: &str = "wh_";
const DELIVERY: &str = "dlv_";

/// 62^22 is about 2^131, too many to guess.
const CHARACTERS: usize = 22;

/// The id of a webhook: `wh_` and 22 random letters and digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WebhookId(String);

impl WebhookId {
    pub(crate) fn generate() -> Result<WebhookId> {
        random_with_mark(WEBHOOK, CHARACTERS).map(WebhookId)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for WebhookId {
    type Err = Error;

    fn from_str(text: &str) -> Result<WebhookId> {
        let id = is_marked(text, WEBHOOK, CHARACTERS).then(|| WebhookId(text.to_owned()));
        id.ok_or_else(|| Error::invalid(text, Wanted::WebhookId))
    }
}

impl fmt::Display for WebhookId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

as_text!(WebhookId);

/// The id of a delivery: `dlv_` and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeliveryId(i64);

impl DeliveryId {
    pub(crate) fn new(number: i64) -> DeliveryId {
        DeliveryId(number)
    }

    pub(crate) fn get(self) -> i64 {
        self.0
    }
}

impl FromStr for DeliveryId {
    type Err = Error;

    fn from_str(text: &str) -> Result<DeliveryId> {
        let number = text.strip_prefix(DELIVERY).and_then(whole_number).map(DeliveryId);
        let same = number.filter(|id| id.to_string() == text);
        same.ok_or_else(|| Error::invalid(text, Wanted::DeliveryId))
    }
}

impl fmt::Display for DeliveryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{DELIVERY}{}", self.0)
    }
}

as_text!(DeliveryId);

pub(crate) fn to_millis(time: DateTime<Utc>) -> i64 {
    time.timestamp_millis()
}

pub(crate) fn from_millis(millis: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(millis).unwrap_or_default()
}

/// After this time at an earlier version, a catalogue counts as restored from an older copy. A program with an old snapshot
/// sees an earlier version too, but only for a moment.
const ROLLBACK_AFTER: TimeDelta = TimeDelta::seconds(60);

#[derive(Clone, Debug)]
pub(crate) struct Progress {
    /// All changes before this position are in the outbox.
    pub(crate) position: LogPosition,
    /// Since when the catalogue is seen at an earlier version, and the end of that version.
    pub(crate) behind: Option<(DateTime<Utc>, LogPosition)>,
}

pub(crate) fn load(session: &dyn Session, catalogue: &str) -> Result<Option<Progress>> {
    const SQL: &str =
        "SELECT version, dataset, key, fallen, fallen_to FROM told WHERE catalogue = ?1";
    let Some(row) = session.first(SQL, values![catalogue])? else { return Ok(None) };
    let (since, to): (Option<i64>, Option<i64>) = (row.get(3)?, row.get(4)?);
    let position =
        |version: i64, dataset, key| LogPosition { version: version.unsigned_abs(), dataset, key };
    let to = to.map(|version| position(version, String::new(), String::new()));
    Ok(Some(Progress {
        position: position(row.get(0)?, row.get(1)?, row.get(2)?),
        behind: since.map(from_millis).zip(to),
    }))
}

/// Starts after all changes of this version, if there is no progress for the catalogue yet.
pub(crate) fn start(tx: &dyn Session, catalogue: &str, version: u64) -> Result<()> {
    const SQL: &str = "INSERT INTO told (catalogue, version, dataset, key) VALUES (?1, ?2, '', '')
        ON CONFLICT DO NOTHING";
    tx.execute(SQL, values![catalogue, LogPosition::after(version).sql_version()])?;
    Ok(())
}

/// Saves that all changes before a position are in the outbox.
pub(crate) fn save(tx: &dyn Session, catalogue: &str, position: &LogPosition) -> Result<()> {
    const SQL: &str = "UPDATE told
        SET version = ?2, dataset = ?3, key = ?4, fallen = NULL, fallen_to = NULL
        WHERE catalogue = ?1";
    let LogPosition { dataset, key, .. } = position;
    tx.execute(SQL, values![catalogue, position.sql_version(), dataset, key])?;
    Ok(())
}

/// Handles a catalogue whose log ends before the saved position: after a minute, the position moves back to where the
/// log ended when that was first seen. Returns whether it did.
pub(crate) fn handle_rollback(
    accounts: &Accounts,
    catalogue: &str,
    progress: Progress,
    newest: LogPosition,
    now: DateTime<Utc>,
) -> Result<bool> {
    const BEHIND: &str = "UPDATE told SET fallen = ?2, fallen_to = ?3 WHERE catalogue = ?1";
    const SINCE: &str = "UPDATE webhook SET since = ?2 WHERE catalogue = ?1 AND since > ?2";
    match progress.behind {
        Some((since, to)) if to <= newest && now - since < ROLLBACK_AFTER => Ok(false),
        Some((_, to)) if to <= newest => accounts.write(|tx| {
            if load(tx, catalogue)?.is_some_and(|now| now.position == progress.position) {
                // A webhook that was created at a later version gets the changes after the restored one.
                tx.execute(SINCE, values![catalogue, to.sql_version() - 1])?;
                save(tx, catalogue, &to)?;
            }
            Ok(true)
        }),
        Some(_) | None => accounts.write(|tx| {
            tx.execute(BEHIND, values![catalogue, to_millis(now), newest.sql_version()])?;
            Ok(false)
        }),
    }
}

/// Saves that the catalogue has reached the saved position again.
pub(crate) fn clear_rollback(tx: &dyn Session, catalogue: &str) -> Result<()> {
    const SQL: &str = "UPDATE told SET fallen = NULL, fallen_to = NULL WHERE catalogue = ?1";
    tx.execute(SQL, values![catalogue])?;
    Ok(())
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod ids_tests {
    use super::*;

    #[test]
    fn ids_read_what_they_write_and_nothing_else() {
        let id = WebhookId::generate().unwrap();
        assert_eq!(id.to_string().parse::<WebhookId>().unwrap(), id);
        for wrong in [
            "",
            "wh_",
            "wh_abc",
            &id.to_string()[3..],
            &format!("{id}0"),
            "wh_é12345678901234567890",
        ] {
            assert!(wrong.parse::<WebhookId>().is_err(), "{wrong}");
        }
        assert_eq!("dlv_12".parse::<DeliveryId>().unwrap(), DeliveryId(12));
        for wrong in ["", "12", "dlv_", "dlv_-1", "dlv_012", "dlv_+1", "dlv_99999999999999999999"] {
            assert!(wrong.parse::<DeliveryId>().is_err(), "{wrong}");
        }
    }
}
