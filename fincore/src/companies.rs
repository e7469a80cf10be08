//! Companies in CVM's registry, and those that file with CVM without being in it.
//!
//! A [`Company`] is looked up by its CVM code or CNPJ ([`find`]), by words ([`search`]), or in a [`list`]
//! filtered by status and sector. [`all`] returns every one of them.
//!
//! ```
//! use fincore::companies;
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let catalogue = fincore::bundle::filled_copy(dir.path())?;
//! let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
//! let petrobras = companies::find(&snapshot, "33.000.167/0001-01".parse()?)?;
//! assert_eq!((petrobras.id.get(), petrobras.status.as_deref()), (9512, Some("ATIVO")));
//!
//! let found = companies::search(&snapshot, companies::Search::new("petr4")?)?;
//! assert_eq!(found.data[0].id, petrobras.id);
//! # Ok::<(), fincore::Error>(())
//! ```
use crate::{
    answers::{CorrectedWords, Hint, Meta, Page, Sourced},
    calendar::freshness,
    companies::{
        company::{RegistryCache, SELECT, read, read_filer},
        queries::Filter,
    },
    lexicon::names::{Names, UnknownInSearch},
    store::snapshot::Snapshot,
    values::{
        CompanyId, CompanyRef, CvmCode, Date,
        error::{Error, Resource, Result},
        nearest_to_unknown,
    },
};

pub(crate) mod company;
pub(crate) mod queries;
pub(crate) mod store;

pub use company::{Company, other_names};
pub(crate) use company::{DATASET, SOURCE};
pub use queries::{FilterValues, List, Listed, Search, Sector, filter_values, sectors};
pub(crate) use store::{Absence, Listing, RegistryEntry, Security, TickerOverride};

/// The companies of the registry, ordered by code. An unknown status or sector gives an empty list.
pub fn list(snapshot: &Snapshot, query: List) -> Result<Page<Company>> {
    // Status, sector and whether there is a ticker, each ignored if NULL.
    const WHERE: &str =
        "WHERE (?1 IS NULL OR status_folded = ?1) AND (?2 IS NULL OR sector_folded = ?2)
            AND (?3 IS NULL OR (tickers <> '') = ?3)";
    let filter = Filter::new(query.status.as_deref(), query.sector.as_deref(), query.listed);
    let (limit, offset) = (query.limit.get(), query.offset);
    if let (true, Some(all)) = (filter.is_empty(), &snapshot.memo(RegistryCache::read)?.0) {
        let total = all.all().len();
        let first = usize::try_from(offset.get()).unwrap_or(usize::MAX).min(total);
        let data = all.slice(first..first.saturating_add(limit as usize).min(total));
        let (total, meta) = (total as u64, meta(snapshot)?);
        return Ok(Page { data, total, limit, offset: offset.get(), meta });
    }
    let Filter { status, sector, is_listed } = filter;
    let total = snapshot
        .count(&format!("SELECT COUNT(*) FROM company {WHERE}"), (&status, &sector, is_listed))?;
    let (data, total) = snapshot.page(total, limit, offset, |limit, offset| {
        let sql = format!("{SELECT} {WHERE} ORDER BY id LIMIT ?4 OFFSET ?5");
        snapshot.rows(&sql, (&status, &sector, is_listed, limit, offset), read)
    })?;
    let hints = hints(snapshot, total, query.status.as_deref(), query.sector.as_deref())?;
    let meta = Meta { hints, ..meta(snapshot)? };
    Ok(Page { data: data.into(), total, limit, offset: offset.get(), meta })
}

/// Every company of the registry, ordered by code.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let companies = fincore::companies::all(&snapshot)?;
/// assert!(companies.iter().filter(|company| !company.tickers.is_empty()).count() > 300);
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn all(snapshot: &Snapshot) -> Result<Vec<Company>> {
    read_after(snapshot, 0, usize::MAX)
}

/// The number of all companies of the registry.
pub(crate) fn count(snapshot: &Snapshot) -> Result<u64> {
    snapshot.count("SELECT COUNT(*) FROM company", [])
}

/// The companies after a code, ordered by code, at most `limit` of them.
pub(crate) fn read_after(snapshot: &Snapshot, after: u32, limit: usize) -> Result<Vec<Company>> {
    snapshot.first_rows(limit, &format!("{SELECT} WHERE id > ?1 ORDER BY id"), [after], read)
}

/// The company of the registry with this code, if it can be read.
pub(crate) fn with_code(snapshot: &Snapshot, code: CvmCode) -> Result<Option<Company>> {
    snapshot.first(&format!("{SELECT} WHERE id = ?1"), [code], read)
}

/// The company with this code that files without being in the registry.
fn outside_registry(snapshot: &Snapshot, code: u32) -> Result<Option<Company>> {
    // Filers are numbered in the order of their first filing.
    const SQL: &str = "SELECT company, name FROM filer
        WHERE company = ?1 AND NOT EXISTS (SELECT 1 FROM company WHERE id = ?1) ORDER BY id DESC";
    snapshot.first(SQL, [code], read_filer)
}

/// Companies with all the words in their names, tickers or sector, or with this CVM code, CNPJ or ticker; best match
/// first.
///
/// Names are those of the registry, those under which the company filed, and a reviewed list of brands. A number or
/// ticker ranks first, a match in nothing but the sector last; active companies rank before others, listed ones
/// before those without a ticker. If nothing matches, the nearest names are returned, and `meta.fuzzy` says so. A ticker
/// that no company has, and a well-known company that does not file with CVM, are named in `meta.hints`. An unknown status
/// or sector gives an empty list.
pub fn search(snapshot: &Snapshot, query: Search) -> Result<Page<Company>> {
    let by_code = format!("{SELECT} WHERE id = ?1");
    let mut found = snapshot.memo(Names::read)?.search(&query.q);
    let registry = snapshot.memo(RegistryCache::read)?;
    let company = |code: u32| match registry.with_code(code) {
        Some(company) => Ok(Some(company.clone())),
        None => match snapshot.rows(&by_code, [code], read)?.pop() {
            Some(company) => Ok(Some(company)),
            None => outside_registry(snapshot, code),
        },
    };
    let filter = Filter::new(query.status.as_deref(), query.sector.as_deref(), query.listed);
    if !filter.is_empty() {
        let mut admitted = Vec::new();
        for code in found.codes {
            if company(code)?.is_some_and(|company| filter.admits(&company)) {
                admitted.push(code);
            }
        }
        found.codes = admitted;
        found.fuzzy &= !found.codes.is_empty();
    }
    let (limit, offset) = (query.limit.get(), query.offset);
    let (data, total) =
        snapshot.page(found.codes.len() as u64, limit, offset, |limit, offset| {
            let page = found.codes.iter().skip(usize::try_from(offset).unwrap_or(usize::MAX));
            let page = page.take(usize::try_from(limit).unwrap_or(usize::MAX));
            let companies = page.map(|code| company(*code));
            Ok(companies.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
        })?;
    let mut hints = hints(snapshot, total, query.status.as_deref(), query.sector.as_deref())?;
    hints.extend(found.unknown.map(hint_at_unknown));
    let mut meta = Meta { fuzzy: found.fuzzy, hints, ..meta(snapshot)? };
    if found.fuzzy {
        let corrected = found.differences.corrected.into_iter();
        meta.corrected = corrected.map(|(from, to)| CorrectedWords { from, to }).collect();
        meta.dropped = found.differences.dropped;
    }
    Ok(Page { data: data.into(), total, limit, offset: offset.get(), meta })
}

/// One company, by its CVM code, CNPJ, ticker or ISIN; if several share a CNPJ, the active one. The CNPJ of a branch stands
/// for its company. One that files without being in
/// the registry, as foreign issuers do, has no CNPJ and no status.
///
/// Fails with [`Error::NotFound`] if there is none.
pub fn find(snapshot: &Snapshot, company: CompanyRef) -> Result<Sourced<Company>> {
    let code = match company {
        CompanyRef::Id(CompanyId::Cvm(code)) => Some(code),
        CompanyRef::Id(CompanyId::Cnpj(_)) | CompanyRef::Ticker(_) => {
            queries::resolve(snapshot, &company)?
        }
    };
    let found = match code {
        Some(code) => match snapshot.memo(RegistryCache::read)?.with_code(code.get()) {
            Some(company) => Some(company.clone()),
            None => match with_code(snapshot, code)? {
                Some(company) => Some(company),
                None => outside_registry(snapshot, code.get())?,
            },
        },
        None => None,
    };
    let found = found.ok_or_else(|| Error::not_found(Resource::Company, &company.to_string()))?;
    Ok(Sourced::new(found, meta(snapshot)?))
}

/// The CVM code of the company that a code, a CNPJ or a ticker stands for.
///
/// Fails with [`Error::NotFound`] if there is none. A company that files without being registered has one, too.
pub fn resolve(snapshot: &Snapshot, company: &CompanyRef) -> Result<CvmCode> {
    let found = queries::resolve(snapshot, company)?;
    found.ok_or_else(|| Error::not_found(Resource::Company, &company.to_string()))
}

/// Explains which filter of a query matches nothing; `None` if every filter matches something.
pub(crate) fn hints(
    snapshot: &Snapshot,
    total: u64,
    status: Option<&str>,
    sector: Option<&str>,
) -> Result<Vec<Hint>> {
    if total > 0 || (status.is_none() && sector.is_none()) {
        return Ok(Vec::new());
    }
    let known = filter_values(snapshot)?;
    let statuses = format!("the statuses are {}", known.statuses.join(", "));
    let unknown = |field, given: Option<&str>, known: &[String], otherwise: &str| {
        let given = given?;
        nearest_to_unknown(given, known).map(|nearest| Hint::UnknownValue {
            row: "company",
            field,
            given: given.to_owned(),
            nearest,
            otherwise: otherwise.to_owned(),
        })
    };
    let status = unknown("status", status, &known.statuses, &statuses);
    let sector = unknown("sector", sector, &known.sectors, "see /api/v1/companies/sectors");
    Ok([status, sector].into_iter().flatten().collect())
}

/// Names the part of a search that does not exist.
pub(crate) fn hint_at_unknown(unknown: UnknownInSearch) -> Hint {
    match unknown {
        UnknownInSearch::Identifier { kind, given, nearest } => {
            Hint::UnknownIdentifier { kind, given, nearest }
        }
        UnknownInSearch::Company(known) => {
            Hint::NotRegistered { name: known.name, receipts: known.receipts }
        }
    }
}

/// The newest change in the registry, and the newest that it should have by now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegistryAge {
    pub(crate) newest: Option<Date>,
    pub(crate) expected: Date,
}

impl RegistryAge {
    pub(crate) fn read(snapshot: &Snapshot) -> Result<RegistryAge> {
        let sync = freshness::sync_record(snapshot, DATASET)?;
        let newest = newest_event(snapshot)?;
        let expected = freshness::expected_event(snapshot.today(), newest, sync.last_checked_on());
        Ok(RegistryAge { newest, expected })
    }

    fn is_stale(self) -> bool {
        self.newest.is_none_or(|newest| newest < self.expected)
    }
}

/// True if the registry should have newer changes.
pub(crate) fn is_stale(snapshot: &Snapshot) -> Result<bool> {
    Ok(RegistryAge::read(snapshot)?.is_stale())
}

/// The source of companies, with its age.
pub(crate) fn meta(snapshot: &Snapshot) -> Result<Meta> {
    Ok(Meta {
        updated_at: freshness::sync_record(snapshot, DATASET)?.updated_at,
        stale: Some(is_stale(snapshot)?),
        ..Meta::new(SOURCE)
    })
}

/// The days on which something changed in the registry, the newest first.
struct Events(Vec<Date>);

/// The newest change in the registry. Later dates than the snapshot's are typing errors.
fn newest_event(snapshot: &Snapshot) -> Result<Option<Date>> {
    const SQL: &str = "SELECT registered_on AS day FROM company WHERE day IS NOT NULL UNION
        SELECT cancelled_on AS day FROM company WHERE day IS NOT NULL UNION
        SELECT status_since AS day FROM company WHERE day IS NOT NULL ORDER BY day DESC";
    let read = || Ok(Events(snapshot.rows(SQL, [], |row| row.get(0))?));
    let Events(days) = &*snapshot.memo(|_| read())?;
    Ok(days.iter().copied().find(|day| *day <= snapshot.today()))
}

#[cfg(test)]
mod tests;
