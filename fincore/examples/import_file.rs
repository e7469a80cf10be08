//! Imports an official file, then shows how a damaged one is refused and changes nothing.
//!
//! `cargo run -p fincore --example import_file`
#![allow(clippy::print_stdout)]
use std::error::Error;

use fincore::{Catalogue, Date, Import, market};

/// Two months of the IPCA, with made-up figures, in the format of the central bank's SGS.
const IPCA: &str = r#"[
    {"data":"01/07/2026","valor":"0.24"},
    {"data":"01/08/2026","valor":"-0.11"}
]"#;

/// A file with a day that does not exist.
const DAMAGED: &str = r#"[
    {"data":"01/07/2026","valor":"0.99"},
    {"data":"31/09/2026","valor":"0.15"}
]"#;

fn main() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let catalogue = Catalogue::open(dir.path().join("catalogue.db"))?;

    // The series number is in the name of the file, not in its content.
    let mut import = Import::begin(&catalogue, fincore::chrono::Utc::now())?;
    let imported = import.file("bcdata.sgs.433.json", IPCA.as_bytes())?;
    import.commit()?;
    let tally = imported.tally;
    println!(
        "{}: {} new, {} changed, {} unchanged",
        imported.what, tally.new, tally.changed, tally.unchanged
    );
    let before = catalogue.snapshot(Date::MAX)?.tag().to_owned();

    // A refused file fails the whole import.
    let mut import = Import::begin(&catalogue, fincore::chrono::Utc::now())?;
    if let Err(refused) = import.file("bcdata.sgs.433.json", DAMAGED.as_bytes()) {
        println!("refused: {refused}");
    }
    drop(import);

    let snapshot = catalogue.snapshot(Date::MAX)?;
    println!("nothing changed: {}", snapshot.tag() == before);
    for month in market::ipca(&snapshot, market::History::default())?.data {
        println!("{}  {} %", month.date, month.value);
    }
    Ok(())
}
