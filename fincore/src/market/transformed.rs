//! Transformed histories: of a series, and of one side of the quotes of a currency.
use crate::{
    answers::{AppliedTransformation, Meta, Page},
    market::{
        DateWindow, FxHistory, FxRate, History, Rate, Side, freshness,
        queries::within_plan,
        quotes,
        series::Series,
        series_definitions::{
            CDI_DAILY, CDI_MONTHLY, DEFINITIONS, IPCA, IPCA_12_MONTHS, SELIC_DAILY, SELIC_MONTHLY,
            USD_MONTHLY, USD_SELL, dataset, definition,
        },
        transform::{
            TransformedRate,
            parameters::{Nature, Transformation},
            transform,
        },
        whole_histories::observations,
    },
    store::Snapshot,
    values::{Currency, Date, Error, Limit, Offset, Resource, Result},
};

/// The transformed history of a series, newest first. Fails if it has no observations.
pub(crate) fn of_series(
    snapshot: &Snapshot,
    series: Series,
    query: &History,
    transformation: &Transformation,
) -> Result<Page<TransformedRate>> {
    let (figures, meta) = figures(snapshot, series, query.from, query.to, transformation)?;
    Ok(cut(figures, query.limit, query.offset, meta))
}

/// All transformed figures of a series in the days of an export, newest first.
pub(crate) fn all_transformed(
    snapshot: &Snapshot,
    number: u32,
    from: Option<Date>,
    to: Option<Date>,
    transformation: &Transformation,
) -> Result<Vec<TransformedRate>> {
    let (mut rows, _) = figures(snapshot, Series::from(number), from, to, transformation)?;
    rows.reverse();
    Ok(rows)
}

/// The transformed figures of a series in the days of a query, the oldest first, and their source. Fails if the series has
/// no observations.
pub(crate) fn figures(
    snapshot: &Snapshot,
    series: Series,
    from: Option<Date>,
    to: Option<Date>,
    transformation: &Transformation,
) -> Result<(Vec<TransformedRate>, Meta)> {
    let rows = observations(snapshot, series.number, Date::MIN, Date::MAX)?;
    let Some(newest) = rows.last().map(|row| row.date) else {
        return Err(Error::not_found(Resource::Series, &series.display_name()));
    };
    let nature = match series.definition {
        Some(definition) => Nature::of(definition),
        None => Nature::of_unknown(dataset(series.number).into_owned(), &rows),
    };
    let days = within_plan(snapshot, from, to, || Ok(Some(newest)))?;
    let figures = within(days, transform(&rows, &nature, transformation)?);
    let meta = series.meta(rows.iter().map(|row| row.origin).collect(), rows.len());
    let meta = freshness::of_series(snapshot, series.number, Some(newest), meta)?;
    let applied = transformation.applied_to(&nature)?;
    let meta = Meta { unit: transformation.unit(&nature, meta.unit)?, ..meta };
    Ok((figures, described(snapshot, series.number, applied, meta)?))
}

/// The transformed history of one side of the quotes of a currency pair, newest first. Fails if it has none.
pub(crate) fn of_quotes(
    snapshot: &Snapshot,
    query: &FxHistory,
    side: Side,
    transformation: &Transformation,
) -> Result<Page<TransformedRate>> {
    let price = |quote: FxRate| match side {
        Side::Buy => Rate::published(quote.date, quote.buy),
        Side::Sell => Rate::published(quote.date, quote.sell),
    };
    let rows: Vec<Rate> = quotes::all(snapshot, query.pair)?.into_iter().rev().map(price).collect();
    let newest = rows.last().map(|row| row.date);
    let nature = Nature::of_quotes(query.pair.to_string());
    let days = within_plan(snapshot, query.from, query.to, || Ok(newest))?;
    let figures = transform(&rows, &nature, transformation)?;
    let meta = quotes::meta(snapshot, query.pair)?;
    let applied = transformation.applied_to(&nature)?;
    let applied = AppliedTransformation { side: Some(side.as_str()), ..applied };
    let meta = Meta { unit: transformation.unit(&nature, meta.unit)?, ..meta };
    let same = DEFINITIONS.iter().find(|series| series.quote == Some((query.pair.base, side)));
    let number = same.filter(|_| query.pair.quote == Currency::BRL).map(|series| series.number);
    let meta = described(snapshot, number.unwrap_or_default(), applied, meta)?;
    Ok(cut(within(days, figures), query.limit, query.offset, meta))
}

/// The source of transformed figures, and the series in which their publisher gives them itself, if it is held.
fn described(
    snapshot: &Snapshot,
    number: u32,
    applied: AppliedTransformation,
    meta: Meta,
) -> Result<Meta> {
    let AppliedTransformation { frequency, aggregate, units, .. } = applied;
    let published = match (number, frequency, aggregate, units) {
        (IPCA, _, _, "accumulated_12m") => Some(IPCA_12_MONTHS),
        (SELIC_DAILY, Some("month"), Some("compound"), "value") => Some(SELIC_MONTHLY),
        (CDI_DAILY, Some("month"), Some("compound"), "value") => Some(CDI_MONTHLY),
        (USD_SELL, Some("month"), Some("mean"), "value") => Some(USD_MONTHLY),
        _ => None,
    };
    let definition = published.and_then(definition);
    let held = match definition {
        Some(definition) => Series::from(definition.number).newest(snapshot)?.is_some(),
        None => false,
    };
    let published_series = definition.filter(|_| held).map(|definition| definition.name);
    let applied = Box::new(AppliedTransformation { published_series, ..applied });
    Ok(Meta { transformation: Some(applied), ..meta })
}

/// The rows in a range of days.
fn within(days: DateWindow, mut rows: Vec<TransformedRate>) -> Vec<TransformedRate> {
    rows.retain(|row| (days.from()..=days.to()).contains(&row.date));
    rows
}

/// One page of rows, of which the oldest comes first here, and the newest on the page.
fn cut(
    mut rows: Vec<TransformedRate>,
    limit: Limit<10_000>,
    offset: Offset,
    meta: Meta,
) -> Page<TransformedRate> {
    rows.reverse();
    Page::cut(rows, limit.get(), offset.get(), meta)
}
