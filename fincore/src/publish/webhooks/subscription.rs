//! Subscriptions: create, list, find, remove, disable.
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::{
    accounts::{Accounts, Row, Session, values},
    companies::queries,
    market::whole_histories,
    publish::{
        EventType, WebhookId,
        webhooks::{
            self,
            allowed_targets::{Targets, shown},
            from_millis,
            signature::Secret,
            to_millis,
        },
    },
    store::Snapshot,
    values::{
        CvmCode, Error, KeyId, KeyPrefix, Resource, Result, SeriesId, WebhookFault, invalid,
        truncate,
    },
};

/// The most subscriptions of a key.
const MAX_A_KEY: i64 = 10;

/// A subscription.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Webhook {
    /// Its id.
    pub id: WebhookId,
    /// The address that it calls.
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
    /// The reason why it is disabled.
    pub reason: Option<String>,
    /// The time of its creation.
    pub created_at: DateTime<Utc>,
    /// The time since which every call has failed.
    pub failing_since: Option<DateTime<Utc>>,
    /// The time since which it has been disabled.
    pub disabled_at: Option<DateTime<Utc>>,
}

/// A subscription with its key, for the operator.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct OwnedWebhook {
    /// The key it belongs to.
    pub key: KeyPrefix,
    /// The subscription.
    #[serde(flatten)]
    pub webhook: Webhook,
    /// The number of pending deliveries.
    pub pending: u64,
}

/// Creates a webhook, which is called for events from now on. The secret cannot be shown again.
///
/// Fails with [`Error::Invalid`] if the address may not be called, a type of event or a filter is unknown, a filter
/// fits none of the events, or the key has ten subscriptions already.
pub fn create(
    accounts: &Accounts,
    snapshot: &Snapshot,
    key: KeyId,
    new: NewWebhook,
    targets: Targets,
    now: DateTime<Utc>,
) -> Result<(Webhook, Secret)> {
    const COUNT: &str = "SELECT COUNT(*) FROM webhook WHERE key = ?1";
    const SQL: &str = "INSERT INTO webhook
            (id, key, url, secret, events, company, category, series, catalogue, since, created)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    let new = new.check(snapshot, targets)?;
    let (id, secret) = (WebhookId::generate()?, Secret::generate()?);
    let events = new.events.iter().copied().map(EventType::as_str).collect::<Vec<_>>().join(" ");
    let (catalogue, version) = (snapshot.catalogue_id()?, snapshot.version()?);
    let since = i64::try_from(version).unwrap_or(i64::MAX);
    let webhook = accounts.write(|tx| {
        if tx.number(COUNT, values![key.get()])? >= MAX_A_KEY {
            return Err(WebhookFault::TooMany { most: MAX_A_KEY }.into());
        }
        let company = new.company.map(CvmCode::get);
        let row = values![
            id.as_str(),
            key.get(),
            new.url.as_str(),
            secret.as_bytes(),
            &events,
            company,
            new.category.as_ref(),
            new.series.as_ref(),
            &catalogue,
            since,
            to_millis(now),
        ];
        tx.execute(SQL, row)?;
        // Starts here, so that changes after this are not mistaken for data that was there before the first subscription.
        webhooks::start(tx, &catalogue, version)?;
        Ok(find_with_number(tx, key, &id)?.1)
    })?;
    Ok((webhook, secret))
}

/// The subscriptions of a key, oldest first.
pub fn list(accounts: &Accounts, key: KeyId) -> Result<Vec<Webhook>> {
    const SQL: &str =
        "SELECT id, url, events, company, category, series, created, failing, disabled, reason,
            number FROM webhook
        WHERE key = ?1 ORDER BY number";
    let rows = accounts.read(|session| session.query(SQL, values![key.get()]))?;
    rows.iter().map(read_webhook).collect()
}

/// One subscription of a key. Fails with [`Error::NotFound`] if the key has none with this id.
pub fn find(accounts: &Accounts, key: KeyId, id: &WebhookId) -> Result<Webhook> {
    accounts.read(|session| Ok(find_with_number(session, key, id)?.1))
}

/// Ends a subscription of a key; its pending deliveries are not sent any more. Fails with [`Error::NotFound`] if the key has
/// none with this id.
pub fn remove(accounts: &Accounts, key: KeyId, id: &WebhookId) -> Result<()> {
    accounts.write(|tx| {
        let (number, _) = find_with_number(tx, key, id)?;
        end(tx, number)
    })
}

/// The subscriptions of all keys that are not revoked, oldest first, for the operator.
pub fn list_all(accounts: &Accounts) -> Result<Vec<OwnedWebhook>> {
    const SQL: &str = "SELECT webhook.id, url, events, company, category, series, webhook.created,
            failing, disabled, reason, number, prefix, CASE WHEN disabled IS NULL THEN (SELECT COUNT(*)
                FROM delivery WHERE delivery.webhook = number AND due IS NOT NULL) ELSE 0 END
        FROM webhook JOIN key ON key.id = webhook.key WHERE revoked IS NULL ORDER BY number";
    let rows = accounts.read(|session| session.query(SQL, &[]))?;
    rows.iter().map(read_owned).collect()
}

/// Disables any subscription, for the operator; its pending deliveries fail. One that is disabled already keeps its
/// reason. Fails with [`Error::NotFound`] if there is none with this id.
pub fn disable(
    accounts: &Accounts,
    id: &WebhookId,
    reason: &str,
    now: DateTime<Utc>,
) -> Result<OwnedWebhook> {
    accounts.write(|tx| {
        const NUMBER: &str = "SELECT number FROM webhook WHERE id = ?1";
        const SQL: &str = "SELECT webhook.id, url, events, company, category, series, webhook.created,
                failing, disabled, reason, number, prefix, CASE WHEN disabled IS NULL THEN (SELECT COUNT(*)
                    FROM delivery WHERE delivery.webhook = number AND due IS NOT NULL) ELSE 0 END
            FROM webhook JOIN key ON key.id = webhook.key WHERE webhook.id = ?1";
        let missing = || Error::not_found(Resource::Webhook, id.as_str());
        let found = tx.first(NUMBER, values![id.as_str()])?.ok_or_else(missing)?;
        set_disabled(tx, found.get(0)?, reason, now)?;
        read_owned(&tx.first(SQL, values![id.as_str()])?.ok_or_else(missing)?)
    })
}

/// Disables a subscription. Its pending deliveries count as failed from now on; `sweep` marks them as such later.
pub(crate) fn set_disabled(
    tx: &dyn Session,
    number: i64,
    reason: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    const SQL: &str =
        "UPDATE webhook SET disabled = ?2, reason = ?3 WHERE number = ?1 AND disabled IS NULL";
    tx.execute(SQL, values![number, to_millis(now), reason])?;
    Ok(())
}

/// Ends a subscription. There can be many deliveries, so `sweep` deletes them little by little.
pub(crate) fn end(tx: &dyn Session, number: i64) -> Result<()> {
    const ENDED: &str = "INSERT INTO ended (webhook) VALUES (?1)";
    const SQL: &str = "DELETE FROM webhook WHERE number = ?1";
    tx.execute(ENDED, values![number])?;
    tx.execute(SQL, values![number])?;
    Ok(())
}

/// A subscription of a key, and its number.
pub(crate) fn find_with_number(
    session: &dyn Session,
    key: KeyId,
    id: &WebhookId,
) -> Result<(i64, Webhook)> {
    const SQL: &str =
        "SELECT id, url, events, company, category, series, created, failing, disabled, reason,
            number FROM webhook
        WHERE id = ?1 AND key = ?2";
    let found = session.first(SQL, values![id.as_str(), key.get()])?;
    let found = found.ok_or_else(|| Error::not_found(Resource::Webhook, id.as_str()))?;
    Ok((found.get(10)?, read_webhook(&found)?))
}

fn read_owned(row: &Row) -> Result<OwnedWebhook> {
    let pending = row.get::<i64>(12)?.unsigned_abs();
    Ok(OwnedWebhook { key: row.parse(11)?, webhook: read_webhook(row)?, pending })
}

fn read_webhook(row: &Row) -> Result<Webhook> {
    let disabled = row.get::<Option<i64>>(8)?;
    Ok(Webhook {
        id: row.parse(0)?,
        url: shown(row.text(1)?),
        events: row.text(2)?.split_whitespace().map(str::to_owned).collect(),
        company: row.get::<Option<u32>>(3)?.map(|code| code.to_string()),
        category: row.get(4)?,
        series: row.get(5)?,
        status: if disabled.is_some() { "disabled" } else { "active" },
        reason: row.get(9)?,
        created_at: from_millis(row.get(6)?),
        failing_since: row.get::<Option<i64>>(7)?.map(from_millis),
        disabled_at: disabled.map(from_millis),
    })
}

/// Longer than any category.
const MAX_CATEGORY: usize = 100;

/// A webhook to create.
///
/// A filter applies only to the types of events that have such a value; other events pass.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewWebhook {
    /// The address to call.
    pub url: String,
    /// The types of events.
    pub events: Vec<String>,
    /// Only events of this company: CVM code, CNPJ or ticker.
    #[serde(default)]
    pub company: Option<String>,
    /// Only filings of this category; case and accents are ignored.
    #[serde(default)]
    pub category: Option<String>,
    /// Only rates of this series, by number or name.
    #[serde(default)]
    pub series: Option<String>,
}

/// A webhook to create, after validation.
pub(crate) struct CheckedWebhook {
    pub(crate) url: Url,
    pub(crate) events: Vec<EventType>,
    pub(crate) company: Option<CvmCode>,
    pub(crate) category: Option<String>,
    pub(crate) series: Option<String>,
}

impl NewWebhook {
    /// A webhook that calls `url` for events of these types, without filters.
    #[must_use]
    pub fn new<T: Into<String>>(
        url: impl Into<String>,
        events: impl IntoIterator<Item = T>,
    ) -> NewWebhook {
        NewWebhook {
            url: url.into(),
            events: events.into_iter().map(Into::into).collect(),
            company: None,
            category: None,
            series: None,
        }
    }

    pub(crate) fn check(&self, snapshot: &Snapshot, targets: Targets) -> Result<CheckedWebhook> {
        let url = targets.parse(&self.url)?;
        let events = parse_types(&self.events)?;
        let has = |wanted: &[EventType]| events.iter().any(|kind| wanted.contains(kind));
        let no_such_type = |filter, about| Err(WebhookFault::IdleFilter { filter, about }.into());
        if self.company.is_some() && !events.iter().any(|kind| kind.has_company()) {
            return no_such_type(
                "company",
                "company.created, company.updated, filing.published, filing.withdrawn and statement.published",
            );
        }
        if self.category.is_some()
            && !has(&[EventType::FilingPublished, EventType::FilingWithdrawn])
        {
            return no_such_type("category", "filing.published and filing.withdrawn");
        }
        if self.series.is_some() && !has(&[EventType::RatePublished, EventType::SelicDecided]) {
            return no_such_type("series", "rate.published and selic.decided");
        }
        let company =
            self.company.as_deref().map(|text| find_company(snapshot, text)).transpose()?;
        let category = self.category.as_deref().map(check_category).transpose()?;
        let series = self.series.as_deref().map(|text| find_dataset(snapshot, text)).transpose()?;
        Ok(CheckedWebhook { url, events, company, category, series })
    }
}

fn parse_types(texts: &[String]) -> Result<Vec<EventType>> {
    if texts.is_empty() {
        return Err(WebhookFault::NoEvents.into());
    }
    let mut types = Vec::new();
    for text in texts {
        let kind: EventType = text.parse()?;
        if types.contains(&kind) {
            return Err(WebhookFault::EventTwice { event: kind.as_str() }.into());
        }
        types.push(kind);
    }
    Ok(types)
}

fn find_company(snapshot: &Snapshot, text: &str) -> Result<CvmCode> {
    text.parse()
        .ok()
        .map(|company| queries::resolve(snapshot, &company))
        .transpose()?
        .flatten()
        .ok_or_else(|| Error::invalid(text, invalid::Wanted::KnownCompany))
}

fn check_category(text: &str) -> Result<String> {
    let fits = (1..=MAX_CATEGORY).contains(&text.chars().count())
        && !text.trim().is_empty()
        && !text.contains(char::is_control);
    let wanted = invalid::Wanted::Category { most: MAX_CATEGORY };
    if fits { Ok(text.to_owned()) } else { Err(Error::invalid(text, wanted)) }
}

/// The dataset of a series.
fn find_dataset(snapshot: &Snapshot, text: &str) -> Result<String> {
    let id: SeriesId = text.parse()?;
    let unknown = || Error::invalid(text, invalid::Wanted::KnownSeries);
    let dataset = whole_histories::dataset_name(snapshot, &id)?.ok_or_else(unknown)?;
    if whole_histories::find(&dataset).is_none() {
        let series = truncate(text).into_owned();
        return Err(WebhookFault::SideOfExchangeRate { series }.into());
    }
    Ok(dataset)
}
