//! From when to when the filings of each form are complete, and whether newer ones are due.
//!
//! CVM publishes one file for each form and year. What was seen of a whole file counts; a few newer filings do not, because
//! those between them and the last whole file may be missing.
use std::collections::BTreeMap;

use roaring::RoaringTreemap;
use rusqlite::Row;

use crate::{
    answers::{Meta, Span},
    calendar::{PublicationSchedule, freshness},
    filings::{
        NewFiling,
        filing::{DATASET, SOURCE},
    },
    store::{Snapshot, Writer},
    values::{Date, Form, Result, first_key, last_key},
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
    /// True if newer filings are due.
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
    snapshot.memo_of_day(|_| read_coverage(snapshot)).map(|forms| *forms)
}

fn read_coverage(snapshot: &Snapshot) -> Result<[FormCoverage; 5]> {
    let files = read_files(snapshot)?;
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
            first: row.get(2)?,
            last: row.get(3)?,
            seen_on: row.get(4)?,
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

/// CVM has one file of each form and year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileOfYear {
    pub(crate) form: Form,
    pub(crate) year: u16,
}

/// The extent of a file for one form and year, as far as it was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FileExtent {
    /// The numbers of its filings.
    pub(crate) ids: RoaringTreemap,
    first: Date,
    pub(crate) last: Date,
}

#[derive(Debug, Default)]
pub(crate) struct FileExtents(BTreeMap<FileOfYear, FileExtent>);

/// The fewest filings that a whole file has.
const FEWEST: u64 = 10;

/// Of so many hundredths of the stored filings a file may know nothing and still be whole: CVM withdraws a few.
const WITHDRAWN: u64 = 2;

impl FileExtents {
    /// Adds a filing. CVM's files have the event documents that were delivered in a year, and the periodic forms about it.
    pub(crate) fn add(&mut self, filing: &NewFiling<'_>) {
        let (form, date) = (filing.id.form(), filing.date);
        let year = match form {
            Form::Ipe => date,
            Form::Dfp | Form::Itr | Form::Fre | Form::Fca => filing.reference_date.unwrap_or(date),
        };
        let new = || FileExtent { ids: RoaringTreemap::new(), first: date, last: date };
        let extent = self.0.entry(FileOfYear { form, year: year.year() }).or_insert_with(new);
        extent.ids.insert(filing.id.number());
        extent.first = extent.first.min(date);
        extent.last = extent.last.max(date);
    }

    /// The form and year of which a file has most filings. Others are there because a day was mistyped.
    pub(crate) fn largest(&self) -> Option<(FileOfYear, &FileExtent)> {
        let largest = self.0.iter().max_by_key(|(_, extent)| extent.ids.len());
        largest.map(|(file, extent)| (*file, extent))
    }

    /// Records everything as whole, and as seen on its last day of delivery: the bundled data.
    pub(crate) fn record_bundled(&self, writer: &Writer) -> Result<()> {
        self.0.iter().try_for_each(|(file, extent)| record(writer, *file, extent, extent.last))
    }

    /// Records what was downloaded from CVM today, which is whole.
    pub(crate) fn record_downloaded(&self, writer: &Writer, today: Date) -> Result<()> {
        self.0.iter().try_for_each(|(file, extent)| record(writer, *file, extent, today))
    }

    /// Records what is whole by its content: it has the stored filings of its form and year, and more than a few. Returns
    /// whether any is.
    pub(crate) fn record_whole(&self, writer: &Writer, today: Date) -> Result<bool> {
        let mut any = false;
        for (file, extent) in &self.0 {
            if is_whole(writer, *file, extent, stored_filings(writer, *file)?)? {
                record(writer, *file, extent, today)?;
                any = true;
            }
        }
        Ok(any)
    }
}

/// Whether a file is whole by its content, of which so many filings are stored.
pub(crate) fn is_whole(
    writer: &Writer,
    file: FileOfYear,
    extent: &FileExtent,
    stored: u64,
) -> Result<bool> {
    const LARGEST: &str = "SELECT COALESCE(MAX(filings), 0) FROM filing_file WHERE form = ?1";
    let filings = extent.ids.len();
    if filings < FEWEST || filings * 100 < stored * (100 - WITHDRAWN) {
        return Ok(false);
    }
    // A file without the first weeks of its year, or with a tenth of another year's forms, is a part of one.
    Ok(match file.form {
        Form::Ipe => Date::new(file.year, 1, 31).is_some_and(|day| extent.first <= day),
        Form::Dfp | Form::Itr | Form::Fre | Form::Fca => {
            let largest: i64 =
                writer.prepare(LARGEST)?.query_row([file.form as i64], |row| row.get(0))?;
            filings * 10 >= largest.unsigned_abs()
        }
    })
}

/// Queries the stored filings of a form and year: those between two keys, or with a reference day between two others.
fn of_file(select: &str, form: Form) -> String {
    let day = if form == Form::Ipe { "key" } else { "COALESCE(reference_day, key >> 40)" };
    format!("{select} FROM filing WHERE {day} BETWEEN ?1 AND ?2 AND id BETWEEN ?3 AND ?4")
}

/// How many filings of a form and year are stored.
pub(crate) fn stored_filings(writer: &Writer, file: FileOfYear) -> Result<u64> {
    let Some(bounds) = bounds_of(file) else { return Ok(0) };
    let sql = of_file("SELECT COUNT(*)", file.form);
    let count: i64 = writer.prepare(&sql)?.query_row(bounds, |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

/// Visits the keys of all stored filings of a form and year.
pub(crate) fn each_stored(
    writer: &Writer,
    file: FileOfYear,
    mut visit: impl FnMut(i64),
) -> Result<()> {
    let Some(bounds) = bounds_of(file) else { return Ok(()) };
    let mut statement = writer.prepare(&of_file("SELECT key", file.form))?;
    let mut rows = statement.query(bounds)?;
    while let Some(row) = rows.next()? {
        visit(row.get(0)?);
    }
    Ok(())
}

/// The first and the last of keys or days, and of ids.
fn bounds_of(FileOfYear { form, year }: FileOfYear) -> Option<(i64, i64, i64, i64)> {
    let (from, to) = Date::new(year, 1, 1).zip(Date::new(year, 12, 31))?;
    let (from, to) = match form {
        Form::Ipe => (first_key(from), last_key(to)),
        Form::Dfp | Form::Itr | Form::Fre | Form::Fca => {
            (from.day_number().into(), to.day_number().into())
        }
    };
    let (first, last) = form.id_bits();
    Some((from, to, first, last))
}

/// Records a whole file, unless it was seen later than this.
fn record(
    writer: &Writer,
    FileOfYear { form, year }: FileOfYear,
    extent: &FileExtent,
    seen_on: Date,
) -> Result<()> {
    const SQL: &str = "INSERT INTO filing_file (form, year, filings, first, last, seen_on)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT DO UPDATE SET filings = excluded.filings, first = excluded.first,
            last = excluded.last, seen_on = excluded.seen_on
        WHERE excluded.seen_on >= seen_on";
    let FileExtent { ids, first, last } = extent;
    // A later date is a typing error.
    let [first, last] = [first, last].map(|day| (*day).min(seen_on));
    let filings = ids.len().cast_signed();
    let row = (form as i64, year, filings, first, last, seen_on);
    writer.prepare(SQL)?.execute(row)?;
    Ok(())
}
