//! A row of a transformed series.
use serde::Serialize;

use crate::{
    numbers::figure::Figure,
    table::{self, Cell, Column, ColumnKind},
    types::Date,
};

/// A calculated figure of a series on a date.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TransformedRate {
    /// The date; of a period its first day.
    pub date: Date,
    /// The figure, rounded once.
    pub value: Figure,
    /// Whether its period has not ended. JSON leaves it out where it has.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
}

impl table::Row for TransformedRate {
    const COLUMNS: &'static [Column<TransformedRate>] = &[
        Column { name: "date", kind: ColumnKind::Day, cell: |row| row.date.into() },
        Column {
            name: "value",
            kind: ColumnKind::Figure,
            cell: |row| Cell::Calculated(row.value.clone()),
        },
        Column {
            name: "partial",
            kind: ColumnKind::Text,
            cell: |row| row.partial.then_some("true").into(),
        },
    ];
}
