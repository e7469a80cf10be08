//! Link tokens: in plain text, and as the stored hash.
use std::{fmt, str::FromStr};

use sha2::{Digest, Sha256};

use super::{
    base62::{CHECKSUM, checksum, is_base62, random_characters},
    key::secrets_in_text::{self, LINK_MARK as MARK},
};
use crate::error::{Error, Invalid, Result, SecretKind};

const RANDOM: usize = 32;
const LENGTH: usize = MARK.len() + RANDOM + CHECKSUM;

/// A link token in plain text: `finl_`, 32 random characters and a checksum of 6. It stands in the address of a request, for
/// programs that cannot send headers.
///
/// It is a secret: it has no `Display`, `Debug` hides it, and only its [`hash`](LinkToken::hash) is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct LinkToken(String);

impl LinkToken {
    /// A new random token. Fails if the operating system's random generator fails.
    pub fn generate() -> Result<LinkToken> {
        let mut token = format!("{MARK}{}", random_characters(RANDOM)?);
        token.extend(checksum(&token).map(char::from));
        Ok(LinkToken(token))
    }

    /// The token itself. Show it to the holder of its key once; do not store it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The hash that the link is stored and recognised by.
    #[must_use]
    pub fn hash(&self) -> LinkHash {
        LinkHash(Sha256::digest(&self.0).into())
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
        secrets_in_text::has_mark(text, MARK)
    }
}

impl FromStr for LinkToken {
    type Err = Error;

    /// Fails with [`Error::Invalid`] if the text cannot be a token. The error does not quote it.
    fn from_str(text: &str) -> Result<LinkToken> {
        let well_formed = text.len() == LENGTH
            && text.strip_prefix(MARK).is_some_and(is_base62)
            && text.as_bytes().ends_with(&checksum(&text[..LENGTH - CHECKSUM]));
        if well_formed {
            return Ok(LinkToken(text.to_owned()));
        }
        Err(Error::Invalid(Invalid::Secret(SecretKind::LinkToken)))
    }
}

impl fmt::Debug for LinkToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LinkToken(…)")
    }
}

/// The SHA-256 hash of a link token. Tokens are long and random, so the hash needs no salt.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct LinkHash([u8; 32]);

impl LinkHash {
    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub(crate) fn from_bytes(bytes: [u8; 32]) -> LinkHash {
        LinkHash(bytes)
    }
}

impl fmt::Debug for LinkHash {
    /// Hides the hash, so that it never ends up in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LinkHash(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Key;

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
