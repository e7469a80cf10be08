//! CNPJ, the tax number of a company.
use std::fmt;

use super::identifier::CNPJ_ROOT;
use crate::error::Wanted;

/// A CNPJ with valid check digits, written `33.000.167/0001-01`.
///
/// The punctuation is optional when parsing. Since July 2026 the first twelve characters may be letters.
///
/// ```
/// let cnpj: fincore::Cnpj = "33000167000101".parse()?;
/// assert_eq!(cnpj.to_string(), "33.000.167/0001-01");
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cnpj([u8; 14]);

/// Weights of the thirteen characters before the second check digit; the first check digit skips the
/// first weight.
const WEIGHTS: [u32; 13] = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];

impl Cnpj {
    fn parse(text: &str) -> Option<Cnpj> {
        let mut characters = [0; 14];
        let mut length = 0;
        for byte in text.bytes().filter(|byte| !matches!(byte, b'.' | b'/' | b'-' | b' ')) {
            *characters.get_mut(length)? = byte.to_ascii_uppercase();
            length += 1;
        }
        let (body, [first, second]) = characters.split_last_chunk::<2>()?;
        let right = length == characters.len()
            && body.iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
            && check_digit(body) == *first
            && check_digit(&characters[..13]) == *second;
        right.then_some(Cnpj(characters))
    }

    /// The CNPJ that begins with these characters without marks: the first eight, which stand for the company and get the
    /// number of its head office, or twelve; the check digits are calculated.
    pub(super) fn beginning(text: &str) -> Option<Cnpj> {
        const HEAD_OFFICE: &str = "0001";
        let office = if text.len() == CNPJ_ROOT { HEAD_OFFICE } else { "" };
        let body = [text, office].concat().to_ascii_uppercase();
        let body: [u8; 12] = body.as_bytes().try_into().ok()?;
        if !body.iter().all(u8::is_ascii_alphanumeric) {
            return None;
        }
        let mut characters = [0; 14];
        characters[..12].copy_from_slice(&body);
        characters[12] = check_digit(&characters[..12]);
        characters[13] = check_digit(&characters[..13]);
        Some(Cnpj(characters))
    }

    /// What all branches of the company share: `33.000.167`.
    pub(crate) fn root(&self) -> String {
        self.to_string()[.."33.000.167".len()].to_owned()
    }
}

/// The check digit for `characters`, by the tax authority's rule: a character is worth its ASCII code
/// minus 48, so a digit is worth itself.
fn check_digit(characters: &[u8]) -> u8 {
    let weights = &WEIGHTS[WEIGHTS.len() - characters.len()..];
    let sum: u32 =
        characters.iter().zip(weights).map(|(byte, weight)| u32::from(byte - b'0') * weight).sum();
    match u8::try_from(sum % 11) {
        Ok(rest @ 2..) => b'0' + 11 - rest,
        _ => b'0',
    }
}

impl fmt::Display for Cnpj {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g, h, i, j, k, l, m, n, o] = self.0;
        let text = [a, b, b'.', c, d, e, b'.', g, h, i, b'/', j, k, l, m, b'-', n, o];
        f.pad(str::from_utf8(&text).expect("ASCII digits and letters"))
    }
}

super::text_type!(Cnpj, Wanted::Cnpj);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn accepts_punctuation_and_letters() {
        let cases = [
            ("33.000.167/0001-01", "33.000.167/0001-01"),
            ("33000167000101", "33.000.167/0001-01"),
            (" 33.000.167/0001-01 ", "33.000.167/0001-01"),
            ("00000000000191", "00.000.000/0001-91"),
            // The example that the tax authority published for CNPJs with letters.
            ("12.ABC.345/01DE-35", "12.ABC.345/01DE-35"),
            ("12abc34501de35", "12.ABC.345/01DE-35"),
        ];
        for (text, want) in cases {
            assert_eq!(text.parse::<Cnpj>().unwrap().to_string(), want);
        }
    }

    #[test]
    fn refuses_a_wrong_digit_and_everything_else() {
        let wrong = [
            "",
            "9512",
            "33000167000102",
            "33000167000111",
            "3300016700010",
            "330001670001011",
            "33_000_167_0001_01",
            "12ABC34501DEX5",
            "12ÁBC34501DE35",
            "٣3000167000101",
        ];
        for text in wrong {
            let message = text.parse::<Cnpj>().unwrap_err().to_string();
            assert!(message.starts_with(&format!("{text:?} is not a CNPJ")), "{message}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[0-9A-Za-z./-]{0,20}|\\PC*") {
            if let Ok(cnpj) = text.parse::<Cnpj>() {
                prop_assert_eq!(cnpj.to_string().parse::<Cnpj>().unwrap(), cnpj);
            }
        }
    }
}
