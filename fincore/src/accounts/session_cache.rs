//! All sessions in memory, so that finding one needs no database.
use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::{
    change_tracking::{LastChange, NumberedChange},
    store::{Row, Session, values},
};
use crate::{
    error::Result,
    types::{KeyHash, KeyPrefix, SessionHash},
};

/// Sessions that were not signed out. They may be too old, or their key may be revoked: callers check that.
#[derive(Debug, Default)]
pub(super) struct SessionCache {
    by_hash: HashMap<SessionHash, CachedSession, RandomState>,
    /// The session in each row: rows are reused.
    by_row: HashMap<i64, SessionHash, RandomState>,
}

#[derive(Debug)]
struct CachedSession {
    row: i64,
    key: KeyHash,
    prefix: KeyPrefix,
    /// Seconds since 1970.
    begun: i64,
}

/// A change to a row: it holds another session now, or its session ended.
pub(super) struct SessionChange {
    number: i64,
    hash: SessionHash,
    has_ended: bool,
    session: CachedSession,
}

impl NumberedChange for SessionChange {
    type Hash = SessionHash;

    fn last_change(&self) -> LastChange<SessionHash> {
        LastChange { number: self.number, hash: Some(self.hash) }
    }
}

impl SessionCache {
    pub(super) fn apply(&mut self, change: SessionChange) {
        let SessionChange { hash, has_ended, session, .. } = change;
        if let Some(before) = self.by_row.remove(&session.row) {
            self.by_hash.remove(&before);
        }
        if !has_ended {
            self.by_row.insert(session.row, hash);
            self.by_hash.insert(hash, session);
        }
    }

    /// The key of a session that began later than `after`, and its prefix.
    pub(super) fn find(&self, hash: &SessionHash, after: i64) -> Option<(KeyHash, KeyPrefix)> {
        let session = self.by_hash.get(hash).filter(|session| session.begun > after)?;
        Some((session.key, session.prefix.clone()))
    }

    pub(super) fn has(&self, hash: &SessionHash) -> bool {
        self.by_hash.contains_key(hash)
    }

    pub(super) fn forget(&mut self, before: i64) {
        let SessionCache { by_hash, by_row } = self;
        by_hash.retain(|_, session| session.begun > before);
        by_row.retain(|_, hash| by_hash.contains_key(hash));
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        assert_eq!(self.by_hash.len(), self.by_row.len());
        self.by_hash.len()
    }
}

/// The changes to sessions from this change number on, in order.
pub(super) fn read_changes(session: &dyn Session, from: i64) -> Result<Vec<SessionChange>> {
    const SQL: &str = "SELECT session.changed, session.hash, session.ended IS NOT NULL, session.number, session.begun,
            key.hash, key.prefix
        FROM session JOIN key ON key.id = session.key
        WHERE session.changed >= ?1 ORDER BY session.changed";
    let change = |row: &Row| {
        let cached = CachedSession {
            row: row.get(3)?,
            begun: row.get(4)?,
            key: KeyHash::from_bytes(row.get(5)?),
            prefix: row.parse(6)?,
        };
        let hash = SessionHash::from_bytes(row.get(1)?);
        Ok(SessionChange { number: row.get(0)?, hash, has_ended: row.get(2)?, session: cached })
    };
    session.query(SQL, values![from])?.iter().map(change).collect()
}
