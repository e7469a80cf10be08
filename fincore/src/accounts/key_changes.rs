//! Changes to keys, as the database has them.
use super::{
    change_tracking::{LastChange, NumberedChange},
    store::{Row, Session, values},
};
use crate::{
    error::Result,
    types::{Caller, KeyHash, KeyId},
};

/// A change to a key: its caller, or `None` once it is revoked.
pub(super) struct KeyChange {
    number: i64,
    pub(super) key: KeyHash,
    pub(super) caller: Option<Caller>,
}

impl NumberedChange for KeyChange {
    type Hash = KeyHash;

    fn last_change(&self) -> LastChange<KeyHash> {
        LastChange { number: self.number, hash: Some(self.key) }
    }
}

/// The changes to keys from this change number on, in order.
pub(super) fn read_changes(session: &dyn Session, from: i64) -> Result<Vec<KeyChange>> {
    const SQL: &str =
        "SELECT changed, hash, id, plan, revoked IS NULL, COALESCE(holder, id) FROM key
        WHERE changed >= ?1 ORDER BY changed";
    let rows = session.query(SQL, values![from])?;
    let change = |row: &Row| {
        let caller = Caller::with_key(KeyId::new(row.get(2)?), row.parse(3)?)
            .counted_as(KeyId::new(row.get(5)?));
        Ok(KeyChange {
            number: row.get(0)?,
            key: KeyHash::from_bytes(row.get(1)?),
            caller: row.get::<bool>(4)?.then_some(caller),
        })
    };
    rows.iter().map(change).collect()
}
