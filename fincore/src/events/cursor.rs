//! Places in the change log, and the opaque text that callers see of them.
use std::{fmt, str::FromStr};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

use crate::{
    catalogue::Snapshot,
    changes,
    error::{Error, Result},
    types::{deserialize_from_str, serialize_as_str},
};

/// How a cursor starts, so that whoever reads a log knows what it is.
const MARK: &str = "evt_";

/// Longer than any cursor: dataset and key are short.
const MAX_LENGTH: usize = 400;

/// Stands between the parts of a cursor. No dataset or key has one.
const SEPARATOR: char = '\n';

/// A place in the stream of events, and the id of the event just before it: opaque text.
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
    place: Place,
}

/// A place in the change log: just after the change of `key` in `dataset` that `version` made. With both empty it is
/// the place before all changes of `version`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) version: u64,
    pub(crate) dataset: String,
    pub(crate) key: String,
}

impl Place {
    /// The place after all changes of a version.
    pub(crate) fn after(version: u64) -> Place {
        let version = version.saturating_add(1);
        Place { version, dataset: String::new(), key: String::new() }
    }

    /// The oldest place that the log knows.
    pub(crate) fn oldest(snapshot: &Snapshot) -> Result<Place> {
        Ok(Place::after(changes::complete_after(snapshot)?))
    }

    /// The place after everything.
    pub(crate) fn newest(snapshot: &Snapshot) -> Result<Place> {
        Ok(Place::after(snapshot.version()?))
    }

    /// The version as SQLite stores it.
    pub(crate) fn sql_version(&self) -> i64 {
        i64::try_from(self.version).unwrap_or(i64::MAX)
    }
}

impl Cursor {
    pub(crate) fn new(catalogue: &str, place: Place) -> Cursor {
        Cursor { catalogue: catalogue.to_owned(), place }
    }

    /// The place in this snapshot. Fails if the log does not know it: it forgot that far back, or the cursor is of
    /// other data.
    pub(crate) fn place(self, snapshot: &Snapshot) -> Result<Place> {
        let known = self.catalogue == snapshot.catalogue_id()?
            && self.place >= Place::oldest(snapshot)?
            && self.place <= Place::newest(snapshot)?;
        if known {
            return Ok(self.place);
        }
        Err(Error::Invalid(
            "the events after this cursor are not known any more; start again without since".into(),
        ))
    }

    /// The parts of a cursor's text.
    fn decode(text: &str) -> Option<Cursor> {
        let text = text.strip_prefix(MARK).filter(|text| text.len() <= MAX_LENGTH)?;
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        let mut parts = text.split(SEPARATOR).map(str::to_owned);
        let (catalogue, version) = (parts.next()?, parts.next()?.parse().ok()?);
        let (dataset, key) = (parts.next()?, parts.next()?);
        let complete = parts.next().is_none();
        complete.then_some(Cursor { catalogue, place: Place { version, dataset, key } })
    }
}

impl FromStr for Cursor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Cursor> {
        let cursor = Cursor::decode(text).filter(|cursor| cursor.to_string() == text);
        cursor.ok_or_else(|| Error::invalid(text, "a cursor as an earlier answer gave it"))
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cursor { catalogue, place: Place { version, dataset, key } } = self;
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
        let place = Place { version: 7, dataset: "fx".into(), key: "USD/BRL 2026-09-04".into() };
        for place in [place, Place::after(0), Place::after(u64::MAX)] {
            let cursor = Cursor::new("0123456789abcdef", place);
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
