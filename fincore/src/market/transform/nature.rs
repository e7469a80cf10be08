//! What the observations of a series are, and so what can be made of them.
use crate::{
    market::{
        Rate, Rhythm,
        series_definitions::{Measure, SeriesDefinition},
    },
    types::Date,
};

/// What the observations of a series are.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Nature {
    /// The name of the series in messages.
    pub name: String,
    /// What one observation measures.
    pub quantity: Quantity,
    /// How often there is one.
    pub rhythm: Rhythm,
}

/// What an observation measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The rate of its day or month in percent, which compounds with those before and after.
    RateOfPeriod,
    /// A rate in percent that holds on its day, whatever period it is for: it has a mean, but no sum.
    RateOfDay,
    /// Something that has a level: an index, an amount, a price.
    Level,
}

impl Nature {
    /// That of a known series.
    #[must_use]
    pub fn of(series: &SeriesDefinition) -> Nature {
        let quantity = match (series.measure(), series.rhythm) {
            (Measure::PercentPerDay, _) | (Measure::PercentPerMonth, Rhythm::Monthly) => {
                Quantity::RateOfPeriod
            }
            // The month that begins on each day: each has most of its days in common with the next.
            (Measure::PercentPerMonth, Rhythm::Daily | Rhythm::BusinessDays)
            | (Measure::PercentPerYear | Measure::PercentInTwelveMonths, _) => Quantity::RateOfDay,
            (Measure::Level, _) => Quantity::Level,
        };
        Nature { name: series.name.to_owned(), quantity, rhythm: series.rhythm }
    }

    /// That of the closing quotes of a currency.
    #[must_use]
    pub fn of_quotes(name: String) -> Nature {
        Nature { name, quantity: Quantity::Level, rhythm: Rhythm::BusinessDays }
    }

    /// That of a series of which only the observations are known: monthly if all are dated on the first of a month.
    #[must_use]
    pub fn of_unknown(name: String, rows: &[Rate]) -> Nature {
        let is_monthly = rows.iter().map(|row| row.date).all(|day: Date| day.day() == 1);
        let rhythm = if is_monthly { Rhythm::Monthly } else { Rhythm::BusinessDays };
        Nature { name, quantity: Quantity::Level, rhythm }
    }
}
