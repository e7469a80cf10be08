//! A product of many rates, multiplied in machine words: long numbers that are allocated anew for each of ten thousand
//! days take most of a calculation.
use num_bigint::BigInt;

use crate::values::FixedPoint;

/// The words of a product: 320 bits hold every factor that is not too large.
const WORDS: usize = 5;

/// The powers of ten that fit a word, to divide by.
const UNITS: [Divisor; 20] = {
    let mut units = [Divisor::new(1); 20];
    let (mut power, mut unit) = (1, 1);
    while power < units.len() {
        unit *= 10;
        units[power] = Divisor::new(unit);
        power += 1;
    }
    units
};

/// The product of the factors so far, with 64 decimals; every multiplication rounds half up.
#[derive(Clone, Debug)]
pub(crate) enum RunningProduct {
    /// A positive number, the lowest word first.
    Words([u64; WORDS]),
    /// Any other number.
    Number(FixedPoint),
}

impl RunningProduct {
    pub(crate) fn one() -> RunningProduct {
        RunningProduct::of(FixedPoint::one())
    }

    pub(crate) fn of(number: FixedPoint) -> RunningProduct {
        let digits = number.digits();
        let mut words = [0; WORDS];
        if digits.sign() != num_bigint::Sign::Plus || digits.iter_u64_digits().len() > WORDS {
            return RunningProduct::Number(number);
        }
        words.iter_mut().zip(digits.iter_u64_digits()).for_each(|(word, digit)| *word = digit);
        RunningProduct::Words(words)
    }

    /// The number itself.
    pub(crate) fn value(&self) -> FixedPoint {
        match self {
            RunningProduct::Words(words) => {
                let halves = words.iter().flat_map(|word| [low_half(*word), low_half(word >> 32)]);
                let sign = num_bigint::Sign::Plus;
                FixedPoint::from_digits(BigInt::new(sign, halves.collect()))
            }
            RunningProduct::Number(number) => number.clone(),
        }
    }

    /// Multiplies by a number.
    pub(crate) fn multiply(&mut self, factor: &FixedPoint) {
        *self = RunningProduct::of(self.value().times(factor));
    }

    /// Multiplies by 1 + `digits` / 10^`decimals`: the same as [`RunningProduct::multiply`] by that factor gives.
    pub(crate) fn grow(&mut self, digits: i64, decimals: u32) {
        let grown = match self {
            RunningProduct::Words(words) => grow(words, digits, decimals),
            RunningProduct::Number(_) => None,
        };
        match grown {
            Some(words) => *self = RunningProduct::Words(words),
            None => self.multiply(&FixedPoint::one().plus(&FixedPoint::of_parts(digits, decimals))),
        }
    }
}

/// The words times 1 + `digits` / 10^`decimals`; `None` if the product is not positive or does not fit.
fn grow(words: &[u64; WORDS], digits: i64, decimals: u32) -> Option<[u64; WORDS]> {
    let unit = 10_u64.checked_pow(decimals)?;
    let (change, rest) = UNITS[decimals as usize].divide(times(words, digits.unsigned_abs()));
    if digits < 0 {
        // Half a unit less is rounded up again.
        let change = plus(&change, u64::from(rest > unit / 2))?;
        (digits.unsigned_abs() < unit).then(|| minus(words, &change))
    } else {
        let change = plus(&change, u64::from(rest >= unit.div_ceil(2)))?;
        sum(words, &change)
    }
}

fn times(words: &[u64; WORDS], by: u64) -> [u64; WORDS + 1] {
    let mut product = [0; WORDS + 1];
    let mut carry = 0_u128;
    for (place, word) in words.iter().enumerate() {
        carry += u128::from(*word) * u128::from(by);
        product[place] = low(carry);
        carry >>= 64;
    }
    product[WORDS] = low(carry);
    product
}

/// The words and one number more; `None` if that does not fit.
fn plus(words: &[u64; WORDS + 1], number: u64) -> Option<[u64; WORDS]> {
    let [words @ .., 0] = words else { return None };
    let mut one = [0; WORDS];
    one[0] = number;
    sum(words, &one)
}

fn sum(left: &[u64; WORDS], right: &[u64; WORDS]) -> Option<[u64; WORDS]> {
    let mut sum = [0; WORDS];
    let mut carry = 0_u128;
    for place in 0..WORDS {
        carry += u128::from(left[place]) + u128::from(right[place]);
        sum[place] = low(carry);
        carry >>= 64;
    }
    (carry == 0).then_some(sum)
}

/// The difference to a smaller number.
fn minus(left: &[u64; WORDS], right: &[u64; WORDS]) -> [u64; WORDS] {
    let mut difference = [0; WORDS];
    let mut borrow = false;
    for place in 0..WORDS {
        let (part, first) = left[place].overflowing_sub(right[place]);
        let (part, second) = part.overflowing_sub(u64::from(borrow));
        (difference[place], borrow) = (part, first || second);
    }
    difference
}

/// A word to divide by, with its reciprocal: a division by it takes two multiplications (Möller and Granlund, "Improved
/// division by invariant integers", 2011).
#[derive(Clone, Copy)]
struct Divisor {
    /// The divisor, shifted so that its highest bit is set.
    shifted: u64,
    shift: u32,
    reciprocal: u64,
}

impl Divisor {
    const fn new(divisor: u64) -> Divisor {
        let shift = divisor.leading_zeros();
        let shifted = divisor << shift;
        Divisor { shifted, shift, reciprocal: low(u128::MAX / shifted as u128) }
    }

    /// The quotient of these words, and the rest.
    fn divide(self, words: [u64; WORDS + 1]) -> ([u64; WORDS + 1], u64) {
        let mut quotient = words;
        let mut below = words.iter().rev().skip(1).chain([&0]);
        let mut rest = self.carried(words[WORDS]);
        for word in quotient.iter_mut().rev() {
            let next = below.next().map_or(0, |next| self.carried(*next));
            (*word, rest) = self.divide_two(rest, *word << self.shift | next);
        }
        (quotient, rest >> self.shift)
    }

    /// The bits of a word that belong to the next one once all are shifted.
    fn carried(self, word: u64) -> u64 {
        word.checked_shr(64 - self.shift).unwrap_or(0)
    }

    /// Divides two words, of which the higher is less than the divisor.
    fn divide_two(self, high: u64, word: u64) -> (u64, u64) {
        let estimate = u128::from(self.reciprocal) * u128::from(high)
            + (u128::from(high) << 64 | u128::from(word));
        let mut quotient = low(estimate >> 64).wrapping_add(1);
        let mut rest = word.wrapping_sub(quotient.wrapping_mul(self.shifted));
        if rest > low(estimate) {
            quotient = quotient.wrapping_sub(1);
            rest = rest.wrapping_add(self.shifted);
        }
        if rest >= self.shifted {
            quotient = quotient.wrapping_add(1);
            rest -= self.shifted;
        }
        (quotient, rest)
    }
}

/// The lowest 64 bits.
#[expect(clippy::cast_possible_truncation, reason = "the other bits are not wanted")]
const fn low(number: u128) -> u64 {
    number as u64
}

/// The lowest 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "the other bits are not wanted")]
fn low_half(number: u64) -> u32 {
    number as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Dividing words is dividing the number that they make, for every power of ten.
        #[test]
        fn words_are_divided_as_long_numbers_are(words: [u64; WORDS + 1], small: [bool; WORDS + 1], power in 0_usize..20) {
            let mut words = words;
            words.iter_mut().zip(small).filter(|(_, small)| *small).for_each(|(word, _)| *word %= 3);
            let number = |words: &[u64]| words.iter().rev().fold(BigInt::ZERO, |sum, word| (sum << 64) + word);
            let unit = 10_u64.pow(u32::try_from(power).unwrap());
            let (quotient, rest) = UNITS[power].divide(words);
            prop_assert_eq!(number(&quotient), number(&words) / unit);
            prop_assert_eq!(BigInt::from(rest), number(&words) % unit);
        }
    }

    #[test]
    fn a_product_that_does_not_fit_words_goes_on_as_a_number() {
        let mut product = RunningProduct::one();
        let doubled = 10_000_i64;
        for _ in 0..400 {
            product.grow(doubled, 4);
        }
        assert!(matches!(product, RunningProduct::Number(_)));
        assert_eq!(product.value(), FixedPoint::of_parts(2, 0).pow(400));
        product.grow(-10_000, 4);
        assert_eq!(product.value(), FixedPoint::of_parts(0, 0));
        product.grow(-20_000, 4);
        assert_eq!(product.value(), FixedPoint::of_parts(0, 0));
    }
}
