//! The parameters of calculators besides series and days: amounts, percentages, sides, steps.
use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::values::{Decimal, Error, Limit, Offset, Result, Wanted, as_text, deserialize_number};

/// A decimal between two bounds, under a name of its own.
macro_rules! bounded {
    ($(#[$doc:meta])* $name:ident, $wanted:expr, $fits:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name(Decimal);

        impl $name {
            /// The number itself.
            #[must_use]
            pub fn get(self) -> Decimal {
                self.0
            }
        }

        impl FromStr for $name {
            type Err = Error;

            fn from_str(text: &str) -> Result<$name> {
                let fits: fn(Decimal) -> bool = $fits;
                let number = text.parse().ok().filter(|number| fits(*number));
                number.map($name).ok_or_else(|| Error::invalid(text, $wanted))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.0.serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                deserialize_number(deserializer)
            }
        }
    };
}

/// An amount of money, with at most 18 digits.
///
/// A text that Brazilians and others read differently is refused: `10.000` is ten to the one, ten thousand to the other.
/// That is a dot or comma with one to three digits before it, the first not zero, and exactly three after it.
///
/// ```
/// use fincore::calc::Amount;
///
/// let amount: Amount = "1000.50".parse()?;
/// assert_eq!(amount.to_string(), "1000.50");
/// assert!("1.000,50".parse::<Amount>().is_err() && "10.000".parse::<Amount>().is_err());
/// assert!("0.125".parse::<Amount>().is_ok() && "10.0000".parse::<Amount>().is_ok());
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount(Decimal);

impl Amount {
    /// The number itself.
    #[must_use]
    pub fn get(self) -> Decimal {
        self.0
    }

    /// Both readings of a text that depends on the language: with decimals, and with thousands; `None` if it has one.
    ///
    /// ```
    /// use fincore::calc::Amount;
    ///
    /// let readings = |decimals: &str, thousands: &str| Some((decimals.into(), thousands.into()));
    /// assert_eq!(Amount::two_readings("10.000"), readings("10", "10000"));
    /// assert_eq!(Amount::two_readings("-1,234"), readings("-1.2340", "-1234"));
    /// assert_eq!(Amount::two_readings("0.125"), None);
    /// ```
    #[must_use]
    pub fn two_readings(text: &str) -> Option<(String, String)> {
        let (whole, rest) = text.split_once(['.', ','])?;
        let digits = whole.strip_prefix('-').unwrap_or(whole);
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_group = (1..=3).contains(&digits.len()) && !digits.starts_with('0');
        if !(is_group && rest.len() == 3 && is_number(digits) && is_number(rest)) {
            return None;
        }
        let decimals = match rest {
            "000" => whole.to_owned(),
            _ => format!("{whole}.{rest}0"),
        };
        Some((decimals, format!("{whole}{rest}")))
    }
}

impl FromStr for Amount {
    type Err = Error;

    fn from_str(text: &str) -> Result<Amount> {
        if let Some((decimals, thousands)) = Amount::two_readings(text) {
            return Err(Error::invalid(text, Wanted::AmountWithOneReading { decimals, thousands }));
        }
        text.parse().map(Amount).map_err(|_| Error::invalid(text, Wanted::Amount))
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Amount, D::Error> {
        deserialize_number(deserializer)
    }
}

bounded! {
    /// A percentage of an index: 110 is 110 % of the CDI.
    Percent, Wanted::Percent,
    |percent| percent.is_positive() && percent <= Decimal::from(1000)
}

bounded! {
    /// A rate on top of an index, in percent per year of 252 business days.
    Spread, Wanted::Spread,
    |spread| Decimal::from(100).checked_add(spread).is_some_and(Decimal::is_positive)
        && spread <= Decimal::from(1000)
}

bounded! {
    /// An interest rate in percent of any period.
    QuotedRate, Wanted::QuotedRate,
    |rate| Decimal::from(100).checked_add(rate).is_some_and(Decimal::is_positive)
        && rate <= Decimal::from(1_000_000)
}

/// The period that an interest rate is quoted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convention {
    /// A business day.
    Day,
    /// A month, which counts as 21 business days or 30 calendar days.
    Month,
    /// A year of 252 business days: Selic, CDI, and most rates in reais.
    Year252,
    /// A year of 360 calendar days, which is twelve months.
    Year360,
    /// A year of 365 calendar days.
    Year365,
}

as_text!(Convention::as_str, Wanted::Convention,
    "day" => Day, "month" => Month, "year252" => Year252,
    "year360" => Year360, "year365" => Year365);

impl Convention {
    /// All of them, the shortest first.
    pub const ALL: [Convention; 5] = [
        Convention::Day,
        Convention::Month,
        Convention::Year252,
        Convention::Year360,
        Convention::Year365,
    ];

    /// Its length in sevenths of a calendar day: 21 business days are 30 calendar days, so one is ten sevenths.
    pub(crate) fn length(self) -> u32 {
        match self {
            Convention::Day => 10,
            Convention::Month => 21 * 10,
            Convention::Year252 => 252 * 10,
            Convention::Year360 => 360 * 7,
            Convention::Year365 => 365 * 7,
        }
    }
}

/// Whether an answer lists the steps of a factor, a page at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Steps {
    /// Only the outcome.
    #[default]
    Omitted,
    /// The observations, each with its factor and the product so far.
    Listed,
}

as_text!(Steps::as_str, Wanted::TrueOrFalse, "true" => Listed, "false" => Omitted);

impl Steps {
    /// The most steps of an answer.
    pub(crate) fn thousand() -> Limit<1000> {
        Limit::MAX
    }

    /// The steps of a page.
    pub(crate) fn page(self, limit: Limit<1000>, offset: Offset) -> ListedSteps {
        match self {
            Steps::Omitted => ListedSteps::NONE,
            Steps::Listed => ListedSteps { skipped: offset.get(), most: limit.get() },
        }
    }
}

/// The steps that an answer lists, by their places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListedSteps {
    skipped: u64,
    most: u32,
}

impl ListedSteps {
    pub(crate) const NONE: ListedSteps = ListedSteps { skipped: 0, most: 0 };

    pub(crate) fn is_any(self) -> bool {
        self.most > 0
    }

    pub(crate) fn contains(self, place: usize) -> bool {
        (self.skipped..self.skipped + u64::from(self.most)).contains(&(place as u64))
    }
}

/// The months of a monthly index that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Months {
    /// Those of both days, as in the central bank's calculator for citizens.
    #[default]
    Inclusive,
    /// That of the first day, but not that of the last, as contracts are adjusted: from May to May are twelve months.
    Contract,
}

as_text!(Months::as_str, Wanted::Months, "inclusive" => Inclusive, "contract" => Contract);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_to_their_bounds() {
        let percent = |text: &str| text.parse::<Percent>().is_ok();
        assert!(percent("110") && percent("0.01") && percent("1000"));
        assert!(!percent("0") && !percent("-1") && !percent("1000.01") && !percent("x"));
        let spread = |text: &str| text.parse::<Spread>().is_ok();
        assert!(spread("0") && spread("-99.99") && spread("6.5") && spread("1000"));
        assert!(!spread("-100") && !spread("1000.1") && !spread("-999999999999999999"));
        let rate = |text: &str| text.parse::<QuotedRate>().is_ok();
        assert!(rate("0") && rate("-99.99") && rate("13.75") && rate("1000000"));
        assert!(!rate("-100") && !rate("1000000.1") && !rate("13,75") && !rate(""));
        let amount = |text: &str| text.parse::<Amount>().is_ok();
        assert!(amount("-5") && amount("999999999999999999") && !amount("1e5") && !amount(""));
        assert!(!amount("1.000") && !amount("-999.999") && !amount("12,345"));
        assert!(amount("1000.000") && amount("10.00") && amount("10.0000") && amount("0.125"));
        let message = "10.000".parse::<Amount>().unwrap_err().to_string();
        assert_eq!(
            message,
            "\"10.000\" is not an amount that everyone reads alike (10 with a decimal mark, 10000 with a thousands mark: write the one that you mean)"
        );
        let message =
            "x".parse::<crate::market::series_definitions::Side>().unwrap_err().to_string();
        assert_eq!(message, "\"x\" is not a side (buy or sell)");
    }
}
