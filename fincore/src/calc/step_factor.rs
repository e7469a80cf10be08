//! What one observation multiplies a product by.
use super::parameters::Percent;
use crate::{
    numbers::{figure::Figure, fixed_point::FixedPoint, running_product::RunningProduct},
    types::Decimal,
};

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

    /// Multiplies a product by this factor.
    pub(super) fn apply(&self, product: &mut RunningProduct) {
        match self {
            StepFactor::Growth { digits, decimals } => product.grow(*digits, *decimals),
            StepFactor::Number(number) => product.multiply(number),
        }
    }

    /// The factor itself, rounded to so many decimals.
    pub(super) fn round(&self, decimals: u32) -> Figure {
        match self {
            StepFactor::Growth { digits, decimals: own } if *own <= decimals => {
                Figure::of_parts(10_i128.pow(*own) + i128::from(*digits), *own)
            }
            StepFactor::Growth { digits, decimals: own } => {
                FixedPoint::one().plus(&FixedPoint::of_parts(*digits, *own)).round(decimals)
            }
            StepFactor::Number(number) => number.round(decimals),
        }
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
            let mut product = FixedPoint::from(Decimal::from_parts(start, 12));
            let mut grown = RunningProduct::of(product.clone());
            for (digits, decimals) in rates {
                let rate = Decimal::from_parts(digits, decimals);
                let share = percent.map_or_else(FixedPoint::one, |percent| FixedPoint::of_percent(percent.get()));
                let factor = FixedPoint::one().plus(&FixedPoint::of_percent(rate).times(&share));
                product = product.times(&factor);
                let step = StepFactor::of_rate(rate, percent);
                step.apply(&mut grown);
                prop_assert_eq!(&grown.value(), &product);
                prop_assert_eq!(step.round(16).trim_zeros(2), factor.round(16).trim_zeros(2));
            }
        }
    }
}
