//! Dates and quotes as the central bank writes them.
use std::{collections::HashMap, hash::Hash};

use crate::{
    error::Error,
    market::store::Quote,
    types::{Currency, Date, Decimal, day_of},
};

/// Before it, the dollar was quoted in cruzeiros, cruzados and their successors.
pub(super) const FIRST_DAY_OF_THE_REAL: Date = Date::new(1994, 7, 1).expect("a day of July");

/// `DD/MM/YYYY`, or `DDMMYYYY` as in PTAX period files.
pub(super) fn date(text: &str) -> Result<Date, Error> {
    let parts = || match text.as_bytes() {
        [_, _, b'/', _, _, b'/', _, _, _, _] => {
            day_of(text.get(6..)?, text.get(3..5)?, text.get(..2)?)
        }
        [_, _, _, _, _, _, _, _] => day_of(text.get(4..)?, text.get(2..4)?, text.get(..2)?),
        _ => None,
    };
    parts().ok_or_else(|| Error::in_file(text, "a date (DD/MM/YYYY)"))
}

/// Parses both sides of a closing quote. Prices are above zero, and buy is not above sell.
pub(super) fn quote(
    currency: Currency,
    date: Date,
    (buy, sell): (&str, &str),
    mark: char,
) -> Result<Quote, Error> {
    if currency == Currency::BRL {
        return Err(Error::in_file("BRL", "a currency that is quoted in reais"));
    }
    let price = |text: &str| {
        let price = Decimal::parse_with(text, mark)?;
        if price.is_positive() {
            Ok(price)
        } else {
            Err(Error::in_file(text, "a price above zero"))
        }
    };
    let (bought, sold) = (price(buy)?, price(sell)?);
    if bought > sold {
        return Err(Error::in_file(
            buy,
            format_args!("a buying price up to the selling price, {sell}"),
        ));
    }
    Ok(Quote { currency, date, buy: Some(bought), sell: Some(sold) })
}

/// Remembers the value of each key, so that a file that contradicts itself is refused.
pub(super) struct ConsistentValues<K, V>(HashMap<K, V>);

impl<K: Eq + Hash, V: PartialEq> ConsistentValues<K, V> {
    pub(super) fn new() -> ConsistentValues<K, V> {
        ConsistentValues(HashMap::new())
    }

    /// Fails if `key` already has another value.
    pub(super) fn insert(&mut self, key: K, value: V) -> Result<(), &'static str> {
        match self.0.get(&key) {
            Some(known) if *known != value => {
                Err("the same day appears twice with different figures")
            }
            Some(_) => Ok(()),
            None => {
                self.0.insert(key, value);
                Ok(())
            }
        }
    }
}
