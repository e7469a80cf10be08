//! Session tokens: in plain text, and as the stored hash.
use std::{fmt, str::FromStr};

use sha2::{Digest, Sha256};

use super::base62::{is_base62, random_characters};
use crate::error::{Error, Invalid, Result, SecretKind};

/// What every token begins with.
pub(super) const MARK: &str = "fis_";

/// 62^32 is about 2^190: too many to guess one.
const RANDOM: usize = 32;

/// A session token in plain text: `fis_` and 32 random letters and digits. A browser keeps it in a cookie.
///
/// It is a secret: it has no `Display`, `Debug` hides it, and only its hash is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionToken(String);

impl SessionToken {
    /// A new random token. Fails if the operating system's random generator fails.
    pub(crate) fn generate() -> Result<SessionToken> {
        Ok(SessionToken(format!("{MARK}{}", random_characters(RANDOM)?)))
    }

    /// The token itself. Give it to the browser that signed in; do not store it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The hash that the session is stored and recognised by.
    pub(crate) fn hash(&self) -> SessionHash {
        SessionHash(Sha256::digest(&self.0).into())
    }
}

impl FromStr for SessionToken {
    type Err = Error;

    /// Fails with [`Error::Invalid`] if the text cannot be a token. The error does not quote it.
    fn from_str(text: &str) -> Result<SessionToken> {
        let well_formed = |rest: &str| rest.len() == RANDOM && is_base62(rest);
        if text.strip_prefix(MARK).is_some_and(well_formed) {
            return Ok(SessionToken(text.to_owned()));
        }
        Err(Error::Invalid(Invalid::Secret(SecretKind::SessionToken)))
    }
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionToken(…)")
    }
}

/// The SHA-256 hash of a token. Tokens are long and random, so the hash needs no salt.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SessionHash([u8; 32]);

impl SessionHash {
    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub(crate) fn from_bytes(bytes: [u8; 32]) -> SessionHash {
        SessionHash(bytes)
    }
}

impl fmt::Debug for SessionHash {
    /// Hides the hash, so that it never ends up in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionHash(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_back_and_nothing_else_is() {
        let token = SessionToken::generate().unwrap();
        let again: SessionToken = token.reveal().parse().unwrap();
        assert!(again == token && again.hash() == token.hash());
        assert!(token != SessionToken::generate().unwrap());
        let (cut, long) = (&token.reveal()[..35], format!("{}0", token.reveal()));
        let key = token.reveal().replace(MARK, "fin_");
        let wide = format!("{MARK}{}", "é".repeat(16));
        for wrong in ["", MARK, cut, &long, &key, &wide, &token.reveal()[4..]] {
            let said = wrong.parse::<SessionToken>().unwrap_err().to_string();
            assert!(wrong.len() < 5 || !said.contains(wrong), "{said}");
        }
    }

    #[test]
    fn shows_nothing_of_itself() {
        let token = SessionToken::generate().unwrap();
        let shown = format!("{token:?} {:?}", token.hash());
        assert_eq!(shown, "SessionToken(…) SessionHash(…)");
    }
}
