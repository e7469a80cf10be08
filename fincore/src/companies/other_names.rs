//! Other names that companies filed under.
use super::company::Company;
use crate::{
    catalogue::Snapshot,
    error::Result,
    types::{fold, words},
};

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
    let mut names: Vec<String> = snapshot.rows(SQL, [company.id.get()], |row| row.get(0))?;
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

#[cfg(test)]
#[cfg(feature = "bundle")]
mod tests {
    use super::*;
    use crate::{bundle, companies, types::Date};

    #[test]
    fn lists_former_names_once_and_without_other_spellings() {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = bundle::filled_copy(dir.path()).unwrap();
        let snapshot = catalogue.snapshot(Date::MAX).unwrap();
        let mut renamed = 0;
        companies::each(&snapshot, |company| {
            let names = other_names(&snapshot, &company)?;
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
