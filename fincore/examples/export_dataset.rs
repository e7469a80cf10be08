//! Writes all companies to a CSV file that opens in a Brazilian Excel.
//!
//! `cargo run -p fincore --example export_dataset`
#![allow(clippy::print_stdout)]
use std::{error::Error, fs::File, io::Write};

use fincore::{
    Catalogue, bundle,
    export::{Dataset, Export, Format, Query},
    table::Dialect,
};

fn main() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let catalogue = Catalogue::open(dir.path().join("catalogue.db"))?;
    bundle::fill(&catalogue)?;
    let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;

    let query = Query::new(Dataset::Companies, Format::Csv(Dialect::Brazilian));
    let mut export = Export::begin(snapshot, query)?;
    let path = dir.path().join("companies.csv");
    let mut file = File::create(&path)?;

    // Each step brings some hundred rows, so memory stays small however many there are.
    let mut part = Vec::new();
    let mut more = true;
    while more {
        part.clear();
        more = export.write(&mut part)?;
        file.write_all(&part)?;
    }
    println!("{} companies in {}", export.total(), path.display());
    println!("What changes from now on: since = {}", export.version());
    Ok(())
}
