//! Days that have only one side of a quote yet, and are newer than the newest quote.
use super::{
    quotes,
    series::Series,
    series_definitions::{DEFINITIONS, Side},
};
use crate::{
    catalogue::Snapshot,
    error::Result,
    types::{Currency, Date, Decimal, Pair},
};

/// One side of a closing quote whose other side is not held.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NewerSide {
    /// The side.
    pub side: Side,
    /// The name of the series that has it.
    pub series: &'static str,
    /// The newest day.
    pub date: Date,
    /// The price on it.
    pub value: Decimal,
}

/// The sides of a pair that are held for newer days than its newest quote, which has both sides.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let newer = fincore::market::newer_sides(&snapshot, "USD/BRL".parse()?)?;
/// assert_eq!((newer[0].series, newer[0].value.to_string()), ("usd-sell", "4.9859".to_owned()));
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn newer_sides(snapshot: &Snapshot, pair: Pair) -> Result<Vec<NewerSide>> {
    let mut newer = Vec::new();
    if pair.quote != Currency::BRL {
        return Ok(newer);
    }
    let newest = quotes::newest_day(snapshot, pair)?;
    for definition in DEFINITIONS.iter() {
        let Some((_, side)) = definition.quote.filter(|(currency, _)| *currency == pair.base)
        else {
            continue;
        };
        let rate = Series::from(definition.number).newest(snapshot)?;
        if let Some(rate) = rate.filter(|rate| newest.is_none_or(|newest| rate.date > newest)) {
            let (series, date, value) = (definition.name, rate.date, rate.value);
            newer.push(NewerSide { side, series, date, value });
        }
    }
    Ok(newer)
}
