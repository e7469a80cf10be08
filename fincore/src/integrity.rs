//! Checks a catalogue against itself, and repairs it.
//!
//! Every stored value is parsed. Whatever imports derive from the rows is computed anew by the functions that
//! imports use, in temporary tables, and compared: so a check and an import can never disagree.
use crate::{
    catalogue::Catalogue,
    error::Result,
    sqlite::{self, Checkup, Remedy},
};

mod companies;
mod filings;
mod findings;
mod index;
mod log;
mod market;
mod notice;
mod rebuild;
mod schema;

use findings::Findings;
pub use rebuild::Rebuilt;
use rebuild::Removed;

/// The progress of [`Catalogue::check_with`] and [`Catalogue::rebuild_with`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckStep {
    /// What is being looked at.
    pub doing: &'static str,
    /// The number of steps done so far.
    pub done: usize,
    /// The number of steps in total.
    pub steps: usize,
    /// The number of rows done in this step.
    pub rows: u64,
}

impl Catalogue {
    /// Checks the whole file: for damage, for values that cannot be read, and whether everything derived from
    /// the rows agrees with them. Also counts the rows. Takes seconds on a large file, and no lock.
    pub fn check(&self) -> Result<Checkup> {
        self.check_with(|_| ())
    }

    /// The same, and reports progress.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
    /// # #[cfg(feature = "bundle")] fincore::bundle::fill(&catalogue)?;
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

/// How many steps [`examine`] has.
const STEPS: usize = 7;

fn examine(catalogue: &Catalogue, progress: &mut Progress<'_>) -> Result<(Checkup, Findings)> {
    let mut findings = Findings::default();
    let scratch = catalogue.scratch()?;
    progress.begin("the file");
    let checkup = sqlite::check(scratch.connection())?;
    schema::check(&scratch, &mut findings)?;
    let complete = findings.remedy().is_none();
    for problem in &checkup.problems {
        findings.add_message(problem.clone(), remedy(problem));
    }
    // What a damaged file says about its rows is not worth reading.
    if complete && findings.remedy() != Some(Remedy::Restore) {
        progress.begin("the change log");
        log::check(&scratch, &mut findings)?;
        market::check(&scratch, &mut findings, progress)?;
        companies::check(&scratch, &mut findings, progress)?;
        filings::check(&scratch, &mut findings, progress)?;
        index::check(&scratch, &mut findings, progress)?;
    }
    Ok((checkup, findings))
}

/// What helps against damage that SQLite has found: indexes can be made anew, rows cannot.
fn remedy(problem: &str) -> Remedy {
    const DERIVED: [&str; 3] =
        ["missing from index", "wrong # of entries in index", "refer to a missing row"];
    match DERIVED.iter().any(|part| problem.contains(part)) {
        true => Remedy::Rebuild,
        false => Remedy::Restore,
    }
}

/// Tells the caller how far it is.
struct Progress<'a> {
    tell: Option<&'a mut dyn FnMut(CheckStep)>,
    now: CheckStep,
    begun: bool,
}

/// A caller is told after so many rows.
const TOLD_AFTER: u64 = 10_000;

impl<'a> Progress<'a> {
    fn new(tell: &'a mut dyn FnMut(CheckStep), steps: usize) -> Progress<'a> {
        Progress {
            tell: Some(tell),
            now: CheckStep { doing: "", done: 0, steps, rows: 0 },
            begun: false,
        }
    }

    /// For a step that is part of another one.
    fn none() -> Progress<'static> {
        Progress {
            tell: None,
            now: CheckStep { doing: "", done: 0, steps: 0, rows: 0 },
            begun: false,
        }
    }

    fn begin(&mut self, doing: &'static str) {
        let done = self.now.done + usize::from(self.begun);
        (self.now, self.begun) = (CheckStep { doing, done, rows: 0, ..self.now }, true);
        self.tell();
    }

    fn row(&mut self) {
        self.now.rows += 1;
        if self.now.rows.is_multiple_of(TOLD_AFTER) {
            self.tell();
        }
    }

    /// So many rows are done in this step.
    fn rows(&mut self, rows: u64) {
        self.now.rows = rows;
        self.tell();
    }

    fn tell(&mut self) {
        if let Some(tell) = &mut self.tell {
            tell(self.now);
        }
    }
}

#[cfg(test)]
#[cfg(all(feature = "bundle", feature = "import"))]
mod tests;
