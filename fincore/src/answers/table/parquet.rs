//! Tables as Parquet: typed columns, compressed by zstd, in groups of rows.
use std::{collections::HashMap, fmt, mem, sync::Arc};

use parquet::{
    basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Stored, ZstdLevel},
    data_type::{
        BoolType, ByteArray, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType, Int32Type,
        Int64Type,
    },
    file::{
        metadata::KeyValue,
        properties::{EnabledStatistics, WriterProperties},
        writer::{SerializedColumnWriter, SerializedFileWriter, SerializedRowGroupWriter},
    },
    schema::types::{ColumnPath, Type, TypePtr},
};

use crate::{
    answers::{Cell, ColumnKind, Table},
    values::{Date, Error, Figure, Result},
};

/// The rows of a group: some megabytes of the widest rows are held until the group is written.
const GROUP_ROWS: usize = 4_000;

/// The digits of a figure in all; [`DECIMALS`] of them are after the point.
///
/// Every published figure is exact in this type, and the type is the same in every export. A float is one cast away;
/// the way back is not.
const DIGITS: i32 = 38;

/// The bytes of a number with 38 digits.
const FIGURE_BYTES: i32 = 16;

/// The table as a Parquet file.
pub fn to_parquet(table: &(impl Table + ?Sized)) -> Result<Vec<u8>> {
    let columns = table.columns();
    let columns: Vec<_> = columns.iter().map(|(name, kind)| (&**name, *kind)).collect();
    let mut parquet = Parquet::begin(&columns, &[])?;
    let mut out = Vec::new();
    for cells in table.cells() {
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

/// The decimals of a figure: every [`Decimal`](crate::values::decimal::Decimal) fits exactly.
pub(crate) const DECIMALS: u8 = 18;

pub(crate) type ParquetResult<T> = parquet::errors::Result<T>;

/// The values of a column, and where they stand: a level for each row that says whether it is empty.
pub(crate) enum ColumnValues {
    Text(Vec<ByteArray>, Vec<i16>, SharedTexts),
    Integer(Vec<i64>, Vec<i16>),
    Truth(Vec<bool>, Vec<i16>),
    Figure(Vec<FixedLenByteArray>, Vec<i16>),
    Day(Vec<i32>, Vec<i16>),
    StartOfDay(Vec<i64>, Vec<i16>),
    /// Its second levels say which elements start a list.
    List(Vec<ByteArray>, Vec<i16>, Vec<i16>),
}

/// Texts of a column that may come again: their bytes are held once for the group.
type SharedTexts = HashMap<String, ByteArray>;

/// A column with more different texts than this repeats few of them.
const MOST_SHARED: usize = 256;

/// The levels of an empty cell, of a value, of a list without elements, and of an element.
const EMPTY: i16 = 0;
const VALUE: i16 = 1;
const NO_ELEMENTS: i16 = 1;
const ELEMENT: i16 = 3;

/// The levels of the first and of every other element of a list.
const FIRST: i16 = 0;
const NEXT: i16 = 1;

impl ColumnValues {
    /// No values yet.
    pub(crate) fn new(kind: ColumnKind) -> ColumnValues {
        match kind {
            ColumnKind::Text => ColumnValues::Text(Vec::new(), Vec::new(), SharedTexts::new()),
            ColumnKind::Integer => ColumnValues::Integer(Vec::new(), Vec::new()),
            ColumnKind::Truth => ColumnValues::Truth(Vec::new(), Vec::new()),
            ColumnKind::Figure => ColumnValues::Figure(Vec::new(), Vec::new()),
            ColumnKind::Day => ColumnValues::Day(Vec::new(), Vec::new()),
            ColumnKind::StartOfDay => ColumnValues::StartOfDay(Vec::new(), Vec::new()),
            ColumnKind::List => ColumnValues::List(Vec::new(), Vec::new(), Vec::new()),
        }
    }

    fn kind(&self) -> ColumnKind {
        match self {
            ColumnValues::Text(..) => ColumnKind::Text,
            ColumnValues::Integer(..) => ColumnKind::Integer,
            ColumnValues::Truth(..) => ColumnKind::Truth,
            ColumnValues::Figure(..) => ColumnKind::Figure,
            ColumnValues::Day(..) => ColumnKind::Day,
            ColumnValues::StartOfDay(..) => ColumnKind::StartOfDay,
            ColumnValues::List(..) => ColumnKind::List,
        }
    }

    /// The values so far; none are left.
    pub(crate) fn take(&mut self) -> ColumnValues {
        let kind = self.kind();
        mem::replace(self, ColumnValues::new(kind))
    }

    /// Adds a cell. Fails if it is of another kind than the column.
    pub(crate) fn push(&mut self, cell: &Cell<'_>) -> Result<()> {
        match (self, cell) {
            (ColumnValues::List(_, levels, starts), Cell::Empty) => {
                levels.push(EMPTY);
                starts.push(FIRST);
            }
            (
                ColumnValues::Text(_, levels, _)
                | ColumnValues::Integer(_, levels)
                | ColumnValues::Truth(_, levels)
                | ColumnValues::Figure(_, levels)
                | ColumnValues::Day(_, levels)
                | ColumnValues::StartOfDay(_, levels),
                Cell::Empty,
            ) => levels.push(EMPTY),
            (ColumnValues::Text(values, levels, known), Cell::Text(value)) => {
                add(values, levels, shared_text(known, value));
            }
            (ColumnValues::Integer(values, levels), Cell::Integer(number)) => {
                let number = i64::try_from(*number).map_err(|err| too_large(*number, err))?;
                add(values, levels, number);
            }
            (ColumnValues::Truth(values, levels), Cell::Truth(is_so)) => {
                add(values, levels, *is_so);
            }
            (ColumnValues::Figure(values, levels), Cell::Figure(value)) => {
                let (digits, decimals) = value.parts();
                // At most 18 digits and 18 zeros.
                let scaled = i128::from(digits) * 10_i128.pow(u32::from(DECIMALS - decimals));
                add(values, levels, figure(scaled));
            }
            (ColumnValues::Figure(values, levels), Cell::Calculated(value)) => {
                let scaled = value.digits_at(DECIMALS.into()).ok_or_else(|| too_long(value))?;
                add(values, levels, figure(scaled));
            }
            (ColumnValues::Day(values, levels), Cell::Day(day)) => {
                add(values, levels, unix_day(*day));
            }
            (ColumnValues::StartOfDay(values, levels), Cell::StartOfDay(day)) => {
                add(values, levels, midnight(*day));
            }
            (ColumnValues::List(values, levels, starts), Cell::List(texts)) => {
                if texts.is_empty() {
                    levels.push(NO_ELEMENTS);
                    starts.push(FIRST);
                }
                for (at, value) in texts.iter().enumerate() {
                    add(values, levels, text(value));
                    starts.push(if at == 0 { FIRST } else { NEXT });
                }
                let elements = levels.len() - texts.len();
                levels[elements..].fill(ELEMENT);
            }
            (column, cell) => {
                let wrong = format!("{cell:?} in a column of {:?}", column.kind());
                return Err(Error::storage("a row does not fit its table", wrong));
            }
        }
        Ok(())
    }

    pub(crate) fn write(&self, column: &mut SerializedColumnWriter<'_>) -> ParquetResult<()> {
        let written = match self {
            ColumnValues::Text(values, levels, _) => {
                column.typed::<ByteArrayType>().write_batch(values, Some(levels), None)
            }
            ColumnValues::Integer(values, levels) | ColumnValues::StartOfDay(values, levels) => {
                column.typed::<Int64Type>().write_batch(values, Some(levels), None)
            }
            ColumnValues::Truth(values, levels) => {
                column.typed::<BoolType>().write_batch(values, Some(levels), None)
            }
            ColumnValues::Figure(values, levels) => {
                column.typed::<FixedLenByteArrayType>().write_batch(values, Some(levels), None)
            }
            ColumnValues::Day(values, levels) => {
                column.typed::<Int32Type>().write_batch(values, Some(levels), None)
            }
            ColumnValues::List(values, levels, starts) => {
                column.typed::<ByteArrayType>().write_batch(values, Some(levels), Some(starts))
            }
        };
        written.map(drop)
    }
}

/// The bytes of a text, shared with those of the same text before.
fn shared_text(texts: &mut SharedTexts, value: &str) -> ByteArray {
    if let Some(bytes) = texts.get(value) {
        return bytes.clone();
    }
    let bytes = text(value);
    if texts.len() < MOST_SHARED {
        texts.insert(value.to_owned(), bytes.clone());
    }
    bytes
}

fn add<T>(values: &mut Vec<T>, levels: &mut Vec<i16>, value: T) {
    values.push(value);
    levels.push(VALUE);
}

fn too_large(number: u64, err: std::num::TryFromIntError) -> Error {
    Error::storage(format!("{number} is too large for a table"), err)
}

fn too_long(figure: &Figure) -> Error {
    Error::storage("a figure has too many digits for a table", figure.to_string())
}

/// The number of a day, counted from 1970-01-01, which is day 719,163 from 0001-01-01.
fn unix_day(day: Date) -> i32 {
    day.day_number() - 719_163
}

/// Milliseconds from the start of 1970 in UTC to the start of a day in Brasília, which is three hours later there.
fn midnight(day: Date) -> i64 {
    const HOUR: i64 = 3_600_000;
    i64::from(unix_day(day)) * 24 * HOUR + 3 * HOUR
}

/// The bytes of a text.
fn text(value: &str) -> ByteArray {
    ByteArray::from(value.as_bytes().to_vec())
}

/// The bytes of a figure, the highest first.
fn figure(scaled: i128) -> FixedLenByteArray {
    FixedLenByteArray::from(scaled.to_be_bytes().to_vec())
}
