//! Addresses that were typed, and may hold a password: nothing shows them.
use std::fmt;

/// An address as it was typed. What reads it says what is wrong with it, without repeating it.
#[derive(Clone)]
pub(crate) struct TypedAddress(String);

impl TypedAddress {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for TypedAddress {
    fn from(text: String) -> TypedAddress {
        TypedAddress(text)
    }
}

impl fmt::Debug for TypedAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TypedAddress(…)")
    }
}
