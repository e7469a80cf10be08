//! What names a link, and what a link is bound to.
use std::{fmt, str::FromStr, sync::Arc};

use super::{
    base62::{is_base62, random_characters},
    deserialize_from_str,
    key::Key,
    serialize_as_str,
};
use crate::error::{Error, Invalid, Result, SecretKind, Wanted};

const ID_MARK: &str = "lnk_";

/// 62^22 is about 2^131: ids of different servers do not collide.
const ID_RANDOM: usize = 22;

/// The id of a link: `lnk_` and 22 letters and digits. It is no secret, and reads nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LinkId(String);

impl LinkId {
    pub(crate) fn generate() -> Result<LinkId> {
        Ok(LinkId(format!("{ID_MARK}{}", random_characters(ID_RANDOM)?)))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for LinkId {
    type Err = Error;

    fn from_str(text: &str) -> Result<LinkId> {
        let well_formed = |rest: &str| rest.len() == ID_RANDOM && is_base62(rest);
        if text.strip_prefix(ID_MARK).is_some_and(well_formed) {
            return Ok(LinkId(text.to_owned()));
        }
        Err(Error::invalid(text, Wanted::LinkId))
    }
}

impl fmt::Display for LinkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

serialize_as_str!(LinkId);
deserialize_from_str!(LinkId);

/// The path and the parameters that a link is bound to: `/api/v1/market/selic?from=2024-01-01`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkPath(Arc<str>);

impl LinkPath {
    /// The maximum length in characters.
    pub const MAX_CHARACTERS: usize = 2_000;

    /// The path and the parameters, as they were given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A path that was checked when it was stored.
    pub(crate) fn stored(text: &str) -> LinkPath {
        LinkPath(text.into())
    }
}

impl FromStr for LinkPath {
    type Err = Error;

    /// Fails if the text is no path of the API as it stands in an address, or has a key or a token in it.
    fn from_str(text: &str) -> Result<LinkPath> {
        if Key::is_likely_in(text) {
            return Err(Error::Invalid(Invalid::Secret(SecretKind::KeyInLink)));
        }
        let in_address = |byte: u8| byte.is_ascii_graphic() && !b"#\"<>\\".contains(&byte);
        let is_escape = |escape: &str| {
            escape.as_bytes().get(..2).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit))
        };
        let fits = text.starts_with("/api/v1/")
            && text.len() <= LinkPath::MAX_CHARACTERS
            && text.bytes().all(in_address)
            && text.split('%').skip(1).all(is_escape);
        if fits {
            return Ok(LinkPath(text.into()));
        }
        Err(Error::invalid(text, Wanted::LinkPath { most: LinkPath::MAX_CHARACTERS }))
    }
}

impl fmt::Display for LinkPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

serialize_as_str!(LinkPath);
deserialize_from_str!(LinkPath);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::LinkToken;

    #[test]
    fn an_id_is_read_back_and_nothing_else_is() {
        let id = LinkId::generate().unwrap();
        assert_eq!(id.as_str().parse::<LinkId>().unwrap(), id);
        for wrong in ["", "lnk_", "lnk_abc", &id.as_str()[4..], &format!("{id}0")] {
            assert!(wrong.parse::<LinkId>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_path_stands_in_an_address_and_holds_no_secret() {
        for path in ["/api/v1/market/selic", "/api/v1/filings?q=S%C3%A3o+Paulo&limit=1"] {
            assert_eq!(path.parse::<LinkPath>().unwrap().as_str(), path);
        }
        let long = format!("/api/v1/{}", "x".repeat(2_000));
        let wrong = ["", "/", "/api/v1", "api/v1/x", "/health", "http://a/api/v1/x", &long];
        for wrong in
            wrong.into_iter().chain(["/api/v1/a b", "/api/v1/é", "/api/v1/a#b", "/api/v1/%zz"])
        {
            let said = wrong.parse::<LinkPath>().unwrap_err().to_string();
            assert!(said.contains("is not a path of the API"), "{said}");
        }
        let (key, token) = (Key::generate().unwrap(), LinkToken::generate().unwrap());
        for secret in [key.reveal(), token.reveal()] {
            let path = format!("/api/v1/market/selic?token={secret}");
            let said = path.parse::<LinkPath>().unwrap_err().to_string();
            assert!(said.contains("secret") && !said.contains(secret), "{said}");
        }
    }
}
