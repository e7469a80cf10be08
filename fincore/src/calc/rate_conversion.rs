//! Converts interest rates between the periods that they are quoted for.
use num_bigint::BigInt;
use serde::{Deserialize, Serialize};

use super::parameters::{Convention, QuotedRate};
use crate::{
    error::{CalculationFault, Result},
    numbers::{
        figure::Figure,
        rational_power::{Exponent, power_less_one},
    },
};

/// The decimals of a factor, and of a rate in percent.
const FACTOR_DECIMALS: u32 = 16;
const PERCENT_DECIMALS: u32 = 8;

/// The most digits before the point of a factor, as in the other calculators.
const MOST_DIGITS: u32 = 30;

/// A query for a rate in another convention.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RateConversion {
    /// The rate, in percent.
    pub value: QuotedRate,
    /// The period that it is for.
    pub from: Convention,
    /// The period of the result.
    pub to: Convention,
}

/// A rate in another convention, and how it was computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ConvertedRate {
    /// The rate, in percent.
    pub value: QuotedRate,
    /// The period that it is for.
    pub from: Convention,
    /// The period of the result.
    pub to: Convention,
    /// The equivalent rate in percent, rounded half up, away from zero, to 8 decimals.
    pub result: Figure,
    /// What one unit becomes in the period of the result, rounded to 16 decimals.
    pub factor: Figure,
    /// The length of the new period in periods of the given rate, as a fraction in lowest terms: `1/12`.
    pub exponent: String,
    /// The rule in a sentence.
    pub rule: String,
    /// The rule in Portuguese.
    pub rule_pt: String,
}

/// Converts a rate to the one that compounds to the same in another period.
///
/// The result is correctly rounded: it is computed in whole numbers. Fails if a factor has more than 30 digits before the
/// point.
///
/// ```
/// use fincore::calc::{self, Convention, RateConversion};
///
/// let selic = RateConversion { value: "13.75".parse()?, from: Convention::Year252, to: Convention::Month };
/// let monthly = calc::convert_rate(&selic)?;
/// assert_eq!(monthly.result.to_string(), "1.07939111");
/// assert_eq!(monthly.exponent, "1/12");
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn convert_rate(query: &RateConversion) -> Result<ConvertedRate> {
    let RateConversion { value, from, to } = *query;
    let exponent = Exponent::new(to.length(), from.length());
    let (digits, decimals) = value.get().parts();
    // The factor of a percentage has two decimals more.
    let decimals = u32::from(decimals) + 2;
    let digits = BigInt::from(10_u32).pow(decimals) + digits;
    let less_one = |places| power_less_one((&digits, decimals), exponent, places);
    let factor = less_one(FACTOR_DECIMALS) + BigInt::from(10_u32).pow(FACTOR_DECIMALS);
    if factor >= BigInt::from(10_u32).pow(MOST_DIGITS + FACTOR_DECIMALS) {
        return Err(CalculationFault::FactorTooLarge.into());
    }
    // A percentage has two decimals fewer than its factor.
    let result = Figure::new(less_one(PERCENT_DECIMALS + 2), PERCENT_DECIMALS);
    let Exponent { over, under } = exponent;
    let power = if under == 1 { over.to_string() } else { format!("({over}/{under})") };
    Ok(ConvertedRate {
        value,
        from,
        to,
        result: result.trim_zeros(2),
        factor: Figure::new(factor, FACTOR_DECIMALS).trim_zeros(4),
        exponent: format!("{over}/{under}"),
        rule: format!(
            "The result is ((1 + value/100)^{power} − 1) × 100, rounded half up to 8 decimals: compound interest. A month counts as 21 business days or 30 calendar days, so a year of 252 business days, a year of 360 days and 12 months are equally long; a year of 365 days has 5 days more."
        ),
        rule_pt: format!(
            "O resultado é ((1 + valor/100)^{power} − 1) × 100, arredondado para 8 casas decimais, meio para cima: juros compostos. Um mês conta como 21 dias úteis ou 30 dias corridos; por isso, um ano de 252 dias úteis, um ano de 360 dias e 12 meses têm a mesma duração, e um ano de 365 dias tem 5 dias a mais."
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn convert(value: &str, from: &str, to: &str) -> Result<ConvertedRate> {
        let [from, to] = [from, to].map(|text| text.parse().unwrap());
        convert_rate(&RateConversion { value: value.parse().unwrap(), from, to })
    }

    #[test]
    fn results_are_those_of_an_independent_computation() {
        // By Python's `decimal` with a hundred digits, rounded half up, with zeros at the end left out.
        #[rustfmt::skip]
        let cases: &[(&str, &str, &str, &str, &str)] = &[
            ("13.75", "year252", "month", "1.07939111", "1.0107939110821322"),
            ("13.75", "year252", "day", "0.05113723", "1.0005113722611694"),
            ("13.75", "year252", "year365", "13.95372025", "1.1395372025265503"),
            ("13.75", "year360", "year252", "13.75", "1.1375"),
            ("1", "month", "year252", "12.68250301", "1.1268250301319697"),
            ("1", "month", "year365", "12.86952942", "1.1286952941593902"),
            ("0.050788", "day", "year252", "13.64998932", "1.136499893152821"),
            ("14.90", "year252", "day", "0.05513106", "1.0005513106415403"),
            ("-3.5", "year365", "month", "-0.2923978", "0.9970760219988368"),
            ("0", "year252", "day", "0.00", "1.0000"),
            ("-99.999999", "year252", "day", "-7.04902101", "0.9295097898806491"),
            ("1000000", "year365", "day", "3.67063228", "1.0367063227849666"),
            ("0.00000001", "year252", "day", "0.00", "1.0000000000003968"),
            ("5.85", "day", "year365", "203476902.76681395", "2034770.0276681394662607"),
            ("21", "year360", "month", "1.60118678", "1.0160118677733874"),
        ];
        for (value, from, to, result, factor) in cases {
            let converted = convert(value, from, to).unwrap();
            let figures = (converted.result.to_string(), converted.factor.to_string());
            assert_eq!(
                (figures.0.as_str(), figures.1.as_str()),
                (*result, *factor),
                "{value} {from} {to}"
            );
        }
    }

    #[test]
    fn the_same_period_gives_the_same_rate() {
        for convention in Convention::ALL {
            for value in ["13.75", "0", "-99.99", "0.05", "1000000"] {
                let name = convention.as_str();
                let converted = convert(value, name, name).unwrap();
                let same = Figure::from(converted.value.get()).trim_zeros(0).to_string();
                let result = converted.result.trim_zeros(0).to_string();
                assert_eq!((result, converted.exponent.as_str()), (same, "1/1"), "{value} {name}");
            }
        }
    }

    #[test]
    fn a_factor_that_is_too_large_is_refused() {
        assert!(convert("30", "day", "year252").is_ok());
        for (value, from, to) in [("32", "day", "year252"), ("1000000", "month", "year365")] {
            let message = convert(value, from, to).unwrap_err().to_string();
            assert!(message.contains("more than 30 digits"), "{message}");
        }
    }
}
