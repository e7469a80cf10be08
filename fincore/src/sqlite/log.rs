//! The write-ahead log beside a database file, which SQLite never shortens by itself.
use std::{fs, path::Path, time::Duration};

use super::{attach, place::beside};
use crate::error::{Error, Result};

/// What a log may hold, in bytes, before it is worth shortening: SQLite copies it into the file at about that size.
pub(crate) const LARGE: u32 = 4 << 20;

/// How long the readers of an old state may go on before the log is left as it is. Snapshots of requests are shorter.
const PATIENCE: Duration = Duration::from_millis(250);

/// Whether the log of a database is worth shortening.
pub(crate) fn has_large_log(path: &Path) -> bool {
    fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() >= LARGE.into())
}

/// Gives back the space of a log. Where somebody still reads from it, or writes, it stays, and a later call may
/// succeed.
pub(crate) fn shrink_log(path: &Path) -> Result<()> {
    let shrunk = attach(path).and_then(|connection| {
        connection.busy_timeout(PATIENCE)?;
        connection.pragma(None, "wal_checkpoint", "TRUNCATE", |_| Ok(()))
    });
    match shrunk.map_err(Error::from) {
        Err(Error::Busy(_)) => Ok(()),
        outcome => outcome,
    }
}
