//! How old the registry of companies is.
use crate::{
    answers::Meta,
    catalogue::Snapshot,
    companies::company::{DATASET, SOURCE},
    error::Result,
    freshness,
    sqlite::parsed,
    types::Date,
};

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

/// Whether the registry should have newer changes.
pub(crate) fn is_stale(snapshot: &Snapshot) -> Result<bool> {
    Ok(RegistryAge::read(snapshot)?.is_stale())
}

/// The source of companies, with its age.
pub(super) fn meta(snapshot: &Snapshot) -> Result<Meta> {
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
    let read = || Ok(Events(snapshot.rows(SQL, [], |row| parsed(row, 0))?));
    let Events(days) = &*snapshot.memo(|_| read())?;
    Ok(days.iter().copied().find(|day| *day <= snapshot.today()))
}
