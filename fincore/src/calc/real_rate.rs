//! Interest less inflation.
use serde::{Deserialize, Serialize};

use super::{
    basis::{Basis, Compounded, Ends},
    compound::{Compound, Derivation, month_after, shown},
    exact::Figure,
    terms::{Percent, Steps},
};
use crate::{
    answers::{Meta, Sourced},
    calendar,
    catalogue::Snapshot,
    error::{Error, Result},
    market,
    types::{Date, SeriesId},
};

/// A query for what interest left after inflation.
#[derive(Clone, Debug, Deserialize)]
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
    /// How many percent of the rate of interest; by default 100.
    pub percent: Option<Percent>,
    /// Whether to list every step.
    #[serde(default)]
    pub steps: Steps,
}

fn selic() -> SeriesId {
    market::known::SELIC.into()
}

fn ipca() -> SeriesId {
    market::known::IPCA.into()
}

impl RealRate {
    /// The Selic less the IPCA, up to the newest month.
    #[must_use]
    pub fn since(from: Date) -> RealRate {
        let (interest, inflation, steps) = (selic(), ipca(), Steps::Omitted);
        RealRate { from, to: None, interest, inflation, percent: None, steps }
    }
}

/// What interest left after inflation, and what it follows from.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Real {
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
    /// How many percent of the rate of interest were counted, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<Percent>,
    /// What the factor of interest follows from.
    pub interest: Derivation,
    /// What the factor of inflation follows from.
    pub inflation: Derivation,
    /// The rule in a sentence.
    pub rule: &'static str,
    /// The rule in Portuguese.
    pub rule_pt: &'static str,
}

/// What interest left after inflation over whole months, both ends included: the factor of interest divided by that of
/// inflation.
///
/// Every plan may ask for any period. Fails as [`correction`](super::correction) does.
pub fn real_rate(snapshot: &Snapshot, query: RealRate) -> Result<Sourced<Real>> {
    let (interest, inflation) =
        (Compounded::of(&query.interest)?, Compounded::of(&query.inflation)?);
    if !matches!(interest.basis, Basis::Days | Basis::Months) {
        return Err(unfit("interest", interest, "a rate per day or month, such as selic or cdi"));
    }
    if inflation.basis != Basis::Months {
        return Err(unfit("inflation", inflation, "a monthly price index, such as ipca"));
    }
    let from = query.from.first_of_month();
    let newest = newest_month(snapshot, interest)?.min(newest_month(snapshot, inflation)?);
    if newest < from {
        return Err(Error::Invalid(format!(
            "the newest month that {} and {} both have is of {newest}, before {from}",
            interest.known.name, inflation.known.name
        )));
    }
    let to = query.to.map_or(newest, Date::first_of_month);
    let prices = Compound::of(snapshot, inflation, (from, Some(to)), Ends::Both, None)?;
    let last = month_after(to, 1).days_before(1);
    let earned = Compound::of(snapshot, interest, (from, Some(last)), Ends::Both, query.percent)?;
    let nothing = || Error::Invalid(format!("inflation of {from} to {to} left nothing"));
    let factor = earned.factor.over(&prices.factor).ok_or_else(nothing)?;
    let months = u32::try_from(prices.periods()).unwrap_or(u32::MAX);
    let lost = || {
        Error::Invalid(format!(
            "interest of {from} to {to} left nothing: there is no rate per year"
        ))
    };
    let per_year = factor.root(months).ok_or_else(lost)?.to_the(12);
    let real = Real {
        from,
        to,
        months,
        factor: shown(&factor),
        real: factor.accumulated(),
        per_year: per_year.accumulated(),
        percent: query.percent,
        interest: earned.derivation(query.steps),
        inflation: prices.derivation(query.steps),
        rule: "The real rate is factor of interest ÷ factor of inflation − 1, over whole months; per year it is the factor to the power of 12/months, less 1.",
        rule_pt: "A taxa real é fator dos juros ÷ fator da inflação − 1, em meses inteiros; ao ano é o fator elevado a 12/meses, menos 1.",
    };
    let source = format!("{} and {}", earned.meta.source, prices.meta.source);
    let stale = Some(earned.meta.stale == Some(true) || prices.meta.stale == Some(true));
    let updated_at = earned.meta.updated_at.max(prices.meta.updated_at);
    Ok(Sourced::new(real, Meta { stale, updated_at, ..Meta::of(source) }))
}

/// The newest month that a series has as a whole.
fn newest_month(snapshot: &Snapshot, series: Compounded) -> Result<Date> {
    let (_, newest) = market::held_days(snapshot, series.known.number)?;
    let month = newest.first_of_month();
    let next = month_after(month, 1);
    let whole = match series.basis {
        Basis::Days => calendar::previous(next).is_none_or(|last| last <= newest),
        Basis::Months | Basis::Anniversaries | Basis::Levels => true,
    };
    Ok(if whole { month } else { month.days_before(1).first_of_month() })
}

fn unfit(parameter: &str, series: Compounded, wanted: &str) -> Error {
    Error::Invalid(format!("parameter {parameter:?}: {} is not {wanted}", series.known.name))
}
