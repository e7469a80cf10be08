//! How the values of a series are compounded.
use crate::{
    error::{Error, Noun, Result},
    market::{
        Rhythm, Text,
        known::{
            CDI, CDI_DAILY, Known, Measure, SELIC, SELIC_DAILY, SELIC_EFFECTIVE, dataset, known,
            number,
        },
    },
    types::SeriesId,
};

/// How the values of a series are compounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    /// Every value is the rate of a business day.
    Days,
    /// Every value is the rate of a calendar month.
    Months,
    /// The value of a day is the rate of the month that begins on it.
    Anniversaries,
    /// Values have a level; what counts is the last beside the first.
    Levels,
}

impl Basis {
    /// What one observation stands for.
    pub(super) fn period(self) -> &'static str {
        match self {
            Basis::Days => "business day",
            Basis::Months => "month",
            Basis::Anniversaries => "month from day to day",
            Basis::Levels => "observation",
        }
    }

    /// How the observations become a factor.
    pub(super) fn rule(self, ends: Ends) -> Text {
        match (self, ends) {
            (Basis::Days, Ends::First) => Text {
                en: "The factor is the product of 1 + rate/100 of every business day from the first day to the day before the last.",
                pt: "O fator é o produto de 1 + taxa/100 de cada dia útil, da data inicial à véspera da data final.",
            },
            (Basis::Days, Ends::Both) => Text {
                en: "The factor is the product of 1 + rate/100 of every business day, both ends included.",
                pt: "O fator é o produto de 1 + taxa/100 de cada dia útil, com as duas datas incluídas.",
            },
            (Basis::Months, _) => Text {
                en: "The factor is the product of 1 + rate/100 of every whole month, those of both dates included.",
                pt: "O fator é o produto de 1 + taxa/100 de cada mês inteiro, incluídos os meses das duas datas.",
            },
            (Basis::Anniversaries, _) => Text {
                en: "The factor is the product of 1 + rate/100 of every whole month from the first day on; a deposit of the 29th, 30th or 31st counts from the next first.",
                pt: "O fator é o produto de 1 + taxa/100 de cada mês completo a partir da data inicial; um depósito dos dias 29, 30 ou 31 conta a partir do dia primeiro seguinte.",
            },
            (Basis::Levels, _) => Text {
                en: "The factor is the last value divided by the first one of the period.",
                pt: "O fator é o último valor dividido pelo primeiro valor do período.",
            },
        }
    }
}

/// Which of the two days count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    /// Both, as in lists.
    Both,
    /// The first only, as money earns: it is paid back on the last day.
    First,
}

/// A series that can be compounded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compounded {
    pub(super) known: &'static Known,
    pub(super) basis: Basis,
}

impl Compounded {
    /// The series of an id. Rates per year on business days stand for the rates per day that they come from.
    pub(super) fn of(id: &SeriesId) -> Result<Compounded> {
        let missing = || Error::not_found(Noun::Series, &format!("a series {:?}", id.to_string()));
        let number = match number(id).ok_or_else(missing)? {
            SELIC | SELIC_EFFECTIVE => SELIC_DAILY,
            CDI => CDI_DAILY,
            number => number,
        };
        let unfit = |why: &str| {
            let wanted =
                "calculators take price indexes, selic, cdi, savings, tr, and series with a level";
            Error::Invalid(format!("series {}: {why}; {wanted}", dataset(number)))
        };
        let known = known(number).ok_or_else(|| unfit("its unit is not known"))?;
        let basis = match (known.measure(), known.rhythm) {
            (Measure::PercentPerDay, _) => Basis::Days,
            (Measure::PercentPerMonth, Rhythm::Monthly) => Basis::Months,
            (Measure::PercentPerMonth, Rhythm::Daily | Rhythm::BusinessDays) => {
                Basis::Anniversaries
            }
            (Measure::PercentPerYear, _) => return Err(unfit("it is a rate per year")),
            (Measure::Level, _) => Basis::Levels,
        };
        Ok(Compounded { known, basis })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_series_is_compounded_by_its_unit_or_refused() {
        let basis = |name: &str| Compounded::of(&name.parse().unwrap()).map(|series| series.basis);
        let number = |name: &str| Compounded::of(&name.parse().unwrap()).unwrap().known.number;
        assert_eq!((number("selic"), number("432"), number("1178")), (11, 11, 11));
        assert_eq!((number("CDI"), number("cdi-daily"), number("igpm")), (12, 12, 189));
        for (name, wanted) in [
            ("selic", Basis::Days),
            ("cdi", Basis::Days),
            ("ipca", Basis::Months),
            ("selic-monthly", Basis::Months),
            ("savings-monthly", Basis::Months),
            ("savings", Basis::Anniversaries),
            ("tr", Basis::Anniversaries),
            ("ibc-br", Basis::Levels),
            ("usd-sell", Basis::Levels),
        ] {
            assert_eq!(basis(name).unwrap(), wanted, "{name}");
        }
        let refused = |name: &str| basis(name).unwrap_err().to_string();
        assert!(refused("tjlp").contains("it is a rate per year"));
        assert!(refused("4189").contains("it is a rate per year"));
        assert!(refused("999999").contains("its unit is not known"));
        assert!(matches!(basis("nope"), Err(Error::NotFound { what: Noun::Series, .. })));
    }
}
