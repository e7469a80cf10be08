//! Writing to the data file: one transaction, made visible at once.
use rusqlite::{CachedStatement, Connection};
use sha2::{Digest, Sha256};

use super::{Catalogue, SCHEMA, read_meta};
use crate::{error::Result, sqlite};

/// The page cache of an import, in KiB: enough for the indexes of millions of filings.
const WRITER_CACHE: i64 = 256 * 1024;

/// The length of a tag, in bytes of the digest.
const TAG_BYTES: usize = 16;

/// An open write transaction; rolled back if it is dropped without [`Writer::commit`].
#[derive(Debug)]
pub(crate) struct Writer {
    connection: Connection,
    /// A digest of the previous tag and everything written since.
    written: Sha256,
}

impl Catalogue {
    /// Starts a write transaction. Readers see the old data until it commits.
    pub(crate) fn write(&self) -> Result<Writer> {
        let connection = sqlite::open(&self.path, &SCHEMA)?;
        connection.pragma_update(None, "cache_size", -WRITER_CACHE)?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        let mut written = Sha256::new();
        written.update(read_meta(&connection, "data_tag")?.unwrap_or_default());
        Ok(Writer { connection, written })
    }
}

impl Writer {
    pub(crate) fn prepare(&self, sql: &str) -> Result<CachedStatement<'_>> {
        Ok(self.connection.prepare_cached(sql)?)
    }

    #[cfg(feature = "bundle")]
    pub(crate) fn meta(&self, name: &str) -> Result<Option<String>> {
        Ok(read_meta(&self.connection, name)?)
    }

    pub(crate) fn set_meta(&self, name: &str, value: &str) -> Result<()> {
        const SQL: &str = "INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)";
        self.prepare(SQL)?.execute([name, value])?;
        Ok(())
    }

    /// Adds a source to the data's tag: its kind and its content. Nothing machine-specific may go in.
    pub(crate) fn note(&mut self, kind: &str, content: &[u8]) {
        for part in [kind.as_bytes(), content] {
            self.written.update((part.len() as u64).to_be_bytes());
            self.written.update(part);
        }
    }

    /// Makes everything written visible at once, under a new data version.
    pub(crate) fn commit(self) -> Result<()> {
        const SQL: &str = "UPDATE meta SET value = value + 1 WHERE name = 'data_version'";
        self.prepare(SQL)?.execute([])?;
        let tag: String = self.written.clone().finalize()[..TAG_BYTES]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        self.set_meta("data_tag", &tag)?;
        self.connection.execute_batch("COMMIT")?;
        // Keeps the log short. If a reader still needs it, a later checkpoint does the work.
        let _ = self.connection.pragma_query(None, "wal_checkpoint", |_| Ok(()));
        Ok(())
    }
}

/// What to do when a new row differs from a stored one with the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnConflict {
    /// The new row wins: it was published later.
    Replace,
    /// The stored row wins: the new one may be older.
    Keep,
}

/// The number of rows that an import added, changed, left unchanged and removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// Rows that were not stored before.
    pub new: usize,
    /// Rows that replaced a stored row with other values.
    pub changed: usize,
    /// Rows that were already stored with the same values.
    pub unchanged: usize,
    /// Rows that the source no longer has, and that were removed.
    pub removed: usize,
}

impl Tally {
    pub(crate) const NEW: Tally = Tally { new: 1, ..Tally::NONE };
    pub(crate) const CHANGED: Tally = Tally { changed: 1, ..Tally::NONE };
    pub(crate) const UNCHANGED: Tally = Tally { unchanged: 1, ..Tally::NONE };
    pub(crate) const REMOVED: Tally = Tally { removed: 1, ..Tally::NONE };
    const NONE: Tally = Tally { new: 0, changed: 0, unchanged: 0, removed: 0 };

    /// Whether anything changed.
    pub(crate) fn is_change(self) -> bool {
        self.new + self.changed + self.removed > 0
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, more: Tally) {
        self.new += more.new;
        self.changed += more.changed;
        self.unchanged += more.unchanged;
        self.removed += more.removed;
    }
}
