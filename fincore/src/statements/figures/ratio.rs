//! Ratios in percent, computed with whole numbers.
use super::{FigureValue, Metric, Reason};
use crate::types::Decimal;

/// Each ratio with its numerator and divisor.
pub(super) const RATIOS: [(Metric, (Metric, Metric)); 5] = [
    (Metric::GrossMargin, (Metric::GrossProfit, Metric::Revenue)),
    (Metric::EbitMargin, (Metric::Ebit, Metric::Revenue)),
    (Metric::NetMargin, (Metric::NetIncome, Metric::Revenue)),
    (Metric::Roe, (Metric::NetIncome, Metric::Equity)),
    (Metric::Roa, (Metric::NetIncome, Metric::TotalAssets)),
];

/// A figure in percent of another, with two decimals.
pub(super) fn percent_of(numerator: &FigureValue, divisor: &FigureValue) -> FigureValue {
    match divisor.value {
        Some(value) if numerator.value.is_some() && !value.is_positive() => {
            FigureValue::none(Reason::DivisorNotPositive)
        }
        _ => FigureValue { from: Vec::new(), ..FigureValue::of_two((numerator, divisor), percent) },
    }
}

/// `numerator / divisor × 100`, rounded to two decimals, half away from zero. The divisor is positive. `None` if the
/// result, or a number on the way, is too large.
fn percent(numerator: Decimal, divisor: Decimal) -> Option<Decimal> {
    let (above, below) = aligned(numerator, divisor)?;
    // Hundredths of a percent.
    let scaled = above.checked_mul(10_000)?;
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
