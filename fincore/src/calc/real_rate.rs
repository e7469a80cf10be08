//! Interest less inflation.
use num_bigint::BigInt;
use serde::{Deserialize, Serialize};

use crate::{
    answers::{Meta, Sourced},
    calc::{
        CompoundedSeries, CompoundingBasis, Convention, Derivation, Ends, ListedSteps, Months,
        Percent, Period, QuotedRate, Steps,
        factor::{self, candidates, compound, round_factor},
    },
    calendar,
    market::{series_definitions, whole_histories},
    store::Snapshot,
    values::{
        CalculationFault, Date, Figure, Limit, Offset, Result, SeriesId,
        fixed_point::{Exponent, power_less_one},
    },
};

/// A query for what interest left after inflation.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RealRate {
    /// The first month, by any of its days.
    pub from: Date,
    /// The last month, which counts too; by default the newest that both series have.
    pub to: Option<Date>,
    /// The rate of interest; by default the Selic.
    #[serde(default = "selic")]
    pub interest: SeriesId,
    /// The price index; by default the IPCA.
    #[serde(default = "ipca")]
    pub inflation: SeriesId,
    /// The percentage of the rate of interest; by default 100.
    pub percent: Option<Percent>,
    /// Lists the steps of both series, if asked.
    #[serde(default)]
    pub steps: Steps,
    /// The most steps of each to list; by default a thousand.
    #[serde(default = "Steps::thousand")]
    pub limit: Limit<1000>,
    /// The number of steps of each to skip.
    #[serde(default)]
    pub offset: Offset,
}

fn selic() -> SeriesId {
    series_definitions::SELIC.into()
}

fn ipca() -> SeriesId {
    series_definitions::IPCA.into()
}

impl RealRate {
    /// The Selic less the IPCA, up to the newest month.
    #[must_use]
    pub fn new(from: Date) -> RealRate {
        RealRate {
            from,
            to: None,
            interest: selic(),
            inflation: ipca(),
            percent: None,
            steps: Steps::Omitted,
            limit: Limit::MAX,
            offset: Offset::default(),
        }
    }
}

/// The real return, and how it was computed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RealReturn {
    /// The first month, by its first day.
    pub from: Date,
    /// The last month, by its first day.
    pub to: Date,
    /// The number of months.
    pub months: u32,
    /// The factor of interest divided by that of inflation, rounded to 16 decimals.
    pub factor: Figure,
    /// The real rate of the whole period in percent, rounded to 8 decimals.
    pub real: Figure,
    /// The return per year, rounded to 8 decimals.
    pub per_year: Figure,
    /// The percentage of the rate of interest that was applied, if one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<Percent>,
    /// How the factor of interest was computed.
    pub interest: Derivation,
    /// How the factor of inflation was computed.
    pub inflation: Derivation,
    /// The rule in a sentence.
    pub rule: &'static str,
    /// The rule in Portuguese.
    pub rule_pt: &'static str,
}

/// The real return over whole months, both ends included: the factor of interest divided by that of inflation.
///
/// Any period is allowed on every plan. Fails as [`correction`](crate::calc::correction::correction) does.
pub fn real_rate(snapshot: &Snapshot, query: RealRate) -> Result<Sourced<RealReturn>> {
    let (interest, inflation) =
        (CompoundedSeries::find(&query.interest)?, CompoundedSeries::find(&query.inflation)?);
    if !(matches!(interest.basis, CompoundingBasis::Days | CompoundingBasis::Months)
        || interest.is_savings())
    {
        let series = interest.definition.name.to_owned();
        return Err(CalculationFault::NotInterest { series }.into());
    }
    if inflation.basis != CompoundingBasis::Months {
        let series = inflation.definition.name.to_owned();
        return Err(CalculationFault::NotInflation { series }.into());
    }
    let from = query.from.first_of_month();
    let newest = newest_month(snapshot, &query.interest, from)?.min(newest_month(
        snapshot,
        &query.inflation,
        from,
    )?);
    if newest < from {
        let [interest, inflation] =
            [interest, inflation].map(|series| series.definition.name.to_owned());
        let (newest, from) = (newest.into(), from.into());
        return Err(CalculationFault::NoCommonMonth { interest, inflation, newest, from }.into());
    }
    let to = query.to.map_or(newest, Date::first_of_month);
    let until = |to: Date| {
        let (ends, months) = (Ends::Both, Months::Inclusive);
        Period { from, to: Some(to), ends, months }
    };
    let listed = query.steps.page(query.limit, query.offset);
    let prices = compound(snapshot, &query.inflation, until(to), None, listed)?;
    let next = to.months_after(1);
    // Savings of a month are credited on the first of the next.
    let end = if interest.is_savings() { next } else { next.days_before(1) };
    let earned = compound(snapshot, &query.interest, until(end), query.percent, listed)?;
    let (first, last) = (from.into(), to.into());
    let nothing = || CalculationFault::NothingAfterInflation { from: first, to: last };
    let factor = earned.factor.over(&prices.factor).ok_or_else(nothing)?;
    let months = u32::try_from(prices.periods()).unwrap_or(u32::MAX);
    let lost = || CalculationFault::NothingAfterInterest { from: first, to: last };
    let per_year = factor.root(months).ok_or_else(lost)?.pow(12);
    let real = RealReturn {
        from,
        to,
        months,
        factor: round_factor(&factor),
        real: factor.percent_change(),
        per_year: per_year.percent_change(),
        percent: query.percent,
        interest: earned.derivation(),
        inflation: prices.derivation(),
        rule: "The real rate is factor of interest ÷ factor of inflation − 1, over whole months; per year it is the factor to the power of 12/months, less 1.",
        rule_pt: "A taxa real é fator dos juros ÷ fator da inflação − 1, em meses inteiros; ao ano é o fator elevado a 12/meses, menos 1.",
    };
    let source = format!("{} and {}", earned.meta.source, prices.meta.source);
    let stale = [earned.meta.stale, prices.meta.stale]
        .into_iter()
        .flatten()
        .reduce(|one, other| one | other);
    let updated_at = earned.meta.updated_at.max(prices.meta.updated_at);
    let as_of = earned.meta.as_of;
    Ok(Sourced::new(real, Meta { stale, updated_at, as_of, ..Meta::new(source) }))
}

/// The newest month that a series has as a whole. Fails if it has none.
fn newest_month(snapshot: &Snapshot, id: &SeriesId, from: Date) -> Result<Date> {
    let candidates = candidates(id, from)?;
    let newest = factor::newest_month(snapshot, &candidates)?;
    let Some((month, series)) = newest.zip(candidates.last()) else {
        // Its error says what is missing.
        let period = Period { from, to: None, ends: Ends::Both, months: Months::Inclusive };
        return compound(snapshot, id, period, None, ListedSteps::NONE).map(|compound| compound.to);
    };
    let whole = match series.basis {
        CompoundingBasis::Days => {
            let (_, newest) = whole_histories::covered_days(snapshot, series.definition.number)?;
            calendar::previous(month.months_after(1)).is_none_or(|last| last <= newest)
        }
        CompoundingBasis::Months | CompoundingBasis::Anniversaries | CompoundingBasis::Levels => {
            true
        }
    };
    Ok(if whole { month } else { month.days_before(1).first_of_month() })
}

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
    /// The value of one unit at the end of the period, rounded to 16 decimals.
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
    let less_one = |places| power_less_one(&digits, decimals, exponent, places);
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
mod rate_conversion_tests {
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
