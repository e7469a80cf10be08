//! What the rows of a catalogue say of its datasets: counted once for each state of the data.
use std::sync::{Arc, Mutex};

use super::{Status, told};
use crate::{
    catalogue::Snapshot,
    error::Result,
    lock::lock,
    market::freshness::{Held, held},
    sqlite::parsed,
    types::Date,
};

/// What takes time to find out. It depends on the data and the date, not on what is noted of the data.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) series: Vec<Held>,
    /// The number of exchange rates with both sides.
    pub(super) quotes: u64,
    pub(super) companies: u64,
    /// The newest change in the registry of companies.
    pub(super) newest_event: Option<Date>,
}

impl Facts {
    pub(super) fn read(snapshot: &Snapshot) -> Result<Facts> {
        const QUOTES: &str =
            "SELECT COUNT(*) FROM fx WHERE date <= ?1 AND buy IS NOT NULL AND sell IS NOT NULL";
        const COMPANIES: &str = "SELECT COUNT(*) FROM company";
        Ok(Facts {
            series: held(snapshot)?,
            quotes: snapshot.count(QUOTES, [snapshot.today().to_string()])?,
            companies: snapshot.count(COMPANIES, [])?,
            newest_event: newest_event(snapshot)?,
        })
    }
}

/// The newest change in the registry of companies. Later dates than the snapshot's are typing errors.
fn newest_event(snapshot: &Snapshot) -> Result<Option<Date>> {
    const SQL: &str = "SELECT day FROM (
            SELECT registered_on AS day FROM company UNION ALL
            SELECT cancelled_on FROM company UNION ALL
            SELECT status_since FROM company) WHERE day <= ?1 ORDER BY day DESC";
    snapshot.first(SQL, [snapshot.today().to_string()], |row| parsed(row, 0))
}

/// Tells the status again and again, and counts rows only when the data or the date has changed. For those who let
/// anybody ask; one serves all threads.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
/// let watch = fincore::datasets::Watch::default();
/// let snapshot = catalogue.snapshot("2026-11-15".parse()?)?;
/// assert_eq!(watch.status(&snapshot)?, fincore::datasets::status(&snapshot)?);
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Watch {
    last: Mutex<Option<Counted>>,
}

/// Facts, and of which data and date they are.
#[derive(Debug)]
struct Counted {
    tag: String,
    today: Date,
    facts: Arc<Facts>,
}

impl Watch {
    /// All datasets, each with its freshness: what [`status`](super::status) tells.
    pub fn status(&self, snapshot: &Snapshot) -> Result<Status> {
        told(snapshot, &*self.facts(snapshot)?)
    }

    /// Whoever comes while somebody counts waits for the result, instead of counting, too.
    fn facts(&self, snapshot: &Snapshot) -> Result<Arc<Facts>> {
        let mut last = lock(&self.last);
        let (tag, today) = (snapshot.tag(), snapshot.today());
        if let Some(counted) = &*last
            && (counted.tag == tag && counted.today == today)
        {
            return Ok(Arc::clone(&counted.facts));
        }
        let facts = Arc::new(Facts::read(snapshot)?);
        *last = Some(Counted { tag: tag.to_owned(), today, facts: Arc::clone(&facts) });
        Ok(facts)
    }
}
