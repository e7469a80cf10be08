//! Observations for the calculators: whole periods, whatever the plan, and quotes of the same day.
use super::{
    quotes::{self, has_both_sides},
    rows::{FxRate, Rate},
    series::Series,
    series_definitions::definition,
};
use crate::{
    answers::Meta,
    catalogue::Snapshot,
    error::{Error, Resource, Result},
    types::{Currency, Date, Pair},
};

/// The first and the newest day of a series. Fails if it has no observations.
pub(crate) fn covered_days(snapshot: &Snapshot, number: u32) -> Result<(Date, Date)> {
    let series = Series::from(number);
    if let Some(history) = series.cached_history(snapshot)?
        && let Some(ends) = history.ends(snapshot.today())
    {
        return Ok(ends);
    }
    let coverage = series.coverage(snapshot)?;
    let name = definition(number)
        .map_or_else(|| number.to_string(), |definition| definition.name.to_owned());
    let coverage = coverage.ok_or_else(|| Error::not_found(Resource::Series, &name))?;
    Ok((coverage.first, coverage.last))
}

/// The observations from one day to another that are not after the snapshot's date, the oldest first.
pub(crate) fn observations(
    snapshot: &Snapshot,
    number: u32,
    from: Date,
    to: Date,
) -> Result<Vec<Rate>> {
    let (series, last) = (Series::from(number), to.min(snapshot.today()));
    if let Some(history) = series.cached_history(snapshot)? {
        return Ok(history.between(from, last).iter().rev().cloned().collect());
    }
    let mut rows = series.newest_in(snapshot, (from, last), usize::MAX)?;
    rows.reverse();
    Ok(rows)
}

/// The source of a series, and how fresh it is.
pub(crate) fn meta(snapshot: &Snapshot, number: u32) -> Result<Meta> {
    Ok(Series::from(number).current(snapshot)?.meta)
}

/// The source of the exchange rates of a currency.
pub(crate) fn quotes_meta(snapshot: &Snapshot, currency: Currency) -> Result<Meta> {
    quotes::meta(snapshot, Pair::in_reais(currency))
}

/// The closing quotes of two currencies on the newest day, up to a given one, that has both. Fails for a currency that has
/// none at all.
pub(crate) fn common_quotes(
    snapshot: &Snapshot,
    (one, other): (Currency, Currency),
    day: Date,
) -> Result<Option<(FxRate, FxRate)>> {
    const NEWEST: &str = concat!(
        "SELECT date, buy, sell FROM fx WHERE currency = ?1 AND ",
        has_both_sides!(),
        "AND date <= ?2 AND EXISTS (SELECT 1 FROM fx AS other WHERE currency = ?3 AND other.date = fx.date AND ",
        has_both_sides!(),
        ") ORDER BY date DESC"
    );
    let newest = |of: Currency, with: Currency, day: Date| {
        let wanted = (of.as_str(), day.to_string(), with.as_str());
        snapshot.first(NEWEST, wanted, |row| quotes::read(row, Pair::in_reais(of)))
    };
    let day = day.min(snapshot.today());
    for currency in [one, other] {
        if newest(currency, currency, snapshot.today())?.is_none() {
            return Err(quotes::not_found(Pair::in_reais(currency)));
        }
    }
    let Some(first) = newest(one, other, day)? else { return Ok(None) };
    let second = newest(other, one, first.date)?;
    Ok(second.map(|second| (first, second)))
}
