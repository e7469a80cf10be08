//! Addresses that were typed and may hold a password, and keys: nothing shows them.
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

/// A key as it was typed. What reads it says whether it can be one, without repeating it.
#[derive(Clone)]
pub(crate) struct TypedKey(String);

impl TypedKey {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for TypedKey {
    fn from(text: String) -> TypedKey {
        TypedKey(text)
    }
}

impl fmt::Debug for TypedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TypedKey(…)")
    }
}
