//! Forgets keys that were registered and never used.
use chrono::{DateTime, TimeDelta, Utc};

use super::REVOKE;
use crate::{
    accounts::{Accounts, call_budget, values},
    error::Result,
    plans::Plan,
};

/// The most keys that one call changes, so that other writers do not wait long.
const KEYS: usize = 500;

/// By then every server has read the revocation.
const GRACE: TimeDelta = TimeDelta::days(1);

/// A key that was registered before a time, and of which nothing is stored besides its row.
macro_rules! unused {
    () => {
        "self_registered = 1 AND plan = ?1 AND created < ?2
            AND NOT EXISTS (SELECT 1 FROM usage WHERE usage.key = key.id)
            AND NOT EXISTS (SELECT 1 FROM webhook WHERE webhook.key = key.id)
            AND NOT EXISTS (SELECT 1 FROM session WHERE session.key = key.id)
            AND NOT EXISTS (SELECT 1 FROM link WHERE link.key = key.id)"
    };
}

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

/// Revokes keys on the Free plan that were [registered](super::register) before a time and never used, and removes them a day
/// later: with their name and e-mail address. One call does a bounded part of it.
///
/// Keys of other plans, keys that the operator made, and keys that were ever used stay.
pub fn forget_unused(
    accounts: &Accounts,
    registered_before: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<Forgotten> {
    const UNUSED: &str = concat!(
        "SELECT id FROM key WHERE revoked IS NULL AND ",
        unused!(),
        " ORDER BY id LIMIT ?3"
    );
    const REMOVE: &str = concat!(
        "DELETE FROM key WHERE id IN (SELECT id FROM key WHERE revoked < ?3 AND ",
        unused!(),
        " ORDER BY id LIMIT ?4)"
    );
    let (plan, before) = (Plan::Free.id(), registered_before.timestamp());
    let forgotten = accounts.write(|tx| {
        let unused = tx.query(UNUSED, values![plan, before, KEYS])?;
        for row in &unused {
            tx.execute(REVOKE, values![row.get::<i64>(0)?, now.timestamp()])?;
        }
        let left = KEYS - unused.len();
        let old = (now - GRACE).timestamp();
        let removed = tx.execute(REMOVE, values![plan, before, old, left])?;
        let more = unused.len() + removed == KEYS;
        Ok(Forgotten { revoked: unused.len(), removed, more })
    })?;
    if forgotten.revoked > 0 {
        // The change is on disk: if this refresh fails, the next one picks it up.
        let _ = accounts.refresh_by(call_budget());
    }
    Ok(forgotten)
}
