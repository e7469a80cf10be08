//! Arguments that may hold a password or a key: nothing shows them.
use std::fmt;

use fincore::KeyPrefix;

/// An argument as it was typed. The code that parses it reports what is wrong with it, without repeating it.
#[derive(Clone)]
pub(crate) struct Redacted(String);

impl Redacted {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The first characters of a key. Fails if the text cannot be that.
    pub(crate) fn prefix(&self) -> fincore::Result<KeyPrefix> {
        self.0.parse()
    }
}

impl From<String> for Redacted {
    fn from(text: String) -> Redacted {
        Redacted(text)
    }
}

impl fmt::Debug for Redacted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redacted(…)")
    }
}
