//! Powers with a fraction as the exponent, rounded correctly: whole numbers only, nothing is approximated on the way.
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::One;

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
    (digits, decimals): (&BigInt, u32),
    exponent: Exponent,
    places: u32,
) -> BigInt {
    let Exponent { over, under } = exponent;
    let one = ten_to(places);
    // Twice the power in those units, cut to a whole number: a root of a cut number, cut, is the root, cut.
    let number = digits.pow(over) * (&one * 2_u32).pow(under);
    let unit = ten_to(1).pow(decimals * over);
    let twice = (&number / &unit).nth_root(under);
    let is_half = twice.is_odd() && twice.pow(under) * &unit == number;
    // Below one, away from zero is down.
    let nearest: BigInt = match is_half && twice < &one * 2_u32 {
        true => (twice - BigInt::one()) / 2_u32,
        false => (twice + BigInt::one()) / 2_u32,
    };
    nearest - one
}

fn ten_to(power: u32) -> BigInt {
    BigInt::from(10_u32).pow(power)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(number: &str, exponent: (u32, u32), places: u32, want: i128) {
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits: BigInt = format!("{whole}{fraction}").parse().unwrap();
        let decimals = u32::try_from(fraction.len()).unwrap();
        let exponent = Exponent::new(exponent.0, exponent.1);
        let power = power_less_one((&digits, decimals), exponent, places);
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
            let nearest = power_less_one((&digits.into(), 6), exponent, places) + ten_to(places);
            let Exponent { over, under } = exponent;
            let exact = BigInt::from(digits).pow(over) * (ten_to(places) * 2_u32).pow(under);
            let unit = ten_to(6 * over);
            let bound = |twice: BigInt| twice.pow(under) * &unit;
            prop_assert!(exact <= bound(&nearest * 2_u32 + 1_u32));
            if nearest > BigInt::ZERO {
                prop_assert!(bound(&nearest * 2_u32 - 1_u32) <= exact);
            }
        }
    }
}
