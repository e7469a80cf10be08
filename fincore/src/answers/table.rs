//! The columns of each row type, and tables as CSV, NDJSON and Parquet.
//!
//! Every row type implements [`Row`]: a list of [`Column`]s, each with a name and a function that reads
//! its [`Cell`] from a row. A writer for a new format handles nine kinds of cell, and then writes
//! rates, quotes, companies and filings alike. (JSON needs no writer: rows implement `Serialize`.)
//!
//! ```
//! use fincore::{market, table::{Cell, Row}};
//!
//! /// Tab-separated values with a header.
//! fn tsv<R: Row>(rows: &[R]) -> String {
//!     let text = |cell: Cell<'_>| match cell {
//!         Cell::Empty => String::new(),
//!         Cell::Text(text) => text.replace('\t', " "),
//!         Cell::Integer(number) => number.to_string(),
//!         Cell::Truth(is_so) => is_so.to_string(),
//!         Cell::Figure(figure) => figure.to_string(),
//!         Cell::Calculated(figure) => figure.to_string(),
//!         Cell::Day(day) | Cell::StartOfDay(day) => day.to_string(),
//!         Cell::List(texts) => texts.join(" "),
//!     };
//!     let line = |cells: Vec<String>| cells.join("\t") + "\n";
//!     let header = line(R::COLUMNS.iter().map(|column| column.name.to_owned()).collect());
//!     let row = |row| line(R::COLUMNS.iter().map(|column| text((column.cell)(row))).collect());
//!     header + &rows.iter().map(row).collect::<String>()
//! }
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let catalogue = fincore::bundle::filled_copy(dir.path())?;
//! let snapshot = catalogue.snapshot("1980-02-15".parse()?)?;
//! let inflation = market::ipca(&snapshot, market::History::default())?;
//! let wanted = "date\tvalue\torigin\n1980-02-01\t4.62\tpublished\n1980-01-01\t6.62\tpublished\n";
//! assert_eq!(tsv(&inflation.data), wanted);
//! # Ok::<(), fincore::Error>(())
//! ```
use std::borrow::Cow;

use serde::{
    Serialize, Serializer,
    ser::{SerializeMap, SerializeStruct},
};

use crate::{
    answers::Rows,
    values::{Date, Decimal, Error, Figure, Result},
};

pub(crate) mod csv;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;

pub(crate) use csv::Csv;
pub use csv::{Dialect, write_csv, write_csv_cells};

#[cfg(feature = "parquet")]
pub use crate::answers::table::parquet::to_parquet;

/// A type whose values are the rows of a table.
pub trait Row: Sized + 'static {
    /// The columns, in order.
    const COLUMNS: &'static [Column<Self>];
}

/// An answer as a table.
pub trait Table {
    /// The name of each column and the kind of its cells, in order.
    fn columns(&self) -> Vec<(Cow<'_, str>, ColumnKind)>;

    /// The cells of each row, one for each column.
    fn cells(&self) -> impl Iterator<Item = Vec<Cell<'_>>>;
}

impl<R: Row> Table for [R] {
    fn columns(&self) -> Vec<(Cow<'_, str>, ColumnKind)> {
        R::COLUMNS.iter().map(|column| (column.name.into(), column.kind)).collect()
    }

    fn cells(&self) -> impl Iterator<Item = Vec<Cell<'_>>> {
        self.iter().map(cells)
    }
}

impl<R: Row> Table for Rows<R> {
    fn columns(&self) -> Vec<(Cow<'_, str>, ColumnKind)> {
        (**self).columns()
    }

    fn cells(&self) -> impl Iterator<Item = Vec<Cell<'_>>> {
        (**self).cells()
    }
}

/// One column of a table of `R`.
#[derive(Debug)]
pub struct Column<R> {
    /// The name: the key in JSON, the header in CSV.
    pub name: &'static str,
    /// The kind of its cells that are not empty.
    pub kind: ColumnKind,
    /// Reads the cell from a row.
    pub cell: fn(&R) -> Cell<'_>,
}

impl<R> Column<R> {
    /// A column of this name, whose cells are of this kind or empty.
    #[must_use]
    pub const fn new(name: &'static str, kind: ColumnKind, cell: fn(&R) -> Cell<'_>) -> Column<R> {
        Column { name, kind, cell }
    }
}

/// The kind of a column's cells: every cell of the column is of this kind or empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// [`Cell::Text`]
    Text,
    /// [`Cell::Integer`]
    Integer,
    /// [`Cell::Truth`]
    Truth,
    /// [`Cell::Figure`] or [`Cell::Calculated`]
    Figure,
    /// [`Cell::Day`]
    Day,
    /// [`Cell::StartOfDay`]
    StartOfDay,
    /// [`Cell::List`]
    List,
}

/// The name of a column, and the kind of its cells.
pub(crate) type Heading = (&'static str, ColumnKind);

/// The headings of a row type.
pub(crate) fn headings<R: Row>() -> Vec<Heading> {
    R::COLUMNS.iter().map(|column| (column.name, column.kind)).collect()
}

/// The cells of a row.
pub(crate) fn cells<R: Row>(row: &R) -> Vec<Cell<'_>> {
    R::COLUMNS.iter().map(|column| (column.cell)(row)).collect()
}

/// The value of one column in one row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'r> {
    /// No value.
    Empty,
    /// Text.
    Text(Cow<'r, str>),
    /// A whole number.
    Integer(u64),
    /// True or false.
    Truth(bool),
    /// A number with its published digits.
    Figure(Decimal),
    /// A number that was calculated.
    Calculated(Figure),
    /// A date.
    Day(Date),
    /// The start of a day in Brasília: `2024-02-15T00:00:00-03:00`.
    StartOfDay(Date),
    /// A list of strings.
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

impl From<bool> for Cell<'_> {
    fn from(is_so: bool) -> Self {
        Cell::Truth(is_so)
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
    /// Text from a value's `Display`.
    pub(crate) fn display(value: impl std::fmt::Display) -> Self {
        Cell::Text(Cow::Owned(value.to_string()))
    }
}

impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Cell::Empty => serializer.serialize_none(),
            Cell::Text(text) => serializer.serialize_str(text),
            Cell::Integer(number) => serializer.serialize_u64(*number),
            Cell::Truth(is_so) => serializer.serialize_bool(*is_so),
            Cell::Figure(figure) => figure.serialize(serializer),
            Cell::Calculated(figure) => figure.serialize(serializer),
            Cell::Day(day) => day.serialize(serializer),
            Cell::StartOfDay(day) => serializer.collect_str(&format_args!("{day}T00:00:00-03:00")),
            Cell::List(texts) => texts.serialize(serializer),
        }
    }
}

/// Serializes a row as a struct with one field per column.
pub(crate) fn serialize<R: Row, S: Serializer>(
    row: &R,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    let mut object = serializer.serialize_struct("Row", R::COLUMNS.len())?;
    for column in R::COLUMNS {
        object.serialize_field(column.name, &(column.cell)(row))?;
    }
    object.end()
}

/// Implements `Serialize` for a row type by its columns.
macro_rules! serialize_by_columns {
    ($type:ty) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(
                &self,
                serializer: S,
            ) -> std::result::Result<S::Ok, S::Error> {
                crate::answers::table::serialize(self, serializer)
            }
        }
    };
}
pub(crate) use serialize_by_columns;

/// Appends one row as a line.
pub(crate) fn write_row(headings: &[Heading], cells: &[Cell<'_>], out: &mut Vec<u8>) -> Result<()> {
    serde_json::to_writer(&mut *out, &Line { headings, cells })
        .map_err(|err| Error::storage("the row cannot be written as JSON", err))?;
    out.push(b'\n');
    Ok(())
}

/// A row as an object.
struct Line<'a> {
    headings: &'a [Heading],
    cells: &'a [Cell<'a>],
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(self.cells.len()))?;
        for ((name, _), cell) in self.headings.iter().zip(self.cells) {
            object.serialize_entry(name, cell)?;
        }
        object.end()
    }
}

#[cfg(test)]
mod tests;
