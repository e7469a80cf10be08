//! The values that companies can be filtered by.
use crate::{catalogue::Snapshot, error::Result};

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

#[cfg(test)]
#[cfg(feature = "bundle")]
mod tests {
    use super::*;
    use crate::{bundle, companies, types::Date};

    #[test]
    fn every_value_of_a_filter_finds_companies() {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = bundle::filled_copy(dir.path()).unwrap();
        let snapshot = catalogue.snapshot(Date::MAX).unwrap();
        let values = filter_values(&snapshot).unwrap();
        assert!(values.statuses.contains(&"ATIVO".to_owned()), "{values:?}");
        assert!(values.sectors.contains(&"Bancos".to_owned()) && values.sectors.len() > 20);
        let of = |status: Option<&String>, sector: Option<&String>| {
            let query = companies::List {
                status: status.cloned(),
                sector: sector.cloned(),
                ..Default::default()
            };
            companies::list(&snapshot, query).unwrap().total
        };
        let (all, by_status): (u64, u64) =
            (of(None, None), values.statuses.iter().map(|status| of(Some(status), None)).sum());
        assert_eq!(all, by_status);
        assert!(values.sectors.iter().all(|sector| of(None, Some(sector)) > 0));
    }
}
