//! All checks of a catalogue, in order; the missing tables and indexes; and a quick scan for corrupt values.
use crate::{
    companies,
    maintenance::{self, Findings, Noun, filings, findings::Progress, market, past, statements},
    store::{CATALOGUE_SCHEMA, Catalogue, Checkup, Remedy, SchemaObject, Writer, sqlite_check},
    values::{Currency, Date, Decimal, Result},
};

/// The number of steps that [`examine`] reports.
pub(crate) const STEPS: usize = 8;

/// Runs all checks: on the file, then on the rows of each table.
pub(crate) fn examine(
    catalogue: &Catalogue,
    progress: &mut Progress<'_>,
) -> Result<(Checkup, Findings)> {
    let mut findings = Findings::default();
    let scratch = catalogue.scratch()?;
    progress.begin("the file");
    let mut checkup = sqlite_check::check(scratch.connection(), &CATALOGUE_SCHEMA)?;
    check(&scratch, &mut findings)?;
    let complete = findings.remedy().is_none();
    for problem in &checkup.problems {
        findings.add_message(problem.clone(), remedy_for(problem));
    }
    // The rows of a damaged file cannot be relied on.
    if complete && findings.remedy() != Some(Remedy::Restore) {
        progress.begin("the change log");
        past::check_change_log(&scratch, &mut findings)?;
        past::check(&scratch, &mut findings)?;
        market::check(&scratch, &mut findings, progress)?;
        market::check_meetings(&scratch, &mut findings)?;
        maintenance::companies::check(&scratch, &mut findings, progress)?;
        filings::check(&scratch, &mut findings, progress)?;
        filings::check_index(&scratch, &mut findings, progress)?;
        checkup.notes = statements::check(&scratch, &mut findings, progress)?;
    }
    Ok((checkup, findings))
}

/// Indexes can be rebuilt, rows cannot.
fn remedy_for(problem: &str) -> Remedy {
    const DERIVED: [&str; 3] =
        ["missing from index", "wrong # of entries in index", "refer to a missing row"];
    if DERIVED.iter().any(|part| problem.contains(part)) {
        Remedy::Rebuild
    } else {
        Remedy::Restore
    }
}

const OBJECT: Noun = ("table or index", "tables and indexes");

/// Tables that can be rebuilt from other rows. Indexes can be, too.
const DERIVED: [&str; 5] = ["term", "filing_block", "filing_place", "filing_term", "class_total"];

/// Finds what is missing. Without it, nothing else can be checked.
pub(crate) fn check(writer: &Writer, findings: &mut Findings) -> Result<()> {
    let missing = writer.missing_objects()?;
    for object in &missing {
        if can_be_rebuilt(object) {
            findings.add(OBJECT, "missing", &object.name);
        } else {
            let message = format!("the table {} is missing", object.name);
            findings.add_message(message, Remedy::Restore);
        }
    }
    Ok(())
}

/// Creates what is missing.
pub(crate) fn repair(writer: &Writer) -> Result<()> {
    let missing = writer.missing_objects()?;
    for object in missing {
        writer.prepare(&object.sql)?.execute([])?;
    }
    Ok(())
}

fn can_be_rebuilt(object: &SchemaObject) -> bool {
    object.sql.contains(" INDEX ") || DERIVED.contains(&object.name.as_str())
}

impl Catalogue {
    /// Reads every rate, quote and company once, which takes some ten milliseconds. Returns how many of them
    /// cannot be read.
    ///
    /// Answers leave such rows out in any case. But the total of a list includes them until this call, or until an answer
    /// has come across the first one. The totals of filings include them until [`Catalogue::rebuild`] removes them.
    pub fn count_corrupt_values(&self) -> Result<u64> {
        const RATES: &str = "SELECT date, value FROM rate";
        const QUOTES: &str = "SELECT currency, date, buy, sell FROM fx";
        let before = self.skipped_corrupt_values();
        let snapshot = self.snapshot(Date::MAX)?;
        snapshot.rows(RATES, [], |row| {
            row.get::<_, Date>(0)?;
            row.get::<_, Decimal>(1).map(|_| ())
        })?;
        snapshot.rows(QUOTES, [], |row| {
            row.get::<_, Currency>(0)?;
            row.get::<_, Date>(1)?;
            row.get::<_, Option<Decimal>>(2)?;
            row.get::<_, Option<Decimal>>(3).map(|_| ())
        })?;
        companies::all(&snapshot)?;
        snapshot.release_memory()?;
        Ok(self.skipped_corrupt_values() - before)
    }
}
