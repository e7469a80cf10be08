//! The rows of companies, filings, statements and figures.
use crate::{
    answers::{
        Cell, Heading,
        table::{cells, headings},
    },
    companies::{self, Company, company},
    filings::{Filing, filing},
    publish::{RowSource, VisitRow},
    statements::{
        FINANCIALS, FormKey, Period, STATEMENTS, Scope,
        batches::{self, FigureKey, FigureRow, HEADINGS},
    },
    store::Snapshot,
    values::{CvmCode, Date, DateRange, FilingId, Form, KeyRange, Result, first_key},
};

/// Companies, ordered by code, which is their key.
#[derive(Debug, Default)]
pub(crate) struct Companies {
    /// The code of the last one that was read.
    after: u32,
}

impl Companies {
    fn code(key: u64) -> Option<CvmCode> {
        CvmCode::new(u32::try_from(key).ok()?).ok()
    }
}

impl RowSource for Companies {
    fn headings(&self) -> Vec<Heading> {
        headings::<Company>()
    }

    fn count(&self, snapshot: &Snapshot) -> Result<u64> {
        companies::count(snapshot)
    }

    fn next_rows(
        &mut self,
        snapshot: &Snapshot,
        limit: usize,
        visit: VisitRow<'_>,
    ) -> Result<bool> {
        let companies = companies::read_after(snapshot, self.after, limit)?;
        companies.iter().try_for_each(|company| visit(&cells(company)))?;
        self.after = companies.last().map_or(self.after, |company| company.id.get());
        Ok(companies.len() == limit)
    }

    fn change_log_name(&self) -> Option<String> {
        Some(company::DATASET.to_owned())
    }

    fn key(&self, _: &str, key: &str) -> Option<u64> {
        Some(key.parse::<CvmCode>().ok()?.get().into())
    }

    fn find(&self, snapshot: &Snapshot, key: u64, visit: VisitRow<'_>) -> Result<bool> {
        let Some(code) = Companies::code(key) else { return Ok(false) };
        let company = companies::with_code(snapshot, code)?;
        company.iter().try_for_each(|company| visit(&cells(company)))?;
        Ok(company.is_some())
    }

    fn removed_row(&self, key: u64) -> Vec<Cell<'static>> {
        key_cells(Companies::code(key).map(|code| [Cell::display(code)]), self.headings().len())
    }
}

/// Filings of a range of days, newest first. Their keys here are made of the id alone, because the change log has only
/// the id: the highest id comes first.
#[derive(Debug)]
pub(crate) struct Filings {
    days: DateRange,
    /// The first and last row that are not read yet, by the keys of the table.
    rows: KeyRange,
}

/// Every id has fewer bits than this.
const LAST_ID: u64 = (1 << 62) - 1;

impl Filings {
    pub(crate) fn new(days: DateRange) -> Filings {
        Filings { days, rows: KeyRange::of(days.from(), days.to()) }
    }

    fn id(key: u64) -> Option<FilingId> {
        FilingId::from_bits(i64::try_from(LAST_ID - key).ok()?)
    }
}

impl RowSource for Filings {
    fn headings(&self) -> Vec<Heading> {
        headings::<Filing>()
    }

    fn count(&self, snapshot: &Snapshot) -> Result<u64> {
        filing::count(snapshot, self.days)
    }

    fn next_rows(
        &mut self,
        snapshot: &Snapshot,
        limit: usize,
        visit: VisitRow<'_>,
    ) -> Result<bool> {
        let filings = filing::read_range(snapshot, self.rows, limit)?;
        filings.iter().try_for_each(|filing| visit(&cells(filing)))?;
        if let Some(last) = filings.last() {
            self.rows.last = (first_key(last.date) | last.id.to_bits()) - 1;
        }
        Ok(filings.len() == limit)
    }

    fn change_log_name(&self) -> Option<String> {
        Some(filing::DATASET.to_owned())
    }

    fn key(&self, _: &str, key: &str) -> Option<u64> {
        Some(LAST_ID - key.parse::<FilingId>().ok()?.to_bits().unsigned_abs())
    }

    fn find(&self, snapshot: &Snapshot, key: u64, visit: VisitRow<'_>) -> Result<bool> {
        let Some(id) = Filings::id(key) else { return Ok(false) };
        let filing = filing::find_one(snapshot, id)?;
        filing.iter().try_for_each(|filing| visit(&cells(filing)))?;
        Ok(filing.is_some())
    }

    fn removed_row(&self, key: u64) -> Vec<Cell<'static>> {
        key_cells(Filings::id(key).map(|id| [Cell::display(id)]), self.headings().len())
    }
}

// The bits of a key: the company comes first.
const DAY_BITS: u32 = 22;
const VERSION_BITS: u32 = 16;
/// Of the period and the scope, or of the form.
const KIND_BITS: u32 = 2;

/// Every value of every form. A form is the least that changes: its key stands for all its rows.
#[derive(Debug)]
pub(crate) struct Statements {
    days: DateRange,
    after: Option<FormKey>,
}

impl Statements {
    pub(crate) fn new(days: DateRange) -> Statements {
        Statements { days, after: None }
    }

    fn form(key: u64) -> Option<FormKey> {
        let version = u32::try_from(key & ((1 << VERSION_BITS) - 1)).ok()?;
        let day = (key >> VERSION_BITS) & ((1 << DAY_BITS) - 1);
        let form = (key >> (VERSION_BITS + DAY_BITS)) & ((1 << KIND_BITS) - 1);
        let company = key >> (VERSION_BITS + DAY_BITS + KIND_BITS);
        Some(FormKey {
            company: CvmCode::new(u32::try_from(company).ok()?).ok()?,
            form: if form == 0 { Form::Dfp } else { Form::Itr },
            period_end: Date::from_day_number(i32::try_from(day).ok()?)?,
            version,
        })
    }

    fn key_of(form: FormKey) -> u64 {
        let company = u64::from(form.company.get()) << (VERSION_BITS + DAY_BITS + KIND_BITS);
        let kind = u64::from(form.form == Form::Itr) << (VERSION_BITS + DAY_BITS);
        let day = u64::from(form.period_end.day_number().unsigned_abs()) << VERSION_BITS;
        company | kind | day | u64::from(form.version) & ((1 << VERSION_BITS) - 1)
    }
}

impl RowSource for Statements {
    fn headings(&self) -> Vec<Heading> {
        HEADINGS.to_vec()
    }

    fn count(&self, snapshot: &Snapshot) -> Result<u64> {
        batches::count_values(snapshot, self.days)
    }

    /// A form has thousands of rows: one at a time.
    fn next_rows(&mut self, snapshot: &Snapshot, _: usize, visit: VisitRow<'_>) -> Result<bool> {
        let Some(form) = batches::forms_after(snapshot, self.after, self.days, 1)?.pop() else {
            return Ok(false);
        };
        batches::each_value(snapshot, form, |value| visit(&value.cells()))?;
        self.after = Some(form);
        Ok(true)
    }

    fn change_log_name(&self) -> Option<String> {
        Some(STATEMENTS.to_owned())
    }

    fn key(&self, _: &str, key: &str) -> Option<u64> {
        FormKey::parse(key).map(Statements::key_of)
    }

    fn find(&self, snapshot: &Snapshot, key: u64, visit: VisitRow<'_>) -> Result<bool> {
        let Some(form) = Statements::form(key) else { return Ok(false) };
        batches::each_value(snapshot, form, |value| visit(&value.cells()))?;
        Ok(batches::values_of_form(snapshot, form)?.is_some())
    }

    fn rows_of_key(&self, snapshot: &Snapshot, key: u64) -> Result<Option<u64>> {
        let form = Statements::form(key);
        let rows = form.map(|form| batches::values_of_form(snapshot, form)).transpose()?;
        Ok(Some(rows.flatten().unwrap_or_default()))
    }

    fn removed_row(&self, key: u64) -> Vec<Cell<'static>> {
        key_cells(Statements::form(key).map(batches::form_cells), HEADINGS.len())
    }
}

/// The figures of all companies in all periods.
#[derive(Debug)]
pub(crate) struct Financials {
    days: DateRange,
    after: Option<FigureKey>,
}

impl Financials {
    pub(crate) fn new(days: DateRange) -> Financials {
        Financials { days, after: None }
    }

    fn figures(key: u64) -> Option<FigureKey> {
        let scope = if key & 1 == 0 { Scope::Consolidated } else { Scope::Individual };
        let day = (key >> 1) & ((1 << DAY_BITS) - 1);
        let period = match (key >> (1 + DAY_BITS)) & ((1 << KIND_BITS) - 1) {
            0 => Period::Annual,
            1 => Period::Quarter,
            _ => Period::TrailingTwelveMonths,
        };
        Some(FigureKey {
            company: CvmCode::new(u32::try_from(key >> (1 + DAY_BITS + KIND_BITS)).ok()?).ok()?,
            period,
            period_end: Date::from_day_number(i32::try_from(day).ok()?)?,
            scope,
        })
    }

    fn key_of(key: FigureKey) -> u64 {
        let company = u64::from(key.company.get()) << (1 + DAY_BITS + KIND_BITS);
        let period = (key.period as u64) << (1 + DAY_BITS);
        let day = u64::from(key.period_end.day_number().unsigned_abs()) << 1;
        company | period | day | key.scope as u64
    }
}

impl RowSource for Financials {
    fn headings(&self) -> Vec<Heading> {
        FigureRow::headings()
    }

    fn count(&self, snapshot: &Snapshot) -> Result<u64> {
        batches::count_figures(snapshot, self.days)
    }

    fn next_rows(
        &mut self,
        snapshot: &Snapshot,
        limit: usize,
        visit: VisitRow<'_>,
    ) -> Result<bool> {
        let rows = batches::figures_after(snapshot, self.after, self.days, limit)?;
        rows.iter().try_for_each(|row| visit(&row.cells()))?;
        self.after = rows.last().map(|row| row.key).or(self.after);
        Ok(rows.len() == limit)
    }

    fn change_log_name(&self) -> Option<String> {
        Some(FINANCIALS.to_owned())
    }

    fn key(&self, _: &str, key: &str) -> Option<u64> {
        FigureKey::parse(key).map(Financials::key_of)
    }

    fn find(&self, snapshot: &Snapshot, key: u64, visit: VisitRow<'_>) -> Result<bool> {
        let Some(key) = Financials::figures(key) else { return Ok(false) };
        let row = batches::find_figures(snapshot, key)?;
        row.iter().try_for_each(|row| visit(&row.cells()))?;
        Ok(row.is_some())
    }

    fn removed_row(&self, key: u64) -> Vec<Cell<'static>> {
        key_cells(Financials::figures(key).map(FigureKey::cells), self.headings().len())
    }
}

/// A row that has nothing but the cells of its key.
fn key_cells<const N: usize>(
    key: Option<[Cell<'static>; N]>,
    columns: usize,
) -> Vec<Cell<'static>> {
    let mut cells = key.map_or_else(Vec::new, Into::into);
    cells.resize(columns, Cell::Empty);
    cells
}
