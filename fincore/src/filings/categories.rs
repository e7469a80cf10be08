//! The categories and types of filings.

use super::coverage;
use crate::{
    answers::Page,
    catalogue::Snapshot,
    error::Result,
    table::{self, Cell, Column, ColumnKind, serialize_by_columns},
    types::PageQuery,
};

/// A category and type of filings.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Category {
    /// The first of CVM's levels of classification.
    pub category: String,
    /// The second level; empty for many categories.
    pub r#type: String,
    /// How many filings there are.
    pub filings: u64,
}

impl table::Row for Category {
    const COLUMNS: &'static [Column<Category>] = &[
        Column {
            name: "category",
            kind: ColumnKind::Text,
            cell: |row| row.category.as_str().into(),
        },
        Column { name: "type", kind: ColumnKind::Text, cell: |row| row.r#type.as_str().into() },
        Column {
            name: "filings",
            kind: ColumnKind::Integer,
            cell: |row| Cell::Integer(row.filings),
        },
    ];
}

serialize_by_columns!(Category);

/// The categories and types that filings have, with their numbers: those with most filings first.
pub fn categories(snapshot: &Snapshot, query: PageQuery) -> Result<Page<Category>> {
    Ok(Page::cut(
        classes(snapshot)?,
        (query.limit.get(), query.offset.get()),
        coverage::meta(snapshot)?,
    ))
}

/// All of them.
pub(super) fn classes(snapshot: &Snapshot) -> Result<Vec<Category>> {
    const SQL: &str =
        "SELECT category, type, SUM(filings) FROM class_total JOIN class ON class.id = class
        GROUP BY category, type ORDER BY SUM(filings) DESC, category, type";
    snapshot.rows(SQL, [], |row| {
        let filings = row.get::<_, i64>(2)?.unsigned_abs();
        Ok(Category { category: row.get(0)?, r#type: row.get(1)?, filings })
    })
}
