//! Domain types. Each has one parser, `FromStr`, so a value that exists is valid.
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
mod key;
mod page;
mod pair;
mod series_id;
mod session_token;
mod words;

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
pub(crate) use decimal::serialize_number;
pub(crate) use digits::whole_number;
pub use filing_id::FilingId;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) use filing_id::ID_BITS;
pub(crate) use filing_id::{Form, first_key, last_key};
pub use key::{Key, KeyHash, KeyPrefix};
pub(crate) use key::{is_base62, random_bytes, random_characters};
pub use page::{Limit, Offset};
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
