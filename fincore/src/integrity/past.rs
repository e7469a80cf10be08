//! Checks and repairs what is kept of earlier data: values that were replaced, and the times of imports.
use chrono::{DateTime, Utc};
use rusqlite::Row;

use super::findings::{Findings, Noun};
use crate::{
    catalogue::Writer,
    error::Result,
    sqlite::{parsed, parsed_if_any},
    types::{Date, Decimal},
};

const VALUE: Noun = ("earlier value", "earlier values");
const QUOTE: Noun = ("earlier quote", "earlier quotes");
const TIME: Noun = ("import", "imports");

/// One kind of rows: how they are read, found to be bad, named and removed.
struct Kind {
    noun: Noun,
    fault: &'static str,
    /// The rows; the first column names one.
    select: &'static str,
    is_sound: fn(&Row<'_>) -> bool,
    /// Removes the row with this name.
    remove: &'static str,
}

const KINDS: [Kind; 3] = [
    Kind {
        noun: VALUE,
        fault: "that cannot be read",
        select: "SELECT 'SGS ' || series || ' on ' || date || ' until ' || known_until, date, value
            FROM main.past_rate",
        is_sound: |row| parsed::<Date>(row, 1).is_ok() && parsed::<Decimal>(row, 2).is_ok(),
        remove:
            "DELETE FROM past_rate
            WHERE 'SGS ' || series || ' on ' || date || ' until ' || known_until = CAST(?1 AS TEXT)",
    },
    Kind {
        noun: QUOTE,
        fault: "that cannot be read",
        select: "SELECT currency || ' on ' || date || ' until ' || known_until, date, buy, sell
            FROM main.past_fx",
        is_sound: |row| {
            let is_price = |column| parsed_if_any::<Decimal>(row, column).is_ok();
            parsed::<Date>(row, 1).is_ok() && is_price(2) && is_price(3)
        },
        remove: "DELETE FROM past_fx
            WHERE currency || ' on ' || date || ' until ' || known_until = CAST(?1 AS TEXT)",
    },
    Kind {
        noun: TIME,
        fault: "whose time cannot be read",
        select: "SELECT 'version ' || version, time FROM main.import_time",
        is_sound: |row| {
            let time: Option<DateTime<Utc>> =
                row.get::<_, String>(1).ok().and_then(|time| time.parse().ok());
            time.is_some()
        },
        remove: "DELETE FROM import_time WHERE 'version ' || version = CAST(?1 AS TEXT)",
    },
];

/// Finds everything that is wrong.
pub(super) fn check(writer: &Writer, findings: &mut Findings) -> Result<()> {
    for kind in &KINDS {
        for name in bad_rows(writer, kind)? {
            findings.add(kind.noun, kind.fault, String::from_utf8_lossy(&name));
        }
    }
    Ok(())
}

/// Removes it. What was known then is not known any more.
pub(super) fn repair(writer: &Writer) -> Result<()> {
    for kind in &KINDS {
        for name in bad_rows(writer, kind)? {
            writer.prepare(kind.remove)?.execute([name])?;
        }
    }
    Ok(())
}

/// The names of the rows that cannot be read, as bytes: they may be no text at all.
fn bad_rows(writer: &Writer, kind: &Kind) -> Result<Vec<Vec<u8>>> {
    let mut statement = writer.prepare(kind.select)?;
    let mut rows = statement.query([])?;
    let mut bad = Vec::new();
    while let Some(row) = rows.next()? {
        if !(kind.is_sound)(row) {
            bad.push(row.get_ref(0)?.as_bytes().map(<[u8]>::to_vec).unwrap_or_default());
        }
    }
    Ok(bad)
}
