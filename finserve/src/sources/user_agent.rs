//! The name under which this program asks publishers.
use std::{fmt, str::FromStr};

/// The `User-Agent` of requests to publishers: by default the project and its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UserAgent(String);

impl UserAgent {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for UserAgent {
    fn default() -> UserAgent {
        const NAME: &str =
            concat!("finserve/", env!("CARGO_PKG_VERSION"), " (+keeps a copy of your open data)");
        UserAgent(NAME.to_owned())
    }
}

impl FromStr for UserAgent {
    type Err = String;

    /// Nothing at all, as environments often have it, means the default.
    fn from_str(text: &str) -> Result<UserAgent, String> {
        let name = text.trim();
        if name.is_empty() {
            return Ok(UserAgent::default());
        }
        if !name.chars().all(|c| c == ' ' || c.is_ascii_graphic()) {
            return Err("expected a text without accents and control characters".into());
        }
        Ok(UserAgent(name.to_owned()))
    }
}

impl fmt::Display for UserAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_text_that_a_header_can_carry() {
        for text in ["curl/8.5.0", "Mozilla/5.0 (X11; Linux x86_64)", " curl/8.5.0 "] {
            assert_eq!(text.parse::<UserAgent>().unwrap().as_str(), text.trim());
        }
        for text in ["a\r\nX-Other: b", "navegação"] {
            assert!(text.parse::<UserAgent>().is_err(), "{text}");
        }
        let default = UserAgent::default();
        for text in ["", "  "] {
            assert_eq!(text.parse::<UserAgent>().as_ref(), Ok(&default));
        }
        assert!(default.as_str().starts_with(concat!("finserve/", env!("CARGO_PKG_VERSION"))));
        assert_eq!(default.to_string().parse(), Ok(default));
    }
}
