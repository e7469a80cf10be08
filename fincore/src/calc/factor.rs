//! Compounds a series between two days into a factor, step by step; and chooses the series that answers for a name.
use crate::{
    answers::Meta,
    calc::{
        CompoundedSeries, CompoundingBasis, Derivation, DerivationStep, Ends, ListedSteps, Months,
        Percent, Period, PublishedFigure,
        period::{lacks, observe},
    },
    calendar,
    market::{
        Rate,
        series_definitions::{
            self, IGP_M, IGP_M_UNROUNDED, IPCA, IPCA_12_MONTHS, OLD_SAVINGS, SAVINGS,
            SAVINGS_MONTHLY, dataset,
        },
        whole_histories,
    },
    store::Snapshot,
    values::{
        CalculationFault, Date, DateRange, Decimal, Error, Figure, FixedPoint, Resource, Result,
        RunningProduct, SeriesFault, SeriesId,
    },
};

/// The decimals of a factor in an answer.
const FACTOR_DECIMALS: u32 = 16;

/// A factor, and the observations that it was computed from.
pub(crate) struct CompoundFactor {
    pub(crate) series: CompoundedSeries,
    pub(crate) from: Date,
    pub(crate) to: Date,
    pub(crate) ends: Ends,
    pub(crate) months: Months,
    pub(crate) factor: FixedPoint,
    pub(crate) rows: Vec<Rate>,
    steps: Option<Vec<DerivationStep>>,
    pub(crate) published: Option<PublishedFigure>,
    pub(crate) meta: Meta,
}

impl CompoundFactor {
    /// Compounds the observations of a period. Fails if the data does not cover it.
    pub(crate) fn compute(
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
        let meta = whole_histories::meta(snapshot, series.definition.number)?;
        Ok(CompoundFactor { series, from, to, ends, months, factor, rows, steps, published, meta })
    }

    /// The number of observations.
    pub(crate) fn periods(&self) -> usize {
        self.rows.len()
    }

    /// The business days that a spread is earned on.
    pub(crate) fn business_days(&self) -> u32 {
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
    pub(crate) fn derivation(&self) -> Derivation {
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
pub(crate) fn round_factor(factor: &FixedPoint) -> Figure {
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

/// The source's own figure for twelve months of the IPCA.
fn published(
    snapshot: &Snapshot,
    series: CompoundedSeries,
    rows: &[Rate],
) -> Result<Option<PublishedFigure>> {
    let (IPCA, 12, Some(last)) = (series.definition.number, rows.len(), rows.last()) else {
        return Ok(None);
    };
    let official = whole_histories::observations(snapshot, IPCA_12_MONTHS, last.date, last.date)?;
    Ok(official.into_iter().next().map(|official| PublishedFigure {
        series: dataset(IPCA_12_MONTHS),
        number: IPCA_12_MONTHS,
        date: official.date,
        value: official.value,
    }))
}

/// The factor of one observation.
#[derive(Clone, Debug)]
pub(crate) enum StepFactor {
    /// One and this many units of a power of ten, as rates are published: a product grows by it without long divisions.
    Growth { digits: i64, decimals: u32 },
    /// Any other number.
    Number(FixedPoint),
}

impl StepFactor {
    /// The factor of a rate in percent, 1.0021 for 0.21; or of a percentage of the rate.
    fn of_rate(rate: Decimal, percent: Option<Percent>) -> StepFactor {
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
    pub(crate) fn apply(&self, product: &mut RunningProduct) {
        match self {
            StepFactor::Growth { digits, decimals } => product.grow(*digits, *decimals),
            StepFactor::Number(number) => product.multiply(number),
        }
    }

    /// The factor itself, rounded to so many decimals.
    pub(crate) fn round(&self, decimals: u32) -> Figure {
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

/// Savings deposits made from this day on follow the new rule (Medida Provisória 567 of 2012); older ones keep theirs.
const NEW_SAVINGS_RULE: Date = Date::new(2012, 5, 4).expect("a day of the calendar");

/// Compounds the observations of a period, of the first series that covers it. Fails if none does.
pub(crate) fn compound(
    snapshot: &Snapshot,
    id: &SeriesId,
    period: Period,
    percent: Option<Percent>,
    listed: ListedSteps,
) -> Result<CompoundFactor> {
    DateRange::new(Some(period.from), period.to)?;
    let candidates = candidates(id, period.from)?;
    let newest = newest_month(snapshot, &candidates)?;
    let mut refusal = None;
    for series in candidates {
        // An open period ends with the newest figure that any of them has.
        if period.to.is_none() && newest_month(snapshot, &[series])? < newest {
            continue;
        }
        match CompoundFactor::compute(snapshot, series, period, percent, listed) {
            Ok(compound) => return Ok(compound),
            // A gap in a stored series is the more useful error than a series that is not stored.
            Err(err)
                if matches!(
                    (&err, &refusal),
                    (Error::NotFound { .. }, Some(Error::Invalid(_)))
                ) => {}
            Err(err) => refusal = Some(err),
        }
    }
    let unknown = || Error::not_found(Resource::UnknownSeries, &id.to_string());
    Err(match refusal.unwrap_or_else(unknown) {
        Error::NotFound { what: Resource::Series, id } if id == name(OLD_SAVINGS) => {
            Error::not_found(Resource::SavingsUntil2012, &period.from.to_string())
        }
        other => other,
    })
}

/// The series that may answer for an id, the best first.
pub(crate) fn candidates(id: &SeriesId, from: Date) -> Result<Vec<CompoundedSeries>> {
    let series = CompoundedSeries::find(id)?;
    let numbers: &[u32] = match series.definition.number {
        // Whoever gives the number means that series.
        IGP_M if id.number().is_none() => &[IGP_M_UNROUNDED, IGP_M],
        SAVINGS | SAVINGS_MONTHLY if from < NEW_SAVINGS_RULE => &[OLD_SAVINGS],
        SAVINGS | SAVINGS_MONTHLY => &[SAVINGS, SAVINGS_MONTHLY],
        _ => return Ok(vec![series]),
    };
    numbers.iter().map(|number| CompoundedSeries::find(&SeriesId::from(*number))).collect()
}

/// The newest month of which one of these series has a figure; `None` if none is held.
pub(crate) fn newest_month(
    snapshot: &Snapshot,
    series: &[CompoundedSeries],
) -> Result<Option<Date>> {
    let mut newest = None;
    for series in series {
        let number = series.definition.number;
        match whole_histories::covered_days(snapshot, number) {
            Ok((_, last)) => newest = newest.max(Some(last.first_of_month())),
            Err(Error::NotFound { .. }) => {}
            Err(err) => return Err(err),
        }
    }
    Ok(newest)
}

fn name(number: u32) -> String {
    series_definitions::dataset(number).into_owned()
}

#[cfg(test)]
mod step_factor_tests {
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
