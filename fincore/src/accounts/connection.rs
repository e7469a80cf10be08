//! A connection to the accounts file that is reopened after a failure.
use rusqlite::Connection;

use super::schema::SCHEMA;
use crate::{
    deadline::WaitBudget,
    error::{Error, Result},
    sqlite::{self, FileIdentity},
};

#[derive(Clone, Copy, Debug)]
pub(super) enum Role {
    Read,
    Write,
}

#[derive(Debug)]
pub(super) struct AccountsConnection {
    connection: Connection,
    role: Role,
    /// A failure may have left an open transaction, or bad pages in the cache.
    must_reopen: bool,
}

impl AccountsConnection {
    pub(super) fn new(connection: Connection, role: Role) -> Result<AccountsConnection> {
        match role {
            Role::Read => connection.pragma_update(None, "query_only", true)?,
            Role::Write => connection.pragma_update(None, "synchronous", "full")?,
        }
        Ok(AccountsConnection { connection, role, must_reopen: false })
    }

    /// Drops the cache of the connection before the next work.
    pub(super) fn reopen_next_time(&mut self) {
        self.must_reopen = true;
    }

    /// Runs `work`, which waits for other programs within the budget.
    pub(super) fn run<T>(
        &mut self,
        identity: &FileIdentity,
        budget: WaitBudget,
        work: impl FnOnce(&mut Connection) -> Result<T>,
    ) -> Result<T> {
        if self.must_reopen {
            // Another file under the same name must not be opened.
            identity.check()?;
            // The old connection is closed only now, so that the log stays the same file.
            *self = AccountsConnection::new(sqlite::reopen(identity.path(), &SCHEMA)?, self.role)?;
        }
        self.connection.busy_timeout(budget.remaining())?;
        let done = work(&mut self.connection)
            .map_err(|err| sqlite::error_of_file(identity.path(), &SCHEMA, err));
        let failed = matches!(done, Err(Error::Unavailable { .. }));
        self.must_reopen = failed || !self.connection.is_autocommit();
        done
    }
}
