//! Sums the usage of old days by month.
use crate::{
    accounts::{Accounts, Row, Session, Value, values},
    error::Result,
    types::Date,
};

/// The most rows that one call sums, so that other writers do not wait long.
const ROWS: usize = 1_000;

/// The result of a call of [`sum_by_month`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summed {
    /// The number of daily rows added to their month.
    pub rows: usize,
    /// The position from which to call again; `None` if everything is done.
    pub next: Option<UsagePosition>,
}

/// A row of the usage: key, day and endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsagePosition {
    key: i64,
    day: String,
    endpoint: String,
}

/// Adds the usage of every day that lies in a month before that of `day` to the first day of its month. Which day it was is
/// lost; keys, endpoints and all counts stay, so that totals over whole months are what they were. One call does a bounded
/// part of it, after a position.
pub fn sum_by_month(accounts: &Accounts, day: Date, after: &UsagePosition) -> Result<Summed> {
    const SQL: &str =
        "SELECT key, date, endpoint, requests, errors, rate_limited, by_links FROM usage
        WHERE (key, date, endpoint) > (?1, ?2, ?3) AND date < ?4 AND substr(date, 9, 2) <> '01'
        ORDER BY key, date, endpoint LIMIT ?5";
    let month = day.first_of_month().to_string();
    accounts.write(|tx| {
        let UsagePosition { key, day, endpoint } = after;
        let rows = tx.query(SQL, values![*key, day, endpoint, &month, ROWS])?;
        rows.iter().try_for_each(|row| add_to_month(tx, row))?;
        let next = match rows.last() {
            Some(last) if rows.len() == ROWS => {
                Some(UsagePosition { key: last.get(0)?, day: last.get(1)?, endpoint: last.get(2)? })
            }
            Some(_) | None => None,
        };
        Ok(Summed { rows: rows.len(), next })
    })
}

fn add_to_month(tx: &dyn Session, row: &Row) -> Result<()> {
    const DAY: &str = "DELETE FROM usage WHERE key = ?1 AND date = ?2 AND endpoint = ?3";
    let (key, day, endpoint) = (row.get::<i64>(0)?, row.text(1)?, row.text(2)?);
    let first = format!("{}-01", day.get(..7).unwrap_or(day));
    let counts = (3..7).map(|column| Ok(Value::Integer(row.get::<i64>(column)?)));
    let counts = counts.collect::<Result<Vec<_>>>()?;
    let sum = [vec![key.into(), (&first).into(), endpoint.into()], counts].concat();
    tx.execute(super::ADD_COUNTS, &sum)?;
    tx.execute(DAY, values![key, day, endpoint])?;
    Ok(())
}
