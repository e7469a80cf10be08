//! The position up to which the change log of each catalogue was read into the outbox. The table is called `told`.
use chrono::{DateTime, TimeDelta, Utc};

use super::stored_time::{from_millis, to_millis};
use crate::{
    accounts::{Accounts, Session, values},
    error::Result,
    events::cursor::LogPosition,
};

/// After this time at an earlier version, a catalogue counts as restored from an older copy. A program with an old snapshot
/// sees an earlier version too, but only for a moment.
const ROLLBACK_AFTER: TimeDelta = TimeDelta::seconds(60);

#[derive(Clone, Debug)]
pub(super) struct Progress {
    /// All changes before this position are in the outbox.
    pub(super) position: LogPosition,
    /// Since when the catalogue is seen at an earlier version, and the end of that version.
    pub(super) behind: Option<(DateTime<Utc>, LogPosition)>,
}

pub(super) fn load(session: &dyn Session, catalogue: &str) -> Result<Option<Progress>> {
    const SQL: &str =
        "SELECT version, dataset, key, fallen, fallen_to FROM told WHERE catalogue = ?1";
    let Some(row) = session.first(SQL, values![catalogue])? else { return Ok(None) };
    let (since, to): (Option<i64>, Option<i64>) = (row.get(3)?, row.get(4)?);
    let position =
        |version: i64, dataset, key| LogPosition { version: version.unsigned_abs(), dataset, key };
    let to = to.map(|version| position(version, String::new(), String::new()));
    Ok(Some(Progress {
        position: position(row.get(0)?, row.get(1)?, row.get(2)?),
        behind: since.map(from_millis).zip(to),
    }))
}

/// Starts after all changes of this version, if there is no progress for the catalogue yet.
pub(super) fn start(tx: &dyn Session, catalogue: &str, version: u64) -> Result<()> {
    const SQL: &str = "INSERT INTO told (catalogue, version, dataset, key) VALUES (?1, ?2, '', '')
        ON CONFLICT DO NOTHING";
    tx.execute(SQL, values![catalogue, LogPosition::after(version).sql_version()])?;
    Ok(())
}

/// Saves that all changes before a position are in the outbox.
pub(super) fn save(tx: &dyn Session, catalogue: &str, position: &LogPosition) -> Result<()> {
    const SQL: &str = "UPDATE told
        SET version = ?2, dataset = ?3, key = ?4, fallen = NULL, fallen_to = NULL
        WHERE catalogue = ?1";
    let LogPosition { dataset, key, .. } = position;
    tx.execute(SQL, values![catalogue, position.sql_version(), dataset, key])?;
    Ok(())
}

/// Handles a catalogue whose log ends before the saved position: after a minute, the position moves back to where the
/// log ended when that was first seen. Returns whether it did.
pub(super) fn handle_rollback(
    accounts: &Accounts,
    catalogue: &str,
    (progress, newest): (Progress, LogPosition),
    now: DateTime<Utc>,
) -> Result<bool> {
    const BEHIND: &str = "UPDATE told SET fallen = ?2, fallen_to = ?3 WHERE catalogue = ?1";
    const SINCE: &str = "UPDATE webhook SET since = ?2 WHERE catalogue = ?1 AND since > ?2";
    match progress.behind {
        Some((since, to)) if to <= newest && now - since < ROLLBACK_AFTER => Ok(false),
        Some((_, to)) if to <= newest => accounts.write(|tx| {
            if load(tx, catalogue)?.is_some_and(|now| now.position == progress.position) {
                // A webhook that was created at a later version gets the changes after the restored one.
                tx.execute(SINCE, values![catalogue, to.sql_version() - 1])?;
                save(tx, catalogue, &to)?;
            }
            Ok(true)
        }),
        Some(_) | None => accounts.write(|tx| {
            tx.execute(BEHIND, values![catalogue, to_millis(now), newest.sql_version()])?;
            Ok(false)
        }),
    }
}

/// Saves that the catalogue has reached the saved position again.
pub(super) fn clear_rollback(tx: &dyn Session, catalogue: &str) -> Result<()> {
    const SQL: &str = "UPDATE told SET fallen = NULL, fallen_to = NULL WHERE catalogue = ?1";
    tx.execute(SQL, values![catalogue])?;
    Ok(())
}
