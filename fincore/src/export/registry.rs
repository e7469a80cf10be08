//! Companies and filings as they are exported.
use super::source::{Source, Visit};
use crate::{
    catalogue::Snapshot,
    companies::{self, Company},
    error::Result,
    filings::{self, Filing, parts},
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

impl Source for Companies {
    fn headings(&self) -> Vec<Heading> {
        headings::<Company>()
    }

    fn count(&self, snapshot: &Snapshot) -> Result<u64> {
        companies::count(snapshot)
    }

    fn part(&mut self, snapshot: &Snapshot, limit: usize, visit: Visit<'_>) -> Result<bool> {
        let companies = companies::part(snapshot, self.after, limit)?;
        companies.iter().try_for_each(|company| visit(&cells(company)))?;
        self.after = companies.last().map_or(self.after, |company| company.id.get());
        Ok(companies.len() == limit)
    }

    fn logged_as(&self) -> Option<String> {
        Some(companies::DATASET.to_owned())
    }

    fn key(&self, _: &str, key: &str) -> Option<u64> {
        Some(key.parse::<CvmCode>().ok()?.get().into())
    }

    fn day(&self, _: u64) -> Option<Date> {
        None
    }

    fn shown_after(&self, _: &Snapshot, _: Date) -> Result<Vec<u64>> {
        Ok(Vec::new())
    }

    fn find(&self, snapshot: &Snapshot, key: u64, visit: Visit<'_>) -> Result<bool> {
        let Some(code) = Companies::code(key) else { return Ok(false) };
        let company = companies::with_code(snapshot, code)?;
        company.iter().try_for_each(|company| visit(&cells(company)))?;
        Ok(company.is_some())
    }

    fn removed(&self, key: u64) -> Vec<Cell<'static>> {
        identified(Companies::code(key).map(Cell::shown), self.headings().len())
    }
}

/// Filings of a range of days, newest first. Their keys here are made of the id alone, because the change log has no
/// more than that: the highest id comes first.
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
        FilingId::of_packed(i64::try_from(LAST_ID - key).ok()?)
    }
}

impl Source for Filings {
    fn headings(&self) -> Vec<Heading> {
        headings::<Filing>()
    }

    fn count(&self, snapshot: &Snapshot) -> Result<u64> {
        parts::count(snapshot, self.days)
    }

    fn part(&mut self, snapshot: &Snapshot, limit: usize, visit: Visit<'_>) -> Result<bool> {
        let filings = parts::part(snapshot, self.rows, limit)?;
        filings.iter().try_for_each(|filing| visit(&cells(filing)))?;
        if let Some(last) = filings.last() {
            self.rows.1 = (first_key(last.date) | last.id.packed()) - 1;
        }
        Ok(filings.len() == limit)
    }

    fn logged_as(&self) -> Option<String> {
        Some(filings::DATASET.to_owned())
    }

    fn key(&self, _: &str, key: &str) -> Option<u64> {
        Some(LAST_ID - key.parse::<FilingId>().ok()?.packed().unsigned_abs())
    }

    fn day(&self, _: u64) -> Option<Date> {
        None
    }

    fn shown_after(&self, _: &Snapshot, _: Date) -> Result<Vec<u64>> {
        Ok(Vec::new())
    }

    fn find(&self, snapshot: &Snapshot, key: u64, visit: Visit<'_>) -> Result<bool> {
        let Some(id) = Filings::id(key) else { return Ok(false) };
        let filing = parts::with_id(snapshot, id)?;
        filing.iter().try_for_each(|filing| visit(&cells(filing)))?;
        Ok(filing.is_some())
    }

    fn removed(&self, key: u64) -> Vec<Cell<'static>> {
        identified(Filings::id(key).map(Cell::shown), self.headings().len())
    }
}

/// A row that has nothing but its id.
fn identified(id: Option<Cell<'static>>, columns: usize) -> Vec<Cell<'static>> {
    let mut cells = vec![Cell::Empty; columns];
    cells[0] = id.unwrap_or(Cell::Empty);
    cells
}
