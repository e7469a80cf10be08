//! Meetings of the monetary policy committee: which of them cannot be read.
use rusqlite::{Row, types::ValueRef};

use super::{
    findings::{Findings, Noun, display_value},
    removed_rows::RemovedRows,
};
use crate::{catalogue::Writer, error::Result, types::Date};

const MEETING: Noun = ("meeting", "meetings");

/// Finds everything that is wrong.
pub(super) fn check(writer: &Writer, findings: &mut Findings) -> Result<()> {
    for (day, fault) in bad_meetings(writer)? {
        findings.add(MEETING, fault, display_value(ValueRef::Text(&day)).trim_matches('"'));
    }
    Ok(())
}

/// Removes the meetings that cannot be read; the bundled data and an import have them again.
pub(super) fn repair(writer: &Writer, removed: &mut RemovedRows) -> Result<()> {
    // A key may be no text at all, so it is given as bytes.
    const SQL: &str = "DELETE FROM copom_meeting WHERE second_day = CAST(?1 AS TEXT)";
    for (day, _) in bad_meetings(writer)? {
        writer.prepare(SQL)?.execute([&day])?;
        removed.add(format_args!("meeting {}", String::from_utf8_lossy(&day)));
    }
    Ok(())
}

/// The second day of each, as stored, and what is wrong with it.
fn bad_meetings(writer: &Writer) -> Result<Vec<(Vec<u8>, &'static str)>> {
    const SQL: &str = "SELECT first_day, second_day FROM main.copom_meeting";
    let mut statement = writer.prepare(SQL)?;
    let mut rows = statement.query([])?;
    let mut bad = Vec::new();
    while let Some(row) = rows.next()? {
        let fault = match (day(row, 0), day(row, 1)) {
            (Some(first), Some(second)) if first <= second => continue,
            (Some(_), Some(_)) => "that ends before it begins",
            (None, _) | (_, None) => "with a day that is no date",
        };
        bad.push((row.get_ref(1)?.as_bytes().unwrap_or_default().to_owned(), fault));
    }
    Ok(bad)
}

fn day(row: &Row<'_>, column: usize) -> Option<Date> {
    row.get_ref(column).ok()?.as_str().ok()?.parse().ok()
}
