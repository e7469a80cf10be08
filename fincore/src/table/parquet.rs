//! Tables as Parquet: typed columns, compressed by zstd, in groups of rows.
use std::{fmt, mem, sync::Arc};

use parquet::{
    basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Stored, ZstdLevel},
    file::{
        metadata::KeyValue,
        properties::{EnabledStatistics, WriterProperties},
        writer::{SerializedFileWriter, SerializedRowGroupWriter},
    },
    schema::types::{ColumnPath, Type, TypePtr},
};

use super::{ColumnKind, Row};
use crate::{
    error::{Error, Result},
    table::Cell,
};

mod column;
use column::{ColumnValues, DECIMALS, ParquetResult};

/// The rows of a group: some megabytes of the widest rows are held until the group is written.
pub(crate) const GROUP_ROWS: usize = 4_000;

/// The digits of a figure in all; [`DECIMALS`] of them are after the point.
///
/// Every published figure is exact in this type, and the type is the same in every export. A float is one cast away;
/// the way back is not.
const DIGITS: i32 = 38;

/// The bytes of a number with 38 digits.
const FIGURE_BYTES: i32 = 16;

/// The rows as a Parquet file.
pub fn to_parquet<R: Row>(rows: &[R]) -> Result<Vec<u8>> {
    let columns: Vec<_> = R::COLUMNS.iter().map(|column| (column.name, column.kind)).collect();
    let mut parquet = Parquet::begin(&columns, &[])?;
    let mut out = Vec::new();
    for row in rows {
        let cells: Vec<Cell<'_>> = R::COLUMNS.iter().map(|column| (column.cell)(row)).collect();
        parquet.row(&cells)?;
        if parquet.is_full() {
            parquet.end_group(&mut out)?;
        }
    }
    parquet.end(&mut out)?;
    Ok(out)
}

/// A Parquet file that is being written; finished groups are taken out one after the other.
pub(crate) struct Parquet {
    writer: SerializedFileWriter<Vec<u8>>,
    columns: Vec<ColumnValues>,
    rows: usize,
}

impl Parquet {
    /// Starts a file with these columns; `notes` are names and values that it carries.
    pub(crate) fn begin(
        headings: &[(&str, ColumnKind)],
        notes: &[(&str, String)],
    ) -> Result<Parquet> {
        let notes =
            notes.iter().map(|(name, value)| KeyValue::new((*name).to_owned(), value.clone()));
        // Groups are small, and their statistics are held until the end of the file. So they have only the range of days and
        // numbers, by which readers skip groups, and nothing about texts and pages.
        let ranges = headings
            .iter()
            .filter(|(_, kind)| !matches!(kind, ColumnKind::Text | ColumnKind::List));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("finserve ", env!("CARGO_PKG_VERSION")).into())
            .set_key_value_metadata(Some(notes.collect()))
            .set_statistics_enabled(EnabledStatistics::None)
            .set_offset_index_disabled(true);
        let properties = ranges.fold(properties, |properties, (name, _)| {
            let column = ColumnPath::from(*name);
            properties.set_column_statistics_enabled(column, EnabledStatistics::Chunk)
        });
        let properties = properties.build();
        let writer = schema(headings)
            .and_then(|schema| SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)))
            .map_err(write_error)?;
        let columns = headings.iter().map(|(_, kind)| ColumnValues::new(*kind)).collect();
        Ok(Parquet { writer, columns, rows: 0 })
    }

    /// Adds a row to the group. Every cell is of its column's kind, or empty.
    pub(crate) fn row(&mut self, cells: &[Cell<'_>]) -> Result<()> {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.push(cell)?;
        }
        self.rows += 1;
        Ok(())
    }

    /// Whether the group has as many rows as it should have.
    pub(crate) fn is_full(&self) -> bool {
        self.rows >= GROUP_ROWS
    }

    /// Appends the group to `out`, and starts the next one.
    pub(crate) fn end_group(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.rows > 0 {
            let columns = self.columns.iter_mut().map(ColumnValues::take).collect::<Vec<_>>();
            self.rows = 0;
            self.writer
                .next_row_group()
                .and_then(|group| fill(group, &columns))
                .map_err(write_error)?;
        }
        self.drain(out)
    }

    /// Appends the last group and the end of the file.
    pub(crate) fn end(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.end_group(out)?;
        self.writer.finish().map_err(write_error)?;
        self.drain(out)
    }

    fn drain(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.writer.flush().map_err(write_error)?;
        out.append(&mut mem::take(self.writer.inner_mut()));
        Ok(())
    }
}

impl fmt::Debug for Parquet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parquet").field("rows", &self.rows).finish_non_exhaustive()
    }
}

fn write_error(err: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::storage("the table cannot be written as Parquet", err)
}

fn fill(
    mut group: SerializedRowGroupWriter<'_, Vec<u8>>,
    columns: &[ColumnValues],
) -> ParquetResult<()> {
    for values in columns {
        if let Some(mut column) = group.next_column()? {
            values.write(&mut column)?;
            column.close()?;
        }
    }
    group.close().map(drop)
}

fn schema(headings: &[(&str, ColumnKind)]) -> ParquetResult<TypePtr> {
    let columns = headings.iter().map(|(name, kind)| column(name, *kind).map(Arc::new));
    let columns = columns.collect::<ParquetResult<_>>()?;
    Type::group_type_builder("row").with_fields(columns).build().map(Arc::new)
}

/// Every column may be empty: rows that were removed have their key only.
fn column(name: &str, kind: ColumnKind) -> ParquetResult<Type> {
    let plain =
        |stored| Type::primitive_type_builder(name, stored).with_repetition(Repetition::OPTIONAL);
    match kind {
        ColumnKind::Text => {
            plain(Stored::BYTE_ARRAY).with_logical_type(Some(LogicalType::String)).build()
        }
        ColumnKind::Integer => plain(Stored::INT64).build(),
        ColumnKind::Truth => plain(Stored::BOOLEAN).build(),
        ColumnKind::Figure => plain(Stored::FIXED_LEN_BYTE_ARRAY)
            .with_length(FIGURE_BYTES)
            .with_logical_type(Some(LogicalType::decimal(DECIMALS.into(), DIGITS)))
            .with_precision(DIGITS)
            .with_scale(DECIMALS.into())
            .build(),
        ColumnKind::Day => plain(Stored::INT32).with_logical_type(Some(LogicalType::Date)).build(),
        ColumnKind::StartOfDay => plain(Stored::INT64)
            .with_logical_type(Some(LogicalType::timestamp(true, TimeUnit::MILLIS)))
            .build(),
        ColumnKind::List => list(name),
    }
}

/// A list in the three levels that the format prescribes.
fn list(name: &str) -> ParquetResult<Type> {
    let element = Type::primitive_type_builder("element", Stored::BYTE_ARRAY)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(Some(LogicalType::String))
        .build()?;
    let list = Type::group_type_builder("list")
        .with_repetition(Repetition::REPEATED)
        .with_fields(vec![Arc::new(element)])
        .build()?;
    Type::group_type_builder(name)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(Some(LogicalType::List))
        .with_fields(vec![Arc::new(list)])
        .build()
}
