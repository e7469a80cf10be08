//! Repairs a catalogue: removes what cannot be read, derives the rest anew, fills in from the bundle.
use std::fmt::Display;

use chrono::{DateTime, Utc};

use super::{CheckStep, Progress, STEPS, companies, examine, filings, log, market, schema};
use crate::{
    catalogue::{Catalogue, Change, Writer},
    error::{Error, Result},
    sqlite::Remedy,
};

/// What [`Catalogue::rebuild`] did.
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

/// The rows that were removed.
#[derive(Debug, Default)]
pub(super) struct Removed(Vec<String>);

impl Removed {
    /// Names a removed row of a dataset, and logs it.
    pub(super) fn log(&mut self, writer: &Writer, dataset: &str, key: &str) -> Result<()> {
        writer.log(dataset, key, Change::Removed)?;
        self.name(format_args!("{dataset} {key}"));
        Ok(())
    }

    /// Names a removed row that is not part of a dataset by itself.
    pub(super) fn name(&mut self, row: impl Display) {
        self.0.push(row.to_string());
    }
}

impl Catalogue {
    /// Makes everything that imports derive from the rows anew, in one transaction: columns and indexes for
    /// filters and searches, counts, computed rates. Readers see the old data or the new.
    ///
    /// Rows that cannot be read are removed, and the change log says so; those that the bundled data has come
    /// back in the same transaction. If everything is sound, nothing changes, and the data version stays.
    ///
    /// Fails with [`Error::Busy`] if an import runs, and with [`Error::Storage`] if the file itself is damaged.
    pub fn rebuild(&self, now: DateTime<Utc>) -> Result<Rebuilt> {
        self.rebuild_with(now, |_| ())
    }

    /// The same, and reports progress.
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
        let mut removed = Removed::default();
        repair(&writer, &mut removed, &mut progress)?;
        progress.begin("the bundled data");
        let restored = fill(&writer)?;
        writer.note("rebuild", repaired.join("\n").as_bytes());
        writer.commit()?;
        Ok(Rebuilt { repaired, removed: removed.0, restored })
    }
}

/// How many steps a repair has, the bundled data included.
const REPAIRS: usize = 5;

fn repair(writer: &Writer, removed: &mut Removed, progress: &mut Progress<'_>) -> Result<()> {
    progress.begin("repairing indexes");
    schema::repair(writer)?;
    writer.prepare("REINDEX")?.execute([])?;
    log::repair(writer)?;
    // What was removed must come again, though its publisher has nothing newer.
    writer.prepare("DELETE FROM download")?.execute([])?;
    progress.begin("repairing rates");
    market::repair(writer, removed)?;
    progress.begin("repairing companies");
    companies::repair(writer, removed)?;
    progress.begin("repairing filings");
    filings::repair(writer, removed, progress)
}

#[cfg(feature = "bundle")]
fn fill(writer: &Writer) -> Result<usize> {
    crate::bundle::refill(writer)
}

/// A program that has the bundle fills it in, because this mark is missing.
#[cfg(not(feature = "bundle"))]
fn fill(writer: &Writer) -> Result<usize> {
    writer.prepare("DELETE FROM meta WHERE name = 'bundle'")?.execute([])?;
    Ok(0)
}
