//! How observations are transformed: what a query may ask for.
use serde::{Deserialize, Serialize};

use crate::{
    market::{Measure, Rate, Rhythm, SeriesDefinition, Side},
    values::{Date, Wanted, as_text},
};

/// How observations become others: first by period, then in other units, then only some of them.
///
/// The default leaves them as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Transformation {
    /// One row for each week, month, quarter or year.
    pub frequency: Option<Frequency>,
    /// How the observations of a period become one; by default compounded where they are rates of a period, otherwise
    /// their mean.
    pub aggregate: Option<Aggregate>,
    /// The units of the rows.
    #[serde(default)]
    pub units: Units,
    /// The day of the row that is 100, for [`Units::Index`]; by default the first.
    pub base: Option<Date>,
    /// The shown rows; by default all.
    pub only: Option<Only>,
    /// Whether the period that has not ended is shown too.
    #[serde(default)]
    pub partial: Partial,
}

/// A transformation of closing quotes, of which one side is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct QuoteTransformation {
    /// The side of the quotes; by default the one on which the market sells.
    #[serde(default)]
    pub side: Side,
    /// As in [`Transformation`], like all that follows.
    pub frequency: Option<Frequency>,
    /// How the quotes of a period become one; by default their mean.
    pub aggregate: Option<Aggregate>,
    /// The units of the rows.
    #[serde(default)]
    pub units: Units,
    /// The day of the row that is 100.
    pub base: Option<Date>,
    /// The shown rows.
    pub only: Option<Only>,
    /// Whether the period that has not ended is shown too.
    #[serde(default)]
    pub partial: Partial,
}

impl QuoteTransformation {
    /// The side, and what is done to it.
    pub(crate) fn split(self) -> (Side, Transformation) {
        let QuoteTransformation { side, frequency, aggregate, units, base, only, partial } = self;
        (side, Transformation { frequency, aggregate, units, base, only, partial })
    }
}

/// The length of a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frequency {
    /// From Monday to Sunday.
    Week,
    /// A calendar month.
    Month,
    /// Three months, the first of them January, April, July or October.
    Quarter,
    /// A calendar year.
    Year,
}

as_text!(Frequency::as_str, Wanted::Frequency, "week" => Week, "month" => Month,
    "quarter" => Quarter, "year" => Year);

/// How the observations of a period become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// Their arithmetic mean.
    Mean,
    /// The first.
    First,
    /// The last.
    Last,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// Their sum.
    Sum,
    /// The accumulated rate: the product of 1 + rate / 100, less 1, in percent.
    Compound,
}

as_text!(Aggregate::as_str, Wanted::Aggregate, "mean" => Mean, "first" => First,
    "last" => Last, "min" => Min, "max" => Max, "sum" => Sum,
    "compound" => Compound);

/// The units of transformed rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Units {
    /// The value.
    #[default]
    Value,
    /// The difference to the row before.
    Change,
    /// The change in percent of the row before.
    PercentChange,
    /// The difference to the same period a year earlier.
    YearAgo,
    /// The change in percent of that period.
    PercentYearAgo,
    /// The rates accumulated in the twelve months that end with this one, in percent.
    Accumulated12Months,
    /// The value in percent of the base; of rates, what they accumulate since.
    Index,
}

as_text!(Units::as_str, Wanted::Units, "value" => Value, "change" => Change,
    "percent_change" => PercentChange, "year_ago" => YearAgo,
    "percent_year_ago" => PercentYearAgo, "accumulated_12m" => Accumulated12Months,
    "index" => Index);

/// The shown rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    /// The first, and those whose value differs from the one before.
    Changes,
}

as_text!(Only::as_str, Wanted::Changes, "changes" => Changes);

/// Whether the period that has not ended is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Partial {
    /// Only periods that have ended.
    #[default]
    Hidden,
    /// The last one too, which says that it has not ended.
    Shown,
}

as_text!(Partial::as_str, Wanted::TrueOrFalse, "true" => Shown, "false" => Hidden);

/// The properties of a series that decide how it can be transformed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Nature {
    /// The name of the series in messages.
    pub name: String,
    /// The quantity of one observation.
    pub quantity: Quantity,
    /// How often there is one.
    pub rhythm: Rhythm,
}

/// The quantity that observations measure.
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
