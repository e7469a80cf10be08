//! How the values of a series are compounded.
use crate::{
    error::{Error, Invalid, Resource, Result, SeriesFault, Uncompoundable},
    market::{
        Rhythm, Text,
        series_definitions::{
            CDI, CDI_DAILY, Measure, SELIC, SELIC_DAILY, SELIC_EFFECTIVE, SeriesDefinition,
            dataset, definition, number,
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

    /// How the observations become a factor.
    pub(super) fn rule(self, ends: Ends) -> Text {
        match (self, ends) {
            (CompoundingBasis::Days, Ends::First) => Text {
                en: "The factor is the product of 1 + rate/100 of every business day from the first day to the day before the last.",
                pt: "O fator é o produto de 1 + taxa/100 de cada dia útil, da data inicial à véspera da data final.",
            },
            (CompoundingBasis::Days, Ends::Both) => Text {
                en: "The factor is the product of 1 + rate/100 of every business day, both ends included.",
                pt: "O fator é o produto de 1 + taxa/100 de cada dia útil, com as duas datas incluídas.",
            },
            (CompoundingBasis::Months, _) => Text {
                en: "The factor is the product of 1 + rate/100 of every whole month, those of both dates included.",
                pt: "O fator é o produto de 1 + taxa/100 de cada mês inteiro, incluídos os meses das duas datas.",
            },
            (CompoundingBasis::Anniversaries, _) => Text {
                en: "The factor is the product of 1 + rate/100 of every whole month from the first day on; a deposit of the 29th, 30th or 31st counts from the next first.",
                pt: "O fator é o produto de 1 + taxa/100 de cada mês completo a partir da data inicial; um depósito dos dias 29, 30 ou 31 conta a partir do dia primeiro seguinte.",
            },
            (CompoundingBasis::Levels, _) => Text {
                en: "The factor is the last value divided by the first one of the period.",
                pt: "O fator é o último valor dividido pelo primeiro valor do período.",
            },
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
            (Measure::PercentPerMonth, Rhythm::Monthly) => CompoundingBasis::Months,
            (Measure::PercentPerMonth, Rhythm::Daily | Rhythm::BusinessDays) => {
                CompoundingBasis::Anniversaries
            }
            (Measure::PercentPerYear, _) => return Err(unfit(Uncompoundable::RatePerYear)),
            (Measure::Level, _) => CompoundingBasis::Levels,
        };
        Ok(CompoundedSeries { definition, basis })
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
            ("savings-monthly", CompoundingBasis::Months),
            ("savings", CompoundingBasis::Anniversaries),
            ("tr", CompoundingBasis::Anniversaries),
            ("ibc-br", CompoundingBasis::Levels),
            ("usd-sell", CompoundingBasis::Levels),
        ] {
            assert_eq!(basis(name).unwrap(), wanted, "{name}");
        }
        let refused = |name: &str| basis(name).unwrap_err().to_string();
        assert!(refused("tjlp").contains("it is a rate per year"));
        assert!(refused("4189").contains("it is a rate per year"));
        assert!(refused("999999").contains("its unit is not known"));
        assert!(matches!(
            basis("nope"),
            Err(Error::NotFound { what: Resource::UnknownSeries, .. })
        ));
    }
}
