//! Secrets: API keys and session tokens, in plain text and as the stored hash; and secrets found in any text.
use std::{fmt, str::FromStr};

use sha2::{Digest, Sha256};

use crate::values::{Error, Invalid, Result, SecretKind, Wanted};

const MARK: &str = "fin_";
const LENGTH: usize = MARK.len() + RANDOM + CHECKSUM;
const PREFIX: usize = 12;

/// 62^32 is about 2^190: too many to guess one.
const RANDOM: usize = 32;

/// A mark and 32 random letters and digits, perhaps with a checksum. `Debug` hides it, and there is no `Display`.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn generate(mark: &str) -> Result<Secret> {
        random_with_mark(mark, RANDOM).map(Secret)
    }

    pub(crate) fn generate_checked(mark: &str) -> Result<Secret> {
        let mut text = random_with_mark(mark, RANDOM)?;
        text.extend(checksum(&text).map(char::from));
        Ok(Secret(text))
    }

    pub(crate) fn parse(text: &str, mark: &str) -> Option<Secret> {
        is_marked(text, mark, RANDOM).then(|| Secret(text.to_owned()))
    }

    /// The checksum catches typing errors.
    pub(crate) fn parse_checked(text: &str, mark: &str) -> Option<Secret> {
        let (random, check) = text.split_at_checked(mark.len() + RANDOM)?;
        let is_right = is_marked(random, mark, RANDOM) && checksum(random) == check.as_bytes();
        is_right.then(|| Secret(text.to_owned()))
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    pub(crate) fn hash(&self) -> SecretHash {
        SecretHash(Sha256::digest(&self.0).into())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// The SHA-256 hash of a secret, which is long and random, so that the hash needs no salt.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SecretHash(pub(crate) [u8; 32]);

impl fmt::Debug for SecretHash {
    /// Hides the hash, so that it never ends up in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// An API key in plain text: `fin_`, 32 random characters and a checksum of 6.
///
/// The key is a secret: it has no `Display`, `Debug` hides it, and only its [`hash`](Key::hash) is
/// stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key(Secret);

impl Key {
    /// A new random key. Fails if the operating system's random generator fails.
    pub fn generate() -> Result<Key> {
        Secret::generate_checked(MARK).map(Key)
    }

    /// The key itself. Show it to its holder once; do not store it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        self.0.reveal()
    }

    /// The hash that the key is stored and recognised by.
    #[must_use]
    pub fn hash(&self) -> KeyHash {
        KeyHash(self.0.hash())
    }

    /// The prefix that is displayed in place of the key.
    #[must_use]
    pub fn prefix(&self) -> KeyPrefix {
        KeyPrefix(self.reveal()[..PREFIX].to_owned())
    }

    /// Cuts every key in `text` to its prefix, and every [session token](SessionToken),
    /// [link token](crate::values::link::LinkToken) and [secret of a webhook](crate::webhooks::signature::Secret) to its mark, so that the text can be
    /// displayed or logged. Whatever looks like one is cut too, also where it is percent-encoded.
    ///
    /// ```
    /// let message = "\"fin_AbCdEfGhIjKlMnOp\" is not a date";
    /// assert_eq!(fincore::Key::redact(message), "\"fin_AbCdEfGh…\" is not a date");
    /// ```
    #[must_use]
    pub fn redact(text: &str) -> String {
        let (mut redacted, mut written) = (String::with_capacity(text.len()), 0);
        while let Some(secret) = first(text, written) {
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
        while let Some(secret) = first(text, from) {
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
        first(text, 0).is_some()
    }
}

/// More characters than any word after the mark has.
const LIKELY_CHARACTERS: usize = 24;

impl FromStr for Key {
    type Err = Error;

    /// Fails with [`Error::InvalidKey`] if the text cannot be a key. The checksum catches typing errors.
    fn from_str(text: &str) -> Result<Key> {
        Secret::parse_checked(text, MARK).map(Key).ok_or(Error::InvalidKey)
    }
}

/// The SHA-256 hash of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyHash(pub(crate) SecretHash);

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

super::as_text!(KeyPrefix);

/// The prefix of every token.
const SESSION_MARK: &str = "fis_";

/// A session token in plain text: `fis_` and 32 random letters and digits. A browser keeps it in a cookie.
///
/// It is a secret: it has no `Display`, `Debug` hides it, and only its hash is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionToken(Secret);

impl SessionToken {
    /// A new random token. Fails if the operating system's random generator fails.
    pub(crate) fn generate() -> Result<SessionToken> {
        Secret::generate(SESSION_MARK).map(SessionToken)
    }

    /// The token itself. Give it to the browser that signed in; do not store it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        self.0.reveal()
    }

    /// The hash that the session is stored and recognised by.
    pub(crate) fn hash(&self) -> SessionHash {
        SessionHash(self.0.hash())
    }
}

impl FromStr for SessionToken {
    type Err = Error;

    /// Fails with [`Error::Invalid`] if the text cannot be a token. The error does not quote it.
    fn from_str(text: &str) -> Result<SessionToken> {
        let token = Secret::parse(text, SESSION_MARK).map(SessionToken);
        token.ok_or(Error::Invalid(Invalid::Secret(SecretKind::SessionToken)))
    }
}

/// The SHA-256 hash of a session token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SessionHash(pub(crate) SecretHash);

/// The letters and digits.
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// 62^6 is more than 2^32, so six characters hold any CRC-32.
const CHECKSUM: usize = 6;

/// The CRC-32 of a text, which catches typing errors.
fn checksum(text: &str) -> [u8; CHECKSUM] {
    let mut rest = crc32fast::hash(text.as_bytes());
    let mut digits = [0; CHECKSUM];
    for digit in digits.iter_mut().rev() {
        *digit = BASE62[(rest % 62) as usize];
        rest /= 62;
    }
    digits
}

fn is_base62(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Whether a text is a mark and so many letters and digits.
pub(crate) fn is_marked(text: &str, mark: &str, count: usize) -> bool {
    text.strip_prefix(mark).is_some_and(|rest| rest.len() == count && is_base62(rest))
}

/// A mark and so many random letters and digits. Fails if the operating system's random generator fails.
pub(crate) fn random_with_mark(mark: &str, count: usize) -> Result<String> {
    Ok(format!("{mark}{}", random_characters(count)?))
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

/// The prefix of every link token.
pub(crate) const LINK_MARK: &str = "finl_";

/// A kind of secret.
#[derive(Clone, Copy)]
struct Kind {
    /// The prefix.
    mark: &'static str,
    /// How many of its characters may be shown.
    shown: usize,
    /// Its characters besides letters and digits.
    others: &'static [u8],
}

const fn of_letters(mark: &'static str, shown: usize) -> Kind {
    Kind { mark, shown, others: b"_" }
}

const KINDS: [Kind; 4] = [
    of_letters(MARK, PREFIX),
    of_letters(SESSION_MARK, SESSION_MARK.len()),
    of_letters(LINK_MARK, LINK_MARK.len()),
    // Of a webhook: Base64.
    Kind { mark: "whsec_", shown: "whsec_".len(), others: b"_+/=" },
];

/// A text that looks like a secret.
struct Found {
    /// Where the part ends that may be shown.
    shown: usize,
    /// Where it ends.
    end: usize,
    /// How many characters follow its mark or one another without an underscore, which only words have.
    length: usize,
}

/// The first secret at or after `from`, or the mark of one.
fn first(text: &str, from: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    starts(bytes, from).find_map(|start| KINDS.iter().find_map(|kind| at(bytes, start, *kind)))
}

pub(crate) fn has_mark(text: &str, mark: &str) -> bool {
    let bytes = text.as_bytes();
    starts(bytes, 0).any(|start| after_mark(bytes, start, mark).is_some())
}

/// Where secrets may begin.
fn starts(bytes: &[u8], from: usize) -> impl Iterator<Item = usize> {
    let may_begin = |at: &usize| matches!(bytes[*at], b'f' | b'w' | b'%');
    (from..bytes.len()).filter(may_begin)
}

fn at(bytes: &[u8], start: usize, kind: Kind) -> Option<Found> {
    let mut end = after_mark(bytes, start, kind.mark)?;
    let (mut shown, mut characters) = (end, kind.mark.len());
    let (mut length, mut run) = (0, 0);
    while let Some((byte, next)) = percent_decoded(bytes, end) {
        if !byte.is_ascii_alphanumeric() && !kind.others.contains(&byte) {
            break;
        }
        (end, characters) = (next, characters + 1);
        if characters <= kind.shown {
            shown = end;
        }
        run = if byte == b'_' { 0 } else { run + 1 };
        length = length.max(run);
    }
    Some(Found { shown, end, length })
}

/// Where a mark ends that begins here.
fn after_mark(bytes: &[u8], start: usize, mark: &str) -> Option<usize> {
    mark.bytes().try_fold(start, |at, wanted| {
        let (byte, next) = percent_decoded(bytes, at)?;
        (byte == wanted).then_some(next)
    })
}

/// The byte that stands here once everything is decoded, and where the next one begins: `_`, `%5F` and `%255f` are the same.
fn percent_decoded(bytes: &[u8], at: usize) -> Option<(u8, usize)> {
    let first = *bytes.get(at)?;
    if first != b'%' {
        return Some((first, at + 1));
    }
    let escaped = |at: usize| {
        let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
        u8::try_from(digit(at)? * 16 + digit(at + 1)?).ok()
    };
    let mut digits = at + 1;
    while escaped(digits) == Some(b'%') && escaped(digits + 2).is_some() {
        digits += 2;
    }
    Some(escaped(digits).map_or((first, at + 1), |byte| (byte, digits + 2)))
}

#[cfg(test)]
mod tests {
    use super::BASE62;
    use super::*;

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

#[cfg(test)]
mod session_token_tests {
    use super::*;

    #[test]
    fn a_token_is_read_back_and_nothing_else_is() {
        let token = SessionToken::generate().unwrap();
        let again: SessionToken = token.reveal().parse().unwrap();
        assert!(again == token && again.hash() == token.hash());
        assert!(token != SessionToken::generate().unwrap());
        let (cut, long) = (&token.reveal()[..35], format!("{}0", token.reveal()));
        let key = token.reveal().replace(SESSION_MARK, "fin_");
        let wide = format!("{SESSION_MARK}{}", "é".repeat(16));
        for wrong in ["", SESSION_MARK, cut, &long, &key, &wide, &token.reveal()[4..]] {
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

#[cfg(test)]
mod base62_tests {
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

#[cfg(test)]
mod secrets_in_text_tests {
    use super::Key;

    /// Every character of a text as an escape.
    fn escaped(text: &str) -> String {
        text.bytes().map(|byte| format!("%{byte:02X}")).collect()
    }

    #[test]
    fn an_encoded_secret_is_cut_like_a_plain_one() {
        let rest = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789ab";
        let cases = [
            (format!("?q=fin%5F{rest}&a=1"), "?q=fin%5FAbCdEfGh…&a=1"),
            (format!("?q=fin%5f{rest}"), "?q=fin%5fAbCdEfGh…"),
            (format!("?q=%66in_{rest}"), "?q=%66in_AbCdEfGh…"),
            (format!("?q=%2566%69n%255F{rest}"), "?q=%2566%69n%255FAbCdEfGh…"),
            (format!("?q=fin%25255F{rest}"), "?q=fin%25255FAbCdEfGh…"),
            (format!("?q={}&b", escaped(&format!("finl_{rest}"))), "?q=%66%69%6E%6C%5F…&b"),
            (format!("?q=fin_AbCdEf%47h%49{rest}"), "?q=fin_AbCdEf%47h…"),
            (format!("?a=%2fin_{rest}"), "?a=%2fin_AbCdEfGh…"),
            (format!("?a=%25fin_{rest}"), "?a=%25fin_AbCdEfGh…"),
            ("fis%5Fa%62c%20d".to_owned(), "fis%5F…%20d"),
            ("whsec_MfKQ9r8G+Y/j%2BL%3D. whsec_…".to_owned(), "whsec_…. whsec_…"),
            ("whsec%5FMfKQ9r8G".to_owned(), "whsec%5F…"),
        ];
        for (text, wanted) in cases {
            assert_eq!(Key::redact(&text), wanted);
            assert!(Key::may_be_in(&text), "{text}");
        }
    }

    #[test]
    fn what_is_no_secret_stays() {
        for text in [
            "",
            "%",
            "%5",
            "%5F",
            "fin",
            "fin%",
            "fin%5",
            "%66in%zz_",
            "final_1",
            "100%25",
            "wh%73ec",
        ] {
            assert_eq!((Key::redact(text).as_str(), Key::may_be_in(text)), (text, false));
        }
    }

    #[test]
    fn long_texts_of_escapes_take_no_longer_than_others() {
        let text =
            format!("%{}", "25".repeat(100_000)) + &"%25".repeat(100_000) + &"%66".repeat(100_000);
        assert_eq!(Key::redact(&text), text);
    }
}
