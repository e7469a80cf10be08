//! Tables as Parquet: typed columns, compressed by zstd, in groups of rows.
use std::{fmt, mem, sync::Arc};

use parquet::{
    basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Stored, ZstdLevel},
    data_type::{ByteArray, FixedLenByteArray},
    file::{
        metadata::KeyValue,
        properties::{EnabledStatistics, WriterProperties},
        writer::{SerializedFileWriter, SerializedRowGroupWriter},
    },
    schema::types::{ColumnPath, Type, TypePtr},
};

use super::{Heading, Kind};
use crate::{
    error::{Error, Result},
    table::Cell,
};

mod column;
use column::Values;

/// The rows of a group: some megabytes of the widest rows are held until the group is written.
pub(crate) const GROUP_ROWS: usize = 4_000;

/// The digits of a figure in all, and those after the point: every [`Decimal`](crate::Decimal) fits exactly.
const DIGITS: i32 = 38;
pub(super) const DECIMALS: u8 = 18;

/// The bytes of a number with 38 digits.
const FIGURE_BYTES: i32 = 16;

type Outcome<T> = parquet::errors::Result<T>;

/// A Parquet file that is being written; what is finished of it is taken out again and again.
pub(crate) struct Parquet {
    writer: SerializedFileWriter<Vec<u8>>,
    columns: Vec<Values>,
    rows: usize,
}

impl Parquet {
    /// Starts a file with these columns; `notes` are names and values that it carries.
    pub(crate) fn begin(headings: &[Heading], notes: &[(&str, String)]) -> Result<Parquet> {
        let notes =
            notes.iter().map(|(name, value)| KeyValue::new((*name).to_owned(), value.clone()));
        // Groups are small, and what is noted of each is held until the end of the file: the range of its days and numbers, by
        // which readers skip groups, and nothing of texts and pages.
        let ranges = headings.iter().filter(|(_, kind)| !matches!(kind, Kind::Text | Kind::List));
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
            .map_err(failed)?;
        let columns = headings.iter().map(|(_, kind)| Values::of(*kind)).collect();
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
            let columns = self.columns.iter_mut().map(Values::take).collect::<Vec<_>>();
            self.rows = 0;
            self.writer.next_row_group().and_then(|group| fill(group, &columns)).map_err(failed)?;
        }
        self.drain(out)
    }

    /// Appends the last group and the end of the file.
    pub(crate) fn end(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.end_group(out)?;
        self.writer.finish().map_err(failed)?;
        self.drain(out)
    }

    fn drain(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.writer.flush().map_err(failed)?;
        out.append(&mut mem::take(self.writer.inner_mut()));
        Ok(())
    }
}

impl fmt::Debug for Parquet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parquet").field("rows", &self.rows).finish_non_exhaustive()
    }
}

fn failed(err: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::storage("the table cannot be written as Parquet", err)
}

fn fill(mut group: SerializedRowGroupWriter<'_, Vec<u8>>, columns: &[Values]) -> Outcome<()> {
    for values in columns {
        if let Some(mut column) = group.next_column()? {
            values.write(&mut column)?;
            column.close()?;
        }
    }
    group.close().map(drop)
}

fn schema(headings: &[Heading]) -> Outcome<TypePtr> {
    let columns = headings.iter().map(|(name, kind)| column(name, *kind).map(Arc::new));
    let columns = columns.collect::<Outcome<_>>()?;
    Type::group_type_builder("row").with_fields(columns).build().map(Arc::new)
}

/// Every column may be empty: rows that were removed have their key only.
fn column(name: &str, kind: Kind) -> Outcome<Type> {
    let plain =
        |stored| Type::primitive_type_builder(name, stored).with_repetition(Repetition::OPTIONAL);
    match kind {
        Kind::Text => {
            plain(Stored::BYTE_ARRAY).with_logical_type(Some(LogicalType::String)).build()
        }
        Kind::Integer => plain(Stored::INT64).build(),
        Kind::Figure => plain(Stored::FIXED_LEN_BYTE_ARRAY)
            .with_length(FIGURE_BYTES)
            .with_logical_type(Some(LogicalType::decimal(DECIMALS.into(), DIGITS)))
            .with_precision(DIGITS)
            .with_scale(DECIMALS.into())
            .build(),
        Kind::Day => plain(Stored::INT32).with_logical_type(Some(LogicalType::Date)).build(),
        Kind::StartOfDay => plain(Stored::INT64)
            .with_logical_type(Some(LogicalType::timestamp(true, TimeUnit::MILLIS)))
            .build(),
        Kind::List => list(name),
    }
}

/// A list in the three levels that the format prescribes.
fn list(name: &str) -> Outcome<Type> {
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

/// The bytes of a text.
fn text(value: &str) -> ByteArray {
    ByteArray::from(value.as_bytes().to_vec())
}

/// The bytes of a figure, the highest first.
fn figure(scaled: i128) -> FixedLenByteArray {
    FixedLenByteArray::from(scaled.to_be_bytes().to_vec())
}
