//! All links in memory, so that finding one needs no database.
use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::{
    change_tracking::{LastChange, NumberedChange},
    store::{Row, Session, values},
};
use crate::{
    error::Result,
    types::{KeyHash, KeyPrefix, LinkHash, LinkPath},
};

/// Links that were not revoked. Their key may be: callers check that.
#[derive(Debug, Default)]
pub(super) struct LinkCache {
    by_hash: HashMap<LinkHash, CachedLink, RandomState>,
    /// The link in each row: rows are reused.
    by_row: HashMap<i64, LinkHash, RandomState>,
}

/// A link in memory.
#[derive(Clone, Debug)]
pub(crate) struct CachedLink {
    pub(crate) key: KeyHash,
    pub(crate) prefix: KeyPrefix,
    pub(crate) path: Option<LinkPath>,
}

/// A change to a row: it holds another link now, its link belongs to another key, or was revoked.
pub(super) struct LinkChange {
    number: i64,
    row: i64,
    hash: LinkHash,
    is_revoked: bool,
    link: CachedLink,
}

impl NumberedChange for LinkChange {
    type Hash = LinkHash;

    fn last_change(&self) -> LastChange<LinkHash> {
        LastChange { number: self.number, hash: Some(self.hash) }
    }
}

impl LinkCache {
    pub(super) fn apply(&mut self, change: LinkChange) {
        let LinkChange { row, hash, is_revoked, link, .. } = change;
        if let Some(before) = self.by_row.remove(&row) {
            self.by_hash.remove(&before);
        }
        if !is_revoked {
            self.by_row.insert(row, hash);
            self.by_hash.insert(hash, link);
        }
    }

    pub(super) fn find(&self, hash: &LinkHash) -> Option<&CachedLink> {
        self.by_hash.get(hash)
    }
}

/// The changes to links from this change number on, in order.
pub(super) fn read_changes(session: &dyn Session, from: i64) -> Result<Vec<LinkChange>> {
    const SQL: &str =
        "SELECT link.changed, link.number, link.hash, link.revoked IS NOT NULL, link.path,
            key.hash, key.prefix
        FROM link JOIN key ON key.id = link.key
        WHERE link.changed >= ?1 ORDER BY link.changed";
    let change = |row: &Row| {
        let path = row.get::<Option<String>>(4)?;
        let link = CachedLink {
            path: path.as_deref().map(LinkPath::stored),
            key: KeyHash::from_bytes(row.get(5)?),
            prefix: row.parse(6)?,
        };
        Ok(LinkChange {
            number: row.get(0)?,
            row: row.get(1)?,
            hash: LinkHash::from_bytes(row.get(2)?),
            is_revoked: row.get(3)?,
            link,
        })
    };
    session.query(SQL, values![from])?.iter().map(change).collect()
}
