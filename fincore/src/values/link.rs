//! Links: their tokens and hashes, their names, and the paths they are bound to.
use std::{fmt, str::FromStr, sync::Arc};

use crate::values::{
    Error, Invalid, Key, Result, SecretHash, SecretKind, Wanted, as_text,
    key::{self, LINK_MARK as MARK, Secret, is_marked, random_with_mark},
};

const ID_MARK: &str = "lnk_";

/// 62^22 is about 2^131: ids of different servers do not collide.
const ID_RANDOM: usize = 22;

/// The id of a link: `lnk_` and 22 letters and digits. It is no secret, and reads nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LinkId(String);

impl LinkId {
    pub(crate) fn generate() -> Result<LinkId> {
        random_with_mark(ID_MARK, ID_RANDOM).map(LinkId)
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
        let id = is_marked(text, ID_MARK, ID_RANDOM).then(|| LinkId(text.to_owned()));
        id.ok_or_else(|| Error::invalid(text, Wanted::LinkId))
    }
}

impl fmt::Display for LinkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

as_text!(LinkId);

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

as_text!(LinkPath);

/// A link token in plain text: `finl_`, 32 random characters and a checksum of 6. It stands in the address of a request, for
/// programs that cannot send headers.
///
/// It is a secret: it has no `Display`, `Debug` hides it, and only its [`hash`](LinkToken::hash) is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkToken(Secret);

impl LinkToken {
    /// A new random token. Fails if the operating system's random generator fails.
    pub fn generate() -> Result<LinkToken> {
        Secret::generate_checked(MARK).map(LinkToken)
    }

    /// The token itself. Show it to the holder of its key once; do not store it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        self.0.reveal()
    }

    /// The hash that the link is stored and recognised by.
    #[must_use]
    pub fn hash(&self) -> LinkHash {
        LinkHash(self.0.hash())
    }

    /// Whether a text has something in it that is marked as a link token, mistyped or percent-encoded or not.
    ///
    /// ```
    /// use fincore::LinkToken;
    ///
    /// assert!(LinkToken::may_be_in("finl_mistyped") && !LinkToken::may_be_in("fin_AbCdEfGh"));
    /// ```
    #[must_use]
    pub fn may_be_in(text: &str) -> bool {
        key::has_mark(text, MARK)
    }
}

impl FromStr for LinkToken {
    type Err = Error;

    /// Fails with [`Error::Invalid`] if the text cannot be a token. The error does not quote it.
    fn from_str(text: &str) -> Result<LinkToken> {
        let token = Secret::parse_checked(text, MARK).map(LinkToken);
        token.ok_or(Error::Invalid(Invalid::Secret(SecretKind::LinkToken)))
    }
}

/// The SHA-256 hash of a link token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinkHash(pub(crate) SecretHash);

#[cfg(test)]
mod tests {
    use super::LinkToken;
    use super::*;

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

#[cfg(test)]
mod link_token_tests {
    use super::*;
    use crate::values::key::Key;

    #[test]
    fn a_token_is_read_back_and_nothing_else_is() {
        let token = LinkToken::generate().unwrap();
        let again: LinkToken = token.reveal().parse().unwrap();
        assert!(again == token && again.hash() == token.hash());
        assert!(token != LinkToken::generate().unwrap());
        let text = token.reveal();
        let (cut, long, key) = (&text[..42], format!("{text}0"), text.replace(MARK, "fin_"));
        let other = if text.ends_with('a') { "b" } else { "a" };
        let (typo, wide) = (format!("{cut}{other}"), format!("{MARK}{}", "é".repeat(19)));
        for wrong in ["", MARK, cut, &long, &key, &typo, &wide, &text[5..]] {
            let said = wrong.parse::<LinkToken>().unwrap_err().to_string();
            assert!(wrong.len() < 6 || !said.contains(wrong), "{said}");
        }
        assert!(text.parse::<Key>().is_err() && Key::redact(text) == "finl_…");
    }

    #[test]
    fn shows_nothing_of_itself() {
        let token = LinkToken::generate().unwrap();
        assert_eq!(format!("{token:?} {:?}", token.hash()), "LinkToken(…) LinkHash(…)");
    }
}
