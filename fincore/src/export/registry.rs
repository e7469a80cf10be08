//! The rows of companies and filings.
use super::row_source::{RowSource, VisitRow};
use crate::{
    catalogue::Snapshot,
    companies::{self, Company},
    error::Result,
    filings::{self, Filing, batches},
    table::{Cell, Heading, cells, headings},
    types::{CvmCode, Date, DateRange, FilingId, first_key, last_key},
};

/// Companies, ordered by code, which is their key.
#[derive(Debug, Default)]
pub(super) struct Companies {
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
        Some(companies::DATASET.to_owned())
    }

    fn key(&self, _: &str, key: &str) -> Option<u64> {
        Some(key.parse::<CvmCode>().ok()?.get().into())
    }

    fn hidden_until(&self, _: u64) -> Option<Date> {
        None
    }

    fn keys_shown_after(&self, _: &Snapshot, _: Date) -> Result<Vec<u64>> {
        Ok(Vec::new())
    }

    fn find(&self, snapshot: &Snapshot, key: u64, visit: VisitRow<'_>) -> Result<bool> {
        let Some(code) = Companies::code(key) else { return Ok(false) };
        let company = companies::with_code(snapshot, code)?;
        company.iter().try_for_each(|company| visit(&cells(company)))?;
        Ok(company.is_some())
    }

    fn removed_row(&self, key: u64) -> Vec<Cell<'static>> {
        row_with_id_only(Companies::code(key).map(Cell::display), self.headings().len())
    }
}

/// Filings of a range of days, newest first. Their keys here are made of the id alone, because the change log has only
/// the id: the highest id comes first.
#[derive(Debug)]
pub(super) struct Filings {
    days: DateRange,
    /// The first and last row that are not read yet, by the keys of the table.
    rows: (i64, i64),
}

/// Every id has fewer bits than this.
const LAST_ID: u64 = (1 << 62) - 1;

impl Filings {
    pub(super) fn new(days: DateRange) -> Filings {
        Filings { days, rows: (first_key(days.from()), last_key(days.to())) }
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
        batches::count(snapshot, self.days)
    }

    fn next_rows(
        &mut self,
        snapshot: &Snapshot,
        limit: usize,
        visit: VisitRow<'_>,
    ) -> Result<bool> {
        let filings = batches::read(snapshot, self.rows, limit)?;
        filings.iter().try_for_each(|filing| visit(&cells(filing)))?;
        if let Some(last) = filings.last() {
            self.rows.1 = (first_key(last.date) | last.id.to_bits()) - 1;
        }
        Ok(filings.len() == limit)
    }

    fn change_log_name(&self) -> Option<String> {
        Some(filings::DATASET.to_owned())
    }

    fn key(&self, _: &str, key: &str) -> Option<u64> {
        Some(LAST_ID - key.parse::<FilingId>().ok()?.to_bits().unsigned_abs())
    }

    fn hidden_until(&self, _: u64) -> Option<Date> {
        None
    }

    fn keys_shown_after(&self, _: &Snapshot, _: Date) -> Result<Vec<u64>> {
        Ok(Vec::new())
    }

    fn find(&self, snapshot: &Snapshot, key: u64, visit: VisitRow<'_>) -> Result<bool> {
        let Some(id) = Filings::id(key) else { return Ok(false) };
        let filing = batches::find(snapshot, id)?;
        filing.iter().try_for_each(|filing| visit(&cells(filing)))?;
        Ok(filing.is_some())
    }

    fn removed_row(&self, key: u64) -> Vec<Cell<'static>> {
        row_with_id_only(Filings::id(key).map(Cell::display), self.headings().len())
    }
}

/// A row that has nothing but its id.
fn row_with_id_only(id: Option<Cell<'static>>, columns: usize) -> Vec<Cell<'static>> {
    let mut cells = vec![Cell::Empty; columns];
    cells[0] = id.unwrap_or(Cell::Empty);
    cells
}
