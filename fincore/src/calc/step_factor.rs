//! What one observation multiplies a product by.
use super::{fixed_point::FixedPoint, parameters::Percent};
use crate::types::Decimal;

/// The factor of one observation.
#[derive(Clone, Debug)]
pub(super) enum StepFactor {
    /// One and this many units of a power of ten, as rates are published: a product grows by it without long divisions.
    Growth { digits: i64, decimals: u32 },
    /// Any other number.
    Number(FixedPoint),
}

impl StepFactor {
    /// The factor of a rate in percent, 1.0021 for 0.21; or of a percentage of the rate.
    pub(super) fn of_rate(rate: Decimal, percent: Option<Percent>) -> StepFactor {
        let (digits, decimals) = rate.parts();
        let (share, share_decimals) = percent
            .map_or((1, 0), |percent| (percent.get().parts().0, percent.get().parts().1 + 2));
        match digits.checked_mul(share) {
            Some(digits) => StepFactor::Growth {
                digits,
                decimals: u32::from(decimals) + 2 + u32::from(share_decimals),
            },
            None => {
                let share = percent
                    .map_or_else(FixedPoint::one, |percent| FixedPoint::of_percent(percent.get()));
                let growth = FixedPoint::of_percent(rate).times(&share);
                StepFactor::Number(FixedPoint::one().plus(&growth))
            }
        }
    }

    /// A product times this factor.
    pub(super) fn apply(&self, product: FixedPoint) -> FixedPoint {
        match self {
            StepFactor::Growth { digits, decimals } => product.grown(*digits, *decimals),
            StepFactor::Number(number) => product.times(number),
        }
    }

    /// The factor itself.
    pub(super) fn value(&self) -> FixedPoint {
        self.apply(FixedPoint::one())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Growing by a rate gives every digit that multiplying by its factor does.
        #[test]
        fn growing_is_multiplying(
            start in 1_i64..1_000_000_000_000_000,
            rates in proptest::collection::vec((-200_000_000_i64..5_000_000_000, 0_u8..9), 1..40),
            share in proptest::option::of(1_i64..1_000_000),
        ) {
            let percent: Option<Percent> =
                share.map(|digits| Decimal::from_parts(digits, 4).to_string().parse().unwrap());
            let mut grown = FixedPoint::from(Decimal::from_parts(start, 12));
            let mut product = grown.clone();
            for (digits, decimals) in rates {
                let rate = Decimal::from_parts(digits, decimals);
                let share = percent.map_or_else(FixedPoint::one, |percent| FixedPoint::of_percent(percent.get()));
                let factor = FixedPoint::one().plus(&FixedPoint::of_percent(rate).times(&share));
                product = product.times(&factor);
                grown = StepFactor::of_rate(rate, percent).apply(grown);
                prop_assert_eq!(&grown, &product);
                prop_assert_eq!(StepFactor::of_rate(rate, percent).value(), factor);
            }
        }
    }
}
