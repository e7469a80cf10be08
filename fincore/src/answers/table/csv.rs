//! Tables as comma-separated values, in the standard dialect and in the one that Excel opens in Brazil.
use std::fmt::Write;

use ::csv::{Terminator, Writer, WriterBuilder};

use crate::{
    answers::{Cell, Table},
    values::{Error, Result},
};

/// How CSV is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Commas between cells, points in numbers, dates as 2026-11-15.
    #[default]
    Standard,
    /// Lines that end as on Unix: for pipes.
    Unix,
    /// As Excel expects it in Brazil: a byte order mark, semicolons between cells, commas in numbers, dates as
    /// 15/11/2026.
    Brazilian,
}

/// Appends a table as CSV, with a header line.
///
/// ```
/// use fincore::{market::{self, History}, table::{Dialect, write_csv}};
///
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// let snapshot = catalogue.snapshot("1980-02-15".parse()?)?;
/// let inflation = market::ipca(&snapshot, History::default())?;
/// let mut csv = Vec::new();
/// write_csv(&inflation.data, Dialect::Brazilian, &mut csv)?;
/// let wanted = "\u{feff}date;value;origin\r\n01/02/1980;4,62;published\r\n01/01/1980;6,62;published\r\n";
/// assert_eq!(csv, wanted.as_bytes());
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn write_csv(table: &(impl Table + ?Sized), dialect: Dialect, out: &mut Vec<u8>) -> Result<()> {
    let columns = table.columns();
    let headings: Vec<&str> = columns.iter().map(|(name, _)| &**name).collect();
    write_csv_cells(&headings, table.cells(), dialect, out)
}

/// Appends rows of cells as CSV, with a header line. Every row has one cell for each heading.
pub fn write_csv_cells<'r>(
    headings: &[&str],
    rows: impl Iterator<Item = Vec<Cell<'r>>>,
    dialect: Dialect,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut csv = Csv::begin(headings, dialect, out)?;
    for row in rows {
        csv.row(&row)?;
    }
    csv.end()
}

/// Appends lines of CSV to a buffer.
pub(crate) struct Csv<'o> {
    writer: Writer<&'o mut Vec<u8>>,
    dialect: Dialect,
    /// The text of one cell.
    text: String,
}

impl<'o> Csv<'o> {
    /// Starts a table: the byte order mark, where the dialect has one, and the header line.
    pub(crate) fn begin(
        headings: &[&str],
        dialect: Dialect,
        out: &'o mut Vec<u8>,
    ) -> Result<Csv<'o>> {
        if dialect == Dialect::Brazilian {
            out.extend_from_slice("\u{feff}".as_bytes());
        }
        let mut csv = Csv::resume(dialect, out);
        csv.writer.write_record(headings).map_err(write_error)?;
        Ok(csv)
    }

    /// Goes on with a table that has its header line.
    pub(crate) fn resume(dialect: Dialect, out: &'o mut Vec<u8>) -> Csv<'o> {
        let (delimiter, terminator) = match dialect {
            Dialect::Standard => (b',', Terminator::CRLF),
            Dialect::Unix => (b',', Terminator::Any(b'\n')),
            Dialect::Brazilian => (b';', Terminator::CRLF),
        };
        let writer =
            WriterBuilder::new().delimiter(delimiter).terminator(terminator).from_writer(out);
        Csv { writer, dialect, text: String::new() }
    }

    pub(crate) fn row(&mut self, cells: &[Cell<'_>]) -> Result<()> {
        for cell in cells {
            self.text.clear();
            // Writing to a string cannot fail.
            let _ = show(&mut self.text, cell, self.dialect);
            self.writer.write_field(&self.text).map_err(write_error)?;
        }
        self.writer.write_record(None::<&[u8]>).map_err(write_error)
    }

    /// Puts everything into the buffer.
    pub(crate) fn end(mut self) -> Result<()> {
        self.writer.flush().map_err(write_error)
    }
}

fn write_error(err: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::storage("the table cannot be written as CSV", err)
}

fn show(text: &mut String, cell: &Cell<'_>, dialect: Dialect) -> std::fmt::Result {
    let start = match cell {
        Cell::Empty => return Ok(()),
        Cell::Text(value) => {
            protect(text, value, dialect);
            return Ok(());
        }
        Cell::List(texts) => {
            protect(text, &texts.join(" "), dialect);
            return Ok(());
        }
        Cell::Integer(number) => return write!(text, "{number}"),
        Cell::Truth(is_so) => return write!(text, "{is_so}"),
        Cell::Figure(figure) => return show_figure(text, &figure.to_string(), dialect),
        Cell::Calculated(figure) => return show_figure(text, &figure.to_string(), dialect),
        Cell::Day(day) => (day, ""),
        Cell::StartOfDay(day) => (day, "T00:00:00-03:00"),
    };
    match (start, dialect) {
        ((day, time), Dialect::Standard | Dialect::Unix) => write!(text, "{day}{time}"),
        ((day, _), Dialect::Brazilian) => {
            write!(text, "{:02}/{:02}/{:04}", day.day(), day.month(), day.year())
        }
    }
}

fn show_figure(text: &mut String, figure: &str, dialect: Dialect) -> std::fmt::Result {
    match dialect {
        Dialect::Standard | Dialect::Unix => text.write_str(figure),
        Dialect::Brazilian => text.write_str(&figure.replacen('.', ",", 1)),
    }
}

/// Spreadsheets run a text as a formula if it starts like one, some also after a tab or a line break; an apostrophe before it
/// makes it text.
fn protect(text: &mut String, value: &str, dialect: Dialect) {
    if value.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) && !is_number(value, dialect) {
        text.push('\'');
    }
    text.push_str(value);
}

/// Whether a text is a plain number: a sign, digits, and maybe decimals.
fn is_number(text: &str, dialect: Dialect) -> bool {
    let mark = match dialect {
        Dialect::Standard | Dialect::Unix => '.',
        Dialect::Brazilian => ',',
    };
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, decimals) = unsigned.split_once(mark).unwrap_or((unsigned, "0"));
    [whole, decimals]
        .iter()
        .all(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()))
}
