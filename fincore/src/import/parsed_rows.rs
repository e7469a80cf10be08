//! The rows of a file, on their way from the parser to the store.
use std::{borrow::Cow, collections::BTreeSet};

use foldhash::HashMap;

use super::{import_error::ImportError, imported::Imported};
use crate::{
    companies::{
        store::{Absence, COMPANIES, RegistryEntry, Security},
        ticker_overrides::TickerOverride,
    },
    filings::new_filing::NewFiling,
    market::{
        Meeting, Rate,
        meetings::COPOM,
        series_definitions::dataset,
        store::{FX, Quote},
    },
    statements::{capital::Capital, form::DATASET as STATEMENTS, store::NewTable},
    types::{Cnpj, CvmCode, Date, Form},
};

/// Checks and stores rows, and adds to the report how many of them were new or changed.
pub(super) type StoreRows<'s> =
    dyn FnMut(ParsedRows<'_>, &mut Imported) -> Result<(), ImportError> + 's;

/// Rows of one kind.
#[derive(Debug)]
pub(super) enum ParsedRows<'a> {
    /// Observations of a series, by its number.
    Rates(u32, Vec<Rate>),
    Quotes(Vec<Quote>),
    /// Meetings of the monetary policy committee, all of those in their years.
    Meetings(Vec<Meeting>),
    /// The whole registry, without some optional columns.
    Companies {
        rows: Vec<RegistryEntry>,
        absent: Absence,
        missing: &'a [&'static str],
    },
    Securities(Vec<Security>),
    /// The operator's whole table, with line numbers.
    Overrides(Vec<(usize, TickerOverride)>),
    /// Some filings of a table, which may lack some optional columns.
    Filings {
        rows: Vec<ParsedRow<NewFiling<'a>>>,
        position: BatchPosition,
        missing: &'a [&'static str],
    },
    /// The end of a table of filings.
    FilingsEnd(Completeness),
    /// A table of statements, and the companies of each CNPJ in it.
    Statements {
        table: NewTable,
        companies: HashMap<Cnpj, Vec<CvmCode>>,
    },
    /// The shares of companies.
    Capital(Vec<NewCapital>),
    Nothing,
}

/// Whether every row of a table could be read with all its columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Completeness {
    Complete,
    Incomplete,
}

impl ParsedRows<'_> {
    /// The datasets to which they belong.
    pub(super) fn datasets(&self) -> BTreeSet<Cow<'static, str>> {
        match self {
            ParsedRows::Rates(series, _) => BTreeSet::from([dataset(*series)]),
            ParsedRows::Quotes(_) => BTreeSet::from([FX.into()]),
            ParsedRows::Meetings(_) => BTreeSet::from([COPOM.into()]),
            ParsedRows::Companies { .. } | ParsedRows::Securities(_) | ParsedRows::Overrides(_) => {
                BTreeSet::from([COMPANIES.into()])
            }
            ParsedRows::Filings { rows, .. } => {
                rows.iter().map(|row| row.value.id.form().dataset().into()).collect()
            }
            ParsedRows::Statements { .. } | ParsedRows::Capital(_) => {
                BTreeSet::from([STATEMENTS.into()])
            }
            ParsedRows::FilingsEnd(_) | ParsedRows::Nothing => BTreeSet::new(),
        }
    }
}

/// The shares of a company in one of its forms.
#[derive(Debug)]
pub(super) struct NewCapital {
    pub(super) cnpj: Cnpj,
    pub(super) form: Form,
    pub(super) period_end: Date,
    pub(super) version: u32,
    pub(super) capital: Capital,
}

/// A row of a table, with its line number.
#[derive(Debug)]
pub(super) struct ParsedRow<T> {
    pub(super) line: usize,
    pub(super) value: T,
    /// Whether every field of it could be read.
    pub(super) is_complete: bool,
}

/// Which batch of its table this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BatchPosition {
    /// The whole table fits into it.
    Only,
    First,
    Later,
}

/// The parsed content of a file that is read whole.
#[derive(Debug)]
pub(super) struct ParsedFile {
    /// What the file was recognised as.
    pub(super) what: String,
    pub(super) rows: ParsedRows<'static>,
    /// How many rows are left out, and why.
    pub(super) left_out: Vec<(usize, String)>,
}

impl ParsedFile {
    pub(super) fn new(what: impl Into<String>, rows: ParsedRows<'static>) -> ParsedFile {
        ParsedFile { what: what.into(), rows, left_out: Vec::new() }
    }

    /// Adds the number of rows that are left out for a reason, unless it is zero.
    pub(super) fn leave_out(&mut self, rows: usize, reason: impl Into<String>) {
        if rows > 0 {
            self.left_out.push((rows, reason.into()));
        }
    }
}
