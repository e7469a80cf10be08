//! Ratios of two figures, computed with whole numbers.
use super::{FigureValue, Metric, Reason};
use crate::types::Decimal;

/// A figure that is one figure divided by another.
pub(super) struct Ratio {
    pub(super) metric: Metric,
    pub(super) numerator: Metric,
    pub(super) divisor: Metric,
    unit: Unit,
}

#[derive(Clone, Copy)]
enum Unit {
    Percent,
    Times,
}

/// Every ratio.
pub(super) const RATIOS: [Ratio; 7] = [
    percent(Metric::GrossMargin, Metric::GrossProfit, Metric::Revenue),
    percent(Metric::EbitMargin, Metric::Ebit, Metric::Revenue),
    percent(Metric::NetMargin, Metric::NetIncome, Metric::Revenue),
    percent(Metric::Roe, Metric::NetIncome, Metric::Equity),
    percent(Metric::Roa, Metric::NetIncome, Metric::TotalAssets),
    times(Metric::DebtToEquity, Metric::GrossDebt, Metric::Equity),
    times(Metric::NetDebtToEbitda, Metric::NetDebt, Metric::Ebitda),
];

const fn percent(metric: Metric, numerator: Metric, divisor: Metric) -> Ratio {
    Ratio { metric, numerator, divisor, unit: Unit::Percent }
}

const fn times(metric: Metric, numerator: Metric, divisor: Metric) -> Ratio {
    Ratio { metric, numerator, divisor, unit: Unit::Times }
}

impl Ratio {
    /// The ratio of two figures, with two decimals.
    pub(super) fn of(&self, numerator: &FigureValue, divisor: &FigureValue) -> FigureValue {
        match divisor.value {
            Some(value) if numerator.value.is_some() && !value.is_positive() => {
                FigureValue::none(Reason::DivisorNotPositive)
            }
            _ => {
                let operation = match self.unit {
                    Unit::Percent => |above, below| quotient(above, below, 10_000),
                    Unit::Times => |above, below| quotient(above, below, 100),
                };
                let figure = FigureValue::of_two((numerator, divisor), operation);
                FigureValue { from: Vec::new(), ..figure }
            }
        }
    }
}

/// The hundredths of a ratio in its unit, rounded half away from zero. The divisor is positive. `None` if the result, or a
/// number on the way, is too large.
fn quotient(numerator: Decimal, divisor: Decimal, hundredths: i128) -> Option<Decimal> {
    let (above, below) = aligned(numerator, divisor)?;
    let scaled = above.checked_mul(hundredths)?;
    let twice = below.checked_mul(2)?;
    let rounded = scaled.abs().checked_mul(2)?.checked_add(below)?.checked_div(twice)?;
    // Never more than 18 digits, because `Decimal` refuses them.
    let digits = i64::try_from(rounded * scaled.signum()).ok()?;
    (digits.unsigned_abs() < 10_u64.pow(18)).then(|| Decimal::from_parts(digits, 2))
}

/// Both numbers without their decimals, multiplied by the same power of ten.
pub(super) fn aligned(a: Decimal, b: Decimal) -> Option<(i128, i128)> {
    let decimals = a.decimals().max(b.decimals());
    let digits = |number: Decimal| {
        let (digits, own) = number.parts();
        i128::from(digits).checked_mul(10_i128.checked_pow(u32::from(decimals - own))?)
    };
    Some((digits(a)?, digits(b)?))
}
