//! The HTTP validators of imported files, and how synchronising with their publishers went.
//!
//! The library downloads nothing. A program that does remembers the [`Validators`] of every file together with
//! the import of that file ([`Import::remember_download`](crate::import::Import::remember_download)), so that a crash can never leave one
//! without the other, and requests a file again only if it has changed. [`record_sync`] records how each attempt went.
use chrono::{DateTime, Utc};

use crate::{
    store::{Catalogue, Snapshot, Writer, writer::timestamp},
    values::{Date, Result},
};

/// The values by which a request finds out whether a file has changed at its publisher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validators {
    /// The `ETag` of the response, if it had one.
    pub etag: Option<String>,
    /// The `Last-Modified` of the response, if it had one.
    pub modified: Option<String>,
    /// The SHA-256 of the content, in hexadecimal.
    pub digest: String,
}

/// The validators of the file at this address, if it was imported.
pub fn validators(snapshot: &Snapshot, url: &str) -> Result<Option<Validators>> {
    const SQL: &str = "SELECT etag, modified, digest FROM download WHERE url = ?1";
    let read = |row: &rusqlite::Row<'_>| {
        Ok(Validators { etag: row.get(0)?, modified: row.get(1)?, digest: row.get(2)? })
    };
    Ok(snapshot.rows(SQL, [url], read)?.pop())
}

/// The addresses of all imported files that start with this text, in order.
pub fn addresses(snapshot: &Snapshot, start: &str) -> Result<Vec<String>> {
    const SQL: &str = "SELECT url FROM download WHERE substr(url, 1, length(?1)) = ?1 ORDER BY url";
    snapshot.rows(SQL, [start], |row| row.get(0))
}

/// The central bank's addresses end with the last day of the request, which differs every day: only the newest address is
/// stored, or the table would grow forever.
const LAST_DAY: &str = "dataFinal";

pub(crate) fn remember(writer: &Writer, url: &str, validators: &Validators) -> Result<()> {
    const SQL: &str =
        "INSERT OR REPLACE INTO download (url, etag, modified, digest) VALUES (?1, ?2, ?3, ?4)";
    const OLD: &str = "DELETE FROM download WHERE substr(url, 1, length(?1)) = ?1";
    if let Some(end) = url.rfind(LAST_DAY) {
        writer.prepare(OLD)?.execute([&url[..end]])?;
    }
    let Validators { etag, modified, digest } = validators;
    writer.prepare(SQL)?.execute((url, etag, modified, digest))?;
    Ok(())
}

/// Forgets the validators of files whose address has this part, so that they are imported again.
pub(crate) fn forget(writer: &Writer, part: &str) -> Result<()> {
    const SQL: &str = "DELETE FROM download WHERE instr(url, ?1) > 0";
    writer.prepare(SQL)?.execute([part])?;
    Ok(())
}

/// A window of past days whose answer lacked figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncompleteWindow {
    /// The SHA-256 of the answer, in hexadecimal; empty if the publisher had no data.
    pub digest: String,
    /// The day, in Brasília, on which it was last asked for.
    pub asked_on: Date,
    /// On how many days the same answer came.
    pub days: u32,
}

/// An answer with gaps is fetched again once a day for so many days, then once a week: its source may have a gap for
/// ever.
const DAILY: u32 = 7;
const A_WEEK: u32 = 7;

impl IncompleteWindow {
    /// Whether it should be asked for again. An answer that lacks figures may be an accident of the moment, so until the
    /// same comes on another day it always should.
    #[must_use]
    pub fn is_due(&self, today: Date) -> bool {
        match self.days {
            0 | 1 if !self.digest.is_empty() => true,
            0..=DAILY => self.asked_on < today,
            _ => self.asked_on <= today.days_before(A_WEEK),
        }
    }
}

/// The window at this address, if its last answer lacked figures.
pub fn incomplete_window(snapshot: &Snapshot, url: &str) -> Result<Option<IncompleteWindow>> {
    const SQL: &str = "SELECT digest, asked_on, days FROM incomplete_window WHERE url = ?1";
    let read = |row: &rusqlite::Row<'_>| {
        Ok(IncompleteWindow { digest: row.get(0)?, asked_on: row.get(1)?, days: row.get(2)? })
    };
    Ok(snapshot.rows(SQL, [url], read)?.pop())
}

/// Records that the answer with this digest lacks figures of its window.
///
/// Waits for a running import, some seconds at most.
pub fn record_incomplete_window(
    catalogue: &Catalogue,
    now: DateTime<Utc>,
    url: &str,
    digest: &str,
) -> Result<()> {
    // A day counts once, and another answer starts anew.
    const SQL: &str =
        "INSERT INTO incomplete_window (url, digest, asked_on, days) VALUES (?1, ?2, ?3, 1)
        ON CONFLICT DO UPDATE SET digest = excluded.digest, asked_on = excluded.asked_on,
            days = CASE WHEN digest <> excluded.digest THEN 1
                        WHEN asked_on = excluded.asked_on THEN days ELSE days + 1 END";
    let writer = catalogue.write(now)?;
    writer.prepare(SQL)?.execute((url, digest, Date::in_brasilia(now).to_string()))?;
    writer.commit_unversioned()
}

/// Records that nothing is missing any more in the window at this address.
///
/// Waits for a running import, some seconds at most.
pub fn record_complete_window(catalogue: &Catalogue, now: DateTime<Utc>, url: &str) -> Result<()> {
    let writer = catalogue.write(now)?;
    writer.prepare("DELETE FROM incomplete_window WHERE url = ?1")?.execute([url])?;
    writer.commit_unversioned()
}

/// Records how synchronising a dataset went: `Ok` if it is current, or what went wrong, in words.
///
/// Waits for a running import, some seconds at most.
pub fn record_sync(
    catalogue: &Catalogue,
    now: DateTime<Utc>,
    dataset: &str,
    outcome: Result<(), &str>,
) -> Result<()> {
    const SQL: &str =
        "INSERT INTO dataset (name, tried_at, succeeded_at, error) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT DO UPDATE SET tried_at = excluded.tried_at,
            succeeded_at = COALESCE(excluded.succeeded_at, succeeded_at), error = excluded.error";
    let writer = catalogue.write(now)?;
    let time = timestamp(now);
    let succeeded = outcome.is_ok().then_some(&time);
    writer.prepare(SQL)?.execute((dataset, &time, succeeded, outcome.err()))?;
    writer.commit_unversioned()
}

/// Records that synchronising a dataset was attempted and nothing went wrong, though its source has no file by which it
/// would be known to be current.
///
/// Waits for a running import, some seconds at most.
pub fn record_attempt(catalogue: &Catalogue, now: DateTime<Utc>, dataset: &str) -> Result<()> {
    const SQL: &str = "INSERT INTO dataset (name, tried_at) VALUES (?1, ?2)
        ON CONFLICT DO UPDATE SET tried_at = excluded.tried_at, error = NULL";
    let writer = catalogue.write(now)?;
    writer.prepare(SQL)?.execute((dataset, timestamp(now)))?;
    writer.commit_unversioned()
}

/// Notes on a file of a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileNotes<'a> {
    /// The name of the file.
    pub file: &'a str,
    /// The number of rows that were left out.
    pub left_out: usize,
    /// Sentences.
    pub notes: &'a [String],
}

impl<'a> FileNotes<'a> {
    /// Sentences about a file of which no row was left out.
    #[must_use]
    pub fn new(file: &'a str, notes: &'a [String]) -> FileNotes<'a> {
        FileNotes { file, left_out: 0, notes }
    }
}

/// Files of one dataset whose notes are kept: CVM has one a year, and the bulletins of single days would never end.
const FILES_WITH_NOTES: u32 = 20;

/// Records notes in place of those that the file had, for the status of the dataset. Imports do it by themselves.
///
/// Waits for a running import, some seconds at most.
pub fn record_notes(
    catalogue: &Catalogue,
    now: DateTime<Utc>,
    dataset: &str,
    notes: FileNotes<'_>,
) -> Result<()> {
    let writer = catalogue.write(now)?;
    write_notes(&writer, dataset, notes)?;
    writer.commit_unversioned()
}

/// Whether the status of a dataset has notes on this file.
pub fn has_notes(snapshot: &Snapshot, dataset: &str, file: &str) -> Result<bool> {
    const SQL: &str = "SELECT 1 FROM import_note WHERE dataset = ?1 AND file = ?2";
    Ok(!snapshot.rows(SQL, [dataset, file], |_| Ok(()))?.is_empty())
}

/// Records notes in the transaction of an import; returns whether they are others than before.
pub(crate) fn write_notes(writer: &Writer, dataset: &str, notes: FileNotes<'_>) -> Result<bool> {
    const SAME: &str = "SELECT 1 FROM import_note
        WHERE dataset = ?1 AND file = ?2 AND left_out = ?3 AND notes = ?4";
    const FORGET: &str = "DELETE FROM import_note WHERE dataset = ?1 AND file = ?2";
    const WRITE: &str = "INSERT OR REPLACE INTO import_note (dataset, file, time, left_out, notes)
        VALUES (?1, ?2, ?3, ?4, ?5)";
    const OLD: &str = "DELETE FROM import_note WHERE dataset = ?1 AND file NOT IN (
        SELECT file FROM import_note WHERE dataset = ?1 ORDER BY time DESC, file LIMIT ?2)";
    let FileNotes { file, left_out, notes } = notes;
    if left_out == 0 && notes.is_empty() {
        return Ok(writer.prepare(FORGET)?.execute((dataset, file))? > 0);
    }
    let left_out = i64::try_from(left_out).unwrap_or(i64::MAX);
    let one_line = |note: &String| note.replace(char::is_control, " ");
    let notes = notes.iter().map(one_line).collect::<Vec<_>>().join("\n");
    if writer.prepare(SAME)?.exists((dataset, file, left_out, &notes))? {
        return Ok(false);
    }
    let time = timestamp(writer.now());
    writer.prepare(WRITE)?.execute((dataset, file, time, left_out, notes))?;
    writer.prepare(OLD)?.execute((dataset, FILES_WITH_NOTES))?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use crate::calendar::freshness;

    use super::*;
    use crate::import::Import;

    fn empty() -> (tempfile::TempDir, Catalogue, DateTime<Utc>) {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
        (dir, catalogue, "2026-11-15T12:00:00Z".parse().unwrap())
    }

    fn snapshot(catalogue: &Catalogue) -> Snapshot {
        catalogue.snapshot("2026-11-15".parse().unwrap()).unwrap()
    }

    #[test]
    fn keeps_one_address_for_each_first_day() {
        let (_dir, catalogue, now) = empty();
        let remember = |url: &str, digest: &str| {
            let mut import = Import::begin(&catalogue, now).unwrap();
            let digest = digest.to_owned();
            import
                .remember_download(url, &Validators { etag: None, modified: None, digest })
                .unwrap();
            import.commit().unwrap();
        };
        let address =
            |first, last| format!("http://a/sgs.1/dados?dataInicial={first}&dataFinal={last}");
        remember(&address("01/01/2010", "31/12/2018"), "a");
        remember(&address("01/01/2026", "14/11/2026"), "b");
        remember(&address("01/01/2026", "15/11/2026"), "c");
        remember("http://a/sgs.11/dados", "d");
        let known_addresses = addresses(&snapshot(&catalogue), "http://a/sgs.1/").unwrap();
        let wanted = [address("01/01/2010", "31/12/2018"), address("01/01/2026", "15/11/2026")];
        assert_eq!(known_addresses, wanted);
        assert_eq!(validators(&snapshot(&catalogue), &wanted[1]).unwrap().unwrap().digest, "c");
        assert_eq!(validators(&snapshot(&catalogue), "http://a/sgs.2/").unwrap(), None);
    }

    #[test]
    fn an_incomplete_window_is_asked_for_less_and_less_often() {
        let (_dir, catalogue, now) = empty();
        let url = "http://a/sgs.1/dados?dataInicial=01/01/2010&dataFinal=31/12/2018";
        let known = || incomplete_window(&snapshot(&catalogue), url).unwrap().unwrap();
        let after = |days: i64| now + chrono::TimeDelta::days(days);
        let is_due = |days| known().is_due(Date::in_brasilia(after(days)));
        let record = |days, digest| {
            record_incomplete_window(&catalogue, after(days), url, digest).unwrap();
        };
        // A part of the window: again in the next run, once a day after the same came on another day, then once a week.
        record(0, "part");
        record(0, "part");
        assert!(known().days == 1 && is_due(0));
        record(1, "part");
        assert!(known().days == 2 && !is_due(1) && is_due(2));
        for day in 2..=7 {
            record(day, "part");
        }
        assert!(known().days == 8 && !is_due(8) && !is_due(13) && is_due(14));
        record(14, "another part");
        assert!(known().days == 1 && is_due(14));
        // Nothing at all: on another day.
        record(15, "");
        assert!(!is_due(15) && is_due(16));
        record_complete_window(&catalogue, after(16), url).unwrap();
        assert_eq!(incomplete_window(&snapshot(&catalogue), url).unwrap(), None);
    }

    #[test]
    fn a_failure_leaves_the_last_success() {
        let (_dir, catalogue, now) = empty();
        let later = now + chrono::TimeDelta::hours(1);
        assert_eq!(freshness::sync_record(&snapshot(&catalogue), "fx").unwrap().tried_at, None);
        record_sync(&catalogue, now, "fx", Ok(())).unwrap();
        record_sync(&catalogue, later, "fx", Err("the server answered 500")).unwrap();
        let went = freshness::sync_record(&snapshot(&catalogue), "fx").unwrap();
        assert_eq!((went.tried_at, went.succeeded_at), (Some(later), Some(now)));
        assert_eq!(went.error.as_deref(), Some("the server answered 500"));
        let latest = later + chrono::TimeDelta::hours(1);
        record_attempt(&catalogue, latest, "fx").unwrap();
        let went = freshness::sync_record(&snapshot(&catalogue), "fx").unwrap();
        assert_eq!((went.tried_at, went.succeeded_at, went.error), (Some(latest), Some(now), None));
        record_sync(&catalogue, later, "fx", Ok(())).unwrap();
        let went = freshness::sync_record(&snapshot(&catalogue), "fx").unwrap();
        assert_eq!((went.succeeded_at, went.error), (Some(later), None));
    }

    #[test]
    fn keeps_the_notes_of_the_last_files() {
        let (_dir, catalogue, now) = empty();
        let told = |file: &str, left_out, notes: &[&str], minutes| {
            let notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
            let notes = FileNotes { file, left_out, notes: &notes };
            let now = now + chrono::TimeDelta::minutes(minutes);
            record_notes(&catalogue, now, "fx", notes).unwrap();
            let record = freshness::sync_record(&snapshot(&catalogue), "fx").unwrap();
            (record.left_out, record.notes)
        };
        let lines = |lines: &[&str]| lines.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            told("a.csv", 2, &["one", "t\nwo"], 0),
            (2, lines(&["a.csv: one", "a.csv: t wo"]))
        );
        assert_eq!(told("b.csv", 1, &["three"], 1).0, 3);
        // A file without notes has none any more, and the newest file comes first.
        assert_eq!(told("a.csv", 0, &[], 2), (1, lines(&["b.csv: three"])));
        for day in 0..30 {
            told(&format!("day {day:02}.csv"), 1, &["odd"], 3 + day);
        }
        let (left_out, notes) = told("day 29.csv", 1, &["odd"], 40);
        assert_eq!((left_out, notes.len(), &*notes[0]), (20, 20, "day 29.csv: odd"));
    }
}
