//! How a history can be transformed, as the forms of pages offer it.
use fincore::market::transform::{Frequency, Transformation, Units};
use maud::{Markup, html};

use crate::pages::{chart::Period, language::Language};

/// How the figures of a page are transformed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Transformed {
    pub(crate) frequency: Option<Frequency>,
    pub(crate) units: Units,
}

impl Transformed {
    /// The transformation; none where figures stay as they are published.
    pub(crate) fn transformation(self) -> Option<Transformation> {
        let Transformed { frequency, units } = self;
        let is_one = self != Transformed::default();
        is_one.then(|| Transformation { frequency, units, ..Transformation::default() })
    }

    /// The period of the transformed figures, for a series that has this period itself.
    pub(crate) fn period(self, own: Period) -> Period {
        match (self.units, self.frequency) {
            (Units::Accumulated12Months, _) | (_, Some(Frequency::Month)) => Period::Month,
            (_, Some(Frequency::Quarter)) => Period::Quarter,
            (_, Some(Frequency::Year)) => Period::Year,
            (_, Some(Frequency::Week)) => Period::Day,
            (_, None) => own,
        }
    }

    /// The values of the parameters that are not those of an untransformed history.
    pub(crate) fn parameters(self) -> [(&'static str, Option<&'static str>); 2] {
        let units = (self.units != Units::Value).then_some(self.units.as_str());
        [("frequency", self.frequency.map(Frequency::as_str)), ("units", units)]
    }

    /// The transformation in words; nothing where there is none.
    pub(crate) fn in_words(self, language: Language) -> Option<String> {
        let units = (self.units != Units::Value).then(|| units_name(self.units, language));
        let frequency = self.frequency.map(|frequency| frequency_name(frequency, language));
        let words: Vec<&str> = [units, frequency].into_iter().flatten().collect();
        (!words.is_empty()).then(|| words.join(", "))
    }
}

/// The unit of transformed figures in the language of a page; `own` is that of the series itself.
pub(super) fn unit_name(unit: Option<&str>, own: &str, language: Language) -> String {
    match unit {
        Some("percent") => language.pick("percent", "por cento").to_owned(),
        Some("percent in 12 months") => {
            language.pick("percent in 12 months", "por cento em 12 meses").to_owned()
        }
        Some("index") => language.pick("index", "índice").to_owned(),
        _ => own.to_owned(),
    }
}

const FREQUENCIES: [Frequency; 4] =
    [Frequency::Week, Frequency::Month, Frequency::Quarter, Frequency::Year];

const UNITS: [Units; 7] = [
    Units::Value,
    Units::Change,
    Units::PercentChange,
    Units::YearAgo,
    Units::PercentYearAgo,
    Units::Accumulated12Months,
    Units::Index,
];

fn frequency_name(frequency: Frequency, language: Language) -> &'static str {
    match frequency {
        Frequency::Week => language.pick("by week", "por semana"),
        Frequency::Month => language.pick("by month", "por mês"),
        Frequency::Quarter => language.pick("by quarter", "por trimestre"),
        Frequency::Year => language.pick("by year", "por ano"),
    }
}

fn units_name(units: Units, language: Language) -> &'static str {
    match units {
        Units::Value => language.pick("value", "valor"),
        Units::Change => language.pick("change", "variação"),
        Units::PercentChange => language.pick("change in percent", "variação em %"),
        Units::YearAgo => language.pick("change in a year", "variação em um ano"),
        Units::PercentYearAgo => {
            language.pick("change in a year in percent", "variação em um ano, em %")
        }
        Units::Accumulated12Months => {
            language.pick("accumulated in 12 months", "acumulado em 12 meses")
        }
        Units::Index => language.pick("index, first = 100", "índice, primeiro = 100"),
    }
}

/// The fields of a form that choose a transformation, with what was sent; only those that `fits` says have a meaning.
pub(super) fn fields(
    language: Language,
    [frequency, units]: [Option<&str>; 2],
    fits: impl Fn(Transformed) -> bool,
) -> Markup {
    let by_frequency = |frequency| Transformed { frequency: Some(frequency), units: Units::Value };
    let by_units = |units| Transformed { frequency: None, units };
    html! {
        label { (language.pick("Frequency", "Frequência"))
            select name="frequency" {
                option value="" { (language.pick("as published", "como publicado")) }
                @for choice in FREQUENCIES.into_iter().filter(|choice| fits(by_frequency(*choice))) {
                    option value=(choice.as_str()) selected[frequency == Some(choice.as_str())] { (frequency_name(choice, language)) }
                }
            }
        }
        label { (language.pick("Units", "Unidade"))
            select name="units" {
                @for choice in UNITS.into_iter().filter(|choice| fits(by_units(*choice))) {
                    // The usual choice does not belong in the address.
                    @let value = if choice == Units::Value { "" } else { choice.as_str() };
                    option value=(value) selected[units == Some(choice.as_str())] { (units_name(choice, language)) }
                }
            }
        }
    }
}
