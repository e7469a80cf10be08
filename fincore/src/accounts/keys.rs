//! API keys: issue, authenticate, move to another plan, exchange, revoke.
//!
//! A [`Key`] is visible once, when it is issued; the accounts file stores only its hash. A
//! [`Registration`] says who it is for, a [`KeyRecord`] is what the file knows about it, and a
//! [`KeyPrefix`] identifies it afterwards.
//!
//! ```
//! use fincore::{Accounts, Plan, keys};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let now = chrono::DateTime::UNIX_EPOCH;
//! let accounts = Accounts::open(dir.path().join("accounts.db"))?;
//! let who = keys::Registration { name: "Ana".parse()?, email: "ana@example.com".parse()? };
//! let key = keys::issue(&accounts, &who, Plan::Gold, now)?;
//! assert_eq!(keys::authenticate(&accounts, &key)?.plan, Plan::Gold);
//!
//! keys::revoke(&accounts, &key.prefix(), now)?;
//! assert!(keys::authenticate(&accounts, &key).is_err());
//! # Ok::<(), fincore::Error>(())
//! ```
use std::collections::HashSet;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    accounts::{
        Accounts, Row, Session, call_budget,
        mirrors::{LastChange, NumberedChange},
        store::values,
    },
    values::{Caller, Email, Error, Key, KeyHash, KeyId, KeyPrefix, Name, Plan, Resource, Result},
};

const REVOKE: &str = "UPDATE key SET revoked = ?2, changed = (SELECT MAX(changed) + 1 FROM key)
    WHERE id = ?1";

/// The holder of a key to be issued.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registration {
    /// A person or a company.
    pub name: Name,
    /// Their e-mail address.
    pub email: Email,
}

/// The record of a key in the accounts, which never has the key itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct KeyRecord {
    /// Its prefix.
    pub prefix: KeyPrefix,
    /// Its plan.
    pub plan: Plan,
    /// The name of its holder.
    pub name: Name,
    /// The e-mail address of its holder.
    pub email: Email,
    /// The time at which it was issued.
    pub created: DateTime<Utc>,
    /// The time at which it was revoked, if it was.
    pub revoked: Option<DateTime<Utc>>,
}

/// Issues a new key. The key is on disk when this returns, and valid at once. It cannot be displayed
/// again later.
///
/// Fails with [`Error::Unavailable`] if the accounts file cannot be written, or was moved or replaced since it was opened:
/// then there is no key.
pub fn issue(
    accounts: &Accounts,
    who: &Registration,
    plan: Plan,
    now: DateTime<Utc>,
) -> Result<Key> {
    issue_as(accounts, who, plan, Origin::Operator, now)
}

/// Issues a key on the Free plan to a caller who registered for it, as [`issue`] does. If it is never used, it is
/// [forgotten](forget_unused) one day.
pub fn register(accounts: &Accounts, who: &Registration, now: DateTime<Utc>) -> Result<Key> {
    issue_as(accounts, who, Plan::Free, Origin::Registration, now)
}

/// The operator issues keys; visitors register for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Operator,
    Registration,
}

fn issue_as(
    accounts: &Accounts,
    who: &Registration,
    plan: Plan,
    origin: Origin,
    now: DateTime<Utc>,
) -> Result<Key> {
    let (key, budget) = (Key::generate()?, call_budget());
    // If keys cannot be read, a new one would be valid nowhere.
    accounts.refresh_by(budget)?;
    accounts.write_by(budget, |tx| insert(tx, &key, who, plan, origin, now))?;
    // The key is on disk, and cannot be displayed again: if this refresh fails, the next one picks it up.
    let _ = accounts.refresh_by(budget);
    Ok(key)
}

fn insert(
    tx: &dyn Session,
    key: &Key,
    who: &Registration,
    plan: Plan,
    origin: Origin,
    now: DateTime<Utc>,
) -> Result<()> {
    const SQL: &str = "INSERT INTO key
            (hash, prefix, name, email, plan, created, self_registered, changed)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, (SELECT COALESCE(MAX(changed), 0) + 1 FROM key))";
    let (hash, prefix, time) = (key.hash(), key.prefix(), now.timestamp());
    let (name, email, hash) = (who.name.as_str(), who.email.as_str(), &hash.0);
    let registered = i64::from(origin == Origin::Registration);
    let row = values![hash, prefix.as_str(), name, email, plan.id(), time, registered];
    tx.execute(SQL, row)?;
    Ok(())
}

/// Replaces a key with a new one and revokes it. The new key takes over the plan, the rate limit with the requests already
/// counted, the usage, the webhooks and the links. Sessions of the old key end. Both changes are on disk when this returns;
/// the new key cannot be displayed again later.
///
/// Fails with [`Error::InvalidKey`] if the key is unknown or revoked.
pub fn rotate(accounts: &Accounts, old: KeyId, now: DateTime<Utc>) -> Result<Key> {
    const NEW: &str = "SELECT id FROM key WHERE hash = ?1";
    const REGISTERED: &str = "SELECT self_registered FROM key WHERE id = ?1";
    const WEBHOOKS: &str = "UPDATE webhook SET key = ?2 WHERE key = ?1";
    const USAGE: &str = "UPDATE usage SET key = ?2 WHERE key = ?1";
    // Requests with the old key may be under way: both are counted as one holder, here and on every other server.
    const HOLDER: &str =
        "UPDATE key SET holder = (SELECT COALESCE(holder, id) FROM key WHERE id = ?1)
        WHERE id = ?2";
    let (key, budget) = (Key::generate()?, call_budget());
    accounts.refresh_by(budget)?;
    accounts.write_by(budget, |tx| {
        let KeyRecord { name, email, plan, .. } = valid(tx, old)?;
        let origin = match tx.number(REGISTERED, values![old.get()])? {
            0 => Origin::Operator,
            _ => Origin::Registration,
        };
        insert(tx, &key, &Registration { name, email }, plan, origin, now)?;
        let new = tx.first(NEW, values![&key.hash().0])?;
        let new: i64 = new.ok_or(Error::InvalidKey)?.get(0)?;
        for sql in [WEBHOOKS, USAGE, HOLDER] {
            tx.execute(sql, values![old.get(), new])?;
        }
        move_links(tx, old, new)?;
        tx.execute(REVOKE, values![old.get(), now.timestamp()])
    })?;
    // The key is on disk, and cannot be displayed again: if this refresh fails, the next one picks it up.
    let _ = accounts.refresh_by(budget);
    Ok(key)
}

/// Moves the links of a key to another one. Each is a change of its own, so that all servers follow.
fn move_links(tx: &dyn Session, old: KeyId, new: i64) -> Result<()> {
    const LINKS: &str =
        "SELECT number FROM link WHERE key = ?1 AND revoked IS NULL ORDER BY number";
    const MOVE: &str = "UPDATE link SET key = ?2, changed = (SELECT MAX(changed) + 1 FROM link)
        WHERE number = ?1";
    for row in &tx.query(LINKS, values![old.get()])? {
        tx.execute(MOVE, values![row.get::<i64>(0)?, new])?;
    }
    Ok(())
}

/// Revokes this key for good.
///
/// Fails with [`Error::InvalidKey`] if the key is unknown or revoked.
pub fn revoke_by_id(accounts: &Accounts, key: KeyId, now: DateTime<Utc>) -> Result<()> {
    let budget = call_budget();
    accounts.write_by(budget, |tx| {
        valid(tx, key)?;
        tx.execute(REVOKE, values![key.get(), now.timestamp()])
    })?;
    // The change is on disk: if this refresh fails, the next one picks it up.
    let _ = accounts.refresh_by(budget);
    Ok(())
}

/// The record of a key that is not revoked.
fn valid(session: &dyn Session, key: KeyId) -> Result<KeyRecord> {
    let record = get(session, key)?;
    if record.revoked.is_some() { Err(Error::InvalidKey) } else { Ok(record) }
}

/// Returns `true` if the key with this hash is valid. Reads memory only, as [`authenticate`] does.
#[must_use]
pub fn is_valid(accounts: &Accounts, key: &KeyHash) -> bool {
    accounts.caller(key).is_some()
}

/// The caller with this key. Reads memory only, so it is fast enough for every request.
///
/// Fails with [`Error::InvalidKey`] if the key is unknown or revoked.
pub fn authenticate(accounts: &Accounts, key: &Key) -> Result<Caller> {
    accounts.caller(&key.hash()).ok_or(Error::InvalidKey)
}

/// Moves the key with this prefix to another plan.
///
/// Fails if no key has the prefix, several have it, or the key is revoked.
pub fn set_plan(accounts: &Accounts, prefix: &KeyPrefix, plan: Plan) -> Result<KeyRecord> {
    const SQL: &str = "UPDATE key SET plan = ?2, changed = (SELECT MAX(changed) + 1 FROM key)
        WHERE id = ?1";
    change(accounts, prefix, |tx, (id, mut record)| {
        if record.revoked.is_some() {
            return Err(Error::operation(format!("the key {}… is revoked", record.prefix)));
        }
        tx.execute(SQL, values![id.get(), plan.id()])?;
        record.plan = plan;
        Ok(record)
    })
}

/// Revokes the key with this prefix for good; doing it again changes nothing.
///
/// Fails if no key has the prefix, or several have it.
pub fn revoke(accounts: &Accounts, prefix: &KeyPrefix, now: DateTime<Utc>) -> Result<KeyRecord> {
    change(accounts, prefix, |tx, (id, mut record)| {
        if record.revoked.is_none() {
            tx.execute(REVOKE, values![id.get(), now.timestamp()])?;
            record.revoked = DateTime::from_timestamp(now.timestamp(), 0);
        }
        Ok(record)
    })
}

fn change(
    accounts: &Accounts,
    prefix: &KeyPrefix,
    work: impl FnOnce(&dyn Session, (KeyId, KeyRecord)) -> Result<KeyRecord>,
) -> Result<KeyRecord> {
    let budget = call_budget();
    let record = accounts.write_by(budget, |tx| work(tx, find(tx, prefix)?))?;
    // The change is on disk: if this refresh fails, the next one picks it up.
    let _ = accounts.refresh_by(budget);
    Ok(record)
}

/// All keys ever issued, oldest first.
pub fn list(accounts: &Accounts) -> Result<Vec<KeyRecord>> {
    const SQL: &str = "SELECT id, prefix, plan, name, email, created, revoked FROM key ORDER BY id";
    let rows = accounts.read(|session| session.query(SQL, &[]))?;
    rows.iter().map(|row| Ok(read_record(row)?.1)).collect()
}

/// The id of the key with this prefix.
///
/// Fails if no key has the prefix, or several have it.
pub fn id(accounts: &Accounts, prefix: &KeyPrefix) -> Result<KeyId> {
    accounts.read(|session| Ok(find(session, prefix)?.0))
}

/// The record of the key with this prefix, revoked or not. Fails as [`id`] does.
pub fn record(accounts: &Accounts, prefix: &KeyPrefix) -> Result<KeyRecord> {
    accounts.read(|session| Ok(find(session, prefix)?.1))
}

fn find(session: &dyn Session, prefix: &KeyPrefix) -> Result<(KeyId, KeyRecord)> {
    // A tilde sorts after every character of a key.
    const SQL: &str = "SELECT id, prefix, plan, name, email, created, revoked FROM key WHERE prefix BETWEEN ?1 AND ?1 || '~' LIMIT 2";
    match &*session.query(SQL, values![prefix.as_str()])? {
        [] => Err(Error::not_found(Resource::Key, prefix.as_str())),
        [found] => read_record(found),
        _ => Err(Error::operation(format!("more than one key starts with {prefix}"))),
    }
}

/// The ids of all keys ever issued.
pub(crate) fn ids(session: &dyn Session) -> Result<HashSet<KeyId>> {
    let rows = session.query("SELECT id FROM key", &[])?;
    rows.iter().map(|row| Ok(KeyId::new(row.get(0)?))).collect()
}

/// The record of a key by its id.
pub(crate) fn get(session: &dyn Session, key: KeyId) -> Result<KeyRecord> {
    const SQL: &str =
        "SELECT id, prefix, plan, name, email, created, revoked FROM key WHERE id = ?1";
    let found = session.first(SQL, values![key.get()])?.ok_or(Error::InvalidKey)?;
    Ok(read_record(&found)?.1)
}

fn read_record(row: &Row) -> Result<(KeyId, KeyRecord)> {
    let time = |seconds| DateTime::from_timestamp(seconds, 0).unwrap_or_default();
    let record = KeyRecord {
        prefix: row.parse(1)?,
        plan: row.parse(2)?,
        name: row.parse(3)?,
        email: row.parse(4)?,
        created: time(row.get(5)?),
        revoked: row.get::<Option<i64>>(6)?.map(time),
    };
    Ok((KeyId::new(row.get(0)?), record))
}

/// The most keys that one call changes, so that other writers do not wait long.
const KEYS: usize = 500;

/// By then every server has read the revocation.
const GRACE: TimeDelta = TimeDelta::days(1);

/// The result of a call of [`forget_unused`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Forgotten {
    /// The number of keys revoked.
    pub revoked: usize,
    /// The number of keys removed, at least a day after they were revoked.
    pub removed: usize,
    /// More keys are waiting: call again at once.
    pub more: bool,
}

/// Revokes keys on the Free plan that were [registered](register) before a time and never used, and removes them a day
/// later: with their name and e-mail address. One call does a bounded part of it.
///
/// Keys of other plans, keys that the operator made, and keys that were ever used stay.
pub fn forget_unused(
    accounts: &Accounts,
    registered_before: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<Forgotten> {
    // Nothing is stored of them besides their row.
    const UNUSED: &str = "SELECT id, revoked IS NULL FROM key
        WHERE self_registered = 1 AND plan = ?1 AND created < ?2 AND (revoked IS NULL OR revoked < ?3)
            AND NOT EXISTS (SELECT 1 FROM usage WHERE usage.key = key.id)
            AND NOT EXISTS (SELECT 1 FROM webhook WHERE webhook.key = key.id)
            AND NOT EXISTS (SELECT 1 FROM session WHERE session.key = key.id)
            AND NOT EXISTS (SELECT 1 FROM link WHERE link.key = key.id)
        ORDER BY revoked IS NOT NULL, id LIMIT ?4";
    const REMOVE: &str = "DELETE FROM key WHERE id = ?1";
    let (before, old) = (registered_before.timestamp(), (now - GRACE).timestamp());
    let forgotten = accounts.write(|tx| {
        let mut forgotten = Forgotten::default();
        let unused = tx.query(UNUSED, values![Plan::Free.id(), before, old, KEYS])?;
        for row in &unused {
            let id: i64 = row.get(0)?;
            if row.get(1)? {
                forgotten.revoked += tx.execute(REVOKE, values![id, now.timestamp()])?;
            } else {
                forgotten.removed += tx.execute(REMOVE, values![id])?;
            }
        }
        forgotten.more = unused.len() == KEYS;
        Ok(forgotten)
    })?;
    if forgotten.revoked > 0 {
        // The change is on disk: if this refresh fails, the next one picks it up.
        let _ = accounts.refresh_by(call_budget());
    }
    Ok(forgotten)
}

/// A change to a key: its caller, or `None` once it is revoked.
pub(crate) struct KeyChange {
    number: i64,
    pub(crate) key: KeyHash,
    pub(crate) caller: Option<Caller>,
}

impl NumberedChange for KeyChange {
    type Hash = KeyHash;

    fn last_change(&self) -> LastChange<KeyHash> {
        LastChange { number: self.number, hash: Some(self.key) }
    }
}

/// The changes to keys from this change number on, in order.
pub(crate) fn read_changes(session: &dyn Session, from: i64) -> Result<Vec<KeyChange>> {
    const SQL: &str =
        "SELECT changed, hash, id, plan, revoked IS NULL, COALESCE(holder, id) FROM key
        WHERE changed >= ?1 ORDER BY changed";
    let rows = session.query(SQL, values![from])?;
    let change = |row: &Row| {
        let caller = Caller::with_key(KeyId::new(row.get(2)?), row.parse(3)?)
            .counted_as(KeyId::new(row.get(5)?));
        Ok(KeyChange {
            number: row.get(0)?,
            key: KeyHash(row.get(1)?),
            caller: row.get::<bool>(4)?.then_some(caller),
        })
    };
    rows.iter().map(change).collect()
}

#[cfg(test)]
mod tests;
