//! Several series as one table: a row for each date, a column for each series.
use chrono::{DateTime, Utc};
use serde::{Serialize, Serializer, ser::SerializeMap};

#[cfg(feature = "parquet")]
use crate::table::parquet::Parquet;
use crate::{
    answers::{LICENCE, Meta},
    error::Result,
    numbers::figure::Figure,
    table::{Cell, ColumnKind, Dialect, write_csv_cells},
    types::Date,
};

/// The column of rows whose period has not ended.
const PARTIAL: &str = "partial";

/// Several series at once: one page of their dates, newest first.
///
/// Its columns are chosen by the query, so that it is no [`Page`](crate::Page) of rows that all have the same ones.
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
    /// Whether a table has a column that says which periods have not ended.
    pub(super) shows_partial: bool,
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
    pub(super) fn new(series: Vec<(String, Meta)>) -> ComparedMeta {
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

impl ComparedSeries {
    /// The columns of the table, in order: the date, and one for each series by its id in the query.
    #[must_use]
    pub fn columns(&self) -> Vec<(&str, ColumnKind)> {
        let series = self.meta.series.iter().map(|(id, _)| (id.as_str(), ColumnKind::Figure));
        let partial = self.shows_partial.then_some((PARTIAL, ColumnKind::Text));
        [("date", ColumnKind::Day)].into_iter().chain(series).chain(partial).collect()
    }

    /// The cells of each row, one for each column.
    pub fn cells(&self) -> impl Iterator<Item = Vec<Cell<'static>>> {
        self.data.iter().map(|row| {
            let figure =
                |value: &Option<Figure>| value.clone().map_or(Cell::Empty, Cell::Calculated);
            let partial = self.shows_partial.then(|| row.partial.then_some("true").into());
            let figures = row.values.iter().map(figure);
            [row.date.into()].into_iter().chain(figures).chain(partial).collect()
        })
    }

    /// Appends the table as CSV, with a header line.
    pub fn write_csv(&self, dialect: Dialect, out: &mut Vec<u8>) -> Result<()> {
        let names: Vec<&str> = self.columns().into_iter().map(|(name, _)| name).collect();
        write_csv_cells(&names, self.cells(), dialect, out)
    }

    /// The table as a Parquet file.
    #[cfg(feature = "parquet")]
    pub fn to_parquet(&self) -> Result<Vec<u8>> {
        let mut parquet = Parquet::begin(&self.columns(), &[])?;
        let mut out = Vec::new();
        for cells in self.cells() {
            parquet.row(&cells)?;
            if parquet.is_full() {
                parquet.end_group(&mut out)?;
            }
        }
        parquet.end(&mut out)?;
        Ok(out)
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
