//! Calculated numbers, as answers have them.
use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
    ops::{Add, Sub},
    str::FromStr,
};

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::values::{
    Decimal, Error, Result, Wanted,
    decimal::{deserialize_number, serialize_number},
};

/// A calculated number, exact to its last decimal.
///
/// Like a [`Decimal`] it compares by value, and is a number in JSON and a string in other formats, but it may have any number
/// of digits. Sums and differences of figures and decimals are figures, with the decimals of the longer operand.
///
/// ```
/// use fincore::calc::{self, Accumulation};
///
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let query = Accumulation { to: Some("2025-12-01".parse()?), ..Accumulation::new("ipca".parse()?, "2025-01-01".parse()?) };
/// let inflation = calc::accumulate(&snapshot, query)?;
/// assert_eq!(inflation.accumulated.to_string(), "4.2643849");
/// let goal: fincore::Decimal = "3.00".parse()?;
/// assert!(inflation.accumulated > goal.into());
/// assert_eq!((inflation.accumulated.clone() - goal).to_string(), "1.2643849");
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Figure {
    digits: BigInt,
    decimals: u32,
}

impl Figure {
    /// The figure `digits` / 10^`decimals`.
    pub(crate) fn new(digits: BigInt, decimals: u32) -> Figure {
        Figure { digits, decimals }
    }

    /// Makes a figure of a machine word.
    pub(crate) fn of_parts(digits: i128, decimals: u32) -> Figure {
        Figure { digits: digits.into(), decimals }
    }

    /// Removes zeros at the end, but leaves at least `least` decimals.
    pub(crate) fn trim_zeros(mut self, least: u32) -> Figure {
        // Most fit a machine word, with which dividing is quick.
        if let Some(mut digits) = self.digits.to_i64() {
            while self.decimals > least && digits % 10 == 0 {
                digits /= 10;
                self.decimals -= 1;
            }
            return Figure { digits: digits.into(), ..self };
        }
        while self.decimals > least && (&self.digits % 10_u32).is_zero() {
            self.digits /= 10_u32;
            self.decimals -= 1;
        }
        self
    }

    /// Its digits with so many decimals, which are not fewer than it has; `None` if those are too many.
    #[cfg(feature = "parquet")]
    pub(crate) fn digits_at(&self, decimals: u32) -> Option<i128> {
        let unit = 10_i128.checked_pow(decimals.checked_sub(self.decimals)?)?;
        self.digits.to_i128()?.checked_mul(unit)
    }

    /// The nearest float, for calculations that tolerate rounding.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        self.to_string().parse().unwrap_or(f64::NAN)
    }
}

/// The digits of two figures with the decimals of the longer one.
struct Aligned {
    one: BigInt,
    other: BigInt,
    decimals: u32,
}

impl Aligned {
    fn new(one: &Figure, other: &Figure) -> Aligned {
        let decimals = one.decimals.max(other.decimals);
        let digits =
            |figure: &Figure| &figure.digits * BigInt::from(10).pow(decimals - figure.decimals);
        Aligned { one: digits(one), other: digits(other), decimals }
    }
}

impl Ord for Figure {
    fn cmp(&self, other: &Figure) -> Ordering {
        let aligned = Aligned::new(self, other);
        aligned.one.cmp(&aligned.other)
    }
}

impl PartialOrd for Figure {
    fn partial_cmp(&self, other: &Figure) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Figure {
    fn eq(&self, other: &Figure) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Figure {}

impl Hash for Figure {
    /// Ignores trailing zeros, so that equal numbers have equal hashes.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Figure { digits, decimals } = self.clone().trim_zeros(0);
        (digits, decimals).hash(state);
    }
}

impl<N: Into<Figure>> Add<N> for Figure {
    type Output = Figure;

    fn add(self, other: N) -> Figure {
        let Aligned { one, other, decimals } = Aligned::new(&self, &other.into());
        Figure::new(one + other, decimals)
    }
}

impl<N: Into<Figure>> Sub<N> for Figure {
    type Output = Figure;

    fn sub(self, other: N) -> Figure {
        let Aligned { one, other, decimals } = Aligned::new(&self, &other.into());
        Figure::new(one - other, decimals)
    }
}

impl<N: Into<Figure>> Add<N> for Decimal {
    type Output = Figure;

    fn add(self, other: N) -> Figure {
        Figure::from(self) + other
    }
}

impl<N: Into<Figure>> Sub<N> for Decimal {
    type Output = Figure;

    fn sub(self, other: N) -> Figure {
        Figure::from(self) - other
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = self.decimals as usize;
        let digits = format!("{:0>width$}", self.digits.abs(), width = decimals + 1);
        let (whole, fraction) = digits.split_at(digits.len() - decimals);
        let point = if decimals > 0 { "." } else { "" };
        let text = [whole, point, fraction].concat();
        f.pad_integral(!self.digits.is_negative(), "", &text)
    }
}

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_number(&self.to_string(), serializer)
    }
}

/// The most characters of a figure that is read: some ten times what any calculation has.
const LONGEST: usize = 1_000;

impl FromStr for Figure {
    type Err = Error;

    /// Every digit counts, zeros at the end too.
    fn from_str(text: &str) -> Result<Figure> {
        let read = || {
            let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
            let digits = whole.strip_prefix('-').unwrap_or(whole);
            let is_number =
                |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            if text.len() > LONGEST || !is_number(digits) || !is_number(fraction) {
                return None;
            }
            let fraction = if text.contains('.') { fraction } else { "" };
            let decimals = u32::try_from(fraction.len()).ok()?;
            Some(Figure { digits: format!("{whole}{fraction}").parse().ok()?, decimals })
        };
        read().ok_or_else(|| Error::invalid(text, Wanted::Number { mark: '.' }))
    }
}

impl<'de> Deserialize<'de> for Figure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Figure, D::Error> {
        deserialize_number(deserializer)
    }
}

impl From<Decimal> for Figure {
    fn from(decimal: Decimal) -> Figure {
        let (digits, decimals) = decimal.parts();
        Figure::of_parts(digits.into(), decimals.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_and_decimals_compare_and_add_by_value() {
        let figure = |text: &str| text.parse::<Figure>().unwrap();
        let decimal: Decimal = "-0.50".parse().unwrap();
        assert!(figure("1.0") == figure("1.000") && figure("-2") < figure("-1.99"));
        let distinct: std::collections::HashSet<_> =
            ["1.0", "1.000", "0", "0.00", "10"].map(figure).into();
        assert_eq!(distinct.len(), 3);
        assert_eq!((figure("1.0") + decimal).to_string(), "0.50");
        assert_eq!((decimal - decimal).to_string(), "0.00");
        assert_eq!((decimal + figure("0.125")).to_string(), "-0.375");
    }

    #[test]
    fn what_is_written_is_read_to_the_last_digit() {
        let long = format!("-{}.{}", "12345678901234567890".repeat(4), "0".repeat(64));
        for text in ["0", "1.00", "-0.5", "100", "0.0000000000000001", &long] {
            let figure: Figure = serde_json::from_str(text).unwrap();
            assert_eq!(figure.to_string(), text);
            assert_eq!(serde_json::to_string(&figure).unwrap(), text);
        }
        for wrong in ["", "-", ".5", "1.", "1.2.3", "1e5", "+1", "--1", "1.-2", &"9".repeat(1001)] {
            assert!(wrong.parse::<Figure>().is_err(), "{wrong}");
        }
    }
}
