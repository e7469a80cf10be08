//! A filing, and the columns of its rows.
use std::borrow::Cow;

use crate::{
    table::{self, Cell, Column, ColumnKind, serialize_by_columns},
    types::{CvmCode, Date, FilingId},
};

/// The name of the dataset, in the change log and for callers.
pub(crate) const DATASET: &str = "filings";

/// The source of filings.
pub(crate) const SOURCE: &str = "CVM, documentos de companhias abertas";

/// A document that a company filed with CVM.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Filing {
    /// CVM's protocol number; for a periodic form its own number, as in `dfp-144874`.
    pub id: FilingId,
    /// The CVM code of the company. A few companies that file are not in the registry.
    pub company_id: CvmCode,
    /// The company's name in the file that listed the filing.
    pub company_name: String,
    /// The first of CVM's three levels of classification.
    pub category: String,
    /// The second level; empty for many categories.
    pub r#type: String,
    /// The third level; empty for many types.
    pub species: String,
    /// The subject as the company wrote it, on one line; `None` if it wrote none.
    pub subject: Option<String>,
    /// The delivery date; in JSON the start of that day in Brasília.
    pub date: Date,
    /// The date the document refers to, as the company typed it: some are years off.
    pub reference_date: Option<Date>,
    /// The version, from 1; a document that is filed again gets a higher one.
    pub version: u32,
    /// The address of the document at CVM.
    pub url: String,
}

/// Joins the levels of the class that replaces a missing subject.
const LEVELS: &str = " · ";

impl Filing {
    /// The subject; if there is none, category, type and species.
    #[must_use]
    pub fn description(&self) -> Cow<'_, str> {
        if let Some(subject) = &self.subject {
            return subject.into();
        }
        let levels = [&self.category, &self.r#type, &self.species].map(String::as_str);
        let levels = levels.into_iter().filter(|level| !level.is_empty());
        levels.collect::<Vec<_>>().join(LEVELS).into()
    }
}

impl table::Row for Filing {
    const COLUMNS: &'static [Column<Filing>] = &[
        Column { name: "id", kind: ColumnKind::Text, cell: |filing| Cell::display(filing.id) },
        Column {
            name: "company_id",
            kind: ColumnKind::Text,
            cell: |filing| Cell::display(filing.company_id),
        },
        Column {
            name: "company_name",
            kind: ColumnKind::Text,
            cell: |filing| filing.company_name.as_str().into(),
        },
        Column {
            name: "category",
            kind: ColumnKind::Text,
            cell: |filing| filing.category.as_str().into(),
        },
        Column {
            name: "type",
            kind: ColumnKind::Text,
            cell: |filing| filing.r#type.as_str().into(),
        },
        Column {
            name: "species",
            kind: ColumnKind::Text,
            cell: |filing| filing.species.as_str().into(),
        },
        Column {
            name: "description",
            kind: ColumnKind::Text,
            cell: |filing| Cell::Text(filing.description()),
        },
        Column {
            name: "subject",
            kind: ColumnKind::Text,
            cell: |filing| filing.subject.as_deref().into(),
        },
        Column {
            name: "date",
            kind: ColumnKind::StartOfDay,
            cell: |filing| Cell::StartOfDay(filing.date),
        },
        Column {
            name: "reference_date",
            kind: ColumnKind::Day,
            cell: |filing| filing.reference_date.into(),
        },
        Column {
            name: "version",
            kind: ColumnKind::Integer,
            cell: |filing| Cell::Integer(filing.version.into()),
        },
        Column { name: "url", kind: ColumnKind::Text, cell: |filing| filing.url.as_str().into() },
    ];
}

serialize_by_columns!(Filing);
