//! How many rows each dataset has, and how new they are.
use rusqlite::Row;

use crate::{
    answers::Span,
    catalogue::Snapshot,
    error::Result,
    market::{
        freshness::{StoredSeries, stored_series},
        holes::{self, Figures},
    },
    sqlite::parsed,
    types::{Currency, Date, FilingId, Form, last_key},
};

/// The part of the status that takes time to compute. It depends on the data and the date only.
#[derive(Debug)]
pub(super) struct RowCounts {
    pub(super) series: Vec<StoredSeries>,
    /// The holes of series, by number; and of the dollar.
    pub(super) series_holes: Vec<(u32, Vec<Span>)>,
    pub(super) quote_holes: Vec<Span>,
    /// The number of exchange rates with both sides.
    pub(super) quotes: u64,
    /// The day of the first one of the dollar.
    pub(super) first_quote: Option<Date>,
    pub(super) companies: u64,
    /// Those of every form, in the order of [`Form::ALL`].
    pub(super) filings: Vec<StoredForm>,
}

/// The filings of a form, up to the snapshot's date.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoredForm {
    pub(super) rows: u64,
    pub(super) first: Option<Date>,
    pub(super) newest: Option<Date>,
}

impl RowCounts {
    pub(super) fn read(snapshot: &Snapshot) -> Result<RowCounts> {
        const QUOTES: &str =
            "SELECT COUNT(*) FROM fx WHERE date <= ?1 AND buy IS NOT NULL AND sell IS NOT NULL";
        const FIRST_QUOTE: &str = "SELECT date FROM fx WHERE currency = 'USD'
            AND buy IS NOT NULL AND sell IS NOT NULL ORDER BY date LIMIT 1";
        const COMPANIES: &str = "SELECT COUNT(*) FROM company";
        let counts = RowCounts {
            series: stored_series(snapshot)?,
            series_holes: holes::of_all_series(snapshot)?,
            quote_holes: holes::holes(snapshot, Figures::Quotes(Currency::USD))?,
            quotes: snapshot.count(QUOTES, [snapshot.today().to_string()])?,
            first_quote: snapshot.first(FIRST_QUOTE, [], |row| parsed(row, 0))?,
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
