//! Companies in CVM's registry.
//!
//! A [`Company`] is looked up by its CVM code or CNPJ ([`find`]), by words ([`search`]), or in a [`list`]
//! filtered by status and sector. [`each`] visits all of them without loading them into memory.
//!
//! ```
//! use fincore::{Search, companies};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
//! # fincore::bundle::fill(&catalogue)?;
//! let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
//! let petrobras = companies::find(&snapshot, "33.000.167/0001-01".parse()?)?;
//! assert_eq!((petrobras.id.get(), petrobras.status.as_str()), (9512, "ATIVO"));
//!
//! let found = companies::search(&snapshot, Search::new("petr4")?)?;
//! assert_eq!(found.data[0].id, petrobras.id);
//! # Ok::<(), fincore::Error>(())
//! ```
use rusqlite::Row;
use serde::Deserialize;

use crate::{
    answers::{Meta, Page, Sourced},
    catalogue::Snapshot,
    error::{Error, Noun, Result},
    lookup,
    sqlite::{code, parsed, parsed_if_any},
    table::{self, Cell, Column, Kind, serialize_by_columns},
    types::{Cnpj, CompanyId, CvmCode, Date, Limit, Offset, Search, Words, fold},
};

#[cfg(feature = "import")]
pub(crate) mod overrides;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) mod store;

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

/// A query for companies; by default the first twenty by code.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// Only companies with this status; case and accents are ignored.
    pub status: Option<String>,
    /// Only companies in this sector; case and accents are ignored.
    pub sector: Option<String>,
    /// The most companies to return.
    #[serde(default)]
    pub limit: Limit<1000>,
    /// The number of companies to skip.
    #[serde(default)]
    pub offset: Offset,
}

/// Companies ordered by code. An unknown status or sector gives an empty list.
pub fn list(snapshot: &Snapshot, query: List) -> Result<Page<Company>> {
    const TOTAL: &str = concat!("SELECT COUNT(*) FROM company ", by_status_and_sector!());
    const SQL: &str =
        concat!(select_company!(), by_status_and_sector!(), "ORDER BY id LIMIT ?3 OFFSET ?4");
    let (status, sector) = (query.status.as_deref().map(fold), query.sector.as_deref().map(fold));
    let (limit, offset) = (query.limit.get(), query.offset);
    let total = snapshot.count(TOTAL, (&status, &sector))?;
    let (data, total) = snapshot.page(total, (limit, offset), |limit, offset| {
        snapshot.rows(SQL, (&status, &sector, limit, offset), read)
    })?;
    Ok(Page { data, total, limit, offset: offset.get(), meta: Meta::of(SOURCE) })
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

/// Companies with all the words in name, trade name, tickers or sector, or with this CVM code, CNPJ or
/// ticker; best match first.
///
/// An exact code, CNPJ or ticker ranks first, then matches in names, in trade names and in sectors.
/// Within each group, active companies rank before others, names that start with the words before other
/// names, and listed companies before those without a ticker.
pub fn search(snapshot: &Snapshot, query: Search) -> Result<Page<Company>> {
    const SQL: &str = concat!(select_company!(), "WHERE id = ?1");
    let ids = matching(snapshot, &query.q)?;
    let (limit, offset) = (query.limit.get(), query.offset);
    let (data, total) = snapshot.page(ids.len() as u64, (limit, offset), |limit, offset| {
        let page = ids.iter().skip(usize::try_from(offset).unwrap_or(usize::MAX));
        let page = page.take(usize::try_from(limit).unwrap_or(usize::MAX));
        let companies = page.map(|id| Ok(snapshot.rows(SQL, [id], read)?.pop()));
        Ok(companies.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    })?;
    Ok(Page { data, total, limit, offset: offset.get(), meta: Meta::of(SOURCE) })
}

/// The codes of all matching companies, best first. There are few enough to sort them all.
fn matching(snapshot: &Snapshot, words: &Words) -> Result<Vec<u32>> {
    // Ranks lower: "inside", where the name does not start with the words, and "begun", where the last
    // word matches only as a prefix.
    const SQL: &str = "WITH hit (id, place, inside, begun, score) AS (
            SELECT id, 0, 0, 0, 0.0 FROM company WHERE id = ?1 OR cnpj = ?2
            UNION ALL SELECT rowid, 0, 0, 0, 0.0 FROM company_search WHERE company_search MATCH ?3
            UNION ALL SELECT rowid, 1, 0, 1, 0.0 FROM company_search WHERE company_search MATCH ?4
            UNION ALL SELECT rowid, 1, 1, 0, 0.0 FROM company_search WHERE company_search MATCH ?5
            UNION ALL SELECT rowid, 1, 1, 1, 0.0 FROM company_search WHERE company_search MATCH ?6
            UNION ALL SELECT rowid, 2, 1, 1, 0.0 FROM company_search WHERE company_search MATCH ?7
            UNION ALL SELECT rowid, 3, 1, 1, bm25(company_search, 4.0, 2.0, 1.0, 0.5)
                FROM company_search WHERE company_search MATCH ?8
        ), best (id, place, inside, begun, score) AS (
            SELECT id, MIN(place), MIN(inside), MIN(begun), MIN(score) FROM hit GROUP BY id)
        SELECT id FROM best JOIN company USING (id)
        ORDER BY place, standing, inside, begun, tickers = '', score, id";
    let (Some(name_prefix), Some(whole), Some(prefix)) =
        (words.as_name_prefix(), words.all_words(), words.with_last_as_prefix())
    else {
        return Ok(Vec::new());
    };
    let (code, cnpj) = match words.as_str().parse() {
        Ok(CompanyId::Cvm(code)) => (Some(code.get()), None),
        Ok(CompanyId::Cnpj(cnpj)) => (None, Some(cnpj.to_string())),
        Err(_) => (None, None),
    };
    let places = (
        code,
        cnpj,
        format!("tickers : ({whole})"),
        format!("name : ({name_prefix})"),
        format!("name : ({whole})"),
        format!("name : ({prefix})"),
        format!("{{name trade_name}} : ({prefix})"),
        prefix,
    );
    snapshot.rows(SQL, places, |row| row.get(0))
}

/// One company, by its CVM code or CNPJ; if several share a CNPJ, the active one.
///
/// Fails with [`Error::NotFound`] if there is none.
pub fn find(snapshot: &Snapshot, id: CompanyId) -> Result<Sourced<Company>> {
    let found = match lookup::registered(snapshot, id)? {
        Some(code) => with_code(snapshot, code)?,
        None => None,
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
