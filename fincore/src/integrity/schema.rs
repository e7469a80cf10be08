//! Tables and indexes that are missing altogether.
use super::findings::{Findings, Noun};
use crate::{
    catalogue::Writer,
    error::Result,
    sqlite::{Remedy, SchemaObject},
};

const OBJECT: Noun = ("table or index", "tables and indexes");

/// Tables that can be rebuilt from other rows. Indexes can be, too.
const DERIVED: [&str; 5] = ["term", "filing_block", "filing_place", "filing_term", "class_total"];

/// Finds what is missing. Without it, nothing else can be checked.
pub(super) fn check(writer: &Writer, findings: &mut Findings) -> Result<()> {
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
pub(super) fn repair(writer: &Writer) -> Result<()> {
    let missing = writer.missing_objects()?;
    for object in missing {
        writer.prepare(&object.sql)?.execute([])?;
    }
    Ok(())
}

fn can_be_rebuilt(object: &SchemaObject) -> bool {
    object.sql.contains(" INDEX ") || DERIVED.contains(&object.name.as_str())
}
