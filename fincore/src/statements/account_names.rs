//! The names of accounts, by their numbers in statements.
use std::collections::HashMap;

use rusqlite::Connection;

use crate::error::Result;

/// The codes and names of some accounts, by their ids.
pub(crate) struct AccountNames(HashMap<i64, (String, String)>);

/// Ids that lie so close together are read at once.
const NEAR: i64 = 8;

impl AccountNames {
    /// Reads the names of accounts with these numbers, which have the id and whether they are in CVM's plan.
    pub(super) fn read(
        connection: &Connection,
        numbers: impl Iterator<Item = i64>,
    ) -> Result<AccountNames> {
        const SQL: &str = "SELECT id, code, name FROM account WHERE id BETWEEN ?1 AND ?2";
        let mut ids: Vec<i64> = numbers.map(|number| number >> 1).filter(|id| *id > 0).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut statement = connection.prepare_cached(SQL)?;
        let mut names = HashMap::with_capacity(ids.len());
        for near in ids.chunk_by(|one, next| next - one <= NEAR) {
            let mut rows = statement.query([near.first(), near.last()])?;
            while let Some(row) = rows.next()? {
                names.insert(row.get(0)?, (row.get(1)?, row.get(2)?));
            }
        }
        Ok(AccountNames(names))
    }

    /// Id, code and name of every account.
    #[cfg(feature = "bundle")]
    pub(crate) fn read_all(connection: &Connection) -> Result<Vec<(i64, String, String)>> {
        const SQL: &str = "SELECT id, code, name FROM account ORDER BY id";
        let mut statement = connection.prepare_cached(SQL)?;
        let accounts =
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(accounts.collect::<rusqlite::Result<_>>()?)
    }

    /// Code and name of an account, and whether it is in CVM's plan.
    pub(super) fn get(&self, number: i64) -> Option<(&String, &String, bool)> {
        self.0.get(&(number >> 1)).map(|(code, name)| (code, name, number & 1 == 1))
    }
}
