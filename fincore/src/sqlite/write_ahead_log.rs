//! The write-ahead log beside a database file, which SQLite never shortens by itself.
use std::{fs, path::Path, time::Duration};

use super::{
    file_identity::companion_path,
    open::{LOG_SIZE_LIMIT, attach},
};
use crate::error::{Error, Result};

/// How long to wait for readers of an older state. The snapshots of requests are shorter.
const MAX_WAIT: Duration = Duration::from_millis(250);

/// Whether the log of a database is worth shortening.
pub(crate) fn has_large_log(path: &Path) -> bool {
    fs::metadata(companion_path(path, "-wal")).is_ok_and(|log| log.len() >= LOG_SIZE_LIMIT.into())
}

/// Truncates the log. While another connection reads from it or writes to it, it stays, and a later call may succeed.
pub(crate) fn shrink_log(path: &Path) -> Result<()> {
    let shrunk = attach(path).and_then(|connection| {
        connection.busy_timeout(MAX_WAIT)?;
        connection.pragma(None, "wal_checkpoint", "TRUNCATE", |_| Ok(()))
    });
    match shrunk.map_err(Error::from) {
        Err(Error::Busy(_)) => Ok(()),
        outcome => outcome,
    }
}
