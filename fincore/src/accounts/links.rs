//! Links: addresses with a token in them, for programs that cannot send headers.
//!
//! A [`LinkToken`] is part of the address of a request; the accounts store only its hash. A link stands for its key: it has the
//! key's plan, limit and usage, moves with it when it is [exchanged](crate::keys::rotate), and ends with it. It may be bound to
//! a path with its parameters. The program that takes the request decides what a link may read.
//!
//! ```
//! use fincore::{Accounts, Plan, keys, links::{self, NewLink}};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let now = chrono::DateTime::UNIX_EPOCH;
//! let accounts = Accounts::open(dir.path().join("accounts.db"))?;
//! let who = keys::Registration { name: "Ana".parse()?, email: "ana@example.com".parse()? };
//! let key = keys::issue(&accounts, &who, Plan::Gold, now)?;
//! let id = keys::id(&accounts, &key.prefix())?;
//!
//! let new = NewLink { name: "Budget".parse()?, path: None };
//! let (link, token) = links::create(&accounts, id, &new, now)?;
//! let holder = links::find(&accounts, &token.hash()).expect("it was just made");
//! assert_eq!((holder.caller.plan, holder.key), (Plan::Gold, key.prefix()));
//!
//! links::revoke(&accounts, id, &link.id, now)?;
//! assert!(links::find(&accounts, &token.hash()).is_none());
//! # Ok::<(), fincore::Error>(())
//! ```
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    accounts::{Accounts, CachedLink, Row, Session, call_budget, store::values},
    values::{
        Caller, Error, KeyId, KeyPrefix, LinkFault, LinkHash, LinkId, LinkPath, LinkToken, Name,
        Resource, Result,
    },
};

/// The most links of a key.
pub const MAX_PER_KEY: usize = 20;

/// The most rows of a key. As many may be revoked as may be good, so that the row of a link that has just been revoked is not
/// reused at once: refreshing identifies the newest change by the hash in its row.
const MAX_ROWS_PER_KEY: usize = 2 * MAX_PER_KEY;

/// A link to be made.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewLink {
    /// The name that its holder gave it.
    pub name: Name,
    /// The path and the parameters that it is bound to; without one it reads all that links read.
    pub path: Option<LinkPath>,
}

/// The record of a link in the accounts, which never has the token itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Link {
    /// Its id.
    pub id: LinkId,
    /// The name that its holder gave it.
    pub name: Name,
    /// The path and the parameters that it is bound to.
    pub path: Option<LinkPath>,
    /// The time at which it was made.
    pub created: DateTime<Utc>,
    /// The minute in which it was last used, if ever. Known some seconds later.
    pub last_used: Option<DateTime<Utc>>,
}

/// The caller and the key of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Holder {
    /// The caller that the key stands for, on its present plan.
    pub caller: Caller,
    /// The prefix of the key.
    pub key: KeyPrefix,
    /// The hash of the token.
    pub hash: LinkHash,
    /// The path and the parameters that the link is bound to.
    pub path: Option<LinkPath>,
}

/// Makes a link of a key. It is on disk when this returns, and good at once. The token cannot be displayed again later.
///
/// Fails with [`Error::InvalidKey`] if the key is unknown or revoked, and with [`LinkFault::TooMany`] if it has
/// [`MAX_PER_KEY`] links.
pub fn create(
    accounts: &Accounts,
    key: KeyId,
    new: &NewLink,
    now: DateTime<Utc>,
) -> Result<(Link, LinkToken)> {
    const KEY: &str = "SELECT 1 FROM key WHERE id = ?1 AND revoked IS NULL";
    const INSERT: &str = "INSERT INTO link (id, hash, key, name, path, created, changed)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, (SELECT COALESCE(MAX(changed), 0) + 1 FROM link))";
    const REUSE: &str =
        "UPDATE link SET id = ?2, hash = ?3, name = ?4, path = ?5, created = ?6, revoked = NULL,
            used = NULL, changed = (SELECT MAX(changed) + 1 FROM link)
        WHERE number = ?1";
    let (id, token, budget) = (LinkId::generate()?, LinkToken::generate()?, call_budget());
    let (hash, created) = (token.hash(), now.timestamp());
    let link = accounts.write_by(budget, |tx| {
        tx.first(KEY, values![key.get()])?.ok_or(Error::InvalidKey)?;
        let (id, hash) = (id.as_str(), &hash.0);
        let (name, path) = (new.name.as_str(), new.path.as_ref().map(LinkPath::as_str));
        match row_to_reuse(tx, key)? {
            Some(row) => tx.execute(REUSE, values![row, id, hash, name, path, created])?,
            None => tx.execute(INSERT, values![id, hash, key.get(), name, path, created])?,
        };
        get(tx, id)
    })?;
    // The link is on disk: if this refresh fails, the next one picks it up.
    let _ = accounts.refresh_by(budget);
    Ok((link, token))
}

/// The row that the next link of a key reuses; `None` as long as it may have a new one.
fn row_to_reuse(tx: &dyn Session, key: KeyId) -> Result<Option<i64>> {
    const SQL: &str = "SELECT number, revoked IS NULL FROM link WHERE key = ?1 ORDER BY changed";
    let rows = tx.query(SQL, values![key.get()])?;
    let read = |row: &Row| Ok((row.get::<i64>(0)?, row.get::<bool>(1)?));
    let rows = rows.iter().map(read).collect::<Result<Vec<_>>>()?;
    if rows.iter().filter(|(_, is_good)| *is_good).count() >= MAX_PER_KEY {
        return Err(LinkFault::TooMany { most: MAX_PER_KEY }.into());
    }
    let oldest = rows.iter().find(|(_, is_good)| !is_good).map(|(row, _)| *row);
    Ok(oldest.filter(|_| rows.len() >= MAX_ROWS_PER_KEY))
}

/// The links of a key that are not revoked, oldest first.
pub fn list(accounts: &Accounts, key: KeyId) -> Result<Vec<Link>> {
    const SQL: &str = "SELECT id, name, path, created, used FROM link
        WHERE key = ?1 AND revoked IS NULL ORDER BY created, changed";
    let rows = accounts.read(|session| session.query(SQL, values![key.get()]))?;
    rows.iter().map(read_link).collect()
}

/// Revokes a link of a key for good. Fails with [`Error::NotFound`] if the key has none with this id.
pub fn revoke(accounts: &Accounts, key: KeyId, id: &LinkId, now: DateTime<Utc>) -> Result<()> {
    const SQL: &str = "SELECT number FROM link WHERE id = ?1 AND revoked IS NULL AND key = ?2";
    end(accounts, id, now, |tx| tx.first(SQL, values![id.as_str(), key.get()]))
}

/// Revokes any link for good, for the operator. Fails with [`Error::NotFound`] if there is none with this id.
pub fn revoke_any(accounts: &Accounts, id: &LinkId, now: DateTime<Utc>) -> Result<()> {
    const SQL: &str = "SELECT number FROM link WHERE id = ?1 AND revoked IS NULL";
    end(accounts, id, now, |tx| tx.first(SQL, values![id.as_str()]))
}

fn end(
    accounts: &Accounts,
    id: &LinkId,
    now: DateTime<Utc>,
    find: impl FnOnce(&dyn Session) -> Result<Option<Row>>,
) -> Result<()> {
    const SQL: &str = "UPDATE link SET revoked = ?2, changed = (SELECT MAX(changed) + 1 FROM link)
        WHERE number = ?1";
    let budget = call_budget();
    accounts.write_by(budget, |tx| {
        let row = find(tx)?.ok_or_else(|| Error::not_found(Resource::Link, id.as_str()))?;
        tx.execute(SQL, values![row.get::<i64>(0)?, now.timestamp()])
    })?;
    // The change is on disk: if this refresh fails, the next one picks it up.
    let _ = accounts.refresh_by(budget);
    Ok(())
}

/// The caller of the link with this hash, if it and its key are good. Reads memory only, so it is fast enough for every
/// request.
///
/// A link that another program made is found after the next [`refresh`](Accounts::refresh).
#[must_use]
pub fn find(accounts: &Accounts, hash: &LinkHash) -> Option<Holder> {
    let (caller, CachedLink { prefix, path, .. }) = accounts.link_caller(hash)?;
    Some(Holder { caller, key: prefix, hash: *hash, path })
}

/// Returns `true` if the link with this hash and its key are valid. Reads memory only, as [`find`] does.
#[must_use]
pub fn is_valid(accounts: &Accounts, hash: &LinkHash) -> bool {
    accounts.link_caller(hash).is_some()
}

fn get(session: &dyn Session, id: &str) -> Result<Link> {
    const SQL: &str = "SELECT id, name, path, created, used FROM link WHERE id = ?1";
    let found = session.first(SQL, values![id])?;
    read_link(&found.ok_or_else(|| Error::not_found(Resource::Link, id))?)
}

fn read_link(row: &Row) -> Result<Link> {
    let time = |seconds| DateTime::from_timestamp(seconds, 0).unwrap_or_default();
    Ok(Link {
        id: row.parse(0)?,
        name: row.parse(1)?,
        path: row.get::<Option<String>>(2)?.as_deref().map(LinkPath::stored),
        created: time(row.get(3)?),
        last_used: row.get::<Option<i64>>(4)?.map(time),
    })
}
