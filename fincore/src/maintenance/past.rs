//! Checks and repairs the change log and what is kept of earlier data: replaced values, versions, times of imports.
use chrono::{DateTime, Utc};
use rusqlite::Row;

use crate::{
    maintenance::{Findings, Noun, findings::display_value},
    store::{Change, Writer},
    values::{Date, Decimal, Result},
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
        is_sound: |row| row.get::<_, Date>(1).is_ok() && row.get::<_, Decimal>(2).is_ok(),
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
            let is_price = |column| row.get::<_, Option<Decimal>>(column).is_ok();
            row.get::<_, Date>(1).is_ok() && is_price(2) && is_price(3)
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
pub(crate) fn check(writer: &Writer, findings: &mut Findings) -> Result<()> {
    for kind in &KINDS {
        for name in bad_rows(writer, kind)? {
            findings.add(kind.noun, kind.fault, String::from_utf8_lossy(&name));
        }
    }
    Ok(())
}

/// Removes it. What was known then is not known any more.
pub(crate) fn repair(writer: &Writer) -> Result<()> {
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

const CHANGE: Noun = ("logged change", "logged changes");
const REVISION: Noun = ("data version", "data versions");
const NUMBER: Noun = ("number of the catalogue", "numbers of the catalogue");
const DATASET: Noun = ("dataset", "datasets");

/// Finds everything that is wrong.
pub(crate) fn check_change_log(writer: &Writer, findings: &mut Findings) -> Result<()> {
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
pub(crate) fn repair_change_log(writer: &Writer) -> Result<()> {
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
