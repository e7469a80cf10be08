//! The parameters of calculators besides series and days: amounts, percentages, sides, steps.
use std::{fmt, str::FromStr};

use serde::{Serialize, Serializer};

use crate::{
    error::{Error, Result, Wanted},
    types::{Decimal, choices, deserialize_from_str},
};

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

        deserialize_from_str!($name);
    };
}

bounded! {
    /// An amount of money, with at most 18 digits.
    ///
    /// ```
    /// let amount: fincore::calc::Amount = "1000.50".parse()?;
    /// assert_eq!(amount.to_string(), "1000.50");
    /// assert!("1.000,50".parse::<fincore::calc::Amount>().is_err());
    /// # Ok::<(), fincore::Error>(())
    /// ```
    Amount, Wanted::Amount, |_| true
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

/// Whether an answer lists every step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Steps {
    /// Only the outcome.
    #[default]
    Omitted,
    /// Every observation, with its factor and the product so far.
    Listed,
}

choices!(Steps, Wanted::TrueOrFalse, "true" => Steps::Listed, "false" => Steps::Omitted);

/// The side of closing quotes that amounts are converted with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The price at which the market buys.
    Buy,
    /// The price at which the market sells; most contracts mean it.
    #[default]
    Sell,
}

choices!(Side, Wanted::Side, "buy" => Side::Buy, "sell" => Side::Sell);

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
        let amount = |text: &str| text.parse::<Amount>().is_ok();
        assert!(amount("-5") && amount("999999999999999999") && !amount("1e5") && !amount(""));
        let message = "x".parse::<Side>().unwrap_err().to_string();
        assert_eq!(message, "\"x\" is not a side (buy or sell)");
    }
}
