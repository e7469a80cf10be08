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
mod allowed_targets;
mod call_outcomes;
mod deliveries;
mod fan_out;
mod ids;
mod new_webhook;
mod outbox;
mod progress;
mod retention;
mod retry_schedule;
mod signature;
mod stored_time;
mod subscription;

pub use allowed_targets::{Ports, Targets};
pub use call_outcomes::{CallOutcome, record_outcomes, set_aside};
pub use deliveries::{Deliveries, DeliveriesQuery, Delivery, list_deliveries, replay, send_test};
pub use fan_out::{Enqueued, enqueue_events};
pub use ids::{DeliveryId, WebhookId};
pub use new_webhook::NewWebhook;
pub use outbox::{AttemptToken, Call, DueWebhook, due_calls, due_webhooks};
pub use retention::sweep;
pub use signature::{Secret, SignatureHeaders, verify};
pub use subscription::{OwnedWebhook, Webhook, create, disable, find, list, list_all, remove};

#[cfg(test)]
#[cfg(feature = "import")]
mod tests;
