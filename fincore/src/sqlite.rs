//! What both database files share: creating, opening, migrating, reading, copying and checking them.

mod check;
mod columns;
mod copy;
mod file_identity;
mod open;
mod schema;
mod schema_comparison;
mod write_ahead_log;

pub use check::{Checkup, Remedy, TableCheckup};
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) use check::{SchemaObject, missing_objects};
pub(crate) use check::{check, error_of_file, quick_check};
pub(crate) use columns::{code, parsed, parsed_if_any};
#[cfg(feature = "backup")]
pub(crate) use copy::CopyProgress;
pub(crate) use copy::{compact, copy};
pub(crate) use file_identity::FileIdentity;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) use open::{BUSY_TIMEOUT, prepare};
pub(crate) use open::{
    attach, check_current, error_after_open, open, owner_only, refuse_newer, reopen,
};
pub(crate) use schema::{Audience, Schema};
pub(crate) use schema_comparison::check_schema;
pub(crate) use write_ahead_log::{has_large_log, shrink_log};

/// The version of SQLite inside this program, such as `3.51.3`.
#[must_use]
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

#[cfg(test)]
mod tests;
