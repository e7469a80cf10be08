//! Decimal numbers that keep their published digits.
use std::{
    any::TypeId,
    borrow::Cow,
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
    str::FromStr,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::values::{Error, Result, Wanted};

/// A number with exactly the decimals its source published: `4.0200` stays `4.0200`.
///
/// Decimals compare and hash by value: `4.0` equals `4.00` and has the same hash, and the order is exact,
/// because no float is involved. To compare the published digits, compare the results of `to_string`.
///
/// ```
/// use fincore::Decimal;
///
/// let rate: Decimal = "4.0200".parse()?;
/// let same: Decimal = "4.02".parse()?;
/// assert_eq!(rate, same);
/// assert_ne!(rate.to_string(), same.to_string());
/// assert!(rate < "4.0201".parse()?);
/// assert_eq!(rate.checked_add(same).unwrap().to_string(), "8.0400");
/// assert_eq!(rate.to_f64(), 4.02);
/// # Ok::<(), fincore::Error>(())
/// ```
///
/// `serde_json` writes a decimal as a number with the published digits. Other formats get a string,
/// because their numbers are floats and would lose digits. To use a decimal as the key of a JSON object,
/// convert it with `to_string`.
#[derive(Clone, Copy)]
pub struct Decimal {
    digits: i64,
    decimals: u8,
}

/// Eighteen digits always fit an `i64`; the longest figure published has thirteen.
const MAX_DIGITS: usize = 18;

/// The smallest whole number with more than 18 digits.
const TOO_LARGE: u128 = 10_u128.pow(18);

impl Decimal {
    /// The number `digits × 10^-decimals`; `decimals` is at most 18.
    pub(crate) const fn from_parts(digits: i64, decimals: u8) -> Decimal {
        assert!(decimals as usize <= MAX_DIGITS);
        Decimal { digits, decimals }
    }

    /// The number `digits × 10^-decimals`; `None` if it has more than 18 digits or decimals.
    pub(crate) fn new(digits: i64, decimals: u8) -> Option<Decimal> {
        Decimal::from_digits(digits.into(), decimals)
    }

    /// Parses a number with the decimal separator `mark`: a comma in Brazilian files, a dot in JSON.
    pub(crate) fn parse_with(text: &str, mark: char) -> Result<Decimal> {
        parse(text, mark).ok_or_else(|| Error::invalid(text, Wanted::Number { mark }))
    }

    /// The digits as a whole number, and how many of them are decimals.
    pub(crate) fn parts(self) -> (i64, u8) {
        (self.digits, self.decimals)
    }

    /// The number of published decimals: 4 for `4.0200`.
    #[must_use]
    pub fn decimals(self) -> u8 {
        self.decimals
    }

    /// The exact sum, with as many decimals as the longer operand; `None` if it needs more than 18
    /// digits.
    #[must_use]
    pub fn checked_add(self, other: Decimal) -> Option<Decimal> {
        let decimals = self.decimals.max(other.decimals);
        Decimal::from_digits(self.digits_at(decimals) + other.digits_at(decimals), decimals)
    }

    /// The exact difference, with as many decimals as the longer operand; `None` if it needs more than 18
    /// digits.
    #[must_use]
    pub fn checked_sub(self, other: Decimal) -> Option<Decimal> {
        let decimals = self.decimals.max(other.decimals);
        Decimal::from_digits(self.digits_at(decimals) - other.digits_at(decimals), decimals)
    }

    /// The exact product, with the decimals of both operands; `None` if it needs more than 18 digits.
    /// Trailing zeros are dropped only if the product does not fit otherwise.
    #[must_use]
    pub fn checked_mul(self, other: Decimal) -> Option<Decimal> {
        let mut product = i128::from(self.digits) * i128::from(other.digits);
        let mut decimals = self.decimals + other.decimals;
        loop {
            if let Some(decimal) = Decimal::from_digits(product, decimals) {
                return Some(decimal);
            }
            if decimals == 0 || product % 10 != 0 {
                return None;
            }
            (product, decimals) = (product / 10, decimals - 1);
        }
    }

    /// The digits rescaled to `decimals`, which is at least `self.decimals`. That makes at most 19 digits
    /// and 18 zeros, so the sum of two fits an `i128`.
    fn digits_at(self, decimals: u8) -> i128 {
        i128::from(self.digits) * 10_i128.pow(u32::from(decimals - self.decimals))
    }

    fn from_digits(digits: i128, decimals: u8) -> Option<Decimal> {
        let fits = digits.unsigned_abs() < TOO_LARGE && usize::from(decimals) <= MAX_DIGITS;
        i64::try_from(digits).ok().filter(|_| fits).map(|digits| Decimal { digits, decimals })
    }

    /// True for numbers greater than zero.
    #[must_use]
    pub fn is_positive(self) -> bool {
        self.digits > 0
    }

    /// The nearest float, for calculations that tolerate rounding.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        self.to_string().parse().expect("a decimal is valid float syntax")
    }
}

fn parse(text: &str, mark: char) -> Option<Decimal> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, decimals) = unsigned.split_once(mark).unwrap_or((unsigned, "0"));
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !all_digits(whole) || !all_digits(decimals) {
        return None;
    }
    let decimals = if whole.len() == unsigned.len() { "" } else { decimals };
    let whole = whole.trim_start_matches('0');
    if whole.len() + decimals.len() > MAX_DIGITS {
        return None;
    }
    let digits = whole.bytes().chain(decimals.bytes()).fold(0, |n, b| n * 10 + i64::from(b - b'0'));
    let digits = if unsigned.len() < text.len() { -digits } else { digits };
    Some(Decimal { digits, decimals: u8::try_from(decimals.len()).ok()? })
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        let decimals = self.decimals.max(other.decimals);
        self.digits_at(decimals).cmp(&other.digits_at(decimals))
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Decimal) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Decimal {}

impl Hash for Decimal {
    /// Ignores trailing zeros, so that equal numbers have equal hashes.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let (mut digits, mut decimals) = self.parts();
        while decimals > 0 && digits % 10 == 0 {
            (digits, decimals) = (digits / 10, decimals - 1);
        }
        (digits, decimals).hash(state);
    }
}

impl From<u32> for Decimal {
    fn from(number: u32) -> Decimal {
        Decimal { digits: number.into(), decimals: 0 }
    }
}

impl FromStr for Decimal {
    type Err = Error;

    fn from_str(text: &str) -> Result<Decimal> {
        Decimal::parse_with(text, '.')
    }
}

impl Decimal {
    /// The number as text, built from its last digit backwards.
    fn write(self, buffer: &mut [u8; MAX_DIGITS + 4]) -> &str {
        let mut at = buffer.len();
        let mut put = |byte: u8| {
            at -= 1;
            buffer[at] = byte;
        };
        let mut rest = self.digits.unsigned_abs();
        let mut written = 0;
        while rest > 0 || written <= self.decimals {
            if written > 0 && written == self.decimals {
                put(b'.');
            }
            put(b'0' + u8::try_from(rest % 10).expect("a single digit"));
            rest /= 10;
            written += 1;
        }
        if self.digits < 0 {
            put(b'-');
        }
        str::from_utf8(&buffer[at..]).expect("digits are ASCII")
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.write(&mut [0; _]))
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_number(self.write(&mut [0; _]), serializer)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
        deserialize_number(deserializer)
    }
}

/// Reads a number with the digits that stand in JSON, or from a string, as other formats and query strings have it.
pub(crate) fn deserialize_number<'de, T: FromStr<Err = Error>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let text = if typeid::of::<D::Error>() == TypeId::of::<serde_json::Error>() {
        let json = Box::<RawValue>::deserialize(deserializer)?;
        let string = json.get().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        string.unwrap_or(json.get()).to_owned()
    } else {
        Cow::<str>::deserialize(deserializer)?.into_owned()
    };
    text.parse().map_err(serde::de::Error::custom)
}

/// Writes the text of a number: as a number with these digits in JSON, as a string in other formats, whose numbers are
/// floats.
pub(crate) fn serialize_number<S: Serializer>(
    text: &str,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    // Only `serde_json` understands `RawValue`; other formats would write a struct with an odd name.
    // It is recognised by its error type, which its adapters (flattened fields, tags) share.
    if typeid::of::<S::Error>() != TypeId::of::<serde_json::Error>() {
        return serializer.serialize_str(text);
    }
    let number: &RawValue = serde_json::from_str(text).map_err(serde::ser::Error::custom)?;
    number.serialize(serializer)
}

/// Parses ASCII digits; leading zeros are allowed.
///
/// Returns `None` for a sign, whitespace, any other character, an empty string, or a number too large for
/// `N`.
pub(crate) fn whole_number<N: FromStr>(text: &str) -> Option<N> {
    // The integers' own `FromStr` also accepts a `+`.
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod digits_tests {
    use super::*;

    #[test]
    fn reads_digits_and_leading_zeros() {
        for (text, number) in [("0", 0), ("7", 7), ("007", 7), ("000", 0), ("65535", 65535)] {
            assert_eq!(whole_number::<u16>(text), Some(number), "{text}");
        }
    }

    #[test]
    fn refuses_everything_else() {
        for text in ["", "+1", "-1", "-0", " 1", "1 ", "1_0", "1.0", "1e2", "0x1", "٣", "１", "x"]
        {
            assert_eq!(whole_number::<u16>(text), None, "{text:?}");
        }
        assert_eq!(whole_number::<u16>("65536"), None);
        assert_eq!(whole_number::<u64>("18446744073709551616"), None);
    }
}
