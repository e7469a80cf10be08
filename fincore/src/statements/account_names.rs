//! The names of accounts, by their ids.
use std::collections::HashMap;

use rusqlite::Connection;

use crate::error::Result;

/// The names of some accounts.
pub(super) struct AccountNames(HashMap<i64, (String, String, bool)>);

/// Ids that lie so close together are read at once.
const NEAR: i64 = 8;

impl AccountNames {
    pub(super) fn read(
        connection: &Connection,
        ids: impl Iterator<Item = i64>,
    ) -> Result<AccountNames> {
        const SQL: &str = "SELECT id, code, name, fixed FROM account WHERE id BETWEEN ?1 AND ?2";
        let mut ids: Vec<i64> = ids.filter(|id| *id > 0).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut statement = connection.prepare_cached(SQL)?;
        let mut names = HashMap::with_capacity(ids.len());
        for near in ids.chunk_by(|one, next| next - one <= NEAR) {
            let mut rows = statement.query([near.first(), near.last()])?;
            while let Some(row) = rows.next()? {
                names.insert(row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?));
            }
        }
        Ok(AccountNames(names))
    }

    pub(super) fn get(&self, id: i64) -> Option<(&String, &String, bool)> {
        self.0.get(&id).map(|(code, name, fixed)| (code, name, *fixed))
    }
}
