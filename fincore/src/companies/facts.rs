//! What else is known of companies: the values of their filters, and names that they had.
use crate::{
    catalogue::Snapshot,
    companies::Company,
    error::{Error, Noun, Result},
    lookup,
    types::{CompanyRef, CvmCode, fold, words},
};

/// The values that the filters of companies can have, in alphabetical order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kinds {
    /// Every status that a company has.
    pub statuses: Vec<String>,
    /// Every sector that a company is in.
    pub sectors: Vec<String>,
}

/// Every status and every sector of the registry.
pub fn kinds(snapshot: &Snapshot) -> Result<Kinds> {
    const STATUSES: &str =
        "SELECT DISTINCT status FROM company WHERE status <> '' ORDER BY status_folded";
    const SECTORS: &str =
        "SELECT DISTINCT sector FROM company WHERE sector <> '' ORDER BY sector_folded";
    let read = |sql| snapshot.rows(sql, [], |row| row.get(0));
    Ok(Kinds { statuses: read(STATUSES)?, sectors: read(SECTORS)? })
}

/// The CVM code of the company that a code, a CNPJ or a ticker stands for.
///
/// Fails with [`Error::NotFound`] if there is none. A company that files without being registered has one, too.
pub fn resolve(snapshot: &Snapshot, company: &CompanyRef) -> Result<CvmCode> {
    let found = lookup::meant(snapshot, company)?;
    found.ok_or_else(|| Error::not_found(Noun::Company, &company.to_string()))
}

/// Other names under which a company filed, the first one first: most of them are former names. Those that only
/// write the registered name or the trade name differently are left out.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
/// # fincore::bundle::fill(&catalogue)?;
/// # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// use fincore::companies;
///
/// let copel = companies::find(&snapshot, "14311".parse()?)?;
/// assert!(!companies::filed_as(&snapshot, &copel)?.contains(&copel.name));
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn filed_as(snapshot: &Snapshot, company: &Company) -> Result<Vec<String>> {
    const SQL: &str = "SELECT name FROM filer WHERE company = ?1 ORDER BY id";
    let mut known: Vec<String> = [Some(&company.name), company.trade_name.as_ref()]
        .into_iter()
        .flatten()
        .map(|name| plain(name))
        .collect();
    let mut names: Vec<String> = snapshot.rows(SQL, [company.id.get()], |row| row.get(0))?;
    names.retain(|name| {
        let plain = plain(name);
        let is_new = !plain.is_empty() && !known.contains(&plain);
        known.push(plain);
        is_new
    });
    Ok(names)
}

/// A name without its marks, and without the form of the company, which is written in many ways.
fn plain(name: &str) -> String {
    let folded = fold(name);
    let parts = words(&folded).filter(|word| !["s", "a", "sa", "cia", "companhia"].contains(word));
    parts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[cfg(feature = "bundle")]
mod tests {
    use super::*;
    use crate::{bundle, catalogue::Catalogue, companies, types::Date};

    #[test]
    fn tells_the_values_of_filters_and_each_finds_companies() {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
        bundle::fill(&catalogue).unwrap();
        let snapshot = catalogue.snapshot(Date::MAX).unwrap();
        let kinds = kinds(&snapshot).unwrap();
        assert!(kinds.statuses.contains(&"ATIVO".to_owned()), "{kinds:?}");
        assert!(kinds.sectors.contains(&"Bancos".to_owned()) && kinds.sectors.len() > 20);
        let of = |status: Option<&String>, sector: Option<&String>| {
            let query = companies::List {
                status: status.cloned(),
                sector: sector.cloned(),
                ..Default::default()
            };
            companies::list(&snapshot, query).unwrap().total
        };
        let (all, by_status): (u64, u64) =
            (of(None, None), kinds.statuses.iter().map(|status| of(Some(status), None)).sum());
        assert_eq!(all, by_status);
        assert!(kinds.sectors.iter().all(|sector| of(None, Some(sector)) > 0));
    }

    #[test]
    fn resolves_codes_numbers_and_tickers() {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
        bundle::fill(&catalogue).unwrap();
        let snapshot = catalogue.snapshot(Date::MAX).unwrap();
        for text in ["4170", "004170", "33.592.510/0001-54", "vale3", "VALE3.SA"] {
            let code = resolve(&snapshot, &text.parse().unwrap()).unwrap();
            assert_eq!(code.get(), 4170, "{text}");
        }
        for text in ["999999", "ZZZZ9"] {
            let missing = resolve(&snapshot, &text.parse().unwrap()).unwrap_err();
            assert!(missing.to_string().contains(text), "{missing}");
        }
    }

    #[test]
    fn tells_former_names_once_and_without_other_spellings() {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
        bundle::fill(&catalogue).unwrap();
        let snapshot = catalogue.snapshot(Date::MAX).unwrap();
        let mut renamed = 0;
        companies::each(&snapshot, |company| {
            let names = filed_as(&snapshot, &company)?;
            renamed += usize::from(!names.is_empty());
            let mut plain: Vec<String> = names.iter().map(|name| plain(name)).collect();
            let count = plain.len();
            plain.sort();
            plain.dedup();
            assert_eq!(plain.len(), count, "{names:?}");
            assert!(!plain.contains(&super::plain(&company.name)), "{names:?}");
            Ok(())
        })
        .unwrap();
        assert!(renamed > 20, "{renamed}");
    }
}
