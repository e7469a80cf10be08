//! A company, the columns of its rows, and how it is read from the data file.
use std::sync::Arc;

use rusqlite::{Connection, Row};

use crate::{
    answers::{
        CachedRows, Cell, Column, ColumnKind,
        table::{self, serialize_by_columns},
    },
    lexicon::names::reviewed_names,
    store::Snapshot,
    values::{Cnpj, CvmCode, Date, Result, fold, words::words},
};

/// The name of the dataset, in the change log and for callers.
pub(crate) const DATASET: &str = "companies";

/// The source of companies.
pub(crate) const SOURCE: &str = "CVM, cadastro de companhias abertas";

/// A company that is or was registered with CVM, or files with it without being in its registry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Company {
    /// Its CVM code.
    pub id: CvmCode,
    /// The legal name, as published; outside the registry, the last one that it filed under.
    pub name: String,
    /// The trade name, if one is registered.
    pub trade_name: Option<String>,
    /// Its tax number. A company that registered again has two CVM codes with the same CNPJ. `None` outside the registry.
    pub cnpj: Option<Cnpj>,
    /// The status of its registration: `ATIVO`, `CANCELADA` or `SUSPENSO(A) - DECISÃO ADM`. `None` for a company that
    /// files without being in the registry, as foreign issuers do.
    pub status: Option<String>,
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
        Column::new("id", ColumnKind::Text, |company| Cell::display(company.id)),
        Column::new("name", ColumnKind::Text, |company| company.name.as_str().into()),
        Column::new("trade_name", ColumnKind::Text, |company| company.trade_name.as_deref().into()),
        Column::new("cnpj", ColumnKind::Text, |company| {
            company.cnpj.map_or(Cell::Empty, Cell::display)
        }),
        Column::new("status", ColumnKind::Text, |company| company.status.as_deref().into()),
        Column::new("sector", ColumnKind::Text, |company| company.sector.as_str().into()),
        Column::new("tickers", ColumnKind::List, |company| Cell::List(&company.tickers)),
        Column::new("registered_on", ColumnKind::Day, |company| company.registered_on.into()),
        Column::new("cancelled_on", ColumnKind::Day, |company| company.cancelled_on.into()),
    ];
}

serialize_by_columns!(Company);

/// The columns that [`read`] expects.
pub(crate) const SELECT: &str = "SELECT id, name, trade_name, cnpj, status, sector, tickers,
    registered_on, cancelled_on FROM company";

pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Company> {
    Ok(Company {
        id: row.get(0)?,
        name: row.get(1)?,
        trade_name: row.get(2)?,
        cnpj: Some(row.get(3)?),
        status: Some(row.get(4)?),
        sector: row.get(5)?,
        tickers: row.get_ref(6)?.as_str()?.split_whitespace().map(str::to_owned).collect(),
        registered_on: row.get(7)?,
        cancelled_on: row.get(8)?,
    })
}

/// A company that files without being in the registry, from its code and a name that it filed under.
pub(crate) fn read_filer(row: &Row<'_>) -> rusqlite::Result<Company> {
    let id: CvmCode = row.get(0)?;
    Ok(Company {
        id,
        name: row.get(1)?,
        trade_name: None,
        cnpj: None,
        status: None,
        sector: String::new(),
        tickers: reviewed_names::current_tickers(id.get()).map(str::to_ascii_uppercase).collect(),
        registered_on: None,
        cancelled_on: None,
    })
}

/// Other names that a company filed under, oldest first: most of them are former names. Other spellings of the registered
/// name or the trade name are left out.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// use fincore::companies;
///
/// let copel = companies::find(&snapshot, "14311".parse()?)?;
/// assert!(!companies::other_names(&snapshot, &copel)?.contains(&copel.name));
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn other_names(snapshot: &Snapshot, company: &Company) -> Result<Vec<String>> {
    const SQL: &str = "SELECT name FROM filer WHERE company = ?1 ORDER BY id";
    let mut known: Vec<String> = [Some(&company.name), company.trade_name.as_ref()]
        .into_iter()
        .flatten()
        .map(|name| plain(name))
        .collect();
    let mut names: Vec<String> = snapshot.rows(SQL, [company.id], |row| row.get(0))?;
    names.retain(|name| {
        let plain = plain(name);
        let is_new = !plain.is_empty() && !known.contains(&plain);
        known.push(plain);
        is_new
    });
    Ok(names)
}

/// A name without punctuation, and without the legal form of the company, which is written in many ways.
fn plain(name: &str) -> String {
    let folded = fold(name);
    let parts = words(&folded).filter(|word| !["s", "a", "sa", "cia", "companhia"].contains(word));
    parts.collect::<Vec<_>>().join(" ")
}

/// All companies, ordered by code. `None` if one of them is corrupt: then companies are read from the file, so that every
/// answer that leaves it out counts it.
#[derive(Debug)]
pub(crate) struct RegistryCache(pub(crate) Option<Arc<CachedRows<Company>>>);

impl RegistryCache {
    pub(crate) fn read(connection: &Connection) -> Result<RegistryCache> {
        let mut statement = connection.prepare_cached(&format!("{SELECT} ORDER BY id"))?;
        let mut rows = statement.query([])?;
        let mut all = CachedRows::default();
        while let Some(row) = rows.next()? {
            let Ok(company) = read(row) else { return Ok(RegistryCache(None)) };
            all.push(company)?;
        }
        all.shrink();
        Ok(RegistryCache(Some(Arc::new(all))))
    }

    pub(crate) fn with_code(&self, code: u32) -> Option<&Company> {
        let all = self.0.as_ref()?.all();
        all.binary_search_by_key(&code, |company| company.id.get()).ok().map(|at| &all[at])
    }
}

#[cfg(test)]
mod other_names_tests {
    use crate::companies;
    use crate::import::bundle;

    use super::*;
    use crate::values::Date;

    #[test]
    fn lists_former_names_once_and_without_other_spellings() {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = bundle::filled_copy(dir.path()).unwrap();
        let snapshot = catalogue.snapshot(Date::MAX).unwrap();
        let mut renamed = 0;
        for company in companies::all(&snapshot).unwrap() {
            let names = other_names(&snapshot, &company).unwrap();
            renamed += usize::from(!names.is_empty());
            let mut plain: Vec<String> = names.iter().map(|name| plain(name)).collect();
            let count = plain.len();
            plain.sort();
            plain.dedup();
            assert_eq!(plain.len(), count, "{names:?}");
            assert!(!plain.contains(&super::plain(&company.name)), "{names:?}");
        }
        assert!(renamed > 20, "{renamed}");
    }
}
