//! Creates, opens, migrates, reads, copies and checks the database files.
pub(crate) mod catalogue;
pub mod changes;
pub mod deadline;
pub mod downloads;
mod file_identity;
mod kept_rows;
pub(crate) mod open_file;
pub(crate) mod past;
pub(crate) mod readers;
pub(crate) mod snapshot;
pub(crate) mod sqlite_check;
pub(crate) mod sqlite_copy;
pub(crate) mod sqlite_file;
pub(crate) mod writer;
pub(crate) use catalogue::Catalogue;
pub(crate) use changes::{ChangeEntry, LogPosition};
pub(crate) use deadline::WaitBudget;
pub(crate) use file_identity::FileIdentity;
pub(crate) use open_file::OpenFile;
pub(crate) use past::Knowledge;
pub(crate) use readers::ReadTransaction;
pub(crate) use snapshot::Snapshot;
pub(crate) use sqlite_check::SchemaObject;
pub use sqlite_check::{Checkup, Remedy, TableCheckup};
pub(crate) use sqlite_copy::CopyProgress;
pub(crate) use sqlite_file::{Audience, Schema};
pub(crate) use writer::{Change, OnConflict, Tally, Writer};

/// The version of SQLite inside this program, such as `3.51.3`.
#[must_use]
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

#[cfg(test)]
mod tests;
