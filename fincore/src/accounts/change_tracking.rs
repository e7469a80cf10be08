//! Follows the numbered changes of a table, so that memory stays up to date with the database.
//!
//! SQLite's `data_version` does not serve, because usage is written to the same file several times a second.
use crate::error::Result;

/// The last change of a table that memory includes: its number, and the hash of the row that changed.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastChange<H> {
    pub(super) number: i64,
    pub(super) hash: Option<H>,
}

impl<H> Default for LastChange<H> {
    fn default() -> LastChange<H> {
        LastChange { number: 0, hash: None }
    }
}

/// The changes since the last refresh.
pub(super) struct NewChanges<C> {
    pub(super) changes: Vec<C>,
    /// The last known change is no longer in the table, so these are all rows.
    pub(super) is_all: bool,
}

/// A row of a table whose changes are numbered.
pub(super) trait NumberedChange {
    type Hash: Copy + PartialEq;

    /// The number of the change, and the hash of the row.
    fn last_change(&self) -> LastChange<Self::Hash>;
}

impl<H: Copy + PartialEq> LastChange<H> {
    /// The changes that `read` finds from this change on; all rows, if this change is not in the table any more.
    ///
    /// If it is the same database, the row of the last known change is among them. Otherwise it is another one, such as a
    /// standby that took over and lacks the newest changes.
    pub(super) fn read_new<C: NumberedChange<Hash = H>>(
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

    pub(super) fn is_newest<C: NumberedChange<Hash = H>>(self, new: &NewChanges<C>) -> bool {
        let newest = new.changes.last().map(|change| change.last_change().number);
        !new.is_all && newest.is_none_or(|newest| newest == self.number)
    }

    /// Moves on to the newest change.
    pub(super) fn advance<C: NumberedChange<Hash = H>>(&mut self, new: &NewChanges<C>) {
        *self = new.changes.last().map_or_else(LastChange::default, NumberedChange::last_change);
    }
}
