//! How much of a long answer is wanted.
use std::{fmt, str::FromStr};

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, Visitor},
};

use crate::error::{Error, Result};

/// How many rows an answer may have: 1 to `MAX`, by default 20.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit<const MAX: u32>(u32);

impl<const MAX: u32> Limit<MAX> {
    /// As many rows as one answer can have.
    pub const MAX: Limit<MAX> = Limit(MAX);

    /// Fails for 0 and for more than `MAX`; a limit is never cut silently.
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
        Error::invalid(given, format_args!("a whole number from 1 to {MAX}"))
    }
}

impl<const MAX: u32> Default for Limit<MAX> {
    fn default() -> Limit<MAX> {
        Limit(20)
    }
}

impl<const MAX: u32> FromStr for Limit<MAX> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Limit<MAX>> {
        whole_number(text).and_then(Self::check).ok_or_else(|| Self::refuse(text))
    }
}

/// Digits only: no sign, no leading zero, no blank.
fn whole_number<N: FromStr>(text: &str) -> Option<N> {
    let plain = text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|_| plain)
}

impl<'de, const MAX: u32> Deserialize<'de> for Limit<MAX> {
    /// Reads a number, or the text of one as it stands in a query string.
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

/// How many rows are passed over before the first one that is wanted; by default none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Offset(u64);

impl Offset {
    /// Passes over this many rows.
    #[must_use]
    pub fn new(rows: u64) -> Offset {
        Offset(rows)
    }

    /// The number of rows.
    #[must_use]
    pub fn get(self) -> u64 {
        self.0
    }

    /// As the database counts; what is beyond its numbers is beyond every table, too.
    pub(crate) fn sql(self) -> i64 {
        i64::try_from(self.0).unwrap_or(i64::MAX)
    }
}

impl FromStr for Offset {
    type Err = Error;

    fn from_str(text: &str) -> Result<Offset> {
        let refuse = || Error::invalid(text, "a whole number, 0 or above");
        whole_number(text).map(Offset).ok_or_else(refuse)
    }
}

super::deserialize_from_str!(Offset);

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
        for (text, rows) in [("0", 0), ("40", 40), ("18446744073709551615", u64::MAX)] {
            assert_eq!(text.parse::<Offset>().unwrap().get(), rows);
        }
        for text in ["", "-1", "+1", "1.0", "01", " 1", "18446744073709551616", "x"] {
            let message = text.parse::<Offset>().unwrap_err().to_string();
            assert_eq!(message, format!("{text:?} is not a whole number, 0 or above"));
        }
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
