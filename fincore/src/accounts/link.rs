//! A connection to the accounts file that is opened anew where it is in doubt.
use rusqlite::Connection;

use super::SCHEMA;
use crate::{
    deadline::Patience,
    error::{Error, Result, elsewhere},
    sqlite::{self, Place},
};

/// What a connection is for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Role {
    Read,
    Write,
}

#[derive(Debug)]
pub(super) struct Link {
    connection: Connection,
    role: Role,
    /// Whether the connection may have kept something of a failure: a transaction, or pages in its cache.
    in_doubt: bool,
}

impl Link {
    pub(super) fn new(connection: Connection, role: Role) -> Result<Link> {
        match role {
            Role::Read => connection.pragma_update(None, "query_only", true)?,
            Role::Write => connection.pragma_update(None, "synchronous", "full")?,
        }
        Ok(Link { connection, role, in_doubt: false })
    }

    /// Does some work, for which other programs are waited for no longer than that.
    pub(super) fn run<T>(
        &mut self,
        place: &Place,
        patience: Patience,
        work: impl FnOnce(&mut Connection) -> Result<T>,
    ) -> Result<T> {
        elsewhere(|| self.run_here(place, patience, work))
    }

    fn run_here<T>(
        &mut self,
        place: &Place,
        patience: Patience,
        work: impl FnOnce(&mut Connection) -> Result<T>,
    ) -> Result<T> {
        if self.in_doubt {
            // Another file under the same name is none of ours.
            place.check()?;
            // The old one is closed only now, so that the log stays the same file.
            *self = Link::new(sqlite::reopen(place.path(), &SCHEMA)?, self.role)?;
        }
        self.connection.busy_timeout(patience.left())?;
        let done = work(&mut self.connection);
        let failed = matches!(done, Err(Error::Unavailable { .. }));
        self.in_doubt = failed || !self.connection.is_autocommit();
        done
    }
}
