//! Several series at once: one row for each date that any of them has, a column for each.
use std::{borrow::Cow, fmt, ops::Deref, str::FromStr};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap};

use crate::{
    answers::{Cell, ColumnKind, LICENCE, Meta, Table},
    market::{
        Origin, OriginCounts, Rate, freshness,
        queries::within_plan,
        series::Series,
        transform::{
            TransformedRate,
            parameters::{Partial, Transformation},
        },
        transformed,
        whole_histories::observations,
    },
    store::Snapshot,
    values::{
        Date, Error, Figure, Invalid, Limit, Offset, Resource, Result, SeriesId, Wanted, as_text,
    },
};

/// Several series at once, each transformed by itself where a transformation is asked for.
pub(crate) fn compare(
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
    let (data, total) = merge(&mut columns, limit, offset);
    let described = columns.into_iter().zip(query.ids.iter());
    let described = described.map(|(column, id)| (id.to_string(), column.described()));
    Ok(ComparedSeries {
        data,
        total,
        limit,
        offset,
        meta: ComparedMeta::new(described.collect()),
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
        let (left, meta) = match transformation {
            Some(how) => {
                let (figures, meta) =
                    transformed::figures(snapshot, series, query.from, query.to, how)?;
                (figures.into_iter().map(Observed::Transformed).collect(), meta)
            }
            None => {
                let newest = series.newest(snapshot)?.map(|rate| rate.date);
                let newest = newest
                    .ok_or_else(|| Error::not_found(Resource::Series, &series.display_name()))?;
                let days = within_plan(snapshot, query.from, query.to, || Ok(Some(newest)))?;
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
fn merge(columns: &mut [Column], limit: u32, offset: u64) -> (Vec<ComparedRow>, u64) {
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

/// The column of rows whose period has not ended.
const PARTIAL: &str = "partial";

/// Several series at once: one page of their dates, newest first.
///
/// Its columns are chosen by the query, so that it is no [`Page`](crate::answers::Page) of rows that all have the same ones.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ComparedSeries {
    /// The rows of this page.
    pub data: Vec<ComparedRow>,
    /// The number of dates that any of the series has.
    pub total: u64,
    /// The most rows that a page can hold.
    pub limit: u32,
    /// The number of rows before this page.
    pub offset: u64,
    /// The source of the figures.
    pub meta: ComparedMeta,
    pub(crate) shows_partial: bool,
}

/// The figures of one date.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ComparedRow {
    /// The date; of a period its first day.
    pub date: Date,
    /// The figure of each series, in the order of the query; `None` where it has none.
    pub values: Vec<Option<Figure>>,
    /// Whether the period has not ended for one of them.
    pub partial: bool,
}

/// The source of several series.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ComparedMeta {
    /// The publisher.
    pub source: &'static str,
    /// The licence of the data, as an SPDX identifier.
    pub licence: &'static str,
    /// When one of the series last changed here, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<DateTime<Utc>>,
    /// Whether any of them is stale; `None` for an earlier day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale: Option<bool>,
    /// Each series by its id in the query, with its source, its unit and how it was transformed. In JSON an object.
    #[serde(serialize_with = "as_object")]
    pub series: Vec<(String, Meta)>,
}

fn as_object<S: Serializer>(
    series: &[(String, Meta)],
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_map(series.iter().map(|(id, meta)| (id, meta)))
}

impl ComparedMeta {
    pub(crate) fn new(series: Vec<(String, Meta)>) -> ComparedMeta {
        let metas = || series.iter().map(|(_, meta)| meta);
        ComparedMeta {
            source: "Banco Central do Brasil",
            licence: LICENCE,
            updated_at: metas().filter_map(|meta| meta.updated_at).max(),
            stale: metas().filter_map(|meta| meta.stale).reduce(|one, other| one | other),
            series,
        }
    }
}

impl Table for ComparedSeries {
    /// The date, and a column for each series by its id in the query.
    fn columns(&self) -> Vec<(Cow<'_, str>, ColumnKind)> {
        let series = self.meta.series.iter().map(|(id, _)| (id.into(), ColumnKind::Figure));
        let partial = self.shows_partial.then_some((PARTIAL.into(), ColumnKind::Text));
        [("date".into(), ColumnKind::Day)].into_iter().chain(series).chain(partial).collect()
    }

    fn cells(&self) -> impl Iterator<Item = Vec<Cell<'_>>> {
        self.data.iter().map(|row| {
            let figure =
                |value: &Option<Figure>| value.clone().map_or(Cell::Empty, Cell::Calculated);
            let partial = self.shows_partial.then(|| row.partial.then_some("true").into());
            let figures = row.values.iter().map(figure);
            [row.date.into()].into_iter().chain(figures).chain(partial).collect()
        })
    }
}

impl Serialize for ComparedSeries {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Page<'p> {
            data: Vec<Line<'p>>,
            total: u64,
            limit: u32,
            offset: u64,
            meta: &'p ComparedMeta,
        }
        let ComparedSeries { data, total, limit, offset, meta, .. } = self;
        let data = data.iter().map(|row| Line { series: &meta.series, row }).collect();
        let (total, limit, offset) = (*total, *limit, *offset);
        Page { data, total, limit, offset, meta }.serialize(serializer)
    }
}

/// A row as an object.
struct Line<'p> {
    series: &'p [(String, Meta)],
    row: &'p ComparedRow,
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("date", &self.row.date)?;
        for ((id, _), value) in self.series.iter().zip(&self.row.values) {
            object.serialize_entry(id, value)?;
        }
        if self.row.partial {
            object.serialize_entry(PARTIAL, &true)?;
        }
        object.end()
    }
}

/// A query for several series at once; by default the newest twenty dates.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// The series, in the order of their columns.
    pub ids: SeriesIds,
    /// The first day.
    pub from: Option<Date>,
    /// The last day.
    pub to: Option<Date>,
    /// The most dates to return.
    #[serde(default)]
    pub limit: Limit<10_000>,
    /// The number of dates to skip, counted from the newest.
    #[serde(default)]
    pub offset: Offset,
}

impl Comparison {
    /// The newest twenty dates of these series.
    #[must_use]
    pub fn new(ids: SeriesIds) -> Comparison {
        Comparison { ids, from: None, to: None, limit: Limit::default(), offset: Offset::default() }
    }
}

/// One to ten series by their numbers or names, separated by commas.
///
/// ```
/// use fincore::market::SeriesIds;
///
/// let ids: SeriesIds = "ipca, igp-m,11".parse()?;
/// assert_eq!(ids.len(), 3);
/// assert!("ipca,".parse::<SeriesIds>().is_err());
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeriesIds(Vec<SeriesId>);

impl SeriesIds {
    /// The most series of one answer: as many columns as a table on a screen, and lines as a chart, can have.
    pub const MOST: usize = 10;
}

impl FromStr for SeriesIds {
    type Err = Error;

    fn from_str(text: &str) -> Result<SeriesIds> {
        let given = text.split(',').count();
        if given > SeriesIds::MOST {
            return Err(Error::invalid(text, Wanted::FewerSeries { most: SeriesIds::MOST, given }));
        }
        text.split(',').map(|id| id.trim().parse()).collect::<Result<_>>().map(SeriesIds)
    }
}

impl Deref for SeriesIds {
    type Target = [SeriesId];

    fn deref(&self) -> &[SeriesId] {
        &self.0
    }
}

impl fmt::Display for SeriesIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(SeriesId::to_string).collect::<Vec<_>>().join(","))
    }
}

as_text!(SeriesIds);

#[cfg(test)]
mod tests;
