//! The datasets of a catalogue, and how fresh each one is.
//!
//! [`status`] lists every [`Dataset`] with its newest observation, the newest that its source must have published by
//! the snapshot's date, and how synchronising it went.
//!
//! ```
//! # let dir = tempfile::tempdir().unwrap();
//! # let catalogue = fincore::bundle::filled_copy(dir.path())?;
//! let snapshot = catalogue.snapshot("2026-11-15".parse()?)?;
//! let status = fincore::datasets::status(&snapshot)?;
//! let selic = &status.data[0];
//! assert_eq!((&*selic.dataset, selic.stale), ("selic", true));
//! assert_eq!((selic.newest, selic.expected), (Some("2026-11-04".parse()?), Some("2026-11-15".parse()?)));
//! # Ok::<(), fincore::Error>(())
//! ```
use std::borrow::Cow;

use chrono::{DateTime, Utc};
use rusqlite::Row;
use serde::Serialize;

use crate::{
    answers::{LICENCE, Span},
    calendar::freshness::{self, SyncRecord},
    companies::{self, RegistryAge, company},
    filings::{coverage, filing},
    market::{
        Figures, SeriesDefinition,
        freshness::{FX, StoredSeries, expected_quote, is_stale, newest_expected, stored_series},
        holes,
        quotes::{self, newest_day},
        series_definitions::{self, DEFINITIONS},
    },
    statements::{STATEMENTS, held_forms, read},
    store::Snapshot,
    values::{Currency, Date, Error, FilingId, Form, Pair, Result, last_key},
};

/// How fresh the data is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Status {
    /// Whether any dataset is stale.
    pub stale: bool,
    /// The snapshot's date, by which that is decided.
    pub today: Date,
    /// Every dataset: Selic, CDI and IPCA, other series, exchange rates, companies, the filings of each form, statements.
    pub data: Vec<Dataset>,
    /// Their number.
    pub total: usize,
}

/// A dataset and how fresh it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Dataset {
    /// Its name in addresses, on the command line and in the change log: `selic`, `fx`. A series without a name
    /// has its number.
    pub dataset: Cow<'static, str>,
    /// The title of the dataset.
    pub name: Cow<'static, str>,
    /// The day of its oldest observation, for filings the first delivery; `None` if it is empty, and for companies.
    pub first: Option<Date>,
    /// The day of its newest observation up to the snapshot's date; `None` if it is empty. For monthly series the
    /// first day of the month, for companies the newest event, for filings the newest delivery, and for
    /// exchange rates the newest closing quote of the dollar.
    pub newest: Option<Date>,
    /// The day of the newest observation that its source must have published by now; `None` if its rhythm is not
    /// known.
    pub expected: Option<Date>,
    /// Whether `newest` is before `expected`; for filings, whether their coverage ends before.
    pub stale: bool,
    /// The days of delivery from which to which the filings of a form are complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Span>,
    /// The days or months without a figure between the first and the newest, oldest first: the newest ten such holes. For
    /// series whose rhythm is known, and for exchange rates, of which it is the dollar's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holes: Option<Vec<Span>>,
    /// When its rows last changed here.
    pub updated_at: Option<DateTime<Utc>>,
    /// When it was last synchronised with its source.
    pub last_success: Option<DateTime<Utc>>,
    /// When that was last attempted.
    pub last_attempt: Option<DateTime<Utc>>,
    /// The error of the last attempt, as a sentence.
    pub error: Option<String>,
    /// Remarks on the files that were imported last, the newest first: rows that were left out, columns that are new or
    /// missing, figures that were kept or removed. Each sentence begins with the name of the file.
    pub notes: Vec<String>,
    /// How many rows of these files were left out, but for those that always are, such as bulletins during the day.
    pub left_out: u64,
    /// The number of its rows up to the snapshot's date; of exchange rates, the quotes with both sides.
    pub rows: u64,
    /// Publisher and dataset: `BCB SGS 432`.
    pub source: Cow<'static, str>,
    /// The licence of the data, as an SPDX identifier.
    pub licence: &'static str,
}

impl Dataset {
    /// The day up to which it is held: where the coverage of filings ends, for all else the newest day.
    #[must_use]
    pub fn held_until(&self) -> Option<Date> {
        self.coverage.map(|span| span.to).or(self.newest)
    }
}

/// A text that changes with what answers say of the age of companies and filings. Seeing a file again that has not changed
/// makes them fresh without new data, so a tag of an answer needs this besides the data's own tag.
pub fn freshness_tag(snapshot: &Snapshot) -> Result<String> {
    let mut tag = String::new();
    for form in coverage::coverage(snapshot)? {
        tag.push(if form.stale { 's' } else { 'f' });
    }
    tag.push(if companies::is_stale(snapshot)? { 's' } else { 'f' });
    Ok(tag)
}

/// All datasets, each with its freshness.
///
/// The three best-known series, exchange rates, companies and filings are always listed, other series if they have
/// observations or if an attempt was made to synchronise them. Counts rows when the data or the date has changed, which takes
/// milliseconds, or a tenth of a second for a million rows; other threads wait for the result.
pub fn status(snapshot: &Snapshot) -> Result<Status> {
    let counts = &*snapshot.memo_of_rows(|_| RowCounts::read(snapshot))?;
    let mut data = Vec::new();
    for definition in DEFINITIONS.iter().filter(|series| series.quote.is_none()) {
        let held = counts.series.iter().find(|series| series.number == definition.number);
        let holes = holes::rhythm(Figures::Series(definition.number)).map(|_| {
            let found = counts.series_holes.iter().find(|(number, _)| *number == definition.number);
            newest_holes(found.map_or(&[], |(_, holes)| holes))
        });
        let dataset = defined_series(snapshot, definition, held)?;
        data.extend(dataset.map(|dataset| Dataset { holes, ..dataset }));
    }
    for series in counts
        .series
        .iter()
        .filter(|series| series_definitions::definition(series.number).is_none())
    {
        let name = Cow::Owned(format!("SGS {}", series.number));
        data.push(series_dataset(snapshot, series, name)?);
    }
    data.push(exchange_rates(snapshot, counts)?);
    data.push(companies(snapshot, counts)?);
    data.extend(filings(snapshot, counts)?);
    data.extend(statements(snapshot)?);
    let stale = data.iter().any(|dataset| dataset.stale);
    Ok(Status { stale, today: snapshot.today(), total: data.len(), data })
}

/// Series that are listed even without observations.
const ALWAYS: [&str; 3] = ["selic", "cdi", "ipca"];

fn defined_series(
    snapshot: &Snapshot,
    definition: &SeriesDefinition,
    held: Option<&StoredSeries>,
) -> Result<Option<Dataset>> {
    let (number, name) = (definition.number, definition.name);
    let tried = || Ok::<_, Error>(freshness::sync_record(snapshot, name)?.tried_at.is_some());
    let source = format!("BCB SGS {number}");
    let empty = StoredSeries { number, rows: 0, first: None, newest: None, source };
    let series = match held {
        Some(series) => series,
        None if ALWAYS.contains(&name) || tried()? => &empty,
        None => return Ok(None),
    };
    series_dataset(snapshot, series, definition.title.en.into()).map(Some)
}

fn series_dataset(
    snapshot: &Snapshot,
    series: &StoredSeries,
    name: Cow<'static, str>,
) -> Result<Dataset> {
    let dataset = series_definitions::dataset(series.number);
    let sync = freshness::sync_record(snapshot, &dataset)?;
    let rows = DatasetRows {
        first: series.first,
        newest: series.newest,
        expected: newest_expected(snapshot, series.number)?,
        rows: series.rows,
    };
    Ok(rows.dataset(dataset, name, series.source.clone().into(), sync))
}

fn exchange_rates(snapshot: &Snapshot, counts: &RowCounts) -> Result<Dataset> {
    let rows = DatasetRows {
        first: counts.first_quote,
        newest: newest_day(snapshot, Pair::default())?,
        expected: Some(expected_quote(snapshot.today())),
        rows: counts.quotes,
    };
    let sync = freshness::sync_record(snapshot, FX)?;
    let dataset =
        rows.dataset(FX.into(), "Exchange rates, PTAX closing".into(), quotes::PTAX.into(), sync);
    Ok(Dataset { holes: Some(newest_holes(&counts.quote_holes)), ..dataset })
}

/// The most holes of a dataset that are listed.
const MOST_HOLES: usize = 10;

fn newest_holes(holes: &[Span]) -> Vec<Span> {
    holes[holes.len().saturating_sub(MOST_HOLES)..].to_vec()
}

/// The registry of companies.
fn companies(snapshot: &Snapshot, counts: &RowCounts) -> Result<Dataset> {
    const DATASET: &str = company::DATASET;
    let RegistryAge { newest, expected } = RegistryAge::read(snapshot)?;
    let sync = freshness::sync_record(snapshot, DATASET)?;
    let rows =
        DatasetRows { first: None, newest, expected: Some(expected), rows: counts.companies };
    Ok(rows.dataset(DATASET.into(), "Public companies".into(), company::SOURCE.into(), sync))
}

/// The filings of each form.
fn filings(snapshot: &Snapshot, counts: &RowCounts) -> Result<Vec<Dataset>> {
    let coverage = coverage::coverage(snapshot)?;
    let mut datasets = Vec::with_capacity(coverage.len());
    for (held, stored) in coverage.into_iter().zip(&counts.filings) {
        let rows = DatasetRows {
            first: stored.first,
            newest: stored.newest,
            expected: Some(held.expected),
            rows: stored.rows,
        };
        let name = held.form.dataset();
        let sync = freshness::sync_record(snapshot, name)?;
        let dataset =
            rows.dataset(name.into(), title(held.form).into(), filing::SOURCE.into(), sync);
        datasets.push(Dataset { stale: held.stale, coverage: held.span, ..dataset });
    }
    Ok(datasets)
}

/// Financial statements, if any are held: their forms, by the ends of their periods. When companies deliver them differs, so
/// none is expected by a day; the filings of the forms tell their age.
fn statements(snapshot: &Snapshot) -> Result<Option<Dataset>> {
    let (rows, first, newest) = held_forms(snapshot)?;
    if rows == 0 {
        return Ok(None);
    }
    let rows = DatasetRows { first, newest, expected: None, rows };
    let sync = freshness::sync_record(snapshot, STATEMENTS)?;
    let name = "Lines of financial statements (DFP, ITR)".into();
    Ok(Some(rows.dataset(STATEMENTS.into(), name, read::SOURCE.into(), sync)))
}

fn title(form: Form) -> &'static str {
    match form {
        Form::Ipe => "Notices, minutes and other event documents (IPE)",
        Form::Dfp => "Annual financial statements (DFP)",
        Form::Itr => "Quarterly financial statements (ITR)",
        Form::Fre => "Reference forms (FRE)",
        Form::Fca => "Registration forms (FCA)",
    }
}

/// How many rows a dataset has, how new they are, and how new they should be.
struct DatasetRows {
    first: Option<Date>,
    newest: Option<Date>,
    expected: Option<Date>,
    rows: u64,
}

impl DatasetRows {
    /// The dataset that has these rows.
    fn dataset(
        self,
        dataset: Cow<'static, str>,
        name: Cow<'static, str>,
        source: Cow<'static, str>,
        sync: SyncRecord,
    ) -> Dataset {
        let DatasetRows { first, newest, expected, rows } = self;
        Dataset {
            dataset,
            name,
            first,
            newest,
            expected,
            stale: is_stale(newest, expected),
            coverage: None,
            holes: None,
            updated_at: sync.updated_at,
            last_success: sync.succeeded_at,
            last_attempt: sync.tried_at,
            error: sync.error,
            notes: sync.notes,
            left_out: sync.left_out,
            rows,
            source,
            licence: LICENCE,
        }
    }
}

/// The part of the status that takes time to compute. It depends on the data and the date only.
#[derive(Debug)]
pub(crate) struct RowCounts {
    pub(crate) series: Vec<StoredSeries>,
    /// The holes of series, by number; and of the dollar.
    pub(crate) series_holes: Vec<(u32, Vec<Span>)>,
    pub(crate) quote_holes: Vec<Span>,
    /// The number of exchange rates with both sides.
    pub(crate) quotes: u64,
    /// The day of the first one of the dollar.
    pub(crate) first_quote: Option<Date>,
    pub(crate) companies: u64,
    /// Those of every form, in the order of [`Form::ALL`].
    pub(crate) filings: Vec<StoredForm>,
}

/// The filings of a form, up to the snapshot's date.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredForm {
    pub(crate) rows: u64,
    pub(crate) first: Option<Date>,
    pub(crate) newest: Option<Date>,
}

impl RowCounts {
    pub(crate) fn read(snapshot: &Snapshot) -> Result<RowCounts> {
        const QUOTES: &str =
            "SELECT COUNT(*) FROM fx WHERE date <= ?1 AND buy IS NOT NULL AND sell IS NOT NULL";
        const FIRST_QUOTE: &str = "SELECT date FROM fx WHERE currency = 'USD'
            AND buy IS NOT NULL AND sell IS NOT NULL ORDER BY date LIMIT 1";
        const COMPANIES: &str = "SELECT COUNT(*) FROM company";
        let counts = RowCounts {
            series: stored_series(snapshot)?,
            series_holes: holes::of_all_series(snapshot)?,
            quote_holes: holes::holes(snapshot, Figures::Quotes(Currency::USD))?,
            quotes: snapshot.count(QUOTES, [snapshot.today()])?,
            first_quote: snapshot.first(FIRST_QUOTE, [], |row| row.get(0))?,
            companies: snapshot.count(COMPANIES, [])?,
            filings: stored_forms(snapshot)?,
        };
        // The pages that were counted are not needed again.
        snapshot.release_memory()?;
        Ok(counts)
    }
}

/// The filings of each form. Event documents are nearly all of them, so they are what the other forms leave of all: that
/// takes a tenth of the time of counting them.
fn stored_forms(snapshot: &Snapshot) -> Result<Vec<StoredForm>> {
    // Only the index of ids is read.
    const FORM: &str = "SELECT COUNT(*), MIN(key), MAX(key) FROM filing INDEXED BY filing_by_id
        WHERE id BETWEEN ?1 AND ?2 AND key <= ?3";
    const REST: &str = "SELECT
        (SELECT COUNT(*) FROM filing) - (SELECT COUNT(*) FROM filing WHERE key > ?3) - ?4,
        (SELECT key FROM filing WHERE key <= ?3 AND id BETWEEN ?1 AND ?2 ORDER BY key LIMIT 1),
        (SELECT key FROM filing WHERE key <= ?3 AND id BETWEEN ?1 AND ?2 ORDER BY key DESC LIMIT 1)";
    let today = last_key(snapshot.today());
    let mut forms = Vec::with_capacity(Form::ALL.len());
    for form in Form::ALL.into_iter().filter(|form| *form != Form::Ipe) {
        let (first, last) = form.id_bits();
        let stored = snapshot.rows(FORM, (first, last, today), stored_form)?;
        forms.extend(stored.into_iter().map(|stored| (form, stored)));
    }
    let others: u64 = forms.iter().map(|(_, stored)| stored.rows).sum();
    let (first, last) = Form::Ipe.id_bits();
    let rest = snapshot.rows(REST, (first, last, today, others.cast_signed()), stored_form)?;
    forms.extend(rest.into_iter().map(|stored| (Form::Ipe, stored)));
    let of = |form: Form| forms.iter().find(|(other, _)| *other == form).map(|(_, stored)| *stored);
    Ok(Form::ALL.into_iter().filter_map(of).collect())
}

fn stored_form(row: &Row<'_>) -> rusqlite::Result<StoredForm> {
    let day = |key: Option<i64>| key.and_then(FilingId::of_key).map(|(_, day)| day);
    Ok(StoredForm {
        rows: row.get::<_, i64>(0)?.unsigned_abs(),
        first: day(row.get(1)?),
        newest: day(row.get(2)?),
    })
}

#[cfg(test)]
mod tests;
