//! All sessions in memory, as the database has them.
use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::{Followed, Row, Seen, Session, values};
use crate::{
    error::Result,
    types::{KeyHash, KeyPrefix, SessionHash},
};

/// Sessions that were not signed out. Whether they are too old, or their key is revoked, is for others to know.
#[derive(Debug, Default)]
pub(super) struct SignedIn {
    by_hash: HashMap<SessionHash, Begun, RandomState>,
    /// Which session has which row: another may take its place.
    by_row: HashMap<i64, SessionHash, RandomState>,
}

#[derive(Debug)]
struct Begun {
    row: i64,
    key: KeyHash,
    prefix: KeyPrefix,
    /// Seconds since 1970.
    at: i64,
}

/// A change to a row: another session has it, or its session was signed out.
pub(super) struct Change {
    number: i64,
    hash: SessionHash,
    is_over: bool,
    begun: Begun,
}

impl Followed for Change {
    type Hash = SessionHash;

    fn seen(&self) -> Seen<SessionHash> {
        Seen { number: self.number, what: Some(self.hash) }
    }
}

impl SignedIn {
    pub(super) fn apply(&mut self, change: Change) {
        let Change { hash, is_over, begun, .. } = change;
        if let Some(before) = self.by_row.remove(&begun.row) {
            self.by_hash.remove(&before);
        }
        if !is_over {
            self.by_row.insert(begun.row, hash);
            self.by_hash.insert(hash, begun);
        }
    }

    /// The key of a session that began later than `after`, and its prefix.
    pub(super) fn find(&self, hash: &SessionHash, after: i64) -> Option<(KeyHash, KeyPrefix)> {
        let begun = self.by_hash.get(hash).filter(|begun| begun.at > after)?;
        Some((begun.key, begun.prefix.clone()))
    }

    pub(super) fn has(&self, hash: &SessionHash) -> bool {
        self.by_hash.contains_key(hash)
    }

    pub(super) fn forget(&mut self, before: i64) {
        let SignedIn { by_hash, by_row } = self;
        by_hash.retain(|_, begun| begun.at > before);
        by_row.retain(|_, hash| by_hash.contains_key(hash));
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        assert_eq!(self.by_hash.len(), self.by_row.len());
        self.by_hash.len()
    }
}

/// The changes to sessions from this change number on, in order.
pub(super) fn changes(session: &dyn Session, seen: i64) -> Result<Vec<Change>> {
    const SQL: &str = "SELECT session.changed, session.hash, session.ended IS NOT NULL, session.number, session.begun,
            key.hash, key.prefix
        FROM session JOIN key ON key.id = session.key
        WHERE session.changed >= ?1 ORDER BY session.changed";
    let change = |row: &Row| {
        let begun = Begun {
            row: row.get(3)?,
            at: row.get(4)?,
            key: KeyHash::from_bytes(row.get(5)?),
            prefix: row.parsed(6)?,
        };
        let hash = SessionHash::from_bytes(row.get(1)?);
        Ok(Change { number: row.get(0)?, hash, is_over: row.get(2)?, begun })
    };
    session.query(SQL, values![seen])?.iter().map(change).collect()
}
