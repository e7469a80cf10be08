//! Interest less inflation.
use serde::{Deserialize, Serialize};

use super::{
    compound_factor::round_factor,
    compounding_basis::{CompoundedSeries, CompoundingBasis, Ends},
    derivation::Derivation,
    observed_period::Period,
    parameters::{ListedSteps, Months, Percent, Steps},
    series_choice::{self, candidates, compound},
};
use crate::{
    answers::{Meta, Sourced},
    calendar,
    catalogue::Snapshot,
    error::{CalculationFault, Result},
    market,
    numbers::figure::Figure,
    types::{Date, Limit, Offset, SeriesId},
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
    /// Whether to list the steps of both series.
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
    market::series_definitions::SELIC.into()
}

fn ipca() -> SeriesId {
    market::series_definitions::IPCA.into()
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

/// What interest left after inflation, and how it was computed.
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
    /// The same per year, rounded to 8 decimals.
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

/// What interest left after inflation over whole months, both ends included: the factor of interest divided by that of
/// inflation.
///
/// Any period is allowed on every plan. Fails as [`correction`](super::correction) does.
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
    let newest = series_choice::newest_month(snapshot, &candidates)?;
    let Some((month, series)) = newest.zip(candidates.last()) else {
        // Its error says what is missing.
        let period = Period { from, to: None, ends: Ends::Both, months: Months::Inclusive };
        return compound(snapshot, id, period, None, ListedSteps::NONE).map(|compound| compound.to);
    };
    let whole = match series.basis {
        CompoundingBasis::Days => {
            let (_, newest) = market::covered_days(snapshot, series.definition.number)?;
            calendar::previous(month.months_after(1)).is_none_or(|last| last <= newest)
        }
        CompoundingBasis::Months | CompoundingBasis::Anniversaries | CompoundingBasis::Levels => {
            true
        }
    };
    Ok(if whole { month } else { month.days_before(1).first_of_month() })
}
