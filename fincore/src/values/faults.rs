//! Why a calculation, a transformation, an export, a link or a webhook is refused, as values.
use chrono::{DateTime, NaiveDate, Utc};

/// A reason why a series cannot be used in a calculation.
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
        /// An aggregate that fits.
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

    /// Rates in these units can only be compounded.
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

/// Why an export cannot begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportFault {
    /// Changes since a version are asked for, and days too.
    #[error("since covers changes on every day: from and to cannot be combined with it")]
    SinceWithDays,

    /// Days are asked of a dataset that has none.
    #[error("companies are not dated: from and to do not apply")]
    Undated,

    /// Changes are asked of the past.
    #[error("since tells what changed up to now: as_of cannot be combined with it")]
    SinceInThePast,

    /// The past of a dataset that is not kept.
    #[error("filings are not kept as they were: as_of applies to series, fx and companies")]
    NoPast,

    /// A transformation is asked of changes.
    #[error(
        "since tells which rows changed: frequency, units and the like cannot be combined with it"
    )]
    SinceTransformed,

    /// A transformation is asked of something else than one series.
    #[error(
        "frequency, units and the like transform one series: name it by name or number, such as ipca, selic-daily or usd-sell"
    )]
    NotOneSeries,

    /// The version is newer than the data.
    #[error("there is no data version {version} yet: the newest one is {newest}")]
    FutureVersion {
        /// The version that is asked for.
        version: u64,
        /// The newest version.
        newest: u64,
    },

    /// The change log begins after the version.
    #[error(
        "the change log starts after data version {first}: it cannot tell what changed after {version}"
    )]
    ForgottenVersion {
        /// The version that is asked for.
        version: u64,
        /// The first version that the log knows the changes after.
        first: u64,
    },
}

/// Why a link cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkFault {
    /// The key has as many links as it may.
    #[error("a key has at most {most} links; revoke one first")]
    TooMany {
        /// The most links of a key.
        most: usize,
    },
}

/// A fault of a subscription, or of a received call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WebhookFault {
    /// A filter fits none of the event types.
    #[error("the filter {filter} applies to none of the types in events; it applies to {about}")]
    IdleFilter {
        /// The filter.
        filter: &'static str,
        /// The event types that it applies to.
        about: &'static str,
    },

    /// No event type is named.
    #[error("events is empty; name at least one type of event")]
    NoEvents,

    /// An event type is named twice.
    #[error("events has {event} twice")]
    EventTwice {
        /// The event type.
        event: &'static str,
    },

    /// A series is one side of an exchange rate, which has events of its own.
    #[error("{series:?} is one side of an exchange rate: subscribe to fx.published instead")]
    SideOfExchangeRate {
        /// The series as given, truncated.
        series: String,
    },

    /// The key has as many subscriptions as it may.
    #[error("a key has at most {most} webhooks; delete one first")]
    TooMany {
        /// The most subscriptions of a key.
        most: i64,
    },

    /// The address is too long.
    #[error("the address of a webhook has at most {most} characters")]
    LongAddress {
        /// The most characters.
        most: usize,
    },

    /// The address holds a user name or a password. It is not repeated.
    #[error("the address of a webhook has no user or password")]
    Credentials,

    /// The address holds a key, a token or the secret of a webhook. It is not repeated.
    #[error(
        "the address of a webhook has a key, a token or a secret of this service in it; its receiver would learn it"
    )]
    SecretInAddress,

    /// The address has a port that is not called.
    #[error("webhooks do not call port {port}; use 443, 8443 or a port above 1023")]
    Port {
        /// The port.
        port: u16,
    },

    /// The subscription is disabled.
    #[error("the webhook {id} is disabled ({reason}); delete it and create a new one")]
    Disabled {
        /// Its id.
        id: String,
        /// Why it was disabled.
        reason: String,
    },

    /// A call was signed too long ago, or in the future.
    #[error("the call was signed at {sent}, which is more than five minutes from now ({now})")]
    WrongTime {
        /// When it was signed.
        sent: DateTime<Utc>,
        /// When it was verified.
        now: DateTime<Utc>,
    },

    /// No signature of a call fits.
    #[error(
        "no v1 signature matches this call: the secret is a different one, or the call was changed"
    )]
    WrongSignature,
}
