//! Rows as tables: what a row type says of itself so that JSON, CSV and other formats follow from it.
//!
//! Every row of a list is a type that implements [`Row`]: it names its columns once, each with the
//! function that reads its cell. How a cell is written is decided by the format, not by the row.
//!
//! ```
//! use fincore::{market::Rate, table::Row};
//!
//! let names: Vec<&str> = Rate::COLUMNS.iter().map(|column| column.name).collect();
//! assert_eq!(names, ["date", "value"]);
//! ```
use std::borrow::Cow;

use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::types::{Date, Decimal};

/// A type whose values are the rows of a table.
pub trait Row: Sized + 'static {
    /// The columns, in the order in which they are written.
    const COLUMNS: &'static [Column<Self>];
}

/// One column of a table of `R`.
#[derive(Debug)]
pub struct Column<R> {
    /// The name: the key in JSON, the header in CSV.
    pub name: &'static str,
    /// Reads the cell of a row.
    pub cell: fn(&R) -> Cell<'_>,
}

/// What stands in a column of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'r> {
    /// Nothing.
    Empty,
    /// Text.
    Text(Cow<'r, str>),
    /// A whole number.
    Integer(u64),
    /// A figure with the digits that were published.
    Figure(Decimal),
    /// A calendar day.
    Day(Date),
    /// The first moment of a day in Brasília: `2024-02-15T00:00:00-03:00`.
    StartOfDay(Date),
    /// Several texts.
    List(&'r [String]),
}

impl<'r> From<&'r str> for Cell<'r> {
    fn from(text: &'r str) -> Cell<'r> {
        Cell::Text(Cow::Borrowed(text))
    }
}

impl<'r, T: Into<Cell<'r>>> From<Option<T>> for Cell<'r> {
    fn from(value: Option<T>) -> Cell<'r> {
        value.map_or(Cell::Empty, Into::into)
    }
}

impl From<Date> for Cell<'_> {
    fn from(day: Date) -> Self {
        Cell::Day(day)
    }
}

impl From<Decimal> for Cell<'_> {
    fn from(figure: Decimal) -> Self {
        Cell::Figure(figure)
    }
}

impl Cell<'_> {
    /// The text that `value` is displayed as.
    pub(crate) fn shown(value: impl std::fmt::Display) -> Self {
        Cell::Text(Cow::Owned(value.to_string()))
    }
}

impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Cell::Empty => serializer.serialize_none(),
            Cell::Text(text) => serializer.serialize_str(text),
            Cell::Integer(number) => serializer.serialize_u64(*number),
            Cell::Figure(figure) => figure.serialize(serializer),
            Cell::Day(day) => day.serialize(serializer),
            Cell::StartOfDay(day) => serializer.collect_str(&format_args!("{day}T00:00:00-03:00")),
            Cell::List(texts) => texts.serialize(serializer),
        }
    }
}

/// Writes a row as an object with a member per column.
pub(crate) fn serialize<R: Row, S: Serializer>(row: &R, serializer: S) -> Result<S::Ok, S::Error> {
    let mut object = serializer.serialize_struct("Row", R::COLUMNS.len())?;
    for column in R::COLUMNS {
        object.serialize_field(column.name, &(column.cell)(row))?;
    }
    object.end()
}

/// Lets a row type be serialized by its columns.
macro_rules! serialize_by_columns {
    ($type:ty) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                crate::table::serialize(self, serializer)
            }
        }
    };
}
pub(crate) use serialize_by_columns;
