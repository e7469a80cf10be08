//! Paging: limit and offset.
use std::{fmt, str::FromStr};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error as _, Visitor},
};

use crate::values::{
    Error, Result, Wanted,
    decimal::{deserialize_number, whole_number},
};

/// The most rows to return: 1 to `MAX`; by default 20, or `MAX` if that is less.
///
/// Each query struct says how large `MAX` is, so it can usually be inferred:
///
/// ```
/// use fincore::{Limit, market::History};
///
/// let query = History { limit: Limit::new(250)?, ..Default::default() };
/// assert_eq!(query.limit.get(), 250);
/// assert!(Limit::<1000>::new(1001).is_err());
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Limit<const MAX: u32>(u32);

impl<const MAX: u32> Limit<MAX> {
    /// The largest limit.
    pub const MAX: Limit<MAX> = Limit(MAX);

    /// A limit of this many rows. Fails for 0 and for more than `MAX`; a limit is never clamped silently.
    pub fn new(rows: u32) -> Result<Limit<MAX>> {
        Self::check(rows).ok_or_else(|| Self::refuse(&rows.to_string()))
    }

    /// The number of rows.
    #[must_use]
    pub fn get(self) -> u32 {
        self.0
    }

    fn check(rows: u32) -> Option<Limit<MAX>> {
        (1..=MAX).contains(&rows).then_some(Limit(rows))
    }

    fn refuse(given: &str) -> Error {
        Error::invalid(given, Wanted::WholeNumber { from: 1, to: MAX.into() })
    }
}

impl<const MAX: u32> Default for Limit<MAX> {
    fn default() -> Limit<MAX> {
        Limit(if MAX < 20 { MAX } else { 20 })
    }
}

impl<const MAX: u32> FromStr for Limit<MAX> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Limit<MAX>> {
        plain_number(text).and_then(Self::check).ok_or_else(|| Self::refuse(text))
    }
}

/// Parses a whole number without leading zeros, which are more often a mistake than intended.
fn plain_number<N: FromStr>(text: &str) -> Option<N> {
    whole_number(text).filter(|_| text == "0" || !text.starts_with('0'))
}

impl<'de, const MAX: u32> Deserialize<'de> for Limit<MAX> {
    /// Accepts a number, or a string as in a query string.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read<const MAX: u32>;
        impl<const MAX: u32> Visitor<'_> for Read<MAX> {
            type Value = Limit<MAX>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a whole number from 1 to {MAX}")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Limit<MAX>, E> {
                text.parse().map_err(E::custom)
            }
            fn visit_u64<E: serde::de::Error>(self, rows: u64) -> Result<Limit<MAX>, E> {
                rows.to_string().parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Read).map_err(D::Error::custom)
    }
}

/// The number of rows to skip: 0 to 1,000,000,000, 0 by default.
///
/// No table is nearly that long, so a larger number is a mistake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Offset(u64);

impl Offset {
    /// The largest offset.
    pub const MAX: Offset = Offset(1_000_000_000);

    /// An offset of this many rows. Fails for more than [`Offset::MAX`].
    pub fn new(rows: u64) -> Result<Offset> {
        Self::check(rows).ok_or_else(|| Self::refuse(&rows.to_string()))
    }

    /// The number of rows.
    #[must_use]
    pub fn get(self) -> u64 {
        self.0
    }

    /// The number of rows as SQLite's integer type.
    pub(crate) fn sql(self) -> i64 {
        i64::try_from(self.0).expect("the maximum fits")
    }

    fn check(rows: u64) -> Option<Offset> {
        Some(Offset(rows)).filter(|offset| *offset <= Offset::MAX)
    }

    fn refuse(given: &str) -> Error {
        Error::invalid(given, Wanted::WholeNumber { from: 0, to: Offset::MAX.0 })
    }
}

impl FromStr for Offset {
    type Err = Error;

    fn from_str(text: &str) -> Result<Offset> {
        plain_number(text).and_then(Self::check).ok_or_else(|| Self::refuse(text))
    }
}

impl<'de> Deserialize<'de> for Offset {
    /// Accepts a number, or a string as in a query string.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_number(deserializer)
    }
}

/// A page of a list that has nothing else to choose; by default the first twenty rows.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PageQuery {
    /// The most rows to return.
    #[serde(default)]
    pub limit: Limit<1000>,
    /// The number of rows to skip.
    #[serde(default)]
    pub offset: Offset,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_one_to_its_maximum() {
        for (text, rows) in [("1", 1), ("20", 20), ("1000", 1000)] {
            assert_eq!(text.parse::<Limit<1000>>().unwrap().get(), rows);
        }
        for text in ["", "0", "1001", "-1", "+1", "1.0", "1e2", "01", " 1", "99999999999", "٣", "x"]
        {
            let message = text.parse::<Limit<1000>>().unwrap_err().to_string();
            assert_eq!(message, format!("{text:?} is not a whole number from 1 to 1000"));
        }
    }

    #[test]
    fn an_offset_is_a_whole_number() {
        for (text, rows) in [("0", 0), ("40", 40), ("1000000000", 1_000_000_000)] {
            assert_eq!(text.parse::<Offset>().unwrap().get(), rows);
            assert_eq!(Offset::new(rows).unwrap(), text.parse().unwrap());
        }
        let wrong =
            ["", "-1", "+1", "1.0", "01", "00", " 1", "1000000001", "18446744073709551616", "x"];
        for text in wrong {
            let message = text.parse::<Offset>().unwrap_err().to_string();
            assert_eq!(message, format!("{text:?} is not a whole number from 0 to 1000000000"));
        }
        assert_eq!(
            Offset::new(u64::MAX).unwrap_err().to_string(),
            "\"18446744073709551615\" is not a whole number from 0 to 1000000000"
        );
    }

    #[test]
    fn reads_json_numbers_too() {
        let read = serde_json::from_str::<Limit<10>>;
        assert_eq!(read("7").unwrap().get(), 7);
        assert_eq!(read("\"7\"").unwrap().get(), 7);
        assert!(read("11").is_err());
        assert!(read("-1").is_err());
    }
}
