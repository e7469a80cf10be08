//! The cells of one column in a group of rows, as Parquet stores them.
use std::{collections::HashMap, mem};

use parquet::{
    data_type::{
        ByteArray, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType, Int32Type, Int64Type,
    },
    file::writer::SerializedColumnWriter,
};

use super::{DECIMALS, Outcome, figure, text};
use crate::{
    error::{Error, Result},
    table::{Cell, Kind},
    types::Date,
};

/// The values of a column, and where they stand: a level for each row that says whether it is empty.
pub(super) enum Values {
    Text(Vec<ByteArray>, Vec<i16>, Known),
    Integer(Vec<i64>, Vec<i16>),
    Figure(Vec<FixedLenByteArray>, Vec<i16>),
    Day(Vec<i32>, Vec<i16>),
    StartOfDay(Vec<i64>, Vec<i16>),
    /// Its second levels say which elements start a list.
    List(Vec<ByteArray>, Vec<i16>, Vec<i16>),
}

/// Texts of a column that may come again: their bytes are held once for the group.
type Known = HashMap<String, ByteArray>;

/// A column with more different texts than this repeats few of them.
const MOST_KNOWN: usize = 256;

/// The levels of an empty cell, of a value, of a list without elements, and of an element.
const EMPTY: i16 = 0;
const VALUE: i16 = 1;
const NO_ELEMENTS: i16 = 1;
const ELEMENT: i16 = 3;

/// The levels of the first and of every other element of a list.
const FIRST: i16 = 0;
const NEXT: i16 = 1;

impl Values {
    /// No values yet.
    pub(super) fn of(kind: Kind) -> Values {
        match kind {
            Kind::Text => Values::Text(Vec::new(), Vec::new(), Known::new()),
            Kind::Integer => Values::Integer(Vec::new(), Vec::new()),
            Kind::Figure => Values::Figure(Vec::new(), Vec::new()),
            Kind::Day => Values::Day(Vec::new(), Vec::new()),
            Kind::StartOfDay => Values::StartOfDay(Vec::new(), Vec::new()),
            Kind::List => Values::List(Vec::new(), Vec::new(), Vec::new()),
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Values::Text(..) => Kind::Text,
            Values::Integer(..) => Kind::Integer,
            Values::Figure(..) => Kind::Figure,
            Values::Day(..) => Kind::Day,
            Values::StartOfDay(..) => Kind::StartOfDay,
            Values::List(..) => Kind::List,
        }
    }

    /// The values so far; none are left.
    pub(super) fn take(&mut self) -> Values {
        let kind = self.kind();
        mem::replace(self, Values::of(kind))
    }

    /// Adds a cell. Fails if it is of another kind than the column.
    pub(super) fn push(&mut self, cell: &Cell<'_>) -> Result<()> {
        match (self, cell) {
            (Values::List(_, levels, starts), Cell::Empty) => {
                levels.push(EMPTY);
                starts.push(FIRST);
            }
            (
                Values::Text(_, levels, _)
                | Values::Integer(_, levels)
                | Values::Figure(_, levels)
                | Values::Day(_, levels)
                | Values::StartOfDay(_, levels),
                Cell::Empty,
            ) => levels.push(EMPTY),
            (Values::Text(values, levels, known), Cell::Text(value)) => {
                add(values, levels, shared(known, value));
            }
            (Values::Integer(values, levels), Cell::Integer(number)) => {
                let number = i64::try_from(*number).map_err(|err| too_large(*number, err))?;
                add(values, levels, number);
            }
            (Values::Figure(values, levels), Cell::Figure(value)) => {
                let (digits, decimals) = value.parts();
                // At most 18 digits and 18 zeros.
                let scaled = i128::from(digits) * 10_i128.pow(u32::from(DECIMALS - decimals));
                add(values, levels, figure(scaled));
            }
            (Values::Day(values, levels), Cell::Day(day)) => add(values, levels, unix_day(*day)),
            (Values::StartOfDay(values, levels), Cell::StartOfDay(day)) => {
                add(values, levels, midnight(*day));
            }
            (Values::List(values, levels, starts), Cell::List(texts)) => {
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

    pub(super) fn write(&self, column: &mut SerializedColumnWriter<'_>) -> Outcome<()> {
        let written = match self {
            Values::Text(values, levels, _) => {
                column.typed::<ByteArrayType>().write_batch(values, Some(levels), None)
            }
            Values::Integer(values, levels) | Values::StartOfDay(values, levels) => {
                column.typed::<Int64Type>().write_batch(values, Some(levels), None)
            }
            Values::Figure(values, levels) => {
                column.typed::<FixedLenByteArrayType>().write_batch(values, Some(levels), None)
            }
            Values::Day(values, levels) => {
                column.typed::<Int32Type>().write_batch(values, Some(levels), None)
            }
            Values::List(values, levels, starts) => {
                column.typed::<ByteArrayType>().write_batch(values, Some(levels), Some(starts))
            }
        };
        written.map(drop)
    }
}

/// The bytes of a text, shared with those of the same text before.
fn shared(known: &mut Known, value: &str) -> ByteArray {
    if let Some(bytes) = known.get(value) {
        return bytes.clone();
    }
    let bytes = text(value);
    if known.len() < MOST_KNOWN {
        known.insert(value.to_owned(), bytes.clone());
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

/// The number of a day, counted from 1970-01-01, which is day 719,163 from 0001-01-01.
fn unix_day(day: Date) -> i32 {
    day.day_number() - 719_163
}

/// Milliseconds from the start of 1970 in UTC to the start of a day in Brasília, which is three hours later there.
fn midnight(day: Date) -> i64 {
    const HOUR: i64 = 3_600_000;
    i64::from(unix_day(day)) * 24 * HOUR + 3 * HOUR
}
