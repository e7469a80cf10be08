//! The interface between accounts and their database: statements and transactions.
//!
//! Everything else, such as issuing keys or finding due webhooks, is written once, in SQL that SQLite and PostgreSQL both
//! understand. Their parameters are `?1`, `?2` and so on; whole numbers are 64 bits wide.
//!
//! An interface of operations would be narrower for keys and usage, but webhooks have some thirty statements more, and
//! all of them would exist twice.
use std::{fmt, path::Path, str::FromStr, time::Duration};

use crate::{
    store::Checkup,
    values::{Error, Result, SecretHash},
};

/// Some work with a database.
pub type Work<'w> = &'w mut dyn FnMut(&dyn Session) -> Result<()>;

/// A database with the tables of the accounts.
///
/// A program whose accounts are not in a file implements this, and passes it to
/// [`Accounts::with_store`](crate::accounts::Accounts::with_store).
pub trait Store: fmt::Debug + Send + Sync {
    /// Reads. Waits for other connections no longer than `wait`.
    fn read(&self, wait: Duration, work: Work<'_>) -> Result<()>;

    /// Reads everything as of one moment, even if other connections write meanwhile.
    fn read_at_once(&self, wait: Duration, work: Work<'_>) -> Result<()>;

    /// Runs `work` in one transaction, one after another. When this returns, it is on disk; if this fails, nothing was
    /// written, unless the answer to the commit was lost.
    fn write(&self, wait: Duration, work: Work<'_>) -> Result<()>;

    /// As [`write`](Store::write), but skips a batch that is already written: the answer to its commit may have been lost.
    ///
    /// A database that never loses that answer need not implement it.
    fn write_batch(&self, wait: Duration, _batch: &Batch, work: Work<'_>) -> Result<()> {
        self.write(wait, work)
    }

    /// Fails with [`Error::Unavailable`] or [`Error::Busy`] if the database cannot be used now. Called often.
    fn verify(&self) -> Result<()>;

    /// Looks for damage, and returns a sentence for each; none if the database checks that itself.
    fn quick_check(&self) -> Result<Vec<String>>;

    /// Checks the whole database for damage, and counts its rows.
    fn check(&self) -> Result<Checkup>;

    /// The file, if it is one.
    fn path(&self) -> Option<&Path> {
        None
    }
}

/// Identifies rows that are written together: the batches of a writer are numbered in order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Batch {
    /// The writer: one process, from its start to its end.
    pub writer: String,
    /// The number of the batch.
    pub number: u64,
}

/// A connection to the database, in a transaction or not.
pub trait Session {
    /// Runs a statement; returns the number of rows it changed.
    fn execute(&self, sql: &'static str, values: &[Value<'_>]) -> Result<usize>;

    /// Runs a statement, and returns its rows.
    fn query(&self, sql: &'static str, values: &[Value<'_>]) -> Result<Vec<Row>>;

    /// Inserts rows, in any order, with a statement for one of them: its parameters are those after `VALUES`, in order.
    fn insert_each(&self, sql: &'static str, rows: &[Vec<Value<'_>>]) -> Result<()> {
        rows.iter().try_for_each(|row| self.execute(sql, row).map(drop))
    }

    /// Returns `true` if a batch was [written](Store::write_batch) although the answer to its commit was lost.
    fn has_batch(&self, _batch: &Batch) -> Result<bool> {
        Ok(false)
    }

    /// Makes new rows get numbers after the highest one in their table.
    fn continue_numbering(&self) -> Result<()> {
        Ok(())
    }
}

impl dyn Session + '_ {
    /// The first row, if there is one.
    pub(crate) fn first(&self, sql: &'static str, values: &[Value<'_>]) -> Result<Option<Row>> {
        Ok(self.query(sql, values)?.into_iter().next())
    }

    /// The whole number that a statement returns.
    pub(crate) fn number(&self, sql: &'static str, values: &[Value<'_>]) -> Result<i64> {
        let row = self.first(sql, values)?;
        row.ok_or_else(|| Error::storage("cannot read the accounts", "a number is missing"))?.get(0)
    }
}

/// Runs `work` once in a store, and returns its result.
pub(crate) fn run_once<T>(
    work: impl FnOnce(&dyn Session) -> Result<T>,
    run: impl FnOnce(Work<'_>) -> Result<()>,
) -> Result<T> {
    let (mut work, mut done) = (Some(work), None);
    run(&mut |session| {
        if let Some(work) = work.take() {
            done = Some(work(session)?);
        }
        Ok(())
    })?;
    done.ok_or_else(|| Error::storage("cannot use the accounts", "the store did nothing"))
}

/// A value for a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'v> {
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// Text.
    Text(&'v str),
    /// Bytes.
    Blob(&'v [u8]),
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Value::Integer(number)
    }
}

impl From<u32> for Value<'_> {
    fn from(number: u32) -> Self {
        Value::Integer(number.into())
    }
}

impl From<u16> for Value<'_> {
    fn from(number: u16) -> Self {
        Value::Integer(number.into())
    }
}

impl From<usize> for Value<'_> {
    fn from(number: usize) -> Self {
        Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl<'v> From<&'v str> for Value<'v> {
    fn from(text: &'v str) -> Self {
        Value::Text(text)
    }
}

impl<'v> From<&'v String> for Value<'v> {
    fn from(text: &'v String) -> Self {
        Value::Text(text)
    }
}

impl<'v> From<&'v [u8]> for Value<'v> {
    fn from(bytes: &'v [u8]) -> Self {
        Value::Blob(bytes)
    }
}

impl<'v> From<&'v SecretHash> for Value<'v> {
    fn from(hash: &'v SecretHash) -> Self {
        Value::Blob(&hash.0)
    }
}

impl<'v, T: Into<Value<'v>>> From<Option<T>> for Value<'v> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

/// The values of a statement's parameters.
macro_rules! values {
    ($($value:expr),* $(,)?) => {
        &[$($crate::accounts::store::Value::from($value)),*]
    };
}
pub(crate) use values;

/// A row that a statement returned.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row(Vec<Cell>);

/// A value of a row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cell {
    /// Nothing.
    Null,
    /// A whole number; 0 or 1 for what is false or true.
    Integer(i64),
    /// Text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

impl Cell {
    fn value(&self) -> Value<'_> {
        match self {
            Cell::Null => Value::Null,
            Cell::Integer(number) => Value::Integer(*number),
            Cell::Text(text) => Value::Text(text),
            Cell::Blob(bytes) => Value::Blob(bytes),
        }
    }
}

impl Row {
    /// A row of these values.
    #[must_use]
    pub fn new(cells: Vec<Cell>) -> Row {
        Row(cells)
    }

    /// The values.
    #[must_use]
    pub fn cells(&self) -> &[Cell] {
        &self.0
    }

    /// The value of a column.
    pub(crate) fn get<T: FromCell>(&self, column: usize) -> Result<T> {
        self.0.get(column).and_then(T::from_cell).ok_or_else(|| corrupt_value(column))
    }

    /// The text of a column.
    pub(crate) fn text(&self, column: usize) -> Result<&str> {
        match self.0.get(column) {
            Some(Cell::Text(text)) => Ok(text),
            _ => Err(corrupt_value(column)),
        }
    }

    /// The value that the text of a column stands for.
    pub(crate) fn parse<T: FromStr>(&self, column: usize) -> Result<T> {
        self.text(column)?.parse().map_err(|_| corrupt_value(column))
    }

    /// The values, as parameters of another statement.
    pub(crate) fn values(&self) -> Vec<Value<'_>> {
        self.0.iter().map(Cell::value).collect()
    }
}

/// The database is damaged, or another program has written a value that this one does not know.
fn corrupt_value(column: usize) -> Error {
    let context = format!("column {} of the accounts has a value that cannot be read", column + 1);
    Error::unavailable(context, "restore a backup")
}

/// A type that a value of a row can be read as.
pub(crate) trait FromCell: Sized {
    fn from_cell(cell: &Cell) -> Option<Self>;
}

impl FromCell for i64 {
    fn from_cell(cell: &Cell) -> Option<i64> {
        if let Cell::Integer(number) = cell { Some(*number) } else { None }
    }
}

impl FromCell for u32 {
    fn from_cell(cell: &Cell) -> Option<u32> {
        i64::from_cell(cell)?.try_into().ok()
    }
}

impl FromCell for u16 {
    fn from_cell(cell: &Cell) -> Option<u16> {
        i64::from_cell(cell)?.try_into().ok()
    }
}

impl FromCell for bool {
    fn from_cell(cell: &Cell) -> Option<bool> {
        Some(i64::from_cell(cell)? != 0)
    }
}

impl FromCell for String {
    fn from_cell(cell: &Cell) -> Option<String> {
        if let Cell::Text(text) = cell { Some(text.clone()) } else { None }
    }
}

impl FromCell for SecretHash {
    fn from_cell(cell: &Cell) -> Option<SecretHash> {
        if let Cell::Blob(bytes) = cell {
            bytes.as_slice().try_into().ok().map(SecretHash)
        } else {
            None
        }
    }
}

impl FromCell for Vec<u8> {
    fn from_cell(cell: &Cell) -> Option<Vec<u8>> {
        if let Cell::Blob(bytes) = cell { Some(bytes.clone()) } else { None }
    }
}

impl<T: FromCell> FromCell for Option<T> {
    fn from_cell(cell: &Cell) -> Option<Option<T>> {
        if *cell == Cell::Null { Some(None) } else { T::from_cell(cell).map(Some) }
    }
}
