//! Reads a year of the dollar into a `Vec`, and prints how much it changed.
//!
//! `cargo run -p fincore --example currency_history`
#![allow(clippy::print_stdout)]
use std::error::Error;

use fincore::{Catalogue, Date, Decimal, Limit, bundle, market};

fn main() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let catalogue = Catalogue::open(dir.path().join("catalogue.db"))?;
    bundle::fill(&catalogue)?;
    let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;

    // Without a limit, a history returns the newest twenty days.
    let year = market::FxHistory {
        pair: "USD/BRL".parse()?,
        from: Some("2025-01-01".parse()?),
        to: Some("2025-12-31".parse()?),
        limit: Limit::MAX,
        ..Default::default()
    };
    let quotes = market::fx(&snapshot, year)?;
    let mut history: Vec<(Date, Decimal)> =
        quotes.data.iter().map(|quote| (quote.date, quote.sell)).collect();
    history.reverse(); // Histories are newest first.

    let (Some((first, opening)), Some((last, closing))) = (history.first(), history.last()) else {
        return Err("no quotes in 2025".into());
    };
    println!("{} days, {}", history.len(), quotes.meta.source);
    println!("{first}  R$ {opening}");
    println!("{last}  R$ {closing}");

    // Sums and differences are exact; a ratio is not, so it is a float.
    let change = closing.checked_sub(*opening).ok_or("out of range")?;
    println!("change      R$ {change} ({:+.1} %)", 100.0 * change.to_f64() / opening.to_f64());
    Ok(())
}
