//! Checks a catalogue against itself, and repairs it.
//!
//! Every stored value is parsed. Everything that imports derive from the rows is computed again by the functions that
//! imports use, in temporary tables, and compared: so a check and an import can never disagree.
use crate::{
    maintenance::{
        check::{STEPS, examine},
        findings::Progress,
    },
    store::{Checkup, catalogue::Catalogue},
    values::error::Result,
};

#[cfg(feature = "backup")]
pub mod backup;
mod check;
mod companies;
mod filings;
pub(crate) mod findings;
mod market;
mod past;
pub(crate) mod rebuild;
mod statements;

pub(crate) use findings::{CheckStep, Findings, Noun, RemovedRows};

impl Catalogue {
    /// Checks the whole file: for damage, for values that cannot be read, and whether everything derived from
    /// the rows agrees with them. Also counts the rows. Takes seconds on a large file, and no lock.
    pub fn check(&self) -> Result<Checkup> {
        self.check_with(|_| ())
    }

    /// Checks, and reports progress.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
    /// let mut looked_at = Vec::new();
    /// let checkup = catalogue.check_with(|step| looked_at.push(step.doing))?;
    /// assert_eq!(checkup.problems, [""; 0]);
    /// assert!(looked_at.contains(&"rates"));
    /// # Ok::<(), fincore::Error>(())
    /// ```
    pub fn check_with(&self, mut progress: impl FnMut(CheckStep)) -> Result<Checkup> {
        let (checkup, findings) = examine(self, &mut Progress::new(&mut progress, STEPS))?;
        let (problems, remedy) = (findings.sentences(), findings.remedy());
        Ok(Checkup { problems, remedy, ..checkup })
    }
}

#[cfg(test)]
mod tests;
