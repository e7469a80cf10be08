//! Companies in CVM's registry.
//!
//! A [`Company`] is looked up by its CVM code or CNPJ ([`find`]), by words ([`search`]), or in a [`list`]
//! filtered by status and sector. [`each`] visits all of them without loading them into memory.
//!
//! ```
//! use fincore::companies;
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
//! # fincore::bundle::fill(&catalogue)?;
//! let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
//! let petrobras = companies::find(&snapshot, "33.000.167/0001-01".parse()?)?;
//! assert_eq!((petrobras.id.get(), petrobras.status.as_str()), (9512, "ATIVO"));
//!
//! let found = companies::search(&snapshot, companies::Search::new("petr4")?)?;
//! assert_eq!(found.data[0].id, petrobras.id);
//! # Ok::<(), fincore::Error>(())
//! ```
use std::sync::Arc;

use rusqlite::{Connection, Row};

use crate::{
    answers::{Kept, Meta, Page, Sourced},
    catalogue::Snapshot,
    error::{Error, Noun, Result},
    lookup,
    names::Names,
    sqlite::{code, parsed, parsed_if_any},
    table::{self, Cell, Column, Kind, serialize_by_columns},
    types::{Cnpj, CompanyId, CvmCode, Date},
};

mod facts;
#[cfg(feature = "import")]
pub(crate) mod overrides;
mod query;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) mod store;

pub use facts::{Kinds, filed_as, kinds, resolve};
use query::Narrow;
pub use query::{List, Search};

/// The name of the dataset, in the change log and for callers.
pub(crate) const DATASET: &str = "companies";

/// The source of companies.
pub(crate) const SOURCE: &str = "CVM, cadastro de companhias abertas";

/// A company that is or was registered with CVM.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Company {
    /// Its CVM code.
    pub id: CvmCode,
    /// The legal name, as published.
    pub name: String,
    /// The trade name, if one is registered.
    pub trade_name: Option<String>,
    /// Its tax number. A company that registered again has two CVM codes with the same CNPJ.
    pub cnpj: Cnpj,
    /// The status of its registration: `ATIVO`, `CANCELADA` or `SUSPENSO(A) - DECISÃO ADM`.
    pub status: String,
    /// Its sector; empty for a few companies.
    pub sector: String,
    /// The codes that its securities trade under.
    pub tickers: Vec<String>,
    /// The date of its registration.
    pub registered_on: Option<Date>,
    /// The date its registration ended.
    pub cancelled_on: Option<Date>,
}

impl table::Row for Company {
    const COLUMNS: &'static [Column<Company>] = &[
        Column { name: "id", kind: Kind::Text, cell: |company| Cell::shown(company.id) },
        Column { name: "name", kind: Kind::Text, cell: |company| company.name.as_str().into() },
        Column {
            name: "trade_name",
            kind: Kind::Text,
            cell: |company| company.trade_name.as_deref().into(),
        },
        Column { name: "cnpj", kind: Kind::Text, cell: |company| Cell::shown(company.cnpj) },
        Column { name: "status", kind: Kind::Text, cell: |company| company.status.as_str().into() },
        Column { name: "sector", kind: Kind::Text, cell: |company| company.sector.as_str().into() },
        Column { name: "tickers", kind: Kind::List, cell: |company| Cell::List(&company.tickers) },
        Column {
            name: "registered_on",
            kind: Kind::Day,
            cell: |company| company.registered_on.into(),
        },
        Column {
            name: "cancelled_on",
            kind: Kind::Day,
            cell: |company| company.cancelled_on.into(),
        },
    ];
}

serialize_by_columns!(Company);

/// The columns that [`read`] expects.
macro_rules! select_company {
    () => {
        "SELECT id, name, trade_name, cnpj, status, sector, tickers, registered_on, cancelled_on
        FROM company "
    };
}

/// The filter of lists: status and sector, each ignored if NULL.
macro_rules! by_status_and_sector {
    () => {
        "WHERE (?1 IS NULL OR status_folded = ?1) AND (?2 IS NULL OR sector_folded = ?2) "
    };
}

/// All companies, ordered by code, in memory; nothing if one of them cannot be read: then every answer that leaves it out
/// notes that.
#[derive(Debug)]
struct Registry(Option<Arc<Kept<Company>>>);

impl Registry {
    fn read(connection: &Connection) -> Result<Registry> {
        const SQL: &str = concat!(select_company!(), "ORDER BY id");
        let mut statement = connection.prepare_cached(SQL)?;
        let mut rows = statement.query([])?;
        let mut all = Kept::default();
        while let Some(row) = rows.next()? {
            let Ok(company) = read(row) else { return Ok(Registry(None)) };
            all.push(company)?;
        }
        all.shrink();
        Ok(Registry(Some(Arc::new(all))))
    }

    fn with_code(&self, code: u32) -> Option<&Company> {
        let all = self.0.as_ref()?.rows();
        all.binary_search_by_key(&code, |company| company.id.get()).ok().map(|at| &all[at])
    }
}

/// Companies ordered by code. An unknown status or sector gives an empty list.
pub fn list(snapshot: &Snapshot, query: List) -> Result<Page<Company>> {
    const TOTAL: &str = concat!("SELECT COUNT(*) FROM company ", by_status_and_sector!());
    const SQL: &str =
        concat!(select_company!(), by_status_and_sector!(), "ORDER BY id LIMIT ?3 OFFSET ?4");
    let narrow = Narrow::new(query.status.as_deref(), query.sector.as_deref());
    let (limit, offset) = (query.limit.get(), query.offset);
    if let (true, Some(all)) = (narrow.is_open(), &snapshot.memo(Registry::read)?.0) {
        let total = all.rows().len();
        let first = usize::try_from(offset.get()).unwrap_or(usize::MAX).min(total);
        let data = all.part(first..first.saturating_add(limit as usize).min(total));
        let (total, meta) = (total as u64, Meta::of(SOURCE));
        return Ok(Page { data, total, limit, offset: offset.get(), meta });
    }
    let Narrow { status, sector } = narrow;
    let total = snapshot.count(TOTAL, (&status, &sector))?;
    let (data, total) = snapshot.page(total, (limit, offset), |limit, offset| {
        snapshot.rows(SQL, (&status, &sector, limit, offset), read)
    })?;
    Ok(Page { data: data.into(), total, limit, offset: offset.get(), meta: Meta::of(SOURCE) })
}

/// Calls `visit` for every company, ordered by code, without loading them all; stops at the first error.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
/// # fincore::bundle::fill(&catalogue)?;
/// # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let mut listed = 0;
/// fincore::companies::each(&snapshot, |company| {
///     listed += usize::from(!company.tickers.is_empty());
///     Ok(())
/// })?;
/// assert!(listed > 300);
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn each(snapshot: &Snapshot, visit: impl FnMut(Company) -> Result<()>) -> Result<()> {
    const SQL: &str = concat!(select_company!(), "ORDER BY id");
    snapshot.for_each(SQL, [], read, visit)
}

/// The number of all companies.
pub(crate) fn count(snapshot: &Snapshot) -> Result<u64> {
    snapshot.count("SELECT COUNT(*) FROM company", [])
}

/// The companies after a code, ordered by code, so many.
pub(crate) fn part(snapshot: &Snapshot, after: u32, limit: usize) -> Result<Vec<Company>> {
    const SQL: &str = concat!(select_company!(), "WHERE id > ?1 ORDER BY id");
    snapshot.some(limit, SQL, [after], read)
}

/// The company with this code, if it can be read.
pub(crate) fn with_code(snapshot: &Snapshot, code: CvmCode) -> Result<Option<Company>> {
    const SQL: &str = concat!(select_company!(), "WHERE id = ?1");
    snapshot.first(SQL, [code.get()], read)
}

/// Companies with all the words in their names, tickers or sector, or with this CVM code, CNPJ or ticker; best match
/// first.
///
/// Names are those of the registry, those under which the company filed, and a reviewed list of brands. A number or
/// ticker ranks first, a match in nothing but the sector last; active companies rank before others, listed ones
/// before those without a ticker. If nothing matches, the nearest names are returned, and `meta.fuzzy` says so. An
/// unknown status or sector gives an empty list.
pub fn search(snapshot: &Snapshot, query: Search) -> Result<Page<Company>> {
    const BY_CODE: &str = concat!(select_company!(), "WHERE id = ?1");
    let mut found = snapshot.memo(Names::read)?.search(&query.q);
    let registry = snapshot.memo(Registry::read)?;
    let company = |code: u32| match registry.with_code(code) {
        Some(company) => Ok(Some(company.clone())),
        None => snapshot.rows(BY_CODE, [code], read).map(|mut rows| rows.pop()),
    };
    let narrow = Narrow::new(query.status.as_deref(), query.sector.as_deref());
    if !narrow.is_open() {
        let mut admitted = Vec::new();
        for code in found.codes {
            if company(code)?.is_some_and(|company| narrow.admits(&company)) {
                admitted.push(code);
            }
        }
        found.codes = admitted;
        found.fuzzy &= !found.codes.is_empty();
    }
    let (limit, offset) = (query.limit.get(), query.offset);
    let (data, total) =
        snapshot.page(found.codes.len() as u64, (limit, offset), |limit, offset| {
            let page = found.codes.iter().skip(usize::try_from(offset).unwrap_or(usize::MAX));
            let page = page.take(usize::try_from(limit).unwrap_or(usize::MAX));
            let companies = page.map(|code| company(*code));
            Ok(companies.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
        })?;
    let meta = Meta { fuzzy: found.fuzzy, ..Meta::of(SOURCE) };
    Ok(Page { data: data.into(), total, limit, offset: offset.get(), meta })
}

/// One company, by its CVM code or CNPJ; if several share a CNPJ, the active one.
///
/// Fails with [`Error::NotFound`] if there is none.
pub fn find(snapshot: &Snapshot, id: CompanyId) -> Result<Sourced<Company>> {
    let known = match id {
        CompanyId::Cvm(code) => snapshot.memo(Registry::read)?.with_code(code.get()).cloned(),
        CompanyId::Cnpj(_) => None,
    };
    let found = match known {
        Some(company) => Some(company),
        None => match lookup::registered(snapshot, id)? {
            Some(code) => with_code(snapshot, code)?,
            None => None,
        },
    };
    let company = found.ok_or_else(|| Error::not_found(Noun::Company, &id.to_string()))?;
    Ok(Sourced::new(company, Meta::of(SOURCE)))
}

fn read(row: &Row<'_>) -> rusqlite::Result<Company> {
    Ok(Company {
        id: code(row, 0)?,
        name: row.get(1)?,
        trade_name: row.get(2)?,
        cnpj: parsed(row, 3)?,
        status: row.get(4)?,
        sector: row.get(5)?,
        tickers: row.get_ref(6)?.as_str()?.split_whitespace().map(str::to_owned).collect(),
        registered_on: parsed_if_any(row, 7)?,
        cancelled_on: parsed_if_any(row, 8)?,
    })
}

#[cfg(test)]
#[cfg(feature = "bundle")]
mod tests;
