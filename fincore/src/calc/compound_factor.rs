//! Compounds a series between two days into a factor, and lists the steps to it.
use super::{
    compounding_basis::{CompoundedSeries, CompoundingBasis, Ends},
    derivation::{Derivation, DerivationStep, PublishedFigure},
    observed_period::{Period, lacks, observe},
    parameters::{ListedSteps, Months, Percent},
    step_factor::StepFactor,
};
use crate::{
    answers::Meta,
    calendar,
    catalogue::Snapshot,
    error::{CalculationFault, Result, SeriesFault},
    market::{
        self, Rate,
        series_definitions::{IPCA, IPCA_12_MONTHS, dataset},
    },
    numbers::{figure::Figure, fixed_point::FixedPoint, running_product::RunningProduct},
    types::Date,
};

/// The decimals of a factor in an answer.
const FACTOR_DECIMALS: u32 = 16;

/// A factor, and the observations that it was computed from.
pub(super) struct CompoundFactor {
    pub(super) series: CompoundedSeries,
    pub(super) from: Date,
    pub(super) to: Date,
    pub(super) ends: Ends,
    pub(super) months: Months,
    pub(super) factor: FixedPoint,
    pub(super) rows: Vec<Rate>,
    steps: Option<Vec<DerivationStep>>,
    pub(super) published: Option<PublishedFigure>,
    pub(super) meta: Meta,
}

impl CompoundFactor {
    /// Compounds the observations of a period. Fails if the data does not cover it.
    pub(super) fn compute(
        snapshot: &Snapshot,
        series: CompoundedSeries,
        period: Period,
        percent: Option<Percent>,
        listed: ListedSteps,
    ) -> Result<CompoundFactor> {
        let Period { ends, months, .. } = period;
        if months == Months::Contract && series.basis != CompoundingBasis::Months {
            let series = series.definition.name.to_owned();
            return Err(CalculationFault::NoMonthsToCount { series }.into());
        }
        let (rows, from, to) = observe(snapshot, series, period)?;
        let factors = match series.basis {
            CompoundingBasis::Days | CompoundingBasis::Months | CompoundingBasis::Anniversaries => {
                rates(&rows, percent)
            }
            CompoundingBasis::Levels => ratios(&rows, series)?,
        };
        let (factor, steps) = multiply(&rows, &factors, listed);
        if factor.is_too_large() {
            return Err(lacks(series, SeriesFault::FactorTooLarge));
        }
        let published = match percent {
            None => published(snapshot, series, &rows)?,
            Some(_) => None,
        };
        let meta = market::meta(snapshot, series.definition.number)?;
        Ok(CompoundFactor { series, from, to, ends, months, factor, rows, steps, published, meta })
    }

    /// The number of observations.
    pub(super) fn periods(&self) -> usize {
        self.rows.len()
    }

    /// The business days that a spread is earned on.
    pub(super) fn business_days(&self) -> u32 {
        let count = match self.series.basis {
            CompoundingBasis::Days => return u32::try_from(self.rows.len()).unwrap_or(u32::MAX),
            CompoundingBasis::Months => match self.months {
                Months::Inclusive => calendar::count(self.from, self.to.months_after(1)),
                Months::Contract => calendar::count(self.from, self.to),
            },
            CompoundingBasis::Anniversaries | CompoundingBasis::Levels => {
                calendar::count(self.from, self.to)
            }
        };
        u32::try_from(count).unwrap_or(0)
    }

    /// The derivation for an answer.
    pub(super) fn derivation(&self) -> Derivation {
        Derivation {
            series: self.series.definition.name.into(),
            number: self.series.definition.number,
            from: self.from,
            to: self.to,
            factor: round_factor(&self.factor),
            accumulated: self.factor.percent_change(),
            periods: self.periods(),
            period: self.series.basis.period(),
            first: self.rows.first().cloned(),
            last: self.rows.last().cloned(),
            published: self.published.clone(),
            steps: self.steps.clone(),
        }
    }
}

/// A factor, rounded for an answer.
pub(super) fn round_factor(factor: &FixedPoint) -> Figure {
    factor.round(FACTOR_DECIMALS).trim_zeros(2)
}

/// The product of all factors, and the steps to it that an answer lists.
fn multiply(
    rows: &[Rate],
    factors: &[StepFactor],
    listed: ListedSteps,
) -> (FixedPoint, Option<Vec<DerivationStep>>) {
    let mut steps = listed.is_any().then(Vec::new);
    let mut product = RunningProduct::one();
    for (place, (row, factor)) in rows.iter().zip(factors).enumerate() {
        factor.apply(&mut product);
        if let Some(steps) = steps.as_mut().filter(|_| listed.contains(place)) {
            let factor = factor.round(FACTOR_DECIMALS).trim_zeros(2);
            let product = round_factor(&product.value());
            steps.push(DerivationStep { date: row.date, value: row.value, factor, product });
        }
    }
    (product.value(), steps)
}

fn rates(rows: &[Rate], percent: Option<Percent>) -> Vec<StepFactor> {
    rows.iter().map(|row| StepFactor::of_rate(row.value, percent)).collect()
}

/// The ratio of each level to the one before.
fn ratios(rows: &[Rate], series: CompoundedSeries) -> Result<Vec<StepFactor>> {
    let zero = |row: &Rate| lacks(series, SeriesFault::NotPositive { date: row.date.into() });
    let ratio = |pair: &[Rate]| {
        FixedPoint::from(pair[1].value)
            .over(&FixedPoint::from(pair[0].value))
            .map(StepFactor::Number)
            .ok_or_else(|| zero(&pair[0]))
    };
    let first = rows.first().map(|_| Ok(StepFactor::Number(FixedPoint::one())));
    first.into_iter().chain(rows.windows(2).map(ratio)).collect()
}

/// What the source says of twelve months of the IPCA.
fn published(
    snapshot: &Snapshot,
    series: CompoundedSeries,
    rows: &[Rate],
) -> Result<Option<PublishedFigure>> {
    let (IPCA, 12, Some(last)) = (series.definition.number, rows.len(), rows.last()) else {
        return Ok(None);
    };
    let official = market::observations(snapshot, IPCA_12_MONTHS, last.date, last.date)?;
    Ok(official.into_iter().next().map(|official| PublishedFigure {
        series: dataset(IPCA_12_MONTHS),
        number: IPCA_12_MONTHS,
        date: official.date,
        value: official.value,
    }))
}
