//! Numbers with 64 decimals, which calculations carry.
use std::sync::LazyLock;

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::Signed;

use super::figure::Figure;
use crate::types::Decimal;

/// The decimals of every intermediate result. A product of ten thousand daily factors that is not too large is exact to
/// thirty of them, and its product with an amount of 18 digits to twelve; answers show sixteen and two.
const DECIMALS: u32 = 64;

/// Digits before the point of a factor that is too large.
const MOST_DIGITS: u32 = 30;

/// The powers of ten up to the smallest factor that is too large.
static TENS: LazyLock<Vec<BigInt>> = LazyLock::new(|| {
    let next = |power: &BigInt| Some(power * 10_u32);
    let powers = std::iter::successors(Some(BigInt::from(1)), next);
    powers.take((DECIMALS + MOST_DIGITS) as usize + 1).collect()
});

/// A number with 64 decimals: every operation rounds half up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FixedPoint(BigInt);

impl FixedPoint {
    /// The number `digits` / 10^64.
    pub(crate) fn from_digits(digits: BigInt) -> FixedPoint {
        FixedPoint(digits)
    }

    /// The number times 10^64.
    pub(crate) fn digits(&self) -> &BigInt {
        &self.0
    }

    pub(crate) fn one() -> FixedPoint {
        FixedPoint(ten_to(DECIMALS).clone())
    }

    /// The number `digits` / 10^`decimals`, of up to 64 decimals.
    pub(crate) fn of_parts(digits: i64, decimals: u32) -> FixedPoint {
        FixedPoint(ten_to(DECIMALS - decimals) * digits)
    }

    /// The number `digits` / 10^`decimals` / `count`, of up to 64 decimals; the count is not zero.
    pub(crate) fn of_quotient(digits: i128, decimals: u32, count: u32) -> FixedPoint {
        let number = ten_to(DECIMALS - decimals) * digits;
        FixedPoint(if count == 1 { number } else { divide_half_up(&number, &count.into()) })
    }

    /// A percentage as a number: 0.21 % is 0.0021.
    pub(crate) fn of_percent(percent: Decimal) -> FixedPoint {
        FixedPoint(FixedPoint::from(percent).0 / 100)
    }

    /// The factor of a rate in percent: 1.0021 for 0.21.
    pub(crate) fn factor(percent: Decimal) -> FixedPoint {
        FixedPoint::one().plus(&FixedPoint::of_percent(percent))
    }

    pub(crate) fn plus(&self, other: &FixedPoint) -> FixedPoint {
        FixedPoint(&self.0 + &other.0)
    }

    pub(crate) fn minus(&self, other: &FixedPoint) -> FixedPoint {
        FixedPoint(&self.0 - &other.0)
    }

    /// A hundredth of a number that has at most 62 decimals, or else what is left of it with 64.
    pub(crate) fn hundredth(&self) -> FixedPoint {
        FixedPoint(&self.0 / 100)
    }

    pub(crate) fn times_whole(&self, number: i64) -> FixedPoint {
        FixedPoint(&self.0 * number)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.sign() == Sign::NoSign
    }

    pub(crate) fn times(&self, other: &FixedPoint) -> FixedPoint {
        FixedPoint(divide_half_up(&(&self.0 * &other.0), ten_to(DECIMALS)))
    }

    /// The quotient; `None` for a divisor that is not positive.
    pub(crate) fn over(&self, other: &FixedPoint) -> Option<FixedPoint> {
        other
            .0
            .is_positive()
            .then(|| FixedPoint(divide_half_up(&(&self.0 * ten_to(DECIMALS)), &other.0)))
    }

    /// The quotient by any number but zero.
    pub(crate) fn over_any(&self, other: &FixedPoint) -> Option<FixedPoint> {
        match other.0.sign() {
            Sign::Minus => FixedPoint(-&self.0).over(&FixedPoint(-&other.0)),
            Sign::NoSign | Sign::Plus => self.over(other),
        }
    }

    /// Whether it is so large that the digits of an amount times it may be wrong.
    pub(crate) fn is_too_large(&self) -> bool {
        self.0.magnitude() >= ten_to(DECIMALS + MOST_DIGITS).magnitude()
    }

    pub(crate) fn pow(&self, exponent: u32) -> FixedPoint {
        let (mut power, mut square, mut left) = (FixedPoint::one(), self.clone(), exponent);
        while left > 0 {
            if left % 2 == 1 {
                power = power.times(&square);
            }
            square = square.times(&square);
            left /= 2;
        }
        power
    }

    /// The positive root of a positive number, exact to more than fifty decimals; `None` for any other number, for a degree
    /// of zero, and if the root has more than 17 digits before the point.
    pub(crate) fn root(&self, degree: u32) -> Option<FixedPoint> {
        let guess = self.round(DECIMALS).to_f64().powf(f64::from(degree).recip());
        if !self.0.is_positive() || degree == 0 || !guess.is_finite() {
            return None;
        }
        // Newton's method doubles the exact decimals of a float each time: 15, 30, 60, all.
        let whole = format!("{guess:.0}").len();
        let guess = format!("{guess:.decimals$}", decimals = 17_usize.saturating_sub(whole));
        let mut root = FixedPoint::from(guess.parse::<Decimal>().ok()?);
        for _ in 0..6 {
            let wanted = self.over(&root.pow(degree - 1))?;
            root = FixedPoint(&root.0 + (wanted.0 - &root.0) / degree);
        }
        Some(root)
    }

    /// What a factor adds, in percent: 0.21 for 1.0021.
    pub(crate) fn percent_change(&self) -> Figure {
        FixedPoint((&self.0 - ten_to(DECIMALS)) * 100).round(8).trim_zeros(2)
    }

    /// Rounds half up, away from zero.
    pub(crate) fn round(&self, decimals: u32) -> Figure {
        let digits = divide_half_up(&self.0, ten_to(DECIMALS - decimals.min(DECIMALS)));
        Figure::new(digits, decimals.min(DECIMALS))
    }
}

impl From<Decimal> for FixedPoint {
    fn from(decimal: Decimal) -> FixedPoint {
        let (digits, decimals) = decimal.parts();
        FixedPoint::of_parts(digits, decimals.into())
    }
}

/// A power of ten, up to that of a factor that is too large.
fn ten_to(power: u32) -> &'static BigInt {
    &TENS[power as usize]
}

/// The quotient by a positive number, rounded half up, away from zero.
pub(crate) fn divide_half_up(number: &BigInt, by: &BigInt) -> BigInt {
    let (quotient, rest) = number.div_rem(by);
    if rest.abs() * 2 < *by {
        return quotient;
    }
    match rest.sign() {
        Sign::Minus => quotient - 1,
        Sign::NoSign | Sign::Plus => quotient + 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn exact(text: &str) -> FixedPoint {
        FixedPoint::from(text.parse::<Decimal>().unwrap())
    }

    #[test]
    fn rounds_half_up_away_from_zero() {
        let cases = [
            ("2.345", 2, "2.35"),
            ("-2.345", 2, "-2.35"),
            ("2.344999", 2, "2.34"),
            ("0.005", 2, "0.01"),
            ("-0.004", 2, "0.00"),
            ("1", 0, "1"),
            ("123456789.5", 0, "123456790"),
        ];
        for (number, decimals, rounded) in cases {
            assert_eq!(exact(number).round(decimals).to_string(), rounded, "{number}");
        }
    }

    #[test]
    fn trims_zeros_but_keeps_the_least() {
        let trimmed = |text: &str| exact(text).round(8).trim_zeros(2).to_string();
        assert_eq!(trimmed("5124.7"), "5124.70");
        assert_eq!(trimmed("0.03384"), "0.03384");
        assert_eq!(trimmed("0"), "0.00");
    }

    #[test]
    fn roots_and_quotients_of_what_has_none_are_refused() {
        assert_eq!(exact("0").root(2), None);
        assert_eq!(exact("-1").root(3), None);
        assert_eq!(exact("4").root(0), None);
        assert_eq!(exact("4").root(2).unwrap().round(50), exact("2").round(50));
        assert_eq!(exact("1").over(&exact("0")), None);
        let third = exact("1").over(&exact("3")).unwrap();
        assert_eq!(third.round(16).to_string(), "0.3333333333333333");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// A root to its power is the number again, and a power by squaring the repeated product.
        #[test]
        fn powers_and_roots_are_inverse(digits in 1_000_i64..10_000_000_000, degree in 1_u32..600) {
            let number = FixedPoint::from(Decimal::from_parts(digits, 5));
            let back = number.root(degree).unwrap().pow(degree);
            prop_assert_eq!(back.round(50), number.round(50));
            let small = degree % 7;
            let product = (0..small).fold(FixedPoint::one(), |product, _| product.times(&number));
            prop_assert_eq!(number.pow(small).round(40), product.round(40));
        }
    }
}
