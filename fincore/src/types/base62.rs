//! Random letters and digits, which keys, tokens and ids are made of.
use crate::error::{Error, Result};

/// The letters and digits.
pub(super) const BASE62: &[u8; 62] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// 62^6 is more than 2^32, so six characters hold any CRC-32.
pub(super) const CHECKSUM: usize = 6;

/// The CRC-32 of a text, which catches typing errors.
pub(super) fn checksum(text: &str) -> [u8; CHECKSUM] {
    let mut rest = crc32fast::hash(text.as_bytes());
    let mut digits = [0; CHECKSUM];
    for digit in digits.iter_mut().rev() {
        *digit = BASE62[(rest % 62) as usize];
        rest /= 62;
    }
    digits
}

/// Whether a text has letters and digits only.
pub(crate) fn is_base62(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// So many random letters and digits. Fails if the operating system's random generator fails.
pub(crate) fn random_characters(count: usize) -> Result<String> {
    /// As many as a key has.
    const BYTES: usize = 32;
    let mut characters = String::with_capacity(count);
    while characters.len() < count {
        let missing = count - characters.len();
        let bytes = random_bytes::<BYTES>()?;
        characters.extend(bytes.into_iter().filter_map(character).take(missing));
    }
    Ok(characters)
}

/// So many random bytes. Fails if the operating system's random generator fails.
pub(crate) fn random_bytes<const COUNT: usize>() -> Result<[u8; COUNT]> {
    let mut bytes = [0; COUNT];
    getrandom::fill(&mut bytes)
        .map_err(|err| Error::storage("the operating system provides no random numbers", err))?;
    Ok(bytes)
}

/// Maps a random byte to a character. Bytes past the last multiple of 62 are rejected: they would favour
/// the first characters.
fn character(byte: u8) -> Option<char> {
    const FAIR: u8 = 248;
    (byte < FAIR).then(|| char::from(BASE62[usize::from(byte % 62)]))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn every_character_comes_from_equally_many_bytes() {
        let mut counts = BTreeMap::new();
        for c in (0..=255).filter_map(character) {
            *counts.entry(c).or_insert(0) += 1;
        }
        let wanted = BASE62.iter().map(|byte| (char::from(*byte), 4)).collect();
        assert_eq!(counts, wanted);
    }
}
