//! What publishers said about files that were imported from them, and how synchronising went.
//!
//! The library downloads nothing. A program that does remembers the [`Validators`] of every file together with
//! the import of that file ([`Import::remember`](crate::Import::remember)), so that a crash can never leave one
//! without the other, and asks the publisher for a newer file only. [`note`] records how each try went.
use chrono::{DateTime, Utc};

use crate::{
    catalogue::{Catalogue, Snapshot, Writer, timestamp},
    error::Result,
};

/// By what a publisher and its reader tell whether a file has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validators {
    /// The `ETag` of the response, if it had one.
    pub etag: Option<String>,
    /// The `Last-Modified` of the response, if it had one.
    pub modified: Option<String>,
    /// The SHA-256 of the content, in hexadecimal.
    pub digest: String,
}

/// What is known of the file at this address, if it was imported.
pub fn known(snapshot: &Snapshot, url: &str) -> Result<Option<Validators>> {
    const SQL: &str = "SELECT etag, modified, digest FROM download WHERE url = ?1";
    let read = |row: &rusqlite::Row<'_>| {
        Ok(Validators { etag: row.get(0)?, modified: row.get(1)?, digest: row.get(2)? })
    };
    Ok(snapshot.rows(SQL, [url], read)?.pop())
}

pub(crate) fn remember(writer: &Writer, url: &str, validators: &Validators) -> Result<()> {
    const SQL: &str =
        "INSERT OR REPLACE INTO download (url, etag, modified, digest) VALUES (?1, ?2, ?3, ?4)";
    let Validators { etag, modified, digest } = validators;
    writer.prepare(SQL)?.execute((url, etag, modified, digest))?;
    Ok(())
}

/// Notes how synchronising a dataset went: `Ok` if it is current, or what went wrong, in words.
///
/// Waits for an import that runs meanwhile, some seconds at most.
pub fn note(
    catalogue: &Catalogue,
    now: DateTime<Utc>,
    dataset: &str,
    outcome: Result<(), &str>,
) -> Result<()> {
    const SQL: &str =
        "INSERT INTO dataset (name, tried_at, succeeded_at, error) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT DO UPDATE SET tried_at = excluded.tried_at,
            succeeded_at = COALESCE(excluded.succeeded_at, succeeded_at), error = excluded.error";
    let writer = catalogue.write(now)?;
    let time = timestamp(now);
    let succeeded = outcome.is_ok().then_some(&time);
    writer.prepare(SQL)?.execute((dataset, &time, succeeded, outcome.err()))?;
    writer.commit_unversioned()
}
