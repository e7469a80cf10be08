//! Secrets of ours in text, also where some or all of their characters are percent-encoded, once or several times: whatever
//! decodes the text later must not find one.
use super::{MARK, PREFIX};
use crate::types::session_token;

/// What every link token begins with.
pub(in crate::types) const LINK_MARK: &str = "finl_";

/// A kind of secret.
#[derive(Clone, Copy)]
struct Kind {
    /// What it begins with.
    mark: &'static str,
    /// How many of its characters may be shown.
    shown: usize,
    /// Which characters it has besides letters and digits.
    others: &'static [u8],
}

const fn of_letters(mark: &'static str, shown: usize) -> Kind {
    Kind { mark, shown, others: b"_" }
}

const KINDS: [Kind; 4] = [
    of_letters(MARK, PREFIX),
    of_letters(session_token::MARK, session_token::MARK.len()),
    of_letters(LINK_MARK, LINK_MARK.len()),
    // Of a webhook: Base64.
    Kind { mark: "whsec_", shown: "whsec_".len(), others: b"_+/=" },
];

/// What looks like a secret in a text.
pub(super) struct Secret {
    /// Where the part ends that may be shown.
    pub(super) shown: usize,
    /// Where it ends.
    pub(super) end: usize,
    /// How many characters follow its mark or one another without an underscore, which only words have.
    pub(super) length: usize,
}

/// The first secret at or after `from`, or the mark of one.
pub(super) fn first(text: &str, from: usize) -> Option<Secret> {
    let bytes = text.as_bytes();
    starts(bytes, from).find_map(|start| KINDS.iter().find_map(|kind| at(bytes, start, *kind)))
}

/// Whether a text has a mark in it.
pub(in crate::types) fn has_mark(text: &str, mark: &str) -> bool {
    let bytes = text.as_bytes();
    starts(bytes, 0).any(|start| after_mark(bytes, start, mark).is_some())
}

/// Where secrets may begin.
fn starts(bytes: &[u8], from: usize) -> impl Iterator<Item = usize> {
    let may_begin = |at: &usize| matches!(bytes[*at], b'f' | b'w' | b'%');
    (from..bytes.len()).filter(may_begin)
}

fn at(bytes: &[u8], start: usize, kind: Kind) -> Option<Secret> {
    let mut end = after_mark(bytes, start, kind.mark)?;
    let (mut shown, mut characters) = (end, kind.mark.len());
    let (mut length, mut run) = (0, 0);
    while let Some((byte, next)) = character(bytes, end) {
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
    Some(Secret { shown, end, length })
}

/// Where a mark ends that begins here.
fn after_mark(bytes: &[u8], start: usize, mark: &str) -> Option<usize> {
    mark.bytes().try_fold(start, |at, wanted| {
        let (byte, next) = character(bytes, at)?;
        (byte == wanted).then_some(next)
    })
}

/// The byte that stands here once everything is decoded, and where the next one begins: `_`, `%5F` and `%255f` are the same.
fn character(bytes: &[u8], at: usize) -> Option<(u8, usize)> {
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
    use crate::types::Key;

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
