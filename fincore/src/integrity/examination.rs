//! All checks of a catalogue, in order.
use super::{
    change_log, companies, filings, findings::Findings, index, market, meetings, past,
    progress::Progress, schema, statements,
};
use crate::{
    catalogue::{self, Catalogue},
    error::Result,
    sqlite::{self, Checkup, Remedy},
};

/// The number of steps that [`examine`] reports.
pub(super) const STEPS: usize = 8;

/// Runs all checks: on the file, then on the rows of each table.
pub(super) fn examine(
    catalogue: &Catalogue,
    progress: &mut Progress<'_>,
) -> Result<(Checkup, Findings)> {
    let mut findings = Findings::default();
    let scratch = catalogue.scratch()?;
    progress.begin("the file");
    let mut checkup = sqlite::check(scratch.connection(), &catalogue::SCHEMA)?;
    schema::check(&scratch, &mut findings)?;
    let complete = findings.remedy().is_none();
    for problem in &checkup.problems {
        findings.add_message(problem.clone(), remedy_for(problem));
    }
    // The rows of a damaged file cannot be relied on.
    if complete && findings.remedy() != Some(Remedy::Restore) {
        progress.begin("the change log");
        change_log::check(&scratch, &mut findings)?;
        past::check(&scratch, &mut findings)?;
        market::check(&scratch, &mut findings, progress)?;
        meetings::check(&scratch, &mut findings)?;
        companies::check(&scratch, &mut findings, progress)?;
        filings::check(&scratch, &mut findings, progress)?;
        index::check(&scratch, &mut findings, progress)?;
        checkup.notes = statements::check(&scratch, &mut findings, progress)?;
    }
    Ok((checkup, findings))
}

/// What helps against damage that SQLite has found: indexes can be rebuilt, rows cannot.
fn remedy_for(problem: &str) -> Remedy {
    const DERIVED: [&str; 3] =
        ["missing from index", "wrong # of entries in index", "refer to a missing row"];
    match DERIVED.iter().any(|part| problem.contains(part)) {
        true => Remedy::Rebuild,
        false => Remedy::Restore,
    }
}
