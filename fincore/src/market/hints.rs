//! Why a history has no rows, in words: days that are not held, and where others are.
use super::{
    queries::FxHistory,
    quotes,
    rows::{FxRate, Rate},
    series::Series,
    series_definitions::{DEFINITIONS, dataset},
};
use crate::{
    answers::{Hint, Page},
    catalogue::Snapshot,
    error::Result,
    types::Date,
};

/// Adds to a history without a row which days of the series are held.
pub(super) fn for_series(
    snapshot: &Snapshot,
    series: Series,
    mut page: Page<Rate>,
) -> Result<Page<Rate>> {
    if page.total == 0 {
        page.meta.hints = held_days(snapshot, series)?;
    }
    Ok(page)
}

/// Which days of a series are held; nothing if none is.
pub(super) fn held_days(snapshot: &Snapshot, series: Series) -> Result<Vec<Hint>> {
    let (name, days) = (dataset(series.number), series.coverage(snapshot)?);
    let hint = days.map(|days| format!("{name} is held from {} to {}", days.first, days.last));
    Ok(hint.map(Hint::from).into_iter().collect())
}

/// Adds to a history without a row which days of the pair are held, and which series have days with one side of its quotes.
pub(super) fn for_pair(
    snapshot: &Snapshot,
    query: &FxHistory,
    mut page: Page<FxRate>,
) -> Result<Page<FxRate>> {
    if page.total > 0 {
        return Ok(page);
    }
    let (pair, hints) = (query.pair, &mut page.meta.hints);
    let days = (query.from.unwrap_or(Date::MIN), query.to.unwrap_or(snapshot.today()));
    if let Some(held) = quotes::pairs(snapshot)?.into_iter().find(|held| held.pair == pair) {
        let (from, to, count) = (held.from, held.to, held.days);
        hints.push(format!("{pair} has both sides on {count} days, from {from} to {to}").into());
    }
    for definition in DEFINITIONS.iter() {
        let is_side = definition.quote.is_some_and(|(currency, _)| currency == pair.base);
        let count = match is_side {
            true => Series::from(definition.number).count(snapshot, days)?,
            false => 0,
        };
        if count > 0 {
            let name = definition.name;
            let text = format!(
                "the series {name} has {count} of these days: GET /api/v1/market/series/{name}"
            );
            hints.push(text.into());
        }
    }
    Ok(page)
}
