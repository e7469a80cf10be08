//! Webhooks: signed HTTP calls when something is published. No socket is opened here.
//!
//! A subscription ([`create`]) says which [events](crate::events) are wanted, and where to call. [`tell`] puts what
//! imports publish into an outbox in the accounts file. A program that makes the calls asks which are [`due`] for
//! whom ([`waiting`]), and [`record`]s how they went; failed ones come up again for three days. [`sweep`] forgets
//! what is over. A receiver checks calls with [`verify`].
//!
//! Calls follow the Standard Webhooks scheme. Each event arrives at least once, always with the same id.
//!
//! ```
//! use std::collections::HashSet;
//! use fincore::{Accounts, Import, Plan, keys, webhooks::{self, NewWebhook, Outcome, Targets}};
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
//! let wanted = NewWebhook {
//!     url: "https://example.com/hook".into(),
//!     events: vec!["rate.published".into()],
//!     ..Default::default()
//! };
//! let snapshot = catalogue.snapshot(today)?;
//! let (webhook, secret) = webhooks::create(&accounts, &snapshot, key, wanted, Targets::Public, now)?;
//! println!("shown once: {}", secret.reveal());
//!
//! let mut import = Import::begin(&catalogue, now)?;
//! import.file("bcdata.sgs.433.json", br#"[{"data":"01/08/2026","valor":"-0.11"}]"#)?;
//! import.commit()?;
//!
//! while webhooks::tell(&accounts, &catalogue.snapshot(today)?, now)?.more {}
//! let calls = webhooks::due(&accounts, &webhook.id, now, 10, &HashSet::new())?;
//! assert_eq!(calls.len(), 1);
//! let outcome = Outcome {
//!     delivery: calls[0].delivery,
//!     webhook: webhook.id,
//!     turn: calls[0].turn,
//!     answer: Ok(204),
//!     time: now,
//!     jitter: 0.0,
//! };
//! webhooks::record(&accounts, &[outcome])?;
//! assert!(webhooks::waiting(&accounts, now)?.is_empty());
//! # Ok::<(), fincore::Error>(())
//! ```
use chrono::{DateTime, Utc};

mod deliveries;
mod fan_out;
mod ids;
mod outbox;
mod record;
mod schedule;
mod signature;
mod subscription;
mod sweep;
mod target;
mod told;
mod wanted;

pub use deliveries::{Deliveries, DeliveriesQuery, Delivery, deliveries, replay, test};
pub use fan_out::{Told, tell};
pub use ids::{DeliveryId, WebhookId};
pub use outbox::{Call, Turn, Waiting, due, waiting};
pub use record::{Outcome, record};
pub use signature::{Secret, Signed, verify};
pub use subscription::{Owned, Webhook, all, create, disable, find, list, remove};
pub use sweep::sweep;
pub use target::Targets;
pub use wanted::NewWebhook;

/// A time as it is stored.
fn millis(time: DateTime<Utc>) -> i64 {
    time.timestamp_millis()
}

/// A stored time.
fn time(millis: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(millis).unwrap_or_default()
}

#[cfg(test)]
#[cfg(feature = "import")]
mod tests;
