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
use serde::Deserialize;

use crate::{
    answers::{Meta, Page, Sourced},
    catalogue::Snapshot,
    error::{Error, Noun, Result},
    lookup,
    table::{self, Cell, Column, Kind, serialize_by_columns},
    types::{
        CompanyId, CvmCode, Date, DateRange, FilingId, Limit, Offset, Search, first_key, fold,
        last_key,
    },
};

#[cfg(any(feature = "bundle", feature = "import"))]
mod counts;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) mod derived;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) mod entry;
mod matching;
#[cfg(any(feature = "bundle", feature = "import"))]
mod names;
pub(crate) mod parts;
pub(crate) mod served;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) mod store;

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

/// A query for filings; by default the newest twenty.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// Only filings in this category; case and accents are ignored.
    pub category: Option<String>,
    /// The first delivery date.
    pub from: Option<Date>,
    /// The last delivery date.
    pub to: Option<Date>,
    /// The most filings to return; [`each`] ignores it.
    #[serde(default)]
    pub limit: Limit<1000>,
    /// The number of filings to skip; [`each`] ignores it.
    #[serde(default)]
    pub offset: Offset,
}

/// A query for the latest filings; by default twenty.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recent {
    /// The most filings to return.
    #[serde(default)]
    pub limit: Limit<1000>,
}

/// A query for the filings of one company.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfCompany {
    /// The company.
    pub id: CompanyId,
    /// The most filings to return.
    #[serde(default)]
    pub limit: Limit<1000>,
    /// The number of filings to skip.
    #[serde(default)]
    pub offset: Offset,
}

impl OfCompany {
    /// The newest twenty filings of a company.
    #[must_use]
    pub fn new(id: CompanyId) -> OfCompany {
        OfCompany { id, limit: Limit::default(), offset: Offset::default() }
    }
}

/// Filings by delivery date, newest first. An unknown category gives an empty list.
///
/// Fails if `from` is after `to`.
pub fn list(snapshot: &Snapshot, query: List) -> Result<Page<Filing>> {
    const KEYS: &str = "SELECT key FROM filing WHERE key BETWEEN ?1 AND ?2
        ORDER BY key DESC LIMIT ?3 OFFSET ?4";
    const KEYS_OF_CATEGORY: &str = "SELECT key FROM filing
        WHERE category = ?5 AND key BETWEEN ?1 AND ?2 ORDER BY key DESC LIMIT ?3 OFFSET ?4";
    let wanted = Wanted::by(snapshot, &query)?;
    let (limit, offset) = (query.limit.get(), query.offset);
    let (from, to) = wanted.keys();
    Page::read(wanted.total(snapshot)?, (limit, offset.get()), Meta::of(SOURCE), || {
        let (rows, skipped) = (limit, offset.sql());
        let keys = match wanted.category {
            ALL_CATEGORIES => snapshot.rows(KEYS, (from, to, rows, skipped), key)?,
            category => {
                snapshot.rows(KEYS_OF_CATEGORY, (from, to, rows, skipped, category), key)?
            }
        };
        served(snapshot, &keys)
    })
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
    visit: impl FnMut(Filing) -> Result<()>,
) -> Result<()> {
    const SQL: &str = concat!(
        served::select_filing!(),
        "WHERE key BETWEEN ?1 AND ?2 AND (?3 = ?4 OR filing.category = ?3) ORDER BY key DESC"
    );
    let wanted = Wanted::by(snapshot, query)?;
    let (from, to) = wanted.keys();
    snapshot.for_each(SQL, (from, to, wanted.category, ALL_CATEGORIES), read, visit)
}

/// Filings with all the words in company name, category, type, species or subject, newest first.
pub fn search(snapshot: &Snapshot, query: Search) -> Result<Page<Filing>> {
    let (limit, offset) = (query.limit, query.offset);
    let found = matching::matching(snapshot, &query.q)?;
    Page::read(found.total, (limit.get(), offset.get()), Meta::of(SOURCE), || {
        served(snapshot, &found.keys(snapshot, limit, offset)?)
    })
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
    const TOTAL: &str = "SELECT COUNT(*) FROM filing WHERE company = ?1";
    const SQL: &str =
        "SELECT key FROM filing WHERE company = ?1 ORDER BY key DESC LIMIT ?2 OFFSET ?3";
    let unknown = || Error::not_found(Noun::Company, &query.id.to_string());
    let registered = lookup::registered(snapshot, query.id)?;
    let company = match (registered, query.id) {
        (Some(code), _) | (None, CompanyId::Cvm(code)) => code.get(),
        (None, CompanyId::Cnpj(_)) => return Err(unknown()),
    };
    let total = snapshot.count(TOTAL, [company])?;
    if total == 0 && registered.is_none() {
        return Err(unknown());
    }
    let (limit, offset) = (query.limit.get(), query.offset);
    Page::read(total, (limit, offset.get()), Meta::of(SOURCE), || {
        served(snapshot, &snapshot.rows(SQL, (company, limit, offset.sql()), key)?)
    })
}

/// The category id of the running totals over all filings.
const ALL_CATEGORIES: i64 = 0;

/// The category id of an unknown category: no filing has it.
const NO_CATEGORY: i64 = -1;

/// The filter of a list.
struct Wanted {
    category: i64,
    days: DateRange,
}

impl Wanted {
    fn by(snapshot: &Snapshot, query: &List) -> Result<Wanted> {
        const CATEGORY: &str = "SELECT id FROM category WHERE folded = ?1";
        let days = DateRange::new(query.from, query.to)?;
        let category = match &query.category {
            Some(name) => snapshot.rows(CATEGORY, [fold(name)], key)?.pop().unwrap_or(NO_CATEGORY),
            None => ALL_CATEGORIES,
        };
        Ok(Wanted { category, days })
    }

    /// The smallest and the largest key that a filing in this range can have.
    fn keys(&self) -> (i64, i64) {
        (first_key(self.days.from()), last_key(self.days.to()))
    }

    /// The number of filings: the difference of two running totals, so the range can be any size.
    fn total(&self, snapshot: &Snapshot) -> Result<u64> {
        const SQL: &str = "SELECT filings FROM filing_total WHERE category = ?1 AND day <= ?2
            ORDER BY day DESC LIMIT 1";
        let up_to = |day: i32| snapshot.count(SQL, (self.category, day));
        let before = up_to(self.days.from().day_number() - 1)?;
        match up_to(self.days.to().day_number())?.checked_sub(before) {
            // Running totals that fall, or count nothing, may be damaged: the rows tell, and quickly if there
            // are none.
            None | Some(0) => self.counted(snapshot),
            Some(total) => Ok(total),
        }
    }

    fn counted(&self, snapshot: &Snapshot) -> Result<u64> {
        const ALL: &str = "SELECT COUNT(*) FROM filing WHERE key BETWEEN ?1 AND ?2";
        const OF_CATEGORY: &str =
            "SELECT COUNT(*) FROM filing WHERE category = ?3 AND key BETWEEN ?1 AND ?2";
        let (from, to) = self.keys();
        match self.category {
            ALL_CATEGORIES => snapshot.count(ALL, (from, to)),
            category => snapshot.count(OF_CATEGORY, (from, to, category)),
        }
    }
}

fn key(row: &Row<'_>) -> rusqlite::Result<i64> {
    row.get(0)
}

#[cfg(test)]
#[cfg(feature = "import")]
mod tests;
