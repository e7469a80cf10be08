//! Repairs a catalogue: removes rows that cannot be read, recomputes what is derived, and fills in the bundled data.
use chrono::{DateTime, Utc};

use crate::{
    maintenance::{
        CheckStep, RemovedRows,
        check::{self, STEPS, examine},
        companies, filings,
        findings::Progress,
        market, past, statements,
    },
    store::{Catalogue, Remedy, Writer},
    values::{Error, Result},
};

/// The outcome of [`Catalogue::rebuild`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rebuilt {
    /// The damage that was repaired, one sentence each; empty if everything was sound.
    pub repaired: Vec<String>,
    /// The rows that were removed because they could not be read: dataset, and name in it.
    pub removed: Vec<String>,
    /// How many rows the bundled data has filled in again.
    pub restored: usize,
}

impl Catalogue {
    /// Recomputes everything that imports derive from the rows, in one transaction: columns and indexes for filters and
    /// searches, counts, computed rates. Readers see the old data or the new.
    ///
    /// Rows that cannot be read are removed, and the removal is logged; those of the bundled data are restored in the same
    /// transaction. If everything is sound, nothing changes, and the data version stays.
    ///
    /// Fails with [`Error::Busy`] if an import runs, and with [`Error::Storage`] if the file itself is damaged.
    pub fn rebuild(&self, now: DateTime<Utc>) -> Result<Rebuilt> {
        self.rebuild_with(now, |_| ())
    }

    /// Rebuilds, and reports progress.
    pub fn rebuild_with(
        &self,
        now: DateTime<Utc>,
        mut progress: impl FnMut(CheckStep),
    ) -> Result<Rebuilt> {
        let mut progress = Progress::new(&mut progress, STEPS + REPAIRS);
        // Locked before it is examined, so that nothing changes in between.
        let mut writer = self.write(now)?;
        let (_, findings) = examine(self, &mut progress)?;
        let repaired = findings.sentences();
        match findings.remedy() {
            None => return Ok(Rebuilt::default()),
            Some(Remedy::Rebuild) => (),
            Some(Remedy::Restore) => {
                let what = "the file itself is damaged, and cannot be rebuilt";
                return Err(Error::storage(what, repaired.join("; ")));
            }
        }
        let mut removed = RemovedRows::default();
        repair(&writer, &mut removed, &mut progress)?;
        progress.begin("the bundled data");
        let restored = refill_from_bundle(&writer)?;
        writer.note("rebuild", repaired.join("\n").as_bytes());
        writer.commit()?;
        Ok(Rebuilt { repaired, removed: removed.into_names(), restored })
    }
}

/// How many steps a repair has, the bundled data included.
const REPAIRS: usize = 6;

fn repair(writer: &Writer, removed: &mut RemovedRows, progress: &mut Progress<'_>) -> Result<()> {
    progress.begin("repairing indexes");
    check::repair(writer)?;
    writer.prepare("REINDEX")?.execute([])?;
    past::repair_change_log(writer)?;
    // Removed rows must be downloaded again, even if the publisher's files have not changed.
    writer.prepare("DELETE FROM download")?.execute([])?;
    progress.begin("repairing rates");
    past::repair(writer)?;
    market::repair(writer, removed)?;
    market::repair_meetings(writer, removed)?;
    progress.begin("repairing companies");
    companies::repair(writer, removed)?;
    progress.begin("repairing filings");
    filings::repair(writer, removed, progress)?;
    progress.begin("repairing statements");
    statements::repair(writer, removed)
}

#[cfg(feature = "bundle")]
fn refill_from_bundle(writer: &Writer) -> Result<usize> {
    crate::import::bundle::refill(writer)
}

/// Removes the mark of the bundle, so that a program that has the bundle fills it in.
#[cfg(not(feature = "bundle"))]
fn refill_from_bundle(writer: &Writer) -> Result<usize> {
    writer.prepare("DELETE FROM meta WHERE name = 'bundle'")?.execute([])?;
    Ok(0)
}
