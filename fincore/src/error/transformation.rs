//! Why observations cannot be transformed as a query asks, as values. `Display` is the English of the API.
use chrono::NaiveDate;

/// Why observations cannot be transformed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransformationFault {
    /// Something is made of the observations of periods, but there are no periods.
    #[error("there are no periods to aggregate; add frequency=week, month, quarter or year")]
    AggregateWithoutFrequency,

    /// A base without an index.
    #[error("only units=index has a base")]
    BaseWithoutIndex,

    /// No row has the day of the base.
    #[error(
        "no row of {series} is dated {date}; a base is the date of a row, of a period its first day"
    )]
    NoRowAtBase {
        /// The short name of the series.
        series: String,
        /// The day.
        date: NaiveDate,
    },

    /// The value of the base is zero, or nothing is left of it.
    #[error(
        "the value of {series} of {date} cannot be the base of an index: nothing can be divided by it"
    )]
    ZeroAtBase {
        /// The short name of the series.
        series: String,
        /// The day.
        date: NaiveDate,
    },

    /// A monthly series has no weeks.
    #[error("{series} has one observation a month; its periods are month, quarter or year")]
    MonthsInWeeks {
        /// The short name of the series.
        series: String,
    },

    /// The series is no rate of a period.
    #[error(
        "{series} is not a rate of its day or month, so that nothing compounds; mean, first, last, min or max fit"
    )]
    NotCompounded {
        /// The short name of the series.
        series: String,
    },

    /// Rates have no sum.
    #[error("{series} is a rate, and a sum of rates means nothing; {fits} fits")]
    SumOfRates {
        /// The short name of the series.
        series: String,
        /// What does.
        fits: &'static str,
    },

    /// Accumulated rates of something that is no rate of a period.
    #[error(
        "{series} is not a rate of its day or month, so that nothing accumulates; value, change, percent_change, year_ago, percent_year_ago or index fit"
    )]
    NothingAccumulates {
        /// The short name of the series.
        series: String,
    },

    /// Twelve months of quarters or years.
    #[error("accumulated_12m is of months: leave frequency out, or set it to month")]
    TwelveMonthsOfOtherPeriods,

    /// Rates that are told so can only be compounded.
    #[error(
        "the rates of {series} told as {units} are compounded: leave aggregate out, or set it to compound"
    )]
    OnlyCompounded {
        /// The short name of the series.
        series: String,
        /// The units.
        units: &'static str,
    },
}

impl TransformationFault {
    /// The parameter at fault.
    #[must_use]
    pub fn parameter(&self) -> &'static str {
        match self {
            TransformationFault::AggregateWithoutFrequency
            | TransformationFault::NotCompounded { .. }
            | TransformationFault::SumOfRates { .. }
            | TransformationFault::OnlyCompounded { .. } => "aggregate",
            TransformationFault::BaseWithoutIndex
            | TransformationFault::NoRowAtBase { .. }
            | TransformationFault::ZeroAtBase { .. } => "base",
            TransformationFault::MonthsInWeeks { .. }
            | TransformationFault::TwelveMonthsOfOtherPeriods => "frequency",
            TransformationFault::NothingAccumulates { .. } => "units",
        }
    }
}
