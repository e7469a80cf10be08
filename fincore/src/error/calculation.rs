//! Why a calculation is refused, as values.
use chrono::NaiveDate;

/// What a series lacks for a calculation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeriesFault {
    /// It cannot be compounded.
    #[error(
        "{0}; calculators take price indexes, selic, cdi, savings, tr, and series with a level"
    )]
    Uncompoundable(Uncompoundable),

    /// A value that others are divided by is zero.
    #[error("its value for {date} is not positive")]
    NotPositive {
        /// The day of the value.
        date: NaiveDate,
    },

    /// Business days have no value.
    #[error("there is no value from {from} to the day before {next}")]
    Gap {
        /// The first day without a value.
        from: NaiveDate,
        /// The next day with one.
        next: NaiveDate,
    },

    /// A period has no value.
    #[error("there is no value from {from} to {to}")]
    Empty {
        /// The first day of the period.
        from: NaiveDate,
        /// The last day of the period.
        to: NaiveDate,
    },

    /// The first value of a period is too long after its first day.
    #[error("there is no value near {day}; the next is dated {next}")]
    LateStart {
        /// The first day of the period.
        day: NaiveDate,
        /// The day of the first value.
        next: NaiveDate,
    },

    /// The last value of a period is too long before its last day.
    #[error("there is no value near {day}; the one before is dated {before}")]
    EarlyEnd {
        /// The last day of the period.
        day: NaiveDate,
        /// The day of the last value.
        before: NaiveDate,
    },

    /// A month, or a period from day to day, has no value.
    #[error("there is no value for {date}")]
    Missing {
        /// The day that the value would have.
        date: NaiveDate,
    },

    /// The period begins before the series does.
    #[error("its values begin on {first}, after {from}")]
    BeginsLater {
        /// The first day of the series.
        first: NaiveDate,
        /// The first day of the period.
        from: NaiveDate,
    },

    /// The period begins after the newest value.
    #[error("its newest value is dated {newest}, before {from}")]
    EndsBefore {
        /// The newest day of the series.
        newest: NaiveDate,
        /// The first day of the period.
        from: NaiveDate,
    },

    /// The period ends after the newest value.
    #[error(
        "its newest value is dated {newest}, before {to}; leave out the last day to calculate up to there"
    )]
    EndsEarlier {
        /// The newest day of the series.
        newest: NaiveDate,
        /// The last day that the period needs.
        to: NaiveDate,
    },

    /// The factor has more digits than are exact.
    #[error("{}", CalculationFault::FactorTooLarge)]
    FactorTooLarge,
}

/// Why a series cannot be compounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Uncompoundable {
    /// Nothing says what its values are.
    #[error("its unit is not known")]
    UnknownUnit,
    /// Its values are rates per year.
    #[error("it is a rate per year")]
    RatePerYear,
    /// Its values are rates of twelve months, of which each month has eleven in common with the one before.
    #[error("it is a rate of 12 months")]
    RateOfTwelveMonths,
}

/// Why something cannot be calculated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CalculationFault {
    /// The factor has more digits than are exact.
    #[error(
        "the factor has more than 30 digits before the point; shorten the period, or lower the percentage or spread"
    )]
    FactorTooLarge,

    /// A percentage is asked of a series that is no rate.
    #[error("{series} is not a rate; a percentage of it means nothing")]
    PercentOfLevel {
        /// The short name of the series.
        series: String,
    },

    /// Months are counted in a way that only monthly rates know.
    #[error(
        "only months of a monthly index, such as igp-m, can be counted in this way; {series} is none"
    )]
    NoMonthsToCount {
        /// The short name of the series.
        series: String,
    },

    /// The day of a conversion is after today.
    #[error("{date} is in the future")]
    Future {
        /// The day.
        date: NaiveDate,
    },

    /// No closing bulletin has all currencies.
    #[error("no closing bulletin up to {day} has {}", .currencies.join(" and "))]
    NoBulletin {
        /// The day of the conversion.
        day: NaiveDate,
        /// One currency or two.
        currencies: Vec<String>,
    },

    /// The newest closing bulletin with all currencies is too old.
    #[error(
        "the newest closing bulletin up to {day} with {} is dated {newest}; ask for that day, or leave the date out for the newest",
        .currencies.join(" and ")
    )]
    OldBulletin {
        /// The day of the conversion.
        day: NaiveDate,
        /// One currency or two.
        currencies: Vec<String>,
        /// The day of the bulletin.
        newest: NaiveDate,
    },

    /// A quote is zero.
    #[error("{pair} has no price on {date}")]
    NoPrice {
        /// The currency pair.
        pair: String,
        /// The day of the quote.
        date: NaiveDate,
    },

    /// The series of interest is none.
    #[error("{series} is not a rate per day or month, such as selic or cdi")]
    NotInterest {
        /// The short name of the series.
        series: String,
    },

    /// The series of inflation is none.
    #[error("{series} is not a monthly price index, such as ipca")]
    NotInflation {
        /// The short name of the series.
        series: String,
    },

    /// The period begins after the newest month that both series have.
    #[error(
        "the newest month that {interest} and {inflation} both have is {newest}, before {from}"
    )]
    NoCommonMonth {
        /// The short name of the series of interest.
        interest: String,
        /// The short name of the series of inflation.
        inflation: String,
        /// The newest month that both have.
        newest: NaiveDate,
        /// The first month of the period.
        from: NaiveDate,
    },

    /// The factor of inflation is zero.
    #[error("inflation from {from} to {to} left nothing")]
    NothingAfterInflation {
        /// The first month.
        from: NaiveDate,
        /// The last month.
        to: NaiveDate,
    },

    /// The factor of interest has no root.
    #[error("interest from {from} to {to} left nothing: there is no rate per year")]
    NothingAfterInterest {
        /// The first month.
        from: NaiveDate,
        /// The last month.
        to: NaiveDate,
    },
}

impl CalculationFault {
    /// The parameter at fault, if it is one alone.
    #[must_use]
    pub fn parameter(&self) -> Option<&'static str> {
        match self {
            CalculationFault::PercentOfLevel { .. } => Some("percent"),
            CalculationFault::NoMonthsToCount { .. } => Some("months"),
            CalculationFault::Future { .. }
            | CalculationFault::NoBulletin { .. }
            | CalculationFault::OldBulletin { .. } => Some("date"),
            CalculationFault::NotInterest { .. } => Some("interest"),
            CalculationFault::NotInflation { .. } => Some("inflation"),
            CalculationFault::FactorTooLarge
            | CalculationFault::NoPrice { .. }
            | CalculationFault::NoCommonMonth { .. }
            | CalculationFault::NothingAfterInflation { .. }
            | CalculationFault::NothingAfterInterest { .. } => None,
        }
    }
}
