//! Sessions: signing in on the pages with a key, without sending the key again.
//!
//! A [`SessionToken`] is given to the browser that signed in; the accounts store only its hash. A session stands for its key:
//! it has the key's plan and limit, and ends with it. Besides, it ends when it is signed out, and after thirty days.
//!
//! ```
//! use fincore::{Accounts, Plan, keys, sessions};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let now = chrono::DateTime::UNIX_EPOCH;
//! let accounts = Accounts::open(dir.path().join("accounts.db"))?;
//! let who = keys::Registration { name: "Ana".parse()?, email: "ana@example.com".parse()? };
//! let key = keys::issue(&accounts, &who, Plan::Gold, now)?;
//! let token = sessions::begin(&accounts, &key, now)?;
//! let holder = sessions::find(&accounts, &token, now).expect("it has just begun");
//! assert_eq!((holder.caller.plan, holder.key), (Plan::Gold, key.prefix()));
//!
//! sessions::end(&accounts, &token, now)?;
//! assert!(sessions::find(&accounts, &token, now).is_none());
//! # Ok::<(), fincore::Error>(())
//! ```
use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    accounts::{Accounts, Row, Session, call_budget, store::values},
    values::{Caller, Error, Key, KeyHash, KeyPrefix, Result, SessionToken},
};

/// The lifetime of a session.
pub const LIFETIME: TimeDelta = TimeDelta::days(30);

/// The most sessions of a key at a time; with another one, the oldest ends.
pub const MAX_PER_KEY: usize = 20;

/// The most rows of a key. As many may have ended as may last, so that the row of a session that has just ended is not
/// reused at once: refreshing identifies the newest change by the hash in its row.
const MAX_ROWS_PER_KEY: usize = 2 * MAX_PER_KEY;

/// Rows are kept that much longer, for servers whose clocks differ.
const GRACE: TimeDelta = TimeDelta::days(1);

/// The most rows that one call of [`sweep`] removes, so that other writers do not wait long.
const ROWS: usize = 1_000;

/// The caller and the key of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Holder {
    /// The caller that the key stands for, on its present plan.
    pub caller: Caller,
    /// The prefix of the key.
    pub key: KeyPrefix,
    /// The hash of the key.
    pub hash: KeyHash,
}

/// Begins a session of this key. It is on disk when this returns, and known here at once. A key that has
/// [`MAX_PER_KEY`] sessions loses the oldest.
///
/// Fails with [`Error::InvalidKey`] if the key is unknown or revoked.
pub fn begin(accounts: &Accounts, key: &Key, now: DateTime<Utc>) -> Result<SessionToken> {
    const KEY: &str = "SELECT id FROM key WHERE hash = ?1 AND revoked IS NULL";
    const NEW: &str = "INSERT INTO session (hash, key, begun, changed)
        VALUES (?1, ?2, ?3, (SELECT COALESCE(MAX(changed), 0) + 1 FROM session))";
    const AGAIN: &str = "UPDATE session SET hash = ?2, begun = ?3, ended = NULL,
            changed = (SELECT MAX(changed) + 1 FROM session)
        WHERE number = ?1";
    let token = SessionToken::generate()?;
    let (hash, of_key) = (token.hash(), key.hash());
    let budget = call_budget();
    accounts.write_by(budget, |tx| {
        let key = tx.first(KEY, values![&of_key.0])?;
        let key: i64 = key.ok_or(Error::InvalidKey)?.get(0)?;
        let (hash, now) = (&hash.0, now.timestamp());
        match row_to_reuse(tx, key, now)? {
            Some(number) => tx.execute(AGAIN, values![number, hash, now])?,
            None => tx.execute(NEW, values![hash, key, now])?,
        };
        Ok(())
    })?;
    // The change is on disk: if this refresh fails, the next one picks it up.
    let _ = accounts.refresh_by(budget);
    Ok(token)
}

/// The row that the next session of a key reuses; `None` as long as it may have a new one.
fn row_to_reuse(tx: &dyn Session, key: i64, now: i64) -> Result<Option<i64>> {
    const SQL: &str =
        "SELECT number, ended IS NULL AND begun > ?2 FROM session WHERE key = ?1 ORDER BY changed";
    let rows = tx.query(SQL, values![key, now - LIFETIME.num_seconds()])?;
    let read = |row: &Row| Ok((row.get::<i64>(0)?, row.get::<bool>(1)?));
    let rows = rows.iter().map(read).collect::<Result<Vec<_>>>()?;
    let (lasting, ended): (Vec<_>, Vec<_>) = rows.iter().partition(|(_, lasts)| *lasts);
    let oldest = |rows: Vec<(i64, bool)>| rows.first().map(|(number, _)| *number);
    Ok(if lasting.len() >= MAX_PER_KEY {
        oldest(lasting)
    } else if rows.len() >= MAX_ROWS_PER_KEY {
        oldest(ended)
    } else {
        None
    })
}

/// The caller of the session with this token, if there is one. Reads memory only, so it is fast enough for every request.
///
/// A session that another program began is found after the next [`refresh`](Accounts::refresh).
#[must_use]
pub fn find(accounts: &Accounts, token: &SessionToken, now: DateTime<Utc>) -> Option<Holder> {
    let after = last_ended(now);
    let (caller, key, hash) = accounts.session_caller(&token.hash(), after)?;
    Some(Holder { caller, key, hash })
}

/// Sessions that began up to this time have expired, in seconds since 1970. Works for every instant, however early.
fn last_ended(now: DateTime<Utc>) -> i64 {
    now.timestamp() - LIFETIME.num_seconds()
}

/// Returns `true` if a session is in memory, even if it has expired or its key is revoked: then a refresh would find nothing
/// new. A session that ended is not in memory, and neither is one that another server began since the last refresh.
#[must_use]
pub fn is_known(accounts: &Accounts, token: &SessionToken) -> bool {
    accounts.has_session(&token.hash())
}

/// Ends a session; if there is none, nothing happens. It is on disk when this returns.
pub fn end(accounts: &Accounts, token: &SessionToken, now: DateTime<Utc>) -> Result<()> {
    const SQL: &str =
        "UPDATE session SET ended = ?2, changed = (SELECT MAX(changed) + 1 FROM session)
        WHERE hash = ?1 AND ended IS NULL";
    let (hash, budget) = (token.hash(), call_budget());
    accounts.write_by(budget, |tx| tx.execute(SQL, values![&hash.0, now.timestamp()]))?;
    // The change is on disk: if this refresh fails, the next one picks it up.
    let _ = accounts.refresh_by(budget);
    Ok(())
}

/// Removes sessions that are too old, from memory and then from the database. One call does a bounded part of it, and
/// returns `true` if there is more to do. Writes only if there is something to remove.
pub fn sweep(accounts: &Accounts, now: DateTime<Utc>) -> Result<bool> {
    // The newest change stays, because refreshing continues from it.
    const OLD: &str = "SELECT number FROM session
        WHERE begun < ?1 AND changed < (SELECT MAX(changed) FROM session) LIMIT ?2";
    const SQL: &str = "DELETE FROM session WHERE number IN (SELECT number FROM session
        WHERE begun < ?1 AND changed < (SELECT MAX(changed) FROM session) LIMIT ?2)";
    accounts.forget_sessions(last_ended(now));
    let before = last_ended(now) - GRACE.num_seconds();
    if accounts.read(|session| session.first(OLD, values![before, 1_usize]))?.is_none() {
        return Ok(false);
    }
    Ok(accounts.write(|tx| tx.execute(SQL, values![before, ROWS]))? == ROWS)
}

#[cfg(test)]
mod tests;
