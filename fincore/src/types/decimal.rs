//! Published figures, digit by digit.
use std::{fmt, str::FromStr};

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::error::{Error, Result};

/// A number with exactly the decimals its source published: `4.0200` stays `4.0200`.
///
/// It is written to JSON as a number with those digits, never through a float.
///
/// ```
/// let rate: fincore::Decimal = "4.0200".parse()?;
/// assert_eq!(rate.to_string(), "4.0200");
/// assert_eq!(rate.to_f64(), 4.02);
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decimal {
    digits: i64,
    decimals: u8,
}

/// Eighteen digits always fit an `i64`; the longest figure published has thirteen.
const MAX_DIGITS: usize = 18;

impl Decimal {
    /// The number `digits × 10^-decimals`; `decimals` is at most 18.
    pub(crate) const fn from_parts(digits: i64, decimals: u8) -> Decimal {
        debug_assert!(decimals as usize <= MAX_DIGITS);
        Decimal { digits, decimals }
    }

    /// Reads a number whose decimals follow `mark`: Brazilian files use a comma, JSON a dot.
    pub(crate) fn parse_with(text: &str, mark: char) -> Result<Decimal> {
        parse(text, mark)
            .ok_or_else(|| Error::invalid(text, format_args!("a number like 1{mark}25")))
    }

    /// The digits as a whole number, and how many of them are decimals.
    pub(crate) fn parts(self) -> (i64, u8) {
        (self.digits, self.decimals)
    }

    /// Whether the number is above zero, as every price is.
    #[must_use]
    pub fn is_positive(self) -> bool {
        self.digits > 0
    }

    /// The nearest float, for calculations that can bear one.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        self.to_string().parse().expect("a decimal is a float's text")
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
        let mut buffer = [0; _];
        let text = self.write(&mut buffer);
        let number: &RawValue = serde_json::from_str(text).map_err(serde::ser::Error::custom)?;
        number.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keeps_the_published_digits() {
        let same = ["0", "0.00", "-0.68", "45.00", "4.0200", "0.00000370", "659.99000000", "82.39"];
        for text in same {
            let number: Decimal = text.parse().unwrap();
            assert_eq!(number.to_string(), text);
            assert_eq!(serde_json::to_string(&number).unwrap(), text);
        }
    }

    #[test]
    fn reads_padded_numbers_with_a_comma() {
        let read = |text| Decimal::parse_with(text, ',').unwrap().to_string();
        assert_eq!(read("000000001,9883"), "1.9883");
        assert_eq!(read("00000000,02179"), "0.02179");
        assert_eq!(read("1430550"), "1430550");
    }

    #[test]
    fn refuses_what_is_no_number() {
        let wrong = [
            "",
            "-",
            ".",
            ".5",
            "5.",
            "1,5",
            "1.5.2",
            "NaN",
            "inf",
            "1e5",
            "+1",
            " 1",
            "1 ",
            "--1",
            "0x10",
            "１",
            "1234567890123456789",
            "0.1234567890123456789",
        ];
        for text in wrong {
            let message = text.parse::<Decimal>().unwrap_err().to_string();
            assert_eq!(message, format!("{text:?} is not a number like 1.25"));
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_parses_back(digits in -(10i64.pow(18) - 1)..10i64.pow(18), decimals in 0u8..=18) {
            // The sign of a zero is not kept: `-0.00` reads as `0.00`.
            let number = Decimal::from_parts(digits, decimals);
            prop_assert_eq!(number.to_string().parse::<Decimal>().unwrap(), number);
        }

        #[test]
        fn no_text_panics(text in "[-0-9.,eN]{0,30}|\\PC*") {
            let _ = text.parse::<Decimal>();
        }
    }
}
