//! From when to when the filings of each form are complete, and whether newer ones are due.
//!
//! CVM publishes one file for each form and year. What was seen of a whole file counts; a few newer filings do not, because
//! those between them and the last whole file may be missing.
use rusqlite::Row;

use crate::{
    answers::{Meta, Span},
    catalogue::Snapshot,
    error::Result,
    filings::filing::{DATASET, SOURCE},
    freshness::{self, PublicationSchedule},
    sqlite::parsed,
    types::{Date, Form},
};

/// How much of a form is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FormCoverage {
    /// The form.
    pub form: Form,
    /// The days of delivery from which to which its filings are complete: those of the newest files that were seen whole,
    /// for as many years in a row as there are. `None` without any.
    pub span: Option<Span>,
    /// The day of delivery up to which it should be complete by now.
    pub expected: Date,
    /// Whether it is not.
    pub stale: bool,
}

/// Days without a filing of a periodic form after which its newest file is doubted.
const QUIET_DAYS: u32 = 60;

/// A file is published every week; it counts as current for so many days after it was seen.
const DAYS_BETWEEN_FILES: u32 = 10;

/// Companies deliver event documents on every business day. A file that ends before the middle of December was seen
/// before its year had ended.
const LAST_WEEKS: (u8, u8) = (12, 15);

/// How much is held of every form.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let notices = fincore::filings::coverage(&snapshot)?[0];
/// let span = notices.span.unwrap();
/// assert_eq!((span.from, span.to), ("2024-01-01".parse()?, "2025-06-07".parse()?));
/// assert!(notices.stale);
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn coverage(snapshot: &Snapshot) -> Result<[FormCoverage; 5]> {
    // Only what does not depend on the day is kept: the day changes more often than the data.
    let WholeFiles(files) = &*snapshot.memo(|_| Ok(WholeFiles(read_files(snapshot)?)))?;
    let mut coverage = Vec::with_capacity(Form::ALL.len());
    for form in Form::ALL {
        let synchronised = freshness::sync_record(snapshot, form.dataset())?.succeeded_at;
        let files = files.iter().filter(|file| file.form == form);
        let run = newest_years_in_a_row(form, files);
        let seen_on = run.iter().map(|file| file.seen_on).max();
        let seen_on = seen_on.max(synchronised.map(Date::in_brasilia));
        let span = span(&run);
        let expected = newest_expected(form, snapshot.today(), span, seen_on);
        let stale = span.is_none_or(|span| span.to < expected);
        coverage.push(FormCoverage { form, span, expected, stale });
    }
    Ok(coverage.try_into().expect("one for each form"))
}

/// The source of filings, with their coverage and age.
pub(crate) fn meta(snapshot: &Snapshot) -> Result<Meta> {
    let held = coverage(snapshot)?.into_iter().filter_map(|held| Some((held, held.span?)));
    let held: Vec<(FormCoverage, Span)> = held.collect();
    Ok(Meta {
        updated_at: freshness::sync_record(snapshot, DATASET)?.updated_at,
        stale: Some(held.is_empty() || held.iter().any(|(form, _)| form.stale)),
        coverage: held.into_iter().map(|(held, span)| (held.form.name(), span)).collect(),
        ..Meta::new(SOURCE)
    })
}

struct WholeFiles(Vec<WholeFile>);

/// A file that was seen whole.
#[derive(Clone, Copy, Debug)]
struct WholeFile {
    form: Form,
    year: u16,
    first: Date,
    last: Date,
    seen_on: Date,
}

fn read_files(snapshot: &Snapshot) -> Result<Vec<WholeFile>> {
    const SQL: &str =
        "SELECT form, year, first, last, seen_on FROM filing_file ORDER BY form, year";
    let read = |row: &Row<'_>| {
        let form: u8 = row.get(0)?;
        let form = Form::ALL.get(usize::from(form));
        let form = form.ok_or_else(|| rusqlite::Error::IntegralValueOutOfRange(0, 0))?;
        Ok(WholeFile {
            form: *form,
            year: row.get(1)?,
            first: parsed(row, 2)?,
            last: parsed(row, 3)?,
            seen_on: parsed(row, 4)?,
        })
    };
    snapshot.rows(SQL, [], read)
}

/// The newest of these files, and those of the years before it without a gap.
fn newest_years_in_a_row<'f>(
    form: Form,
    files: impl DoubleEndedIterator<Item = &'f WholeFile>,
) -> Vec<&'f WholeFile> {
    let mut run: Vec<&WholeFile> = Vec::new();
    for file in files.rev() {
        let is_next = run.last().is_none_or(|newer| file.year + 1 == newer.year);
        let (month, day) = LAST_WEEKS;
        let has_ended = form != Form::Ipe
            || Date::new(file.year, month, day).is_some_and(|day| file.last >= day);
        if !is_next || !(run.is_empty() || has_ended) {
            break;
        }
        run.push(file);
    }
    run
}

fn span(files: &[&WholeFile]) -> Option<Span> {
    let from = files.iter().map(|file| file.first).min()?;
    let to = files.iter().map(|file| file.last).max()?;
    Some(Span { from, to })
}

/// The day of delivery up to which a form should be complete. Of event documents there are some on every business day; of
/// periodic forms there are none for weeks, so that a file that was seen lately is complete as it is.
fn newest_expected(form: Form, today: Date, span: Option<Span>, seen_on: Option<Date>) -> Date {
    let published = PublicationSchedule::Weekly.newest_expected(today);
    match (form, span, seen_on) {
        (Form::Ipe, ..) | (_, None, _) | (_, _, None) => published,
        (_, Some(span), Some(seen)) if seen >= today.days_before(DAYS_BETWEEN_FILES) => {
            span.to.clamp(today.days_before(QUIET_DAYS), published)
        }
        _ => published,
    }
}
