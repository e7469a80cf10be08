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
    answers::{CorrectedWords, Page, Sourced},
    catalogue::Snapshot,
    company_lookup,
    error::{Error, Invalid, Resource, Result},
    index::{Condition, Executor},
    names::Names,
    types::{CompanyRef, FilingId, Limit, Offset},
};

pub(crate) mod batches;
mod categories;
mod coverage;
#[cfg(any(feature = "bundle", feature = "import"))]
mod filers_and_classes;
mod filing;
mod filter;
mod hints;
mod index_query;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) mod new_filing;
mod profile;
mod queries;
pub(crate) mod reader;
#[cfg(feature = "import")]
pub(crate) mod remove_withdrawn;
mod search_conditions;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) mod store;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) mod whole_files;
pub(crate) mod withdrawn_filings;

pub use categories::{Category, categories};
pub use coverage::{FormCoverage, coverage};
pub use filing::Filing;
pub(crate) use filing::{DATASET, SOURCE};
use filter::{Filter, FilterFields, page_of};
use index_query::with_index;
pub use profile::{CategoryCount, PeriodCount, Profile, profile};
pub use queries::{List, OfCompany, Order, Recent, Search};
use search_conditions::NearSearch;

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

/// Filings with all the words, newest first or most relevant first. The words are looked for in category, type,
/// species and subject; in all names of the company, its tickers, CVM code and CNPJ; and in the years of delivery and
/// reference.
pub fn search(snapshot: &Snapshot, query: Search) -> Result<Page<Filing>> {
    let filter = Filter::new(snapshot, &query.filter_fields())?;
    let names = snapshot.memo(Names::read)?;
    let units = search_conditions::units(&query.q, &names);
    let tiers = match query.order {
        Order::Newest => vec![search_conditions::all(&units)],
        Order::Relevance => search_conditions::tiers(&units, &names),
    };
    let part = (query.limit, query.offset);
    let (found, near) = with_index(snapshot, |index| {
        let found = filter.find(index, tiers, part)?;
        if found.total > 0 {
            return Ok((found, None));
        }
        for near in search_conditions::fuzzy(&units, &names) {
            let [about, all] = near.tiers.clone();
            let tiers = match query.order {
                Order::Newest => vec![all],
                Order::Relevance => vec![about, all],
            };
            match filter.find(index, tiers, part) {
                Ok(found) if found.total > 0 => {
                    let dropped = dropped(index, &filter, &near, found.total)?;
                    return Ok((found, Some((dropped, near.corrected))));
                }
                Ok(_) => (),
                // A fuzzy match is not worth failing for: such a search is too broad.
                Err(Error::Invalid(Invalid::SearchTooBroad)) => break,
                Err(err) => return Err(err),
            }
        }
        Ok((found, None))
    })?;
    let mut page = page_of(snapshot, found, part)?;
    if let Some((dropped, corrected)) = near {
        let corrected = corrected.map(|(from, to)| CorrectedWords { from, to });
        page.meta.fuzzy = true;
        page.meta.dropped = dropped;
        page.meta.corrected = corrected.into_iter().collect();
    }
    with_hints(snapshot, page, &query.filter_fields())
}

/// The words that not all of the nearest matches have.
fn dropped(
    index: &Executor<'_>,
    filter: &Filter,
    near: &NearSearch,
    total: u64,
) -> Result<Vec<String>> {
    let [_, all] = &near.tiers;
    let mut dropped = Vec::new();
    for (words, condition) in &near.optional {
        let both = Condition::all([all.clone(), condition.clone()].into_iter());
        match filter.find(index, vec![both], (Limit::new(1)?, Offset::default())) {
            Ok(having) if having.total == total => (),
            Ok(_) => dropped.push(words.clone()),
            // Words that are too broad to count are not said to be missing.
            Err(Error::Invalid(Invalid::SearchTooBroad)) => (),
            Err(err) => return Err(err),
        }
    }
    Ok(dropped)
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
