//! The sectors of companies, with their numbers.

use super::age;
use crate::{
    answers::Page,
    catalogue::Snapshot,
    error::Result,
    table::{self, Cell, Column, ColumnKind, serialize_by_columns},
    types::PageQuery,
};

/// A sector, and how many companies it has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sector {
    /// The name of the sector, as published; empty for companies without one.
    pub sector: String,
    /// All companies, current and former.
    pub companies: u64,
    /// Companies whose registration is active.
    pub active: u64,
    /// Companies with a ticker.
    pub listed: u64,
}

impl table::Row for Sector {
    const COLUMNS: &'static [Column<Sector>] = &[
        Column { name: "sector", kind: ColumnKind::Text, cell: |row| row.sector.as_str().into() },
        Column {
            name: "companies",
            kind: ColumnKind::Integer,
            cell: |row| Cell::Integer(row.companies),
        },
        Column { name: "active", kind: ColumnKind::Integer, cell: |row| Cell::Integer(row.active) },
        Column { name: "listed", kind: ColumnKind::Integer, cell: |row| Cell::Integer(row.listed) },
    ];
}

serialize_by_columns!(Sector);

/// Every sector with its numbers of companies, the largest first. The numbers add up to all companies.
pub fn sectors(snapshot: &Snapshot, query: PageQuery) -> Result<Page<Sector>> {
    const SQL: &str = "SELECT sector, COUNT(*), SUM(standing = 0), SUM(tickers <> '') FROM company
        GROUP BY sector ORDER BY COUNT(*) DESC, sector_folded";
    let all = snapshot.rows(SQL, [], |row| {
        let number = |column| row.get::<_, i64>(column).map(i64::unsigned_abs);
        let (companies, active, listed) = (number(1)?, number(2)?, number(3)?);
        Ok(Sector { sector: row.get(0)?, companies, active, listed })
    })?;
    Ok(Page::cut(all, (query.limit.get(), query.offset.get()), age::meta(snapshot)?))
}
