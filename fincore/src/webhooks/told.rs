//! The note of how far the change log of each catalogue was told.
use chrono::{DateTime, TimeDelta, Utc};

use super::{millis, time};
use crate::{
    accounts::{Accounts, Session, values},
    error::Result,
    events::cursor::Place,
};

/// How long a file is seen at an earlier version than was told before it counts as an older copy of itself. The
/// snapshot of another program can be as old, but only for a moment.
const DOUBT: TimeDelta = TimeDelta::seconds(60);

/// What is noted about a catalogue.
#[derive(Clone, Debug)]
pub(super) struct Noted {
    /// All changes before this place were told.
    pub(super) place: Place,
    /// Since when the file is seen at an earlier version, and the end of that version.
    pub(super) fallen: Option<(DateTime<Utc>, Place)>,
}

pub(super) fn noted(session: &dyn Session, catalogue: &str) -> Result<Option<Noted>> {
    const SQL: &str =
        "SELECT version, dataset, key, fallen, fallen_to FROM told WHERE catalogue = ?1";
    let Some(row) = session.first(SQL, values![catalogue])? else { return Ok(None) };
    let (since, to): (Option<i64>, Option<i64>) = (row.get(3)?, row.get(4)?);
    let place =
        |version: i64, dataset, key| Place { version: version.unsigned_abs(), dataset, key };
    let to = to.map(|version| place(version, String::new(), String::new()));
    Ok(Some(Noted {
        place: place(row.get(0)?, row.get(1)?, row.get(2)?),
        fallen: since.map(time).zip(to),
    }))
}

/// Notes that all changes up to this version were told, if nothing is noted about the catalogue yet.
pub(super) fn start(tx: &dyn Session, catalogue: &str, version: u64) -> Result<()> {
    const SQL: &str = "INSERT INTO told (catalogue, version, dataset, key) VALUES (?1, ?2, '', '')
        ON CONFLICT DO NOTHING";
    tx.execute(SQL, values![catalogue, Place::after(version).sql_version()])?;
    Ok(())
}

/// Notes that all changes before a place were told.
pub(super) fn note(tx: &dyn Session, catalogue: &str, place: &Place) -> Result<()> {
    const SQL: &str = "UPDATE told
        SET version = ?2, dataset = ?3, key = ?4, fallen = NULL, fallen_to = NULL
        WHERE catalogue = ?1";
    let Place { dataset, key, .. } = place;
    tx.execute(SQL, values![catalogue, place.sql_version(), dataset, key])?;
    Ok(())
}

/// Deals with a file that ends before what was told: goes on from where it was first seen so, if that is a minute ago.
/// Returns whether it does.
pub(super) fn fall(
    accounts: &Accounts,
    catalogue: &str,
    (noted, newest): (Noted, Place),
    now: DateTime<Utc>,
) -> Result<bool> {
    const FALLEN: &str = "UPDATE told SET fallen = ?2, fallen_to = ?3 WHERE catalogue = ?1";
    const SINCE: &str = "UPDATE webhook SET since = ?2 WHERE catalogue = ?1 AND since > ?2";
    match noted.fallen {
        Some((since, to)) if to <= newest && now - since < DOUBT => Ok(false),
        Some((_, to)) if to <= newest => accounts.write(|tx| {
            if self::noted(tx, catalogue)?.is_some_and(|now| now.place == noted.place) {
                // Whoever subscribed to a later version wants what this one adds.
                tx.execute(SINCE, values![catalogue, to.sql_version() - 1])?;
                note(tx, catalogue, &to)?;
            }
            Ok(true)
        }),
        Some(_) | None => accounts.write(|tx| {
            tx.execute(FALLEN, values![catalogue, millis(now), newest.sql_version()])?;
            Ok(false)
        }),
    }
}

/// Notes that the file is at least at the version that was told.
pub(super) fn forget_fall(tx: &dyn Session, catalogue: &str) -> Result<()> {
    const SQL: &str = "UPDATE told SET fallen = NULL, fallen_to = NULL WHERE catalogue = ?1";
    tx.execute(SQL, values![catalogue])?;
    Ok(())
}
