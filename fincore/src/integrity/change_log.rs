//! Checks and repairs the change log, the version numbers of the catalogue, and the times of its datasets.
use chrono::{DateTime, Utc};
use rusqlite::Row;

use super::findings::{Findings, Noun, display_value};
use crate::{
    catalogue::{Change, Writer},
    error::Result,
};

const CHANGE: Noun = ("logged change", "logged changes");
const REVISION: Noun = ("data version", "data versions");
const NUMBER: Noun = ("number of the catalogue", "numbers of the catalogue");
const DATASET: Noun = ("dataset", "datasets");

/// Finds everything that is wrong.
pub(super) fn check(writer: &Writer, findings: &mut Findings) -> Result<()> {
    for (version, noun, fault) in bad_versions(writer)? {
        findings.add(noun, fault, format_args!("version {version}"));
    }
    for name in bad_numbers(writer)? {
        findings.add(NUMBER, "that is missing or cannot be read", name);
    }
    for (name, _) in bad_times(writer)? {
        findings.add(DATASET, "with a time that cannot be read", name);
    }
    Ok(())
}

/// Shortens the log to the versions that can be relied on, and corrects the numbers.
pub(super) fn repair(writer: &Writer) -> Result<()> {
    const CHANGES: &str = "DELETE FROM change WHERE version <= ?1 OR version > ?2";
    const REVISIONS: &str = "DELETE FROM revision WHERE version <= ?1 OR version > ?2";
    const TIMES: &str = "UPDATE dataset SET updated_at = NULL, tried_at = NULL, succeeded_at = NULL
        WHERE name = CAST(?1 AS TEXT)";
    let before = writer.version() - 1;
    let newest_bad = bad_versions(writer)?.into_iter().map(|(version, ..)| version).max();
    let after = writer.meta(CHANGES_AFTER).ok().flatten().and_then(|text| text.parse().ok());
    let after = after.filter(|after| (0..=before).contains(after));
    // A log whose start is unknown starts at the present version.
    let start = after.unwrap_or(before).max(newest_bad.unwrap_or_default()).min(before);
    if Some(start) != after {
        for sql in [CHANGES, REVISIONS] {
            writer.prepare(sql)?.execute((start, before))?;
        }
        writer.set_meta(CHANGES_AFTER, &start.to_string())?;
    }
    for (_, name) in bad_times(writer)? {
        writer.prepare(TIMES)?.execute([name])?;
    }
    Ok(())
}

const CHANGES_AFTER: &str = "changes_after";

/// Versions whose part of the log cannot be relied on.
fn bad_versions(writer: &Writer) -> Result<Vec<(i64, Noun, &'static str)>> {
    const CHANGES: &str = "SELECT version, kind, time IS NULL, dataset, key
        FROM main.change LEFT JOIN main.revision USING (version)";
    const REVISIONS: &str = "SELECT version, time FROM main.revision";
    let mut bad = Vec::new();
    let mut statement = writer.prepare(CHANGES)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let unreadable = |column| row.get_ref(column).is_ok_and(|text| text.as_str().is_err());
        let fault = if Change::of_code(row.get(1)?).is_none() {
            "of an unknown kind"
        } else if row.get(2)? {
            "without the time of its version"
        } else if unreadable(3) || unreadable(4) {
            "whose name cannot be read"
        } else {
            continue;
        };
        bad.push((row.get(0)?, CHANGE, fault));
    }
    let mut statement = writer.prepare(REVISIONS)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if !is_time(row, 1) {
            bad.push((row.get(0)?, REVISION, "whose time cannot be read"));
        }
    }
    Ok(bad)
}

/// The names of numbers that are wrong.
fn bad_numbers(writer: &Writer) -> Result<Vec<&'static str>> {
    const LOGGED: &str = "SELECT COALESCE(MAX(version), 0) FROM main.revision";
    let logged: i64 = writer.prepare(LOGGED)?.query_row([], |row| row.get(0))?;
    let number = |name| -> Option<i64> { writer.meta(name).ok()??.parse().ok() };
    let (version, after) = (number("data_version"), number(CHANGES_AFTER));
    let tag = writer.meta("data_tag").ok().flatten();
    let checks = [
        ("data_version", version.is_some_and(|version| version >= logged)),
        (CHANGES_AFTER, after.is_some_and(|after| (0..=writer.version()).contains(&after))),
        ("data_tag", tag.is_some_and(|tag| tag.bytes().all(|byte| byte.is_ascii_hexdigit()))),
    ];
    Ok(checks.into_iter().filter(|(_, right)| !right).map(|(name, _)| name).collect())
}

/// The names of datasets with a time that cannot be read: for messages, and as stored.
fn bad_times(writer: &Writer) -> Result<Vec<(String, Vec<u8>)>> {
    const SQL: &str = "SELECT name, updated_at, tried_at, succeeded_at FROM main.dataset";
    let mut statement = writer.prepare(SQL)?;
    let mut rows = statement.query([])?;
    let mut bad = Vec::new();
    while let Some(row) = rows.next()? {
        let wrong = |column: &usize| {
            !matches!(row.get_ref(*column), Ok(rusqlite::types::ValueRef::Null))
                && !is_time(row, *column)
        };
        if [1, 2, 3].iter().any(wrong) {
            let name = row.get_ref(0)?;
            bad.push((display_value(name), name.as_bytes().unwrap_or_default().to_owned()));
        }
    }
    Ok(bad)
}

fn is_time(row: &Row<'_>, column: usize) -> bool {
    let text = row.get_ref(column).ok().and_then(|value| value.as_str().ok());
    text.is_some_and(|text| text.parse::<DateTime<Utc>>().is_ok())
}
