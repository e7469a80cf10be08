//! Numbers with 64 decimals, which calculations carry; powers with a fraction as the exponent; mean and standard
//! deviation.
use std::sync::LazyLock;

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use crate::values::{Decimal, Figure};

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

    /// The change that a factor makes, in percent: 0.21 for 1.0021.
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

/// The exponent `over` / `under`, in lowest terms; neither is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exponent {
    pub(crate) over: u32,
    pub(crate) under: u32,
}

impl Exponent {
    /// The quotient of two numbers that are not zero, in lowest terms.
    pub(crate) fn new(over: u32, under: u32) -> Exponent {
        let common = over.gcd(&under);
        Exponent { over: over / common, under: under / common }
    }
}

/// By how much the power (`digits` / 10^`decimals`)^exponent of a positive number differs from one, in units of
/// 10^-`places`, rounded half away from zero.
pub(crate) fn power_less_one(
    digits: &BigInt,
    decimals: u32,
    exponent: Exponent,
    places: u32,
) -> BigInt {
    let Exponent { over, under } = exponent;
    let one = power_of_ten(places);
    // Twice the power in those units, cut to a whole number: a root of a cut number, cut, is the root, cut.
    let number = digits.pow(over) * (&one * 2_u32).pow(under);
    let unit = power_of_ten(decimals * over);
    let twice = (&number / &unit).nth_root(under);
    let is_half = twice.is_odd() && twice.pow(under) * &unit == number;
    // Below one, away from zero is down.
    let away = if is_half && twice < &one * 2_u32 { -BigInt::one() } else { BigInt::one() };
    let nearest = (twice + away) / 2_u32;
    nearest - one
}

fn power_of_ten(power: u32) -> BigInt {
    BigInt::from(10_u32).pow(power)
}

/// Numbers of a sample, as sums of whole numbers.
#[derive(Debug)]
pub(crate) struct Sample {
    /// The decimals of the numbers: a sum is in units of the last one.
    decimals: u32,
    count: u64,
    sum: BigInt,
    sum_of_squares: BigInt,
}

impl Sample {
    /// The sample of numbers that have at most so many decimals.
    pub(crate) fn of(numbers: impl Iterator<Item = Decimal>, decimals: u32) -> Sample {
        let mut sample =
            Sample { decimals, count: 0, sum: BigInt::zero(), sum_of_squares: BigInt::zero() };
        for number in numbers {
            let (digits, own) = number.parts();
            let number = BigInt::from(digits) * power_of_ten(decimals - u32::from(own));
            sample.count += 1;
            sample.sum_of_squares += &number * &number;
            sample.sum += number;
        }
        sample
    }

    /// The mean with so many decimals more than the numbers, rounded half up, away from zero; `None` without numbers.
    pub(crate) fn mean(&self, more: u32) -> Option<Figure> {
        let mean = (self.count > 0)
            .then(|| divide_half_up(&(&self.sum * power_of_ten(more)), &self.count.into()));
        mean.map(|digits| Figure::new(digits, self.decimals + more))
    }

    /// The standard deviation of a sample, with so many decimals more than the numbers, rounded half up; `None` of fewer than
    /// two numbers.
    pub(crate) fn standard_deviation(&self, more: u32) -> Option<Figure> {
        let less_one = self.count.checked_sub(1).filter(|less_one| *less_one > 0)?;
        // The variance is (n Σx² − (Σx)²) / (n (n − 1)), in which nothing is rounded.
        let spread = BigInt::from(self.count) * &self.sum_of_squares - &self.sum * &self.sum;
        let variance_times = spread * power_of_ten(2 * more) * 4_u32;
        let divisor = BigInt::from(self.count) * less_one;
        // Twice the root, cut to a whole number, says on which side of a half the root lies.
        let twice = (variance_times / divisor).sqrt();
        Some(Figure::new((twice + 1_u32) / 2_u32, self.decimals + more))
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

#[cfg(test)]
mod rational_power_tests {
    use proptest::prelude::*;

    use super::*;

    fn check(number: &str, exponent: (u32, u32), places: u32, want: i128) {
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits: BigInt = format!("{whole}{fraction}").parse().unwrap();
        let decimals = u32::try_from(fraction.len()).unwrap();
        let exponent = Exponent::new(exponent.0, exponent.1);
        let power = power_less_one(&digits, decimals, exponent, places);
        assert_eq!(power, BigInt::from(want), "{number} {exponent:?}");
    }

    #[test]
    fn a_half_is_rounded_away_from_zero_and_less_than_a_half_is_not() {
        // 1.1² = 1.21, 1.05² = 1.1025, 0.95² = 0.9025, √1.1025 = 1.05, √0.9025 = 0.95.
        for (number, exponent, places, want) in [
            ("1.1", (2, 1), 2, 21),
            ("1.1", (2, 1), 1, 2),
            ("1.05", (2, 1), 3, 103),
            ("0.95", (2, 1), 3, -98),
            ("1.1025", (1, 2), 1, 1),
            ("0.9025", (1, 2), 1, -1),
            ("1.10249999", (1, 2), 1, 0),
            ("0.90250001", (1, 2), 1, 0),
            ("1", (7, 3), 8, 0),
            ("16", (3, 4), 0, 7),
            ("0.000000000001", (1, 2), 6, -999_999),
        ] {
            check(number, exponent, places, want);
        }
    }

    #[test]
    fn an_exponent_is_in_lowest_terms() {
        assert_eq!(Exponent::new(210, 2520), Exponent { over: 1, under: 12 });
        assert_eq!(Exponent::new(2555, 10), Exponent { over: 511, under: 2 });
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// The power lies within half a unit of what was rounded: raised to the denominator, both bounds enclose it.
        #[test]
        fn no_other_number_is_nearer(
            digits in 1_u64..30_000_000,
            over in 1_u32..60,
            under in 1_u32..60,
            places in 0_u32..12,
        ) {
            let exponent = Exponent::new(over, under);
            let nearest = power_less_one(&digits.into(), 6, exponent, places) + power_of_ten(places);
            let Exponent { over, under } = exponent;
            let exact = BigInt::from(digits).pow(over) * (power_of_ten(places) * 2_u32).pow(under);
            let unit = power_of_ten(6 * over);
            let bound = |twice: BigInt| twice.pow(under) * &unit;
            prop_assert!(exact <= bound(&nearest * 2_u32 + 1_u32));
            if nearest > BigInt::ZERO {
                prop_assert!(bound(&nearest * 2_u32 - 1_u32) <= exact);
            }
        }
    }
}

#[cfg(test)]
mod sample_tests {
    use proptest::prelude::*;

    use super::*;

    fn sample(numbers: &[&str], decimals: u32) -> Sample {
        Sample::of(numbers.iter().map(|number| number.parse().unwrap()), decimals)
    }

    /// Numbers, their decimals, mean and standard deviation with two decimals more.
    type Case<'a> = (&'a [&'a str], u32, Option<&'a str>, Option<&'a str>);

    #[test]
    fn means_and_deviations_are_rounded_half_up() {
        // Those of the last three rows are from Python: means over fractions, and `Decimal.sqrt` with sixty digits.
        #[rustfmt::skip]
        let cases: &[Case<'_>] = &[
            (&[], 2, None, None),
            (&["1.5"], 1, Some("1.500"), None),
            (&["1.5", "1.50", "1.500"], 3, Some("1.50000"), Some("0.00000")),
            (&["2", "4", "4", "4", "5", "5", "7", "9"], 0, Some("5.00"), Some("2.14")),
            (&["0", "0", "0", "0.005"], 3, Some("0.00125"), Some("0.00250")),
            // A mean of 0.125 is half way between 0.12 and 0.13; the same below zero.
            (&["0", "1", "0", "0", "0", "0", "0", "0"], 0, Some("0.13"), Some("0.35")),
            (&["0", "-1", "0", "0", "0", "0", "0", "0"], 0, Some("-0.13"), Some("0.35")),
            // The deviation is 0.125 exactly: the root of 1/64.
            (&["0.0", "0.25", "0.125"], 3, Some("0.12500"), Some("0.12500")),
            (&["999999999999999999", "-999999999999999999"], 0, Some("0.00"), Some("1414213562373095047.39")),
            (&["0.000000000000000001", "0.000000000000000002"], 18, Some("0.00000000000000000150"), Some("0.00000000000000000071")),
            (&["0.21", "0.25", "0.07", "-0.31", "-0.38", "0.26", "0.36", "0.24", "0.64", "0.86", "0.89", "1.35"], 2, Some("0.3700"), Some("0.4980")),
        ];
        for (numbers, decimals, mean, deviation) in cases {
            let sample = sample(numbers, *decimals);
            let texts = [sample.mean(2), sample.standard_deviation(2)]
                .map(|figure| figure.map(|figure| figure.to_string()));
            assert_eq!(
                texts,
                [*mean, *deviation].map(|text| text.map(str::to_owned)),
                "{numbers:?}"
            );
        }
    }

    proptest! {
        /// The root lies within half a unit of what was rounded: (2d − 1)² ≤ 4 v < (2d + 1)².
        #[test]
        fn a_deviation_is_the_nearest_root(digits in proptest::collection::vec(-1_000_000_i64..1_000_000, 2..40)) {
            let sample = Sample::of(digits.iter().map(|digits| Decimal::from_parts(*digits, 3)), 3);
            let count = digits.len() as i128;
            let sum: i128 = digits.iter().map(|digits| i128::from(*digits)).sum();
            let squares: i128 = digits.iter().map(|digits| i128::from(*digits).pow(2)).sum();
            let variance = (count * squares - sum * sum) * 10_000 * 4;
            let divisor = count * (count - 1);
            let text = sample.standard_deviation(2).unwrap().to_string().replace('.', "");
            let twice = text.parse::<i128>().unwrap() * 2;
            prop_assert!(twice == 0 || (twice - 1).pow(2) * divisor <= variance);
            prop_assert!(variance < (twice + 1).pow(2) * divisor);
        }
    }
}
