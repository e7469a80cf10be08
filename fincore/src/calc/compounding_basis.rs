//! How the values of a series are compounded.
use crate::{
    error::{Error, Invalid, Resource, Result, SeriesFault, Uncompoundable},
    market::{
        Rhythm,
        series_definitions::{
            CDI, CDI_DAILY, Measure, OLD_SAVINGS, SAVINGS, SAVINGS_MONTHLY, SELIC, SELIC_DAILY,
            SELIC_EFFECTIVE, SeriesDefinition, dataset, definition, number,
        },
    },
    types::SeriesId,
};

/// How the values of a series are compounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CompoundingBasis {
    /// Every value is the rate of a business day.
    Days,
    /// Every value is the rate of a calendar month.
    Months,
    /// The value of a day is the rate of the month that begins on it.
    Anniversaries,
    /// Values are levels; the factor is the last one divided by the first.
    Levels,
}

impl CompoundingBasis {
    /// What one observation stands for.
    pub(super) fn period(self) -> &'static str {
        match self {
            CompoundingBasis::Days => "business day",
            CompoundingBasis::Months => "month",
            CompoundingBasis::Anniversaries => "month from day to day",
            CompoundingBasis::Levels => "observation",
        }
    }
}

/// Which of the two days count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    /// Both.
    Both,
    /// Only the first, as deposits earn: they are paid back on the last day.
    First,
}

/// A series that can be compounded.
#[derive(Clone, Copy, Debug)]
pub(super) struct CompoundedSeries {
    pub(super) definition: &'static SeriesDefinition,
    pub(super) basis: CompoundingBasis,
}

impl CompoundedSeries {
    /// The series of an id. Rates per year on business days stand for the rates per day that they come from.
    pub(super) fn find(id: &SeriesId) -> Result<CompoundedSeries> {
        let missing = || Error::not_found(Resource::UnknownSeries, &id.to_string());
        let number = match number(id).ok_or_else(missing)? {
            SELIC | SELIC_EFFECTIVE => SELIC_DAILY,
            CDI => CDI_DAILY,
            number => number,
        };
        let unfit = |why: Uncompoundable| {
            let fault = SeriesFault::Uncompoundable(why);
            Error::Invalid(Invalid::Series { series: dataset(number).to_string(), fault })
        };
        let definition = definition(number).ok_or_else(|| unfit(Uncompoundable::UnknownUnit))?;
        let basis = match (definition.measure(), definition.rhythm) {
            (Measure::PercentPerDay, _) => CompoundingBasis::Days,
            // Dated on the first of a month, but credited a month later.
            (Measure::PercentPerMonth, Rhythm::Monthly) if number == SAVINGS_MONTHLY => {
                CompoundingBasis::Anniversaries
            }
            (Measure::PercentPerMonth, Rhythm::Monthly) => CompoundingBasis::Months,
            (Measure::PercentPerMonth, Rhythm::Daily | Rhythm::BusinessDays) => {
                CompoundingBasis::Anniversaries
            }
            (Measure::PercentPerYear, _) => return Err(unfit(Uncompoundable::RatePerYear)),
            (Measure::PercentInTwelveMonths, _) => {
                return Err(unfit(Uncompoundable::RateOfTwelveMonths));
            }
            (Measure::Level, _) => CompoundingBasis::Levels,
        };
        Ok(CompoundedSeries { definition, basis })
    }

    /// Whether it is a return of savings deposits.
    pub(super) fn is_savings(self) -> bool {
        [SAVINGS, SAVINGS_MONTHLY, OLD_SAVINGS].contains(&self.definition.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_series_is_compounded_by_its_unit_or_refused() {
        let basis =
            |name: &str| CompoundedSeries::find(&name.parse().unwrap()).map(|series| series.basis);
        let number =
            |name: &str| CompoundedSeries::find(&name.parse().unwrap()).unwrap().definition.number;
        assert_eq!((number("selic"), number("432"), number("1178")), (11, 11, 11));
        assert_eq!((number("CDI"), number("cdi-daily"), number("igpm")), (12, 12, 189));
        for (name, wanted) in [
            ("selic", CompoundingBasis::Days),
            ("cdi", CompoundingBasis::Days),
            ("ipca", CompoundingBasis::Months),
            ("selic-monthly", CompoundingBasis::Months),
            ("igp-m-unrounded", CompoundingBasis::Months),
            ("savings-monthly", CompoundingBasis::Anniversaries),
            ("savings", CompoundingBasis::Anniversaries),
            ("Poupança", CompoundingBasis::Anniversaries),
            ("savings-until-2012", CompoundingBasis::Anniversaries),
            ("tr", CompoundingBasis::Anniversaries),
            ("ibc-br", CompoundingBasis::Levels),
            ("usd-sell", CompoundingBasis::Levels),
        ] {
            assert_eq!(basis(name).unwrap(), wanted, "{name}");
        }
        let refused = |name: &str| basis(name).unwrap_err().to_string();
        assert!(refused("tjlp").contains("it is a rate per year"));
        assert!(refused("4189").contains("it is a rate per year"));
        assert!(refused("ipca-12-months").contains("it is a rate of 12 months"));
        assert!(refused("999999").contains("its unit is not known"));
        assert!(matches!(
            basis("nope"),
            Err(Error::NotFound { what: Resource::UnknownSeries, .. })
        ));
    }
}
