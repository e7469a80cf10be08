//! An amount of one day, corrected to another by an index.
use serde::{Deserialize, Serialize};

use crate::{
    answers::Sourced,
    calc::{
        Amount, CompoundedSeries, CompoundingBasis, Derivation, Ends, Months, Percent, Period,
        Reais, Spread, Steps,
        conversion::reais,
        factor::{compound, round_factor},
        rule::Rule,
    },
    store::Snapshot,
    values::{
        CalculationFault, Date, Error, Figure, FixedPoint, Limit, Offset, Result, SeriesId, Wanted,
    },
};

/// A query for an amount that is corrected by an index.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Correction {
    /// The amount on the first day.
    pub amount: Amount,
    /// The first day; of a price index its whole month counts.
    pub from: Date,
    /// The last day; by default up to the newest observation.
    pub to: Option<Date>,
    /// The index: a series by name or number; `selic` and `cdi` stand for their daily rates, `igp-m` for its unrounded
    /// months where they are held, `savings` for the rule that the day of the deposit falls under.
    pub index: SeriesId,
    /// The months of a monthly index that count.
    #[serde(default)]
    pub months: Months,
    /// The percentage of the index; by default 100.
    pub percent: Option<Percent>,
    /// The spread on top of the index, in percent per year of 252 business days.
    pub spread: Option<Spread>,
    /// Lists the steps, if asked.
    #[serde(default)]
    pub steps: Steps,
    /// The most steps to list; by default a thousand.
    #[serde(default = "Steps::thousand")]
    pub limit: Limit<1000>,
    /// The number of steps to skip.
    #[serde(default)]
    pub offset: Offset,
}

impl Correction {
    /// A correction by the whole index, up to its newest observation.
    #[must_use]
    pub fn new(amount: Amount, from: Date, index: SeriesId) -> Correction {
        Correction {
            amount,
            from,
            to: None,
            index,
            months: Months::Inclusive,
            percent: None,
            spread: None,
            steps: Steps::Omitted,
            limit: Limit::MAX,
            offset: Offset::default(),
        }
    }
}

/// A corrected amount, and how it was computed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CorrectedAmount {
    /// The amount on the first day.
    pub amount: Amount,
    /// The amount on the last day, rounded half up to cents.
    pub result: Figure,
    /// The amounts in reais, where the currency changed since the first day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reais: Option<Reais>,
    /// The percentage of the index that was applied, if one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<Percent>,
    /// The effect of the spread, if one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<SpreadFactor>,
    /// How the factor was computed; it holds the spread.
    #[serde(flatten)]
    pub derivation: Derivation,
    /// The rule in a sentence.
    pub rule: String,
    /// The rule in Portuguese.
    pub rule_pt: String,
}

/// The effect of a spread.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SpreadFactor {
    /// In percent per year.
    pub per_year: Spread,
    /// The business days of the period.
    pub business_days: u32,
    /// Its factor: (1 + spread/100) to the power of days/252, rounded to 16 decimals.
    pub factor: Figure,
    /// The factor of the index alone, rounded to 16 decimals: with the spread's it gives the whole factor.
    pub index_factor: Figure,
}

/// Business days of a year, by the convention of the market.
const YEAR: u32 = 252;

/// Corrects an amount by an index: a price index over whole months, both ends included, as the central bank's calculator
/// for citizens does; the Selic and the CDI from the first day to the day before the last; savings over whole months from
/// the day of the deposit.
///
/// Figures are computed with 64 decimals and rounded half up in the end. Any period is allowed on every plan.
///
/// Fails for a series that cannot be compounded, and if the data does not cover the period.
///
/// ```
/// use fincore::calc::{self, Correction};
///
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let query = Correction {
///     to: Some("2022-12-02".parse()?),
///     ..Correction::new("118706.46".parse()?, "2016-09-30".parse()?, "selic".parse()?)
/// };
/// // As the central bank's own calculator says.
/// assert_eq!(calc::correction(&snapshot, query)?.result.to_string(), "181400.64");
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn correction(snapshot: &Snapshot, query: Correction) -> Result<Sourced<CorrectedAmount>> {
    let Correction { amount, from, to, index, months, percent, spread, .. } = query;
    let listed = query.steps.page(query.limit, query.offset);
    let series = CompoundedSeries::find(&index)?;
    if series.basis == CompoundingBasis::Levels && percent.is_some() {
        let series = series.definition.name.to_owned();
        return Err(CalculationFault::PercentOfLevel { series }.into());
    }
    let period = Period { from, to, ends: Ends::First, months };
    let compound = compound(snapshot, &index, period, percent, listed)?;
    let (whole, spread) = match spread {
        None => (compound.factor.clone(), None),
        Some(spread) => {
            let days = compound.business_days();
            let factor = spread_factor(spread, days)?;
            let added = SpreadFactor {
                per_year: spread,
                business_days: days,
                factor: round_factor(&factor),
                index_factor: round_factor(&compound.factor),
            };
            (compound.factor.times(&factor), Some(added))
        }
    };
    if whole.is_too_large() {
        return Err(CalculationFault::FactorTooLarge.into());
    }
    let exact = FixedPoint::from(amount.get()).times(&whole);
    let rule = rule(Rule::of(&compound), percent, spread.as_ref());
    let derivation = Derivation {
        factor: round_factor(&whole),
        accumulated: whole.percent_change(),
        ..compound.derivation()
    };
    let corrected = CorrectedAmount {
        amount,
        result: exact.round(2),
        // The currency is that of the day, also where the whole month counts.
        reais: reais(&exact, from, to.unwrap_or(compound.to)),
        percent,
        spread,
        derivation,
        rule: rule.en,
        rule_pt: rule.pt,
    };
    Ok(Sourced::new(corrected, compound.meta))
}

fn spread_factor(spread: Spread, days: u32) -> Result<FixedPoint> {
    let daily = FixedPoint::factor(spread.get()).root(YEAR);
    let below = || Error::invalid(&spread.to_string(), Wanted::SpreadAboveMinus100);
    let daily = daily.ok_or_else(below)?;
    Ok(daily.pow(days))
}

/// The rule of the factor, and how the result follows from it.
fn rule(mut rule: Rule, percent: Option<Percent>, spread: Option<&SpreadFactor>) -> Rule {
    if percent.is_some() {
        rule.add(
            "Of each rate, the given percentage is counted.",
            "De cada taxa conta-se o percentual informado.",
        );
    }
    if spread.is_some() {
        rule.add(
            "The spread multiplies it by (1 + spread/100)^(business days/252); factor and accumulated include it.",
            "O spread o multiplica por (1 + spread/100)^(dias úteis/252); o fator e o acumulado já o incluem.",
        );
    }
    rule.add(
        "The result is amount × factor, rounded half up to cents.",
        "O resultado é valor × fator, arredondado ao centavo mais próximo.",
    );
    rule
}

/// A query for what a series accumulated.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Accumulation {
    /// The series, by name or number; `selic` and `cdi` stand for their daily rates, `igp-m` for its unrounded months
    /// where they are held, `savings` for the rule that the day of the deposit falls under.
    pub series: SeriesId,
    /// The first day; of a monthly series its whole month counts.
    pub from: Date,
    /// The last day, which counts too; by default that of the newest observation.
    pub to: Option<Date>,
    /// The months of a monthly index that count.
    #[serde(default)]
    pub months: Months,
    /// Lists the steps, if asked.
    #[serde(default)]
    pub steps: Steps,
    /// The most steps to list; by default a thousand.
    #[serde(default = "Steps::thousand")]
    pub limit: Limit<1000>,
    /// The number of steps to skip.
    #[serde(default)]
    pub offset: Offset,
}

impl Accumulation {
    /// Accumulates a series up to its newest observation.
    #[must_use]
    pub fn new(series: SeriesId, from: Date) -> Accumulation {
        Accumulation {
            series,
            from,
            to: None,
            months: Months::Inclusive,
            steps: Steps::Omitted,
            limit: Limit::MAX,
            offset: Offset::default(),
        }
    }
}

/// The growth of a series, and how it was computed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Growth {
    /// The factor, and how it was computed.
    #[serde(flatten)]
    pub derivation: Derivation,
    /// The rule in a sentence.
    pub rule: String,
    /// The rule in Portuguese.
    pub rule_pt: String,
}

impl std::ops::Deref for Growth {
    type Target = Derivation;

    fn deref(&self) -> &Derivation {
        &self.derivation
    }
}

/// Compounds the observations of a period, both ends included: the rates of a month of the daily CDI (SGS 12) give the CDI
/// of that month (SGS 4391). Of a series with a level it is the change from the first observation to the last.
///
/// Any period is allowed on every plan. Fails as [`correction`](correction) does.
pub fn accumulate(snapshot: &Snapshot, query: Accumulation) -> Result<Sourced<Growth>> {
    let Accumulation { series, from, to, months, steps, limit, offset } = query;
    let period = Period { from, to, ends: Ends::Both, months };
    let compound = compound(snapshot, &series, period, None, steps.page(limit, offset))?;
    let rule = Rule::of(&compound);
    let derivation = compound.derivation();
    let growth = Growth { derivation, rule: rule.en, rule_pt: rule.pt };
    Ok(Sourced::new(growth, compound.meta))
}
