//! API keys: in plain text, as the stored hash, and as the prefix that is displayed.
use std::{fmt, str::FromStr};

use sha2::{Digest, Sha256};

use super::base62::{CHECKSUM, checksum, is_base62, random_characters};
use crate::error::{Error, Invalid, Result, SecretKind, Wanted};

pub(super) mod secrets_in_text;

const MARK: &str = "fin_";
const RANDOM: usize = 32;
const LENGTH: usize = MARK.len() + RANDOM + CHECKSUM;
const PREFIX: usize = 12;

/// An API key in plain text: `fin_`, 32 random characters and a checksum of 6.
///
/// The key is a secret: it has no `Display`, `Debug` hides it, and only its [`hash`](Key::hash) is
/// stored.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A new random key. Fails if the operating system's random generator fails.
    pub fn generate() -> Result<Key> {
        let mut key = format!("{MARK}{}", random_characters(RANDOM)?);
        key.extend(checksum(&key).map(char::from));
        Ok(Key(key))
    }

    /// The key itself. Show it to its holder once; do not store it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The hash that the key is stored and recognised by.
    #[must_use]
    pub fn hash(&self) -> KeyHash {
        KeyHash(Sha256::digest(&self.0).into())
    }

    /// The prefix that is displayed in place of the key.
    #[must_use]
    pub fn prefix(&self) -> KeyPrefix {
        KeyPrefix(self.0[..PREFIX].to_owned())
    }

    /// Cuts every key in `text` to its prefix, and every [session token](super::SessionToken),
    /// [link token](super::LinkToken) and [secret of a webhook](crate::webhooks::Secret) to its mark, so that the text can be
    /// displayed or logged. Whatever looks like one is cut too, also where it is percent-encoded.
    ///
    /// ```
    /// let message = "\"fin_AbCdEfGhIjKlMnOp\" is not a date";
    /// assert_eq!(fincore::Key::redact(message), "\"fin_AbCdEfGh…\" is not a date");
    /// ```
    #[must_use]
    pub fn redact(text: &str) -> String {
        let (mut redacted, mut written) = (String::with_capacity(text.len()), 0);
        while let Some(secret) = secrets_in_text::first(text, written) {
            let more = if secret.end > secret.shown { "…" } else { "" };
            redacted.extend([&text[written..secret.shown], more]);
            written = secret.end;
        }
        redacted + &text[written..]
    }

    /// Whether a text has the length and the characters of a key. If it is none nevertheless, it was mistyped.
    ///
    /// ```
    /// use fincore::Key;
    ///
    /// let mistyped = format!("fin_{}", "a".repeat(38));
    /// assert!(Key::has_shape(&mistyped) && mistyped.parse::<Key>().is_err());
    /// assert!(!Key::has_shape("fin_short"));
    /// ```
    #[must_use]
    pub fn has_shape(text: &str) -> bool {
        text.len() == LENGTH && text.strip_prefix(MARK).is_some_and(is_base62)
    }

    /// Whether a text has something in it that looks like a secret of ours, or like most of one.
    pub(crate) fn is_likely_in(text: &str) -> bool {
        let mut from = 0;
        while let Some(secret) = secrets_in_text::first(text, from) {
            if secret.length >= LIKELY_CHARACTERS {
                return true;
            }
            from = secret.end;
        }
        false
    }

    /// Whether [`redact`](Key::redact) would find something to cut. Costs less than cutting.
    #[must_use]
    pub fn may_be_in(text: &str) -> bool {
        secrets_in_text::first(text, 0).is_some()
    }
}

/// More characters than any word after the mark has.
const LIKELY_CHARACTERS: usize = 24;

impl FromStr for Key {
    type Err = Error;

    /// Fails with [`Error::InvalidKey`] if the text cannot be a key. The checksum catches typing errors.
    fn from_str(text: &str) -> Result<Key> {
        let well_formed = Key::has_shape(text)
            && text.as_bytes().ends_with(&checksum(&text[..LENGTH - CHECKSUM]));
        if well_formed { Ok(Key(text.to_owned())) } else { Err(Error::InvalidKey) }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// The SHA-256 hash of a key. Keys are long and random, so the hash needs no salt.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub(crate) fn from_bytes(bytes: [u8; 32]) -> KeyHash {
        KeyHash(bytes)
    }
}

impl fmt::Debug for KeyHash {
    /// Hides the hash, so that it never ends up in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash(…)")
    }
}

/// The first characters of a key, at most 12: enough to identify it, useless to authenticate with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyPrefix(String);

impl KeyPrefix {
    /// The prefix as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for KeyPrefix {
    type Err = Error;

    /// Ignores a trailing `…`. Input that is too long may be a whole key, so the error does not quote it.
    fn from_str(text: &str) -> Result<KeyPrefix> {
        let text = text.strip_suffix('…').unwrap_or(text);
        if text.len() > PREFIX {
            return Err(Error::Invalid(Invalid::Secret(SecretKind::LongKeyPrefix)));
        }
        match text.strip_prefix(MARK) {
            Some(rest) if !rest.is_empty() && is_base62(rest) => Ok(KeyPrefix(text.to_owned())),
            _ => Err(Error::invalid(text, Wanted::KeyPrefix)),
        }
    }
}

impl fmt::Display for KeyPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

super::serialize_as_str!(KeyPrefix);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::base62::BASE62;

    #[test]
    fn a_new_key_is_read_back_and_hashed_alike() {
        let key = Key::generate().unwrap();
        let again: Key = key.reveal().parse().unwrap();
        assert_eq!((again.hash(), again.prefix()), (key.hash(), key.prefix()));
        assert!(key.reveal().starts_with(key.prefix().as_str()));
    }

    #[test]
    fn checks_by_crc_32_in_six_characters() {
        // CRC-32 of "123456789" is 0xCBF43926 = 3421780262; in base 62 that is 3, 45, 35, 27, 22, 14.
        assert_eq!(&checksum("123456789"), b"3jZRME");
        assert_eq!(&checksum(""), b"000000");
    }

    #[test]
    fn any_other_character_anywhere_is_refused() {
        let key = Key::generate().unwrap();
        for at in 0..LENGTH {
            for other in BASE62.iter().chain(b"_- \0") {
                let mut typo = key.reveal().as_bytes().to_vec();
                if typo[at] != *other {
                    typo[at] = *other;
                    let typo = String::from_utf8(typo).unwrap();
                    assert!(matches!(typo.parse::<Key>(), Err(Error::InvalidKey)), "{typo}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let key = format!("{MARK}{}", &str::from_utf8(BASE62).unwrap()[..RANDOM]);
        let key = &format!("{key}{}", str::from_utf8(&checksum(&key)).unwrap());
        assert!(key.parse::<Key>().is_ok());
        let swapped = key.to_ascii_lowercase();
        let (cut, long) = (&key[..LENGTH - 1], format!("{key}0"));
        let wide = format!("fin_{}", "é".repeat(19));
        for text in ["", "fin_", cut, &long, &key[4..], &swapped, &wide, "Bearer x"] {
            assert!(matches!(text.parse::<Key>(), Err(Error::InvalidKey)), "{text}");
        }
    }

    #[test]
    fn shows_nothing_of_itself() {
        let key = Key::generate().unwrap();
        assert_eq!(format!("{key:?} {:?}", Some(&key)), "Key(…) Some(Key(…))");
        assert_eq!(format!("{:?}", key.hash()), "KeyHash(…)");
    }

    #[test]
    fn no_message_repeats_a_key() {
        let key = Key::generate().unwrap();
        let (key, prefix) = (key.reveal(), format!("{}…", key.prefix()));
        let cases = [
            ("nothing at all".to_owned(), "nothing at all".to_owned()),
            (format!("{key:?} is not a date"), format!("\"{prefix}\" is not a date")),
            (format!("{key}{key}"), prefix.clone()),
            (format!("{key}, fin_{key}é"), format!("{prefix}, fin_{}…é", &key[..8])),
            ("fin_AbCdEfGh… fin_".to_owned(), "fin_AbCdEfGh… fin_".to_owned()),
            ("fis_AbCdEfGh= fis_".to_owned(), "fis_…= fis_".to_owned()),
            (format!("a=fis_x; {key}; fis_fin_1"), format!("a=fis_…; {prefix}; fis_…")),
            (format!("?token=finl_{key}&a=finl_"), "?token=finl_…&a=finl_".to_owned()),
        ];
        for (message, redacted) in cases {
            assert_eq!(Key::redact(&message), redacted);
            assert!(Key::may_be_in(&message) || message == redacted);
        }
    }

    #[test]
    fn a_prefix_is_a_part_of_a_key_and_never_all_of_it() {
        for (text, read) in
            [("fin_AbCdEfGh", "fin_AbCdEfGh"), ("fin_A", "fin_A"), ("fin_A…", "fin_A")]
        {
            assert_eq!(text.parse::<KeyPrefix>().unwrap().as_str(), read);
        }
        for text in ["", "fin_", "abc", "FIN_abc", "fin_a%", "fin_a*"] {
            let message = text.parse::<KeyPrefix>().unwrap_err().to_string();
            assert!(message.contains("is not the prefix of a key"), "{message}");
        }
        let key = Key::generate().unwrap();
        let message = key.reveal().parse::<KeyPrefix>().unwrap_err().to_string();
        assert!(!message.contains("fin_0") && !message.contains(key.reveal()), "{message}");
    }
}
