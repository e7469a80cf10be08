//! Filings that CVM has withdrawn, as they were.
use crate::{
    catalogue::Snapshot,
    error::Result,
    sqlite::code,
    types::{CvmCode, FilingId},
};

/// A filing as it was before it was withdrawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WithdrawnFiling {
    pub(crate) company: CvmCode,
    pub(crate) category: String,
    /// The filing as JSON.
    pub(crate) json: String,
}

/// The filing with this id as it was, if it was withdrawn and the change log still has that.
pub(crate) fn find(snapshot: &Snapshot, id: FilingId) -> Result<Option<WithdrawnFiling>> {
    const SQL: &str = "SELECT company, category, filing FROM withdrawn_filing WHERE id = ?1";
    snapshot.first(SQL, [id.to_bits()], |row| {
        Ok(WithdrawnFiling { company: code(row, 0)?, category: row.get(1)?, json: row.get(2)? })
    })
}
