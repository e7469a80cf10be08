//! The cells of one column in a group of rows, as Parquet stores them.
use std::{collections::HashMap, mem};

use parquet::{
    data_type::{
        BoolType, ByteArray, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType, Int32Type,
        Int64Type,
    },
    file::writer::SerializedColumnWriter,
};

use crate::{
    error::{Error, Result},
    numbers::figure::Figure,
    table::{Cell, ColumnKind},
    types::Date,
};

/// The decimals of a figure: every [`Decimal`](crate::Decimal) fits exactly.
pub(super) const DECIMALS: u8 = 18;

pub(super) type ParquetResult<T> = parquet::errors::Result<T>;

/// The values of a column, and where they stand: a level for each row that says whether it is empty.
pub(super) enum ColumnValues {
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
    pub(super) fn new(kind: ColumnKind) -> ColumnValues {
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
    pub(super) fn take(&mut self) -> ColumnValues {
        let kind = self.kind();
        mem::replace(self, ColumnValues::new(kind))
    }

    /// Adds a cell. Fails if it is of another kind than the column.
    pub(super) fn push(&mut self, cell: &Cell<'_>) -> Result<()> {
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

    pub(super) fn write(&self, column: &mut SerializedColumnWriter<'_>) -> ParquetResult<()> {
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
