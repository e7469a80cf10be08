//! Tables and indexes that are missing altogether.
use super::findings::{Findings, Noun};
use crate::{
    catalogue::Writer,
    error::Result,
    sqlite::{Object, Remedy},
};

const OBJECT: Noun = ("table or index", "tables and indexes");

/// What is made anew from the rows; indexes are too.
const DERIVED: [&str; 4] = ["company_search", "filing_search", "filing_total", "filing_word"];

/// Finds what is missing. Without it, nothing else can be checked.
pub(super) fn check(writer: &Writer, findings: &mut Findings) -> Result<()> {
    let missing = writer.missing()?;
    for object in &missing {
        if can_be_made(object, &missing) {
            findings.add(OBJECT, "missing", &object.name);
        } else {
            let message = format!("the table {} is missing", object.name);
            findings.add_message(message, Remedy::Restore);
        }
    }
    Ok(())
}

/// Creates what is missing.
pub(super) fn repair(writer: &Writer) -> Result<()> {
    let missing = writer.missing()?;
    for object in missing.iter().filter(|object| part_of(object).is_none()) {
        writer.prepare(&object.sql)?.execute([])?;
    }
    Ok(())
}

fn can_be_made(object: &Object, missing: &[Object]) -> bool {
    let is_index = object.sql.contains(" INDEX ");
    match part_of(object) {
        // The tables behind a search index come with it, but not alone.
        Some(index) => missing.iter().any(|other| other.name == index),
        None => is_index || DERIVED.contains(&object.name.as_str()),
    }
}

/// The search index that a table is part of.
fn part_of(object: &Object) -> Option<&'static str> {
    let part = |index: &&str| object.name.starts_with(&format!("{index}_"));
    ["company_search", "filing_search"].into_iter().find(part)
}
