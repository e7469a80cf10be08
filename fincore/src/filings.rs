//! Documents that companies filed with CVM.
//!
//! A [`Filing`] is looked up by its id ([`find`]), by words ([`search`]), by company ([`of_company`]), or
//! in a [`list`] filtered by category and delivery date; [`recent`] returns the latest. [`each`] visits a
//! whole list without loading it into memory.
//!
//! ```
//! use fincore::filings;
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
//! # fincore::bundle::fill(&catalogue)?;
//! let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
//! let april = filings::List {
//!     category: Some("fato relevante".into()),
//!     from: Some("2024-04-01".parse()?),
//!     to: Some("2024-04-30".parse()?),
//!     ..Default::default()
//! };
//! assert_eq!(filings::list(&snapshot, april)?.total, 230);
//! # Ok::<(), fincore::Error>(())
//! ```
use rusqlite::Row;

use crate::{
    answers::{Meta, Page, Sourced},
    catalogue::Snapshot,
    error::{Error, Noun, Result},
    index::{Index, Shelf},
    lookup,
    names::Names,
    table::{self, Cell, Column, Kind, serialize_by_columns},
    types::{CompanyRef, CvmCode, Date, FilingId},
};

mod categories;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) mod entry;
mod filter;
mod matching;
#[cfg(any(feature = "bundle", feature = "import"))]
mod names;
pub(crate) mod parts;
mod profile;
mod query;
pub(crate) mod served;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) mod store;

pub use categories::{Category, categories};
use filter::{Filter, shown};
pub use profile::{InCategory, InPeriod, Profile, profile};
pub use query::{Categories, List, OfCompany, Order, Recent, Search};
use served::{read, served};

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
    /// The subject as the company wrote it, on one line; if there is none, category, type and species.
    pub description: String,
    /// The delivery date; in JSON the start of that day in Brasília.
    pub date: Date,
    /// The date the document refers to, as the company typed it: some are years off.
    pub reference_date: Option<Date>,
    /// The version, from 1; a document that is filed again gets a higher one.
    pub version: u32,
    /// The address of the document at CVM.
    pub url: String,
}

impl table::Row for Filing {
    const COLUMNS: &'static [Column<Filing>] = &[
        Column { name: "id", kind: Kind::Text, cell: |filing| Cell::shown(filing.id) },
        Column {
            name: "company_id",
            kind: Kind::Text,
            cell: |filing| Cell::shown(filing.company_id),
        },
        Column {
            name: "company_name",
            kind: Kind::Text,
            cell: |filing| filing.company_name.as_str().into(),
        },
        Column {
            name: "category",
            kind: Kind::Text,
            cell: |filing| filing.category.as_str().into(),
        },
        Column { name: "type", kind: Kind::Text, cell: |filing| filing.r#type.as_str().into() },
        Column { name: "species", kind: Kind::Text, cell: |filing| filing.species.as_str().into() },
        Column {
            name: "description",
            kind: Kind::Text,
            cell: |filing| filing.description.as_str().into(),
        },
        Column {
            name: "date",
            kind: Kind::StartOfDay,
            cell: |filing| Cell::StartOfDay(filing.date),
        },
        Column {
            name: "reference_date",
            kind: Kind::Day,
            cell: |filing| filing.reference_date.into(),
        },
        Column {
            name: "version",
            kind: Kind::Integer,
            cell: |filing| Cell::Integer(filing.version.into()),
        },
        Column { name: "url", kind: Kind::Text, cell: |filing| filing.url.as_str().into() },
    ];
}

serialize_by_columns!(Filing);

/// Filings by delivery date, newest first. An unknown company, category or type gives an empty list.
///
/// Fails if `from` is after `to`.
pub fn list(snapshot: &Snapshot, query: List) -> Result<Page<Filing>> {
    let filter = Filter::new(snapshot, &query.narrow())?;
    filter.page(snapshot, (query.limit, query.offset))
}

/// Calls `visit` for every filing that matches `query`, newest first, without loading them all; stops at
/// the first error. `limit` and `offset` are ignored.
///
/// ```
/// use fincore::filings;
///
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
/// # fincore::bundle::fill(&catalogue)?;
/// # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let mut assemblies = 0;
/// let query = filings::List { category: Some("assembleia".into()), ..Default::default() };
/// filings::each(&snapshot, &query, |filing| {
///     assemblies += usize::from(filing.version == 1);
///     Ok(())
/// })?;
/// assert!(assemblies > 1000);
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn each(
    snapshot: &Snapshot,
    query: &List,
    mut visit: impl FnMut(Filing) -> Result<()>,
) -> Result<()> {
    const SQL: &str =
        concat!(served::select_filing!(), "WHERE key BETWEEN ?1 AND ?2 ORDER BY key DESC");
    let filter = Filter::new(snapshot, &query.narrow())?;
    let (from, to) = filter.keys;
    snapshot.for_each(SQL, (from, to), read, |filing| {
        if filter.admits(&filing) { visit(filing) } else { Ok(()) }
    })
}

/// Filings with all the words, newest first or most relevant first. The words are looked for in category, type,
/// species and subject; in all names of the company, its tickers, CVM code and CNPJ; and in the years of delivery and
/// reference.
pub fn search(snapshot: &Snapshot, query: Search) -> Result<Page<Filing>> {
    let filter = Filter::new(snapshot, &query.narrow())?;
    let names = snapshot.memo(Names::read)?;
    let units = matching::units(&query.q, &names);
    let tiers = match query.order {
        Order::Newest => vec![matching::all(&units)],
        Order::Relevance => matching::tiers(&units, &names),
    };
    let part = (query.limit, query.offset);
    let (found, fuzzy) = indexed(snapshot, |index| {
        let found = filter.find(index, tiers, part)?;
        if found.total > 0 {
            return Ok((found, false));
        }
        for [about, all] in matching::nearby(&units, &names) {
            let tiers = match query.order {
                Order::Newest => vec![all],
                Order::Relevance => vec![about, all],
            };
            match filter.find(index, tiers, part) {
                Ok(found) if found.total > 0 => return Ok((found, true)),
                Ok(_) => (),
                // What is near is not worth more than a search may take.
                Err(Error::Invalid(_)) => break,
                Err(err) => return Err(err),
            }
        }
        Ok((found, false))
    })?;
    let page = shown(snapshot, found, part)?;
    Ok(Page { meta: Meta { fuzzy, ..page.meta }, ..page })
}

/// The latest filings, newest first. `total` is the number returned.
pub fn recent(snapshot: &Snapshot, query: Recent) -> Result<Page<Filing>> {
    const SQL: &str = "SELECT key FROM filing ORDER BY key DESC LIMIT ?1";
    let limit = query.limit.get();
    let keys = snapshot.rows(SQL, [limit], key)?;
    Ok(Page::cut(served(snapshot, &keys)?, (limit, 0), Meta::of(SOURCE)))
}

/// One filing, by its id.
///
/// Fails with [`Error::NotFound`] if there is none.
pub fn find(snapshot: &Snapshot, id: FilingId) -> Result<Sourced<Filing>> {
    let filing = parts::with_id(snapshot, id)?
        .ok_or_else(|| Error::not_found(Noun::Filing, &id.to_string()))?;
    Ok(Sourced::new(filing, Meta::of(SOURCE)))
}

/// Filings of one company, newest first.
///
/// Fails with [`Error::NotFound`] if the company is neither in the registry nor named by a filing.
pub fn of_company(snapshot: &Snapshot, query: OfCompany) -> Result<Page<Filing>> {
    let company = lookup::meant(snapshot, &query.id.into())?
        .ok_or_else(|| Error::not_found(Noun::Company, &query.id.to_string()))?;
    let company = CompanyRef::Id(company.into());
    let filter = Filter::new(snapshot, &query.narrow(&company))?;
    filter.page(snapshot, (query.limit, query.offset))
}

/// Computes ahead what all queries need.
pub(crate) fn prepare(snapshot: &Snapshot) -> Result<()> {
    indexed(snapshot, |_| Ok(()))
}

/// Asks the index of a snapshot.
fn indexed<T>(snapshot: &Snapshot, ask: impl FnOnce(&Index<'_>) -> Result<T>) -> Result<T> {
    let names = snapshot.memo(Names::read)?;
    let connection = snapshot.connection();
    let directory = snapshot.memo(|_| Ok(Shelf::default()))?.directory(connection)?;
    ask(&Index::new(connection, &directory, &names))
}

fn key(row: &Row<'_>) -> rusqlite::Result<i64> {
    row.get(0)
}

#[cfg(test)]
#[cfg(feature = "import")]
mod tests;
