//! Webhooks: subscriptions, the outbox, signatures. No socket is opened here.
use std::{collections::HashSet, fmt, net::IpAddr, str::FromStr};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    accounts::Accounts,
    catalogue::Snapshot,
    error::{Error, Result},
    types::{KeyId, KeyPrefix, Limit, Offset},
};

/// What somebody who wants to be called says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewWebhook {
    /// Where to call.
    pub url: String,
    /// The types of events.
    pub events: Vec<String>,
    /// Only events of this company: CVM code, CNPJ or ticker.
    #[serde(default)]
    pub company: Option<String>,
    /// Only filings of this category.
    #[serde(default)]
    pub category: Option<String>,
    /// Only rates of this series, by number or name.
    #[serde(default)]
    pub series: Option<String>,
}

/// Which addresses may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Targets {
    /// Only `https`, and only public addresses.
    Public,
    /// Also `http`, and any address: for tests and intranets.
    Any,
}

impl Targets {
    /// Whether this address may be called.
    #[must_use]
    pub fn allow(self, _address: IpAddr) -> bool {
        unimplemented!()
    }
}

/// The id of a webhook.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WebhookId(String);

impl FromStr for WebhookId {
    type Err = Error;

    fn from_str(_text: &str) -> Result<WebhookId> {
        unimplemented!()
    }
}

impl fmt::Display for WebhookId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Serialize for WebhookId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for WebhookId {
    fn deserialize<D: serde::Deserializer<'de>>(_deserializer: D) -> Result<WebhookId, D::Error> {
        unimplemented!()
    }
}

/// The id of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeliveryId(i64);

impl FromStr for DeliveryId {
    type Err = Error;

    fn from_str(_text: &str) -> Result<DeliveryId> {
        unimplemented!()
    }
}

impl fmt::Display for DeliveryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "dlv_{}", self.0)
    }
}

impl Serialize for DeliveryId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for DeliveryId {
    fn deserialize<D: serde::Deserializer<'de>>(_deserializer: D) -> Result<DeliveryId, D::Error> {
        unimplemented!()
    }
}

/// The key that signs calls. It is secret: `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// The secret as its holder sees it, once: `whsec_…`.
    #[must_use]
    pub fn reveal(&self) -> String {
        unimplemented!()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
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
    /// How often it was tried, since it was created or replayed.
    pub attempts: u32,
    /// The HTTP status that the last try got.
    pub response_status: Option<u16>,
    /// What went wrong at the last try.
    pub error: Option<String>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last tried.
    pub attempted_at: Option<DateTime<Utc>>,
    /// When it is tried next.
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

/// Deliveries of a webhook.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Deliveries {
    /// The deliveries, newest first.
    pub data: Vec<Delivery>,
    /// How many there are.
    pub total: u64,
    /// The most that are returned.
    pub limit: u32,
    /// The number before these.
    pub offset: u64,
}

/// Subscribes. The secret cannot be shown again.
pub fn create(
    _accounts: &Accounts,
    _snapshot: &Snapshot,
    _key: KeyId,
    _wanted: NewWebhook,
    _targets: Targets,
    _now: DateTime<Utc>,
) -> Result<(Webhook, Secret)> {
    unimplemented!()
}

/// The subscriptions of a key, oldest first.
pub fn list(_accounts: &Accounts, _key: KeyId) -> Result<Vec<Webhook>> {
    unimplemented!()
}

/// One subscription of a key.
pub fn find(_accounts: &Accounts, _key: KeyId, _id: &WebhookId) -> Result<Webhook> {
    unimplemented!()
}

/// Ends a subscription of a key.
pub fn remove(_accounts: &Accounts, _key: KeyId, _id: &WebhookId) -> Result<()> {
    unimplemented!()
}

/// Puts a `webhook.test` into the outbox.
pub fn test(
    _accounts: &Accounts,
    _key: KeyId,
    _id: &WebhookId,
    _now: DateTime<Utc>,
) -> Result<Delivery> {
    unimplemented!()
}

/// The deliveries of a webhook of a key.
pub fn deliveries(
    _accounts: &Accounts,
    _key: KeyId,
    _query: &DeliveriesQuery,
) -> Result<Deliveries> {
    unimplemented!()
}

/// Makes a delivery anew, with the same event id.
pub fn replay(
    _accounts: &Accounts,
    _key: KeyId,
    _id: &WebhookId,
    _delivery: DeliveryId,
    _now: DateTime<Utc>,
) -> Result<Delivery> {
    unimplemented!()
}

/// The subscriptions of all keys, for the operator.
pub fn all(_accounts: &Accounts) -> Result<Vec<Owned>> {
    unimplemented!()
}

/// Disables any subscription, for the operator.
pub fn disable(
    _accounts: &Accounts,
    _id: &WebhookId,
    _reason: &str,
    _now: DateTime<Utc>,
) -> Result<Owned> {
    unimplemented!()
}

/// What one step of [`tell`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Told {
    /// How many deliveries it put into the outbox.
    pub deliveries: u64,
    /// Whether there is more to do at once.
    pub more: bool,
}

/// Reads the change log from where it left off, and puts what subscriptions want into the outbox: one step of bounded
/// size, in one transaction.
pub fn tell(_accounts: &Accounts, _snapshot: &Snapshot, _now: DateTime<Utc>) -> Result<Told> {
    unimplemented!()
}

/// A webhook that has deliveries due.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Waiting {
    /// The webhook.
    pub webhook: WebhookId,
    /// The host that it calls, with its port: `example.com:443`.
    pub host: String,
}

/// The webhooks that have deliveries due, and may be called: active, of a valid key whose plan includes webhooks.
pub fn waiting(_accounts: &Accounts, _now: DateTime<Utc>) -> Result<Vec<Waiting>> {
    unimplemented!()
}

/// A call to make now.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Call {
    /// The delivery.
    pub delivery: DeliveryId,
    /// The webhook.
    pub webhook: WebhookId,
    /// Where to call.
    pub url: String,
    /// The body.
    pub body: String,
    /// The id of the event.
    pub event: String,
    /// The key that signs.
    pub secret: Secret,
}

impl Call {
    /// The headers of the scheme: id, timestamp, signature.
    #[must_use]
    pub fn headers(&self, _now: DateTime<Utc>) -> [(&'static str, String); 3] {
        unimplemented!()
    }
}

/// Up to `limit` calls of a webhook that are due and not under way, the oldest first; nothing if it may not be called.
pub fn due(
    _accounts: &Accounts,
    _webhook: &WebhookId,
    _now: DateTime<Utc>,
    _limit: usize,
    _under_way: &HashSet<DeliveryId>,
) -> Result<Vec<Call>> {
    unimplemented!()
}

/// How a call went.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The delivery.
    pub delivery: DeliveryId,
    /// The webhook.
    pub webhook: WebhookId,
    /// The HTTP status of the answer, or what went wrong.
    pub answer: std::result::Result<u16, String>,
    /// When that was.
    pub time: DateTime<Utc>,
    /// From -1 to 1: where in its tolerance of 10 % the next attempt falls.
    pub jitter: f64,
}

/// Notes how calls went, in one transaction: success, the next attempt, a subscription that ends or is disabled.
pub fn record(_accounts: &Accounts, _outcomes: &[Outcome]) -> Result<()> {
    unimplemented!()
}

/// Forgets deliveries after 30 days, and ends the subscriptions of revoked keys. A step of bounded size; `true` if
/// there is more to do.
pub fn sweep(_accounts: &Accounts, _now: DateTime<Utc>) -> Result<bool> {
    unimplemented!()
}
