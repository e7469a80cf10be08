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
//! # let catalogue = fincore::bundle::filled_copy(dir.path())?;
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
use crate::{
    answers::{Page, Sourced},
    catalogue::Snapshot,
    company_lookup,
    error::{Error, Resource, Result},
    types::{CompanyRef, FilingId},
};

pub(crate) mod batches;
mod categories;
mod class_levels;
mod coverage;
#[cfg(any(feature = "bundle", feature = "import"))]
mod filers_and_classes;
mod filing;
mod filter;
mod hints;
mod index_query;
mod near_search;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) mod new_filing;
mod profile;
mod queries;
pub(crate) mod reader;
#[cfg(feature = "import")]
pub(crate) mod remove_withdrawn;
mod search_tiers;
mod search_units;
mod search_words;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) mod store;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) mod whole_files;
pub(crate) mod withdrawn_filings;
mod word_conditions;

pub use categories::{Category, categories};
pub use coverage::{FormCoverage, coverage};
pub use filing::Filing;
pub(crate) use filing::{DATASET, SOURCE};
use filter::{Filter, FilterFields};
use index_query::with_index;
pub use profile::{CategoryCount, PeriodCount, Profile, profile};
pub use queries::{List, OfCompany, Order, Recent, Search};
pub use search_words::search;

/// Filings by delivery date, newest first. An unknown company, category or type gives an empty list.
///
/// Fails if `from` is after `to`.
pub fn list(snapshot: &Snapshot, query: List) -> Result<Page<Filing>> {
    let fields = query.filter_fields();
    let page = Filter::new(snapshot, &fields)?.page(snapshot, (query.limit, query.offset))?;
    with_hints(snapshot, page, &fields)
}

/// Calls `visit` for every filing that matches `query`, newest first, without loading them all; stops at
/// the first error. `limit` and `offset` are ignored.
///
/// ```
/// use fincore::filings;
///
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
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
        concat!(reader::select_filing!(), "WHERE key BETWEEN ?1 AND ?2 ORDER BY key DESC");
    let filter = Filter::new(snapshot, &query.filter_fields())?;
    let (from, to) = filter.keys;
    snapshot.for_each(SQL, (from, to), reader::read, |filing| {
        if filter.admits(&filing) { visit(filing) } else { Ok(()) }
    })
}

/// The latest filings, newest first. `total` is the number returned.
pub fn recent(snapshot: &Snapshot, query: Recent) -> Result<Page<Filing>> {
    const SQL: &str = "SELECT key FROM filing ORDER BY key DESC LIMIT ?1";
    let limit = query.limit.get();
    let keys = snapshot.rows(SQL, [limit], |row| row.get(0))?;
    Ok(Page::cut(reader::read_keys(snapshot, &keys)?, (limit, 0), coverage::meta(snapshot)?))
}

/// One filing, by its id.
///
/// Fails with [`Error::NotFound`] if there is none.
pub fn find(snapshot: &Snapshot, id: FilingId) -> Result<Sourced<Filing>> {
    let filing = reader::find(snapshot, id)?
        .ok_or_else(|| Error::not_found(Resource::Filing, &id.to_string()))?;
    Ok(Sourced::new(filing, coverage::meta(snapshot)?))
}

/// Filings of one company, newest first.
///
/// Fails with [`Error::NotFound`] if the company is neither in the registry nor named by a filing.
pub fn of_company(snapshot: &Snapshot, query: OfCompany) -> Result<Page<Filing>> {
    let company = company_lookup::resolve(snapshot, &query.id)?
        .ok_or_else(|| Error::not_found(Resource::Company, &query.id.to_string()))?;
    let company = CompanyRef::Id(company.into());
    let fields = query.filter_fields(&company);
    let page = Filter::new(snapshot, &fields)?.page(snapshot, (query.limit, query.offset))?;
    with_hints(snapshot, page, &fields)
}

/// Adds to a list without a row why it has none.
fn with_hints(
    snapshot: &Snapshot,
    mut page: Page<Filing>,
    fields: &FilterFields<'_>,
) -> Result<Page<Filing>> {
    if page.total == 0 {
        page.meta.hints = hints::hints(snapshot, fields)?;
    }
    Ok(page)
}

/// Reads the directory of the index, which all queries need.
pub(crate) fn prepare(snapshot: &Snapshot) -> Result<()> {
    with_index(snapshot, |_| Ok(()))
}

#[cfg(test)]
#[cfg(feature = "import")]
mod tests;
