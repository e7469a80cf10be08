//! Several series at once: one row for each date that any of them has, a column for each.
use super::{
    calculator_inputs::observations,
    freshness,
    origin::{Origin, OriginCounts},
    plan_window::within_plan,
    rows::Rate,
    series::Series,
    transform::{Partial, Transformation, TransformedRate},
    transformed,
};
use crate::{
    answers::Meta,
    catalogue::Snapshot,
    error::{Error, Invalid, Resource, Result},
    numbers::figure::Figure,
    types::Date,
};

mod answer;
mod query;
#[cfg(test)]
#[cfg(feature = "bundle")]
mod tests;

pub use answer::{ComparedMeta, ComparedRow, ComparedSeries};
pub use query::{Comparison, SeriesIds};

/// Several series at once, each transformed by itself where a transformation is asked for.
pub(super) fn compare(
    snapshot: &Snapshot,
    query: &Comparison,
    transformation: Option<&Transformation>,
) -> Result<ComparedSeries> {
    let found = distinct(query)?;
    let mut columns = Vec::with_capacity(found.len());
    for series in found {
        columns.push(Column::read(snapshot, series, query, transformation)?);
    }
    let (limit, offset) = (query.limit.get(), query.offset.get());
    let (data, total) = merge(&mut columns, (limit, offset));
    let described = columns.into_iter().zip(query.ids.iter());
    let described = described.map(|(column, id)| (id.to_string(), column.described()));
    Ok(ComparedSeries {
        data,
        total,
        limit,
        offset,
        meta: answer::ComparedMeta::new(described.collect()),
        shows_partial: transformation.is_some_and(|how| how.partial == Partial::Shown),
    })
}

/// The series of a query. Fails for a name that no series has, and for two names of the same series.
fn distinct(query: &Comparison) -> Result<Vec<Series>> {
    let mut found: Vec<Series> = Vec::with_capacity(query.ids.len());
    for id in query.ids.iter() {
        let series = Series::find(id)?;
        if let Some(place) = found.iter().position(|other| other.number == series.number) {
            let (one, other) = (query.ids[place].to_string(), id.to_string());
            return Err(Invalid::SameSeries { one, other }.into());
        }
        found.push(series);
    }
    Ok(found)
}

/// A series of the table.
struct Column {
    series: Series,
    /// Its figures that are left, of which the newest is the last.
    left: Vec<Observed>,
    /// The source, but for what the rows that are shown say of it.
    meta: Meta,
    /// Where the figures that are shown come from.
    shown: Vec<Origin>,
}

/// A figure of a series.
enum Observed {
    Published(Rate),
    Transformed(TransformedRate),
}

impl Observed {
    fn date(&self) -> Date {
        match self {
            Observed::Published(rate) => rate.date,
            Observed::Transformed(rate) => rate.date,
        }
    }
}

impl Column {
    /// The figures of a series in the days of the query. Fails if it has no observations, and where the transformation has
    /// no meaning for it.
    fn read(
        snapshot: &Snapshot,
        series: Series,
        query: &Comparison,
        transformation: Option<&Transformation>,
    ) -> Result<Column> {
        let days = (query.from, query.to);
        let (left, meta) = match transformation {
            Some(how) => {
                let (figures, meta) = transformed::figures(snapshot, series, days, how)?;
                (figures.into_iter().map(Observed::Transformed).collect(), meta)
            }
            None => {
                let newest = series.newest(snapshot)?.map(|rate| rate.date);
                let newest = newest
                    .ok_or_else(|| Error::not_found(Resource::Series, &series.display_name()))?;
                let days = within_plan(snapshot, days.0, days.1, || Ok(Some(newest)))?;
                let rates = observations(snapshot, series.number, days.from(), days.to())?;
                let meta = series.meta(OriginCounts::default(), 0);
                let meta = freshness::of_series(snapshot, series.number, Some(newest), meta)?;
                (rates.into_iter().map(Observed::Published).collect(), meta)
            }
        };
        Ok(Column { series, left, meta, shown: Vec::new() })
    }

    /// Its figure of a day, if the newest that is left has it.
    fn take(&mut self, day: Date) -> Option<Observed> {
        self.left.pop_if(|newest| newest.date() == day)
    }

    /// The source of the figures that are shown.
    fn described(self) -> Meta {
        if self.meta.transformation.is_some() {
            return self.meta;
        }
        let (rows, origins) = (self.shown.len(), OriginCounts::from_iter(self.shown));
        let OriginCounts { computed, carried } = origins;
        let Meta { source, computed_from, .. } = self.series.meta(origins, rows);
        Meta { source, computed_from, computed, carried, ..self.meta }
    }
}

/// One page of the dates that any column has, newest first, and how many there are.
fn merge(columns: &mut [Column], (limit, offset): (u32, u64)) -> (Vec<ComparedRow>, u64) {
    let (mut rows, mut total) = (Vec::new(), 0);
    let shown = offset..offset.saturating_add(limit.into());
    while let Some(date) =
        columns.iter().filter_map(|column| Some(column.left.last()?.date())).max()
    {
        let is_shown = shown.contains(&total);
        let mut row = ComparedRow { date, values: Vec::new(), partial: false };
        for column in &mut *columns {
            let observed = column.take(date).filter(|_| is_shown);
            if !is_shown {
                continue;
            }
            row.values.push(observed.map(|observed| match observed {
                Observed::Published(rate) => {
                    column.shown.push(rate.origin);
                    Figure::from(rate.value)
                }
                Observed::Transformed(rate) => {
                    row.partial |= rate.partial;
                    rate.value
                }
            }));
        }
        if is_shown {
            rows.push(row);
        }
        total += 1;
    }
    (rows, total)
}
