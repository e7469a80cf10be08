//! Domain types. Each has one parser, `FromStr`, so a value that exists is valid.
use std::{
    borrow::Cow,
    sync::{Mutex, MutexGuard, PoisonError},
};

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

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
pub(crate) use error::{Error, Resource, Result};
pub(crate) use faults::{
    CalculationFault, ExportFault, LinkFault, SeriesFault, TransformationFault, WebhookFault,
};
pub(crate) use figure::Figure;
pub(crate) use fixed_point::FixedPoint;
pub(crate) use identifier::{CNPJ_ROOT, Identifier, TICKER_ROOT, is_ticker};
pub use identifier::{Cnpj, CompanyId, CompanyRef, CvmCode};
pub use ids::{Currency, FilingId, Form, Pair, SeriesId};
pub(crate) use ids::{ID_BITS, KeyRange, first_key, last_key};
pub(crate) use invalid::{Invalid, SecretKind, Wanted};
pub use key::{Key, KeyHash, KeyPrefix, SessionToken};
pub(crate) use key::{
    SecretHash, SessionHash, is_marked, random_bytes, random_characters, random_with_mark,
};
pub use link::{LinkHash, LinkId, LinkPath, LinkToken};
pub use page::{Limit, Offset, PageQuery};
pub(crate) use plans::{Feature, Plan, Upgrade};
pub(crate) use running_product::RunningProduct;
pub(crate) use sql::{read_leb128, write_leb128};
pub(crate) use words::{Part, nearest_to_unknown, words};
pub use words::{Search, Words};

/// Both directions of serde for a type that is one text, by its `FromStr` and `Display`, so that JSON, query strings and
/// files share one parser. With what is wanted, also `FromStr` by the type's own `parse`, and `Debug` as `Display`. With the
/// words of a type that has few values, also `FromStr`, `Display`, and a method for the word of a value.
macro_rules! as_text {
    ($type:ident::$word_of:ident, $wanted:expr, $($word:literal => $value:ident),+) => {
        impl $type {
            /// Its word in queries and answers.
            #[must_use]
            pub fn $word_of(self) -> &'static str {
                match self {
                    $($type::$value => $word,)+
                }
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::values::error::Error;

            fn from_str(text: &str) -> $crate::values::error::Result<$type> {
                match text {
                    $($word => Ok($type::$value),)+
                    _ => Err($crate::values::error::Error::invalid(text, $wanted)),
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.$word_of())
            }
        }

        $crate::values::as_text!($type);
    };
    ($type:ty, $wanted:expr) => {
        impl std::str::FromStr for $type {
            type Err = $crate::values::error::Error;

            fn from_str(text: &str) -> $crate::values::error::Result<Self> {
                Self::parse(text).ok_or_else(|| $crate::values::error::Error::invalid(text, $wanted))
            }
        }

        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }

        $crate::values::as_text!($type);
    };
    ($type:ty) => {
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    };
}
pub(crate) use as_text;

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

/// Lowercases, strips accents and collapses whitespace. Texts with the same folding count as equal;
/// folding twice changes nothing.
///
/// Every letter of Windows-1252, the encoding of all sources, becomes ASCII. Search indexes store folded
/// words, so the folding of Windows-1252 must never change.
#[must_use]
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '!'..='~' => folded.push(c.to_ascii_lowercase()),
            // Only letters and digits are decomposed: symbols such as ™ and ´ separate words.
            c if c.is_alphanumeric() => {
                decompose_compatible(c, |part| push_lowercase(&mut folded, part));
            }
            c => push(&mut folded, c),
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

/// Appends a decomposed character in lowercase.
fn push_lowercase(folded: &mut String, c: char) {
    match c {
        // Fast path for nearly every letter of the sources.
        '!'..='~' => folded.push(c.to_ascii_lowercase()),
        '\u{300}'..='\u{36f}' => (),
        c => c.to_lowercase().for_each(|c| push(folded, c)),
    }
}

/// Appends a lowercase character. Combining marks are dropped; whitespace collapses to one space.
fn push(folded: &mut String, c: char) {
    match c {
        c if c.is_whitespace() || c.is_control() => {
            if !folded.is_empty() && !folded.ends_with(' ') {
                folded.push(' ');
            }
        }
        // The standalone circumflex is an accent, though Unicode calls it a letter.
        c if is_combining_mark(c) || c == 'ˆ' => (),
        c => match replacement(c) {
            Some(letters) => folded.push_str(letters),
            None => folded.push(c),
        },
    }
}

/// The replacement for a character that Unicode does not decompose.
fn replacement(c: char) -> Option<&'static str> {
    Some(match c {
        'æ' => "ae",
        'đ' | 'ð' => "d",
        'ƒ' => "f",
        'ħ' => "h",
        'ı' => "i",
        'ł' => "l",
        'ø' => "o",
        'œ' => "oe",
        'ß' => "ss",
        'ŧ' => "t",
        'þ' => "th",
        // The micro sign decomposes to this Greek letter.
        'μ' => "u",
        // In the middle of a decomposed ½.
        '\u{2044}' => "/",
        _ => return None,
    })
}
