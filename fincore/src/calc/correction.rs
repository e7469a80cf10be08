//! An amount of one day, corrected to another by an index.
use serde::{Deserialize, Serialize};

use super::{
    basis::{Basis, Compounded, Ends},
    compound::{Compound, Derivation, TOO_LARGE, shown},
    currency::{Reais, reais},
    exact::{Exact, Figure},
    terms::{Amount, Percent, Spread, Steps},
};
use crate::{
    answers::Sourced,
    catalogue::Snapshot,
    error::{Error, Result},
    types::{Date, SeriesId},
};

/// A query for an amount that is corrected by an index.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Correction {
    /// The amount on the first day.
    pub amount: Amount,
    /// The first day; of a price index its whole month counts.
    pub from: Date,
    /// The last day; by default up to the newest observation.
    pub to: Option<Date>,
    /// The index: a series by name or number; `selic` and `cdi` stand for their daily rates.
    pub index: SeriesId,
    /// How many percent of the index; by default 100.
    pub percent: Option<Percent>,
    /// What comes on top, in percent per year of 252 business days.
    pub spread: Option<Spread>,
    /// Whether to list every step.
    #[serde(default)]
    pub steps: Steps,
}

impl Correction {
    /// A correction by the whole index, up to its newest observation.
    #[must_use]
    pub fn of(amount: Amount, from: Date, index: SeriesId) -> Correction {
        Correction {
            amount,
            from,
            to: None,
            index,
            percent: None,
            spread: None,
            steps: Steps::Omitted,
        }
    }
}

/// A corrected amount, and what it follows from.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Corrected {
    /// The amount on the first day.
    pub amount: Amount,
    /// The amount on the last day, rounded half up to cents.
    pub result: Figure,
    /// The same in reais, where the currency changed since the first day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reais: Option<Reais>,
    /// How many percent of the index were counted, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<Percent>,
    /// What came on top, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<SpreadFactor>,
    /// What the factor of the index follows from.
    #[serde(flatten)]
    pub derivation: Derivation,
    /// The rule in a sentence.
    pub rule: String,
    /// The rule in Portuguese.
    pub rule_pt: String,
}

/// What a spread added.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SpreadFactor {
    /// In percent per year.
    pub per_year: Spread,
    /// The business days of the period.
    pub business_days: u32,
    /// Its factor: (1 + spread/100) to the power of days/252, rounded to 16 decimals.
    pub factor: Figure,
}

/// Business days of a year, by the convention of the market.
const YEAR: u32 = 252;

/// Corrects an amount by an index: a price index over whole months, both ends included, as the central bank's calculator
/// for citizens does; the Selic and the CDI from the first day to the day before the last.
///
/// Figures are computed with 64 decimals and rounded half up in the end. Every plan may ask for any period.
///
/// Fails for a series that cannot be compounded, and where the data lacks a part of the period.
///
/// ```
/// use fincore::calc::{self, Correction};
///
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
/// # fincore::bundle::fill(&catalogue)?;
/// # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let query = Correction {
///     to: Some("2022-12-02".parse()?),
///     ..Correction::of("118706.46".parse()?, "2016-09-30".parse()?, "selic".parse()?)
/// };
/// // The central bank's own calculator says so, too.
/// assert_eq!(calc::correction(&snapshot, query)?.result.to_string(), "181400.64");
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn correction(snapshot: &Snapshot, query: Correction) -> Result<Sourced<Corrected>> {
    let Correction { amount, from, to, index, percent, spread, steps } = query;
    let series = Compounded::of(&index)?;
    if series.basis == Basis::Levels && percent.is_some() {
        return Err(Error::Invalid(format!(
            "parameter \"percent\": {} is no rate; a percentage of it means nothing",
            series.known.name
        )));
    }
    let compound = Compound::of(snapshot, series, (from, to), Ends::First, percent)?;
    let (whole, spread) = match spread {
        None => (compound.factor.clone(), None),
        Some(spread) => {
            let days = compound.business_days();
            let factor = spread_factor(spread, days)?;
            let added =
                SpreadFactor { per_year: spread, business_days: days, factor: shown(&factor) };
            (compound.factor.times(&factor), Some(added))
        }
    };
    if whole.is_too_large() {
        return Err(Error::Invalid(TOO_LARGE.to_owned()));
    }
    let exact = Exact::from(amount.get()).times(&whole);
    let (rule, rule_pt) = rule(series, percent.is_some(), spread.is_some());
    let corrected = Corrected {
        amount,
        result: exact.rounded(2),
        // The currency is that of the day, also where the whole month counts.
        reais: reais(&exact, from, to.unwrap_or(compound.to)),
        percent,
        spread,
        derivation: compound.derivation(steps),
        rule,
        rule_pt,
    };
    Ok(Sourced::new(corrected, compound.meta))
}

fn spread_factor(spread: Spread, days: u32) -> Result<Exact> {
    let daily = Exact::factor(spread.get()).root(YEAR);
    let daily = daily.ok_or_else(|| Error::invalid(&spread.to_string(), "a spread above -100"))?;
    Ok(daily.to_the(days))
}

fn rule(series: Compounded, percent: bool, spread: bool) -> (String, String) {
    let factor = series.basis.rule(Ends::First);
    let mut rule = (factor.en.to_owned(), factor.pt.to_owned());
    let mut add = |en: &str, pt: &str| {
        rule.0.push(' ');
        rule.0.push_str(en);
        rule.1.push(' ');
        rule.1.push_str(pt);
    };
    if percent {
        add(
            "Of each rate, the given percentage is counted.",
            "De cada taxa conta-se o percentual informado.",
        );
    }
    if spread {
        add(
            "The spread multiplies it by (1 + spread/100)^(business days/252).",
            "O spread o multiplica por (1 + spread/100)^(dias úteis/252).",
        );
    }
    add(
        "The result is amount × factor, rounded half up to cents.",
        "O resultado é valor × fator, arredondado ao centavo mais próximo.",
    );
    rule
}
