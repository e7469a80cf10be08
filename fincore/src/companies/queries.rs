//! The queries of companies.
use serde::{Deserialize, Serialize};

use crate::{
    answers::{
        Cell, Column, ColumnKind, Page,
        table::{self, serialize_by_columns},
    },
    companies::{self, Company},
    lexicon::Names,
    store::Snapshot,
    values::{
        CompanyId, CompanyRef, CvmCode, Limit, Offset, PageQuery, Result, Wanted, Words, as_text,
        fold, words,
    },
};

/// A query for companies; by default the first twenty by code.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// Only companies with this status; case and accents are ignored.
    pub status: Option<String>,
    /// Only companies in this sector; case and accents are ignored.
    pub sector: Option<String>,
    /// Only companies with a ticker, or only those without.
    pub listed: Option<Listed>,
    /// The most companies to return.
    #[serde(default)]
    pub limit: Limit<1000>,
    /// The number of companies to skip.
    #[serde(default)]
    pub offset: Offset,
}

/// A search for companies; by default the best twenty that match.
///
/// ```
/// use fincore::companies::Search;
///
/// let banks = Search { sector: Some("bancos".into()), ..Search::new("itau")? };
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// All words must match; the last one matches as a prefix.
    pub q: Words,
    /// Only companies with this status; case and accents are ignored.
    pub status: Option<String>,
    /// Only companies in this sector; case and accents are ignored.
    pub sector: Option<String>,
    /// Only companies with a ticker, or only those without.
    pub listed: Option<Listed>,
    /// The most companies to return.
    #[serde(default)]
    pub limit: Limit<1000>,
    /// The number of companies to skip.
    #[serde(default)]
    pub offset: Offset,
}

impl Search {
    /// A search for the words in `text`, among all companies.
    ///
    /// Fails if `text` has no words, or too many.
    pub fn new(text: &str) -> Result<Search> {
        Ok(words::Search::new(text)?.into())
    }
}

impl From<words::Search> for Search {
    fn from(words::Search { q, limit, offset }: words::Search) -> Search {
        Search { q, status: None, sector: None, listed: None, limit, offset }
    }
}

/// Whether a company has a ticker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// It has one.
    Yes,
    /// It has none.
    No,
}

as_text!(Listed::as_str, Wanted::TrueOrFalse, "true" => Yes, "false" => No);

/// Filters of companies: status and sector ignore case and accents; an empty filter admits all.
pub(crate) struct Filter {
    pub(crate) status: Option<String>,
    pub(crate) sector: Option<String>,
    pub(crate) is_listed: Option<bool>,
}

impl Filter {
    pub(crate) fn new(
        status: Option<&str>,
        sector: Option<&str>,
        listed: Option<Listed>,
    ) -> Filter {
        let is_listed = listed.map(|listed| listed == Listed::Yes);
        Filter { status: status.map(fold), sector: sector.map(fold), is_listed }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.status.is_none() && self.sector.is_none() && self.is_listed.is_none()
    }

    pub(crate) fn admits(&self, company: &Company) -> bool {
        self.status
            .as_ref()
            .is_none_or(|status| company.status.as_deref().map(fold).as_ref() == Some(status))
            && self.sector.as_ref().is_none_or(|sector| *sector == fold(&company.sector))
            && self.is_listed.is_none_or(|listed| listed != company.tickers.is_empty())
    }
}

/// The values that the filters of companies can have, in alphabetical order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FilterValues {
    /// Every status that a company has.
    pub statuses: Vec<String>,
    /// Every sector that a company is in.
    pub sectors: Vec<String>,
}

/// Every status and every sector of the registry.
pub fn filter_values(snapshot: &Snapshot) -> Result<FilterValues> {
    const STATUSES: &str =
        "SELECT DISTINCT status FROM company WHERE status <> '' ORDER BY status_folded";
    const SECTORS: &str =
        "SELECT DISTINCT sector FROM company WHERE sector <> '' ORDER BY sector_folded";
    let read = |sql| snapshot.rows(sql, [], |row| row.get(0));
    Ok(FilterValues { statuses: read(STATUSES)?, sectors: read(SECTORS)? })
}

/// A sector, and how many companies it has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sector {
    /// The name of the sector, as published; empty for companies without one.
    pub sector: String,
    /// All companies, current and former.
    pub companies: u64,
    /// Companies whose registration is active.
    pub active: u64,
    /// Companies with a ticker.
    pub listed: u64,
}

impl table::Row for Sector {
    const COLUMNS: &'static [Column<Sector>] = &[
        Column::new("sector", ColumnKind::Text, |row| row.sector.as_str().into()),
        Column::new("companies", ColumnKind::Integer, |row| Cell::Integer(row.companies)),
        Column::new("active", ColumnKind::Integer, |row| Cell::Integer(row.active)),
        Column::new("listed", ColumnKind::Integer, |row| Cell::Integer(row.listed)),
    ];
}

serialize_by_columns!(Sector);

/// Every sector with its numbers of companies, the largest first. The numbers add up to all companies.
pub fn sectors(snapshot: &Snapshot, query: PageQuery) -> Result<Page<Sector>> {
    const SQL: &str = "SELECT sector, COUNT(*), SUM(standing = 0), SUM(tickers <> '') FROM company
        GROUP BY sector ORDER BY COUNT(*) DESC, sector_folded";
    let all = snapshot.rows(SQL, [], |row| {
        let number = |column| row.get::<_, i64>(column).map(i64::unsigned_abs);
        let (companies, active, listed) = (number(1)?, number(2)?, number(3)?);
        Ok(Sector { sector: row.get(0)?, companies, active, listed })
    })?;
    Ok(Page::cut(all, query.limit.get(), query.offset.get(), companies::meta(snapshot)?))
}

/// The CVM code of the registered company with this id, if there is one.
fn find_registered(snapshot: &Snapshot, id: CompanyId) -> Result<Option<CvmCode>> {
    const BY_CODE: &str = "SELECT id FROM company WHERE id = ?1";
    // Of companies that share a CNPJ the active one, or else the one registered last.
    const BY_CNPJ: &str =
        "SELECT id FROM company WHERE cnpj = ?1 ORDER BY standing, id DESC LIMIT 1";
    // The root of a CNPJ, shared by all branches.
    const OF_BRANCH: &str = "SELECT id FROM company WHERE cnpj > ?1 || '/' AND cnpj < ?1 || '0'
        ORDER BY standing, id DESC LIMIT 1";
    let mut found = match id {
        CompanyId::Cvm(number) => snapshot.rows(BY_CODE, [number], |row| row.get(0))?,
        CompanyId::Cnpj(cnpj) => snapshot.rows(BY_CNPJ, [cnpj], |row| row.get(0))?,
    };
    if let (true, CompanyId::Cnpj(cnpj)) = (found.is_empty(), id) {
        found = snapshot.rows(OF_BRANCH, [cnpj.root()], |row| row.get(0))?;
    }
    Ok(found.into_iter().next())
}

/// The CVM code of the company that a reference stands for, if there is one. A company that files without being registered counts
/// too.
pub(crate) fn resolve(snapshot: &Snapshot, company: &CompanyRef) -> Result<Option<CvmCode>> {
    const FILES: &str = "SELECT 1 FROM filer WHERE company = ?1 LIMIT 1";
    match company {
        CompanyRef::Id(id) => {
            let found = find_registered(snapshot, *id)?;
            Ok(match (found, id) {
                (None, CompanyId::Cvm(code)) if snapshot.count(FILES, [code])? > 0 => Some(*code),
                (found, CompanyId::Cvm(_) | CompanyId::Cnpj(_)) => found,
            })
        }
        CompanyRef::Ticker(ticker) => {
            let code = snapshot.memo(Names::read)?.code_of_ticker(&ticker.to_ascii_lowercase());
            Ok(code.and_then(|code| CvmCode::new(code).ok()))
        }
    }
}

#[cfg(test)]
mod filter_values_tests {
    use crate::companies;
    use crate::import::bundle;

    use super::*;
    use crate::values::Date;

    #[test]
    fn every_value_of_a_filter_finds_companies() {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = bundle::filled_copy(dir.path()).unwrap();
        let snapshot = catalogue.snapshot(Date::MAX).unwrap();
        let values = filter_values(&snapshot).unwrap();
        assert!(values.statuses.contains(&"ATIVO".to_owned()), "{values:?}");
        assert!(values.sectors.contains(&"Bancos".to_owned()) && values.sectors.len() > 20);
        let of = |status: Option<&String>, sector: Option<&String>| {
            let query =
                List { status: status.cloned(), sector: sector.cloned(), ..Default::default() };
            companies::list(&snapshot, query).unwrap().total
        };
        let (all, by_status): (u64, u64) =
            (of(None, None), values.statuses.iter().map(|status| of(Some(status), None)).sum());
        assert_eq!(all, by_status);
        assert!(values.sectors.iter().all(|sector| of(None, Some(sector)) > 0));
    }
}
