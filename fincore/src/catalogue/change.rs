//! Added, changed or removed: what an import did to a row.
use serde::Serialize;

/// What happened to a row of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// It was not there before.
    Added,
    /// It has other values than before.
    Changed,
    /// It is no longer there.
    Removed,
}

impl Change {
    /// The number under which it is stored.
    #[cfg(any(feature = "bundle", feature = "import"))]
    pub(crate) fn code(self) -> u8 {
        match self {
            Change::Added => 0,
            Change::Changed => 1,
            Change::Removed => 2,
        }
    }

    /// The inverse of [`Change::code`].
    pub(crate) fn of_code(code: i64) -> Option<Change> {
        match code {
            0 => Some(Change::Added),
            1 => Some(Change::Changed),
            2 => Some(Change::Removed),
            _ => None,
        }
    }
}
