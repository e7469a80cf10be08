//! Domain types. Each has one parser, `FromStr`, so a value that exists is valid.
mod base62;
mod caller;
mod cnpj;
mod company_id;
mod company_ref;
mod contact;
mod cvm_code;
mod date;
mod decimal;
mod digits;
mod filing_id;
mod identifier;
mod key;
mod link;
mod link_token;
mod nearest;
mod page;
mod pair;
mod series_id;
mod session_token;
pub(crate) mod tsv;
mod words;

pub(crate) use base62::random_characters;
#[cfg(feature = "webhooks")]
pub(crate) use base62::{is_base62, random_bytes};
pub use caller::{Caller, CallerId, KeyId};
pub use cnpj::Cnpj;
pub use company_id::CompanyId;
pub use company_ref::CompanyRef;
pub use contact::{Email, Name};
pub use cvm_code::CvmCode;
#[cfg(feature = "import")]
pub(crate) use date::day_of;
pub use date::{Date, DateRange};
pub use decimal::Decimal;
pub(crate) use decimal::{deserialize_number, serialize_number};
pub(crate) use digits::whole_number;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) use filing_id::ID_BITS;
pub use filing_id::{FilingId, Form};
pub(crate) use filing_id::{first_key, last_key};
pub(crate) use identifier::{CNPJ_ROOT, Identifier, TICKER_ROOT, is_ticker};
pub use key::{Key, KeyHash, KeyPrefix};
pub use link::{LinkId, LinkPath};
pub use link_token::{LinkHash, LinkToken};
pub(crate) use nearest::nearest_to_unknown;
pub use page::{Limit, Offset, PageQuery};
pub use pair::{Currency, Pair};
pub use series_id::SeriesId;
pub(crate) use session_token::SessionHash;
pub use session_token::SessionToken;
pub(crate) use words::{Part, words};
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
            type Err = $crate::error::Error;

            fn from_str(text: &str) -> $crate::error::Result<$type> {
                match text {
                    $($word => Ok($value),)+
                    _ => Err($crate::error::Error::invalid(text, $wanted)),
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

        $crate::types::deserialize_from_str!($type);
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
            type Err = crate::error::Error;

            fn from_str(text: &str) -> crate::error::Result<Self> {
                Self::parse(text).ok_or_else(|| crate::error::Error::invalid(text, $wanted))
            }
        }

        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }

        super::deserialize_from_str!($type);
        super::serialize_as_str!($type);
    };
}
pub(crate) use text_type;
