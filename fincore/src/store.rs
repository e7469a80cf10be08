//! Creates, opens, migrates, reads, copies and checks the database files.
pub(crate) mod catalogue;
pub mod changes;
pub mod deadline;
pub mod downloads;
mod file_identity;
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
pub use sqlite_check::{Checkup, Remedy, TableCheckup};
pub(crate) use sqlite_copy::CopyProgress;
pub(crate) use sqlite_file::{Audience, Schema, SchemaObject};
pub(crate) use writer::{Change, OnConflict, Tally, Writer};

/// The schema of a data file.
pub(crate) const CATALOGUE_SCHEMA: Schema = Schema {
    what: "a data catalogue",
    application_id: i32::from_be_bytes(*b"FINC"),
    migrations: &[
        include_str!("../migrations/catalogue/0001_market.sql"),
        include_str!("../migrations/catalogue/0002_companies_and_filings.sql"),
        include_str!("../migrations/catalogue/0003_application_id.sql"),
        include_str!("../migrations/catalogue/0004_changes_and_freshness.sql"),
        include_str!("../migrations/catalogue/0005_identity.sql"),
        include_str!("../migrations/catalogue/0006_search.sql"),
        include_str!("../migrations/catalogue/0007_filing_files.sql"),
        include_str!("../migrations/catalogue/0008_incomplete_windows.sql"),
        include_str!("../migrations/catalogue/0009_notes_and_withdrawn_filings.sql"),
        include_str!("../migrations/catalogue/0010_copom_meetings.sql"),
        include_str!("../migrations/catalogue/0011_past.sql"),
        include_str!("../migrations/catalogue/0012_statements.sql"),
    ],
    unmarked: 2,
    table: "rate",
    remedy: "restore a backup, or move it away to start again from the bundled data, and repeat your imports",
    audience: Audience::Default,
};

/// The version of SQLite inside this program, such as `3.51.3`.
#[must_use]
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

#[cfg(test)]
mod tests;
