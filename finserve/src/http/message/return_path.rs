//! Where signing in leads back to.
use std::str::FromStr;

use fincore::Key;
use serde::{Deserialize, Deserializer, de};

use crate::errors::{Problem, Wanted};

/// A path of this service, with its query: nothing that a browser would take for the address of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReturnPath(String);

/// The longest path and query, like the longest that are answered.
const MAX_LENGTH: usize = 8 * 1024;

impl FromStr for ReturnPath {
    type Err = Problem;

    /// Browsers read a backslash as a slash, and leave out tabs and line breaks.
    fn from_str(text: &str) -> Result<ReturnPath, Problem> {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
        let is_path = text.starts_with('/') && !text.starts_with("//");
        // No browser is led to an address with a key, and no page repeats one.
        if Key::may_be_in(text) {
            return Ok(ReturnPath("/".to_owned()));
        }
        if is_plain && is_path && text.len() <= MAX_LENGTH {
            return Ok(ReturnPath(text.to_owned()));
        }
        Err(Problem::value(text, Wanted::Path))
    }
}

impl<'de> Deserialize<'de> for ReturnPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ReturnPath, D::Error> {
        // An empty field of a form is none.
        let text = String::deserialize(deserializer)?;
        if text.is_empty() { "/".parse() } else { text.parse() }.map_err(de::Error::custom)
    }
}

impl ReturnPath {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_on_to_paths_of_this_service_only() {
        for path in [
            "/",
            "/pricing",
            "/companies?q=vale%20s.a.&lang=pt",
            "/a//b",
            "/@evil.example",
            "/%2f/evil.example",
        ] {
            assert_eq!(path.parse(), Ok(ReturnPath(path.to_owned())));
        }
        let long = format!("/{}", "a".repeat(MAX_LENGTH));
        for path in [
            "",
            "pricing",
            "//evil.example",
            "///evil.example",
            "/\\evil.example",
            "\\/evil.example",
            "\\\\evil.example",
            "https://evil.example",
            "https:/evil.example",
            "javascript:alert(1)",
            "/\t/evil.example",
            "/\n/evil.example",
            "/\r\nSet-Cookie: a=b",
            " /",
            "/ ",
            "/é",
            "@evil.example",
            ".evil.example",
            &long,
        ] {
            assert!(path.parse::<ReturnPath>().is_err(), "{path:?}");
        }
    }
}
