//! The mean and the standard deviation of decimal numbers, exact before they are rounded once.
use num_bigint::BigInt;
use num_traits::Zero;

use super::{figure::Figure, fixed_point::divide_half_up};
use crate::types::Decimal;

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
            let number = BigInt::from(digits) * ten_to(decimals - u32::from(own));
            sample.count += 1;
            sample.sum_of_squares += &number * &number;
            sample.sum += number;
        }
        sample
    }

    /// The mean with so many decimals more than the numbers, rounded half up, away from zero; `None` without numbers.
    pub(crate) fn mean(&self, more: u32) -> Option<Figure> {
        let mean = (self.count > 0)
            .then(|| divide_half_up(&(&self.sum * ten_to(more)), &self.count.into()));
        mean.map(|digits| Figure::new(digits, self.decimals + more))
    }

    /// The standard deviation of a sample, with so many decimals more than the numbers, rounded half up; `None` of fewer than
    /// two numbers.
    pub(crate) fn standard_deviation(&self, more: u32) -> Option<Figure> {
        let less_one = self.count.checked_sub(1).filter(|less_one| *less_one > 0)?;
        // The variance is (n Σx² − (Σx)²) / (n (n − 1)), in which nothing is rounded.
        let spread = BigInt::from(self.count) * &self.sum_of_squares - &self.sum * &self.sum;
        let variance_times = spread * ten_to(2 * more) * 4_u32;
        let divisor = BigInt::from(self.count) * less_one;
        // Twice the root, cut to a whole number, says on which side of a half the root lies.
        let twice = (variance_times / divisor).sqrt();
        Some(Figure::new((twice + 1_u32) / 2_u32, self.decimals + more))
    }
}

fn ten_to(power: u32) -> BigInt {
    BigInt::from(10_u32).pow(power)
}

#[cfg(test)]
mod tests {
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
