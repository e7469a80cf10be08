//! All sessions and links in memory, so that finding one needs no database; and how they follow the changes of the
//! file.
use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::{
    accounts::{Row, Session, store::values},
    values::{KeyHash, KeyPrefix, LinkHash, LinkPath, Result, SessionHash},
};

/// Sessions that were not signed out. They may be too old, or their key may be revoked: callers check that.
#[derive(Debug, Default)]
pub(crate) struct SessionCache {
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
pub(crate) struct SessionChange {
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
    pub(crate) fn apply(&mut self, change: SessionChange) {
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
    pub(crate) fn find(&self, hash: &SessionHash, after: i64) -> Option<(KeyHash, KeyPrefix)> {
        let session = self.by_hash.get(hash).filter(|session| session.begun > after)?;
        Some((session.key, session.prefix.clone()))
    }

    pub(crate) fn has(&self, hash: &SessionHash) -> bool {
        self.by_hash.contains_key(hash)
    }

    pub(crate) fn forget(&mut self, before: i64) {
        let SessionCache { by_hash, by_row } = self;
        by_hash.retain(|_, session| session.begun > before);
        by_row.retain(|_, hash| by_hash.contains_key(hash));
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        assert_eq!(self.by_hash.len(), self.by_row.len());
        self.by_hash.len()
    }
}

/// The changes to sessions from this change number on, in order.
pub(crate) fn read_session_changes(session: &dyn Session, from: i64) -> Result<Vec<SessionChange>> {
    const SQL: &str = "SELECT session.changed, session.hash, session.ended IS NOT NULL, session.number, session.begun,
            key.hash, key.prefix
        FROM session JOIN key ON key.id = session.key
        WHERE session.changed >= ?1 ORDER BY session.changed";
    let change = |row: &Row| {
        let cached = CachedSession {
            row: row.get(3)?,
            begun: row.get(4)?,
            key: KeyHash(row.get(5)?),
            prefix: row.parse(6)?,
        };
        let hash = SessionHash(row.get(1)?);
        Ok(SessionChange { number: row.get(0)?, hash, has_ended: row.get(2)?, session: cached })
    };
    session.query(SQL, values![from])?.iter().map(change).collect()
}

/// Links that were not revoked. Their key may be: callers check that.
#[derive(Debug, Default)]
pub(crate) struct LinkCache {
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
pub(crate) struct LinkChange {
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
    pub(crate) fn apply(&mut self, change: LinkChange) {
        let LinkChange { row, hash, is_revoked, link, .. } = change;
        if let Some(before) = self.by_row.remove(&row) {
            self.by_hash.remove(&before);
        }
        if !is_revoked {
            self.by_row.insert(row, hash);
            self.by_hash.insert(hash, link);
        }
    }

    pub(crate) fn find(&self, hash: &LinkHash) -> Option<&CachedLink> {
        self.by_hash.get(hash)
    }
}

/// The changes to links from this change number on, in order.
pub(crate) fn read_link_changes(session: &dyn Session, from: i64) -> Result<Vec<LinkChange>> {
    const SQL: &str =
        "SELECT link.changed, link.number, link.hash, link.revoked IS NOT NULL, link.path,
            key.hash, key.prefix
        FROM link JOIN key ON key.id = link.key
        WHERE link.changed >= ?1 ORDER BY link.changed";
    let change = |row: &Row| {
        let path = row.get::<Option<String>>(4)?;
        let link = CachedLink {
            path: path.as_deref().map(LinkPath::stored),
            key: KeyHash(row.get(5)?),
            prefix: row.parse(6)?,
        };
        Ok(LinkChange {
            number: row.get(0)?,
            row: row.get(1)?,
            hash: LinkHash(row.get(2)?),
            is_revoked: row.get(3)?,
            link,
        })
    };
    session.query(SQL, values![from])?.iter().map(change).collect()
}

/// The last change of a table that memory includes: its number, and the hash of the row that changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastChange<H> {
    pub(crate) number: i64,
    pub(crate) hash: Option<H>,
}

impl<H> Default for LastChange<H> {
    fn default() -> LastChange<H> {
        LastChange { number: 0, hash: None }
    }
}

/// The changes since the last refresh.
pub(crate) struct NewChanges<C> {
    pub(crate) changes: Vec<C>,
    /// The last known change is no longer in the table, so these are all rows.
    pub(crate) is_all: bool,
}

/// A row of a table whose changes are numbered.
pub(crate) trait NumberedChange {
    type Hash: Copy + PartialEq;

    /// The number of the change, and the hash of the row.
    fn last_change(&self) -> LastChange<Self::Hash>;
}

impl<H: Copy + PartialEq> LastChange<H> {
    /// The changes that `read` finds from this change on; all rows, if this change is not in the table any more.
    ///
    /// If it is the same database, the row of the last known change is among them. Otherwise it is another one, such as a
    /// standby that took over and lacks the newest changes.
    pub(crate) fn read_new<C: NumberedChange<Hash = H>>(
        self,
        read: impl Fn(i64) -> Result<Vec<C>>,
    ) -> Result<NewChanges<C>> {
        let changes = read(self.number)?;
        let is_same_database = self.hash.is_none_or(|known| {
            changes.iter().any(|change| change.last_change().hash == Some(known))
        });
        if is_same_database {
            return Ok(NewChanges { changes, is_all: false });
        }
        Ok(NewChanges { changes: read(0)?, is_all: true })
    }

    pub(crate) fn is_newest<C: NumberedChange<Hash = H>>(self, new: &NewChanges<C>) -> bool {
        let newest = new.changes.last().map(|change| change.last_change().number);
        !new.is_all && newest.is_none_or(|newest| newest == self.number)
    }

    /// Moves on to the newest change.
    pub(crate) fn advance<C: NumberedChange<Hash = H>>(&mut self, new: &NewChanges<C>) {
        *self = new.changes.last().map_or_else(LastChange::default, NumberedChange::last_change);
    }
}
