//! Positions in the change log, and the opaque text that clients see of them.
use std::{fmt, str::FromStr};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

use crate::{
    catalogue::Snapshot,
    changes,
    error::{Error, Invalid, Result, Wanted},
    types::{deserialize_from_str, serialize_as_str},
};

/// How a cursor starts, so that it can be recognised in a log.
const MARK: &str = "evt_";

/// Longer than any cursor: dataset and key are short.
const MAX_LENGTH: usize = 400;

/// Stands between the parts of a cursor. No dataset or key has one.
const SEPARATOR: char = '\n';

/// A position in the stream of events, which is also the id of the event just before it: opaque text.
///
/// A cursor is valid for the catalogue that it came from, for as long as its change log reaches back to it.
///
/// ```
/// use fincore::events::Cursor;
///
/// assert!("evt_somewhere".parse::<Cursor>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    catalogue: String,
    position: LogPosition,
}

/// A position in the change log: just after the change of `key` in `dataset` that `version` made. If both are empty, it
/// is the position before all changes of `version`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LogPosition {
    pub(crate) version: u64,
    pub(crate) dataset: String,
    pub(crate) key: String,
}

impl LogPosition {
    /// The position after all changes of a version.
    pub(crate) fn after(version: u64) -> LogPosition {
        let version = version.saturating_add(1);
        LogPosition { version, dataset: String::new(), key: String::new() }
    }

    /// The oldest position that the log still has.
    pub(crate) fn oldest(snapshot: &Snapshot) -> Result<LogPosition> {
        Ok(LogPosition::after(changes::complete_after(snapshot)?))
    }

    /// The position after the newest change.
    pub(crate) fn newest(snapshot: &Snapshot) -> Result<LogPosition> {
        Ok(LogPosition::after(snapshot.version()?))
    }

    /// The version as SQLite stores it.
    pub(crate) fn sql_version(&self) -> i64 {
        i64::try_from(self.version).unwrap_or(i64::MAX)
    }
}

impl Cursor {
    pub(crate) fn new(catalogue: &str, position: LogPosition) -> Cursor {
        Cursor { catalogue: catalogue.to_owned(), position }
    }

    /// The position in this snapshot. Fails if the log does not have it: the changes after it were deleted, or the
    /// cursor comes from other data.
    pub(crate) fn position(self, snapshot: &Snapshot) -> Result<LogPosition> {
        let known = self.catalogue == snapshot.catalogue_id()?
            && self.position >= LogPosition::oldest(snapshot)?
            && self.position <= LogPosition::newest(snapshot)?;
        if known {
            return Ok(self.position);
        }
        Err(Invalid::ExpiredCursor.into())
    }

    /// The parts of a cursor's text.
    fn decode(text: &str) -> Option<Cursor> {
        let text = text.strip_prefix(MARK).filter(|text| text.len() <= MAX_LENGTH)?;
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        let mut parts = text.split(SEPARATOR).map(str::to_owned);
        let (catalogue, version) = (parts.next()?, parts.next()?.parse().ok()?);
        let (dataset, key) = (parts.next()?, parts.next()?);
        let complete = parts.next().is_none();
        complete.then_some(Cursor { catalogue, position: LogPosition { version, dataset, key } })
    }
}

impl FromStr for Cursor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Cursor> {
        let cursor = Cursor::decode(text).filter(|cursor| cursor.to_string() == text);
        cursor.ok_or_else(|| Error::invalid(text, Wanted::Cursor))
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cursor { catalogue, position: LogPosition { version, dataset, key } } = self;
        let text = format!("{catalogue}{SEPARATOR}{version}{SEPARATOR}{dataset}{SEPARATOR}{key}");
        let text = URL_SAFE_NO_PAD.encode(text);
        f.pad(&format!("{MARK}{text}"))
    }
}

serialize_as_str!(Cursor);
deserialize_from_str!(Cursor);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_what_it_writes_and_nothing_else() {
        let position =
            LogPosition { version: 7, dataset: "fx".into(), key: "USD/BRL 2026-09-04".into() };
        for position in [position, LogPosition::after(0), LogPosition::after(u64::MAX)] {
            let cursor = Cursor::new("0123456789abcdef", position);
            let text = cursor.to_string();
            assert!(
                text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)),
                "{text}"
            );
            assert_eq!(text.parse::<Cursor>().unwrap(), cursor);
            for wrong in [&text[..text.len() - 1], &text[4..], &format!("{text}=")] {
                assert!(wrong.parse::<Cursor>().is_err(), "{wrong}");
            }
        }
        let message = "7".parse::<Cursor>().unwrap_err().to_string();
        assert_eq!(message, "\"7\" is not a cursor as an earlier answer gave it");
    }
}
