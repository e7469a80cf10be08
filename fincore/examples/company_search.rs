//! Searches companies by name and ticker, and lists the latest filings of the best match.
//!
//! `cargo run -p fincore --example company_search`
#![allow(clippy::print_stdout)]
use std::error::Error;

use fincore::{Catalogue, Limit, bundle, companies, filings};

fn main() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let catalogue = Catalogue::open(dir.path().join("catalogue.db"))?;
    bundle::fill(&catalogue)?;
    let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;

    // Case and accents are ignored, and the last word matches as a prefix.
    for text in ["petr4", "petróleo bras", "BANCO DO BRASIL"] {
        let query = companies::Search { limit: Limit::new(3)?, ..companies::Search::new(text)? };
        let found = companies::search(&snapshot, query)?;
        println!("{text:?}, {} found:", found.total);
        for company in &found.data {
            let tickers = company.tickers.join(" ");
            // A company that files without being in the registry has none.
            let status = company.status.as_deref().unwrap_or("-");
            println!("  {:>6}  {status:<9}  {}  {tickers}", company.id, company.name);
        }
    }

    // A look-up takes a CVM code or a CNPJ.
    let petrobras = companies::find(&snapshot, "33.000.167/0001-01".parse()?)?;
    let query = filings::OfCompany {
        limit: Limit::new(3)?,
        ..filings::OfCompany::new(petrobras.id.into())
    };
    let filed = filings::of_company(&snapshot, query)?;
    println!("{}: {} filings, the latest:", petrobras.name, filed.total);
    for filing in &filed.data {
        println!("  {}  {}\n              {}", filing.date, filing.description(), filing.url);
    }
    Ok(())
}
