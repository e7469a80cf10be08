//! Domain types. Each has one parser, `FromStr`, so a value that exists is valid.
use std::{
    borrow::Cow,
    sync::{Mutex, MutexGuard, PoisonError},
};

pub(crate) mod caller;
pub(crate) mod date;
pub(crate) mod decimal;
pub(crate) mod error;
pub(crate) mod faults;
pub(crate) mod figure;
pub(crate) mod fixed_point;
pub(crate) mod identifier;
pub(crate) mod ids;
pub(crate) mod invalid;
pub(crate) mod key;
pub(crate) mod link;
pub(crate) mod page;
pub mod plans;
pub(crate) mod running_product;
mod sql;
pub(crate) mod tsv;
pub(crate) mod words;

pub use caller::{Caller, CallerId, Email, KeyId, Name};
pub(crate) use date::day_of;
pub use date::{Date, DateRange};
pub use decimal::Decimal;
pub(crate) use decimal::{deserialize_number, whole_number};
pub(crate) use identifier::{CNPJ_ROOT, Identifier, TICKER_ROOT, is_ticker};
pub use identifier::{Cnpj, CompanyId, CompanyRef, CvmCode};
pub use ids::{Currency, FilingId, Form, Pair, SeriesId};
pub(crate) use ids::{ID_BITS, first_key, last_key};
pub use key::{Key, KeyHash, KeyPrefix, SessionToken};
pub(crate) use key::{SessionHash, is_base62, random_bytes, random_characters};
pub use link::{LinkHash, LinkId, LinkPath, LinkToken};
pub use page::{Limit, Offset, PageQuery};
pub(crate) use words::{Part, nearest_to_unknown, words};
pub use words::{Search, Words, fold};

/// Deserializes a type through its `FromStr`, so that JSON, query strings and files share one parser.
macro_rules! deserialize_from_str {
    ($type:ty) => {
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use deserialize_from_str;

/// Reads and writes a type that has few values, each by its word.
macro_rules! choices {
    ($type:ty, $wanted:expr, $($word:literal => $value:path),+) => {
        impl std::str::FromStr for $type {
            type Err = $crate::values::error::Error;

            fn from_str(text: &str) -> $crate::values::error::Result<$type> {
                match text {
                    $($word => Ok($value),)+
                    _ => Err($crate::values::error::Error::invalid(text, $wanted)),
                }
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(match self {
                    $($value => $word,)+
                })
            }
        }

        $crate::values::deserialize_from_str!($type);
    };
}
pub(crate) use choices;

/// Serializes a type through its `Display`.
macro_rules! serialize_as_str {
    ($type:ty) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    };
}
pub(crate) use serialize_as_str;

/// What types that are one text share: `FromStr` by the type's own `parse`, which refuses a text as not what is wanted;
/// `Debug` as `Display`; and both directions of serde.
macro_rules! text_type {
    ($type:ty, $wanted:expr) => {
        impl std::str::FromStr for $type {
            type Err = crate::values::error::Error;

            fn from_str(text: &str) -> crate::values::error::Result<Self> {
                Self::parse(text).ok_or_else(|| crate::values::error::Error::invalid(text, $wanted))
            }
        }

        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }

        $crate::values::deserialize_from_str!($type);
        $crate::values::serialize_as_str!($type);
    };
}
pub(crate) use text_type;

/// Long enough for every name and number, short enough for a message to stay one sentence.
const MAX_CHARACTERS: usize = 60;

/// The first 60 characters of `text`, for messages that quote their input.
///
/// ```
/// assert_eq!(fincore::truncate("9512"), "9512");
/// assert_eq!(fincore::truncate(&"x".repeat(5000)), format!("{}…", "x".repeat(60)));
/// ```
#[must_use]
pub fn truncate(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// A text as it may be shown on a terminal: characters that steer it, or turn the direction of writing, are spelled
/// out.
///
/// ```
/// assert_eq!(fincore::printable("Balanço 2024.csv"), "Balanço 2024.csv");
/// assert_eq!(fincore::printable("a\u{1b}[31m.csv"), "a\\u{1b}[31m.csv");
/// ```
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    let steers = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

/// A panic elsewhere does no harm: what we guard is consistent after every step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
