//! Prints Brazil's current market rates as a small table, from the bundled data.
//!
//! `cargo run -p fincore --example todays_rates`
#![allow(clippy::print_stdout)]
use std::error::Error;

use fincore::{Catalogue, Date, bundle, market};

fn main() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let catalogue = Catalogue::open(dir.path().join("catalogue.db"))?;
    bundle::fill(&catalogue)?;

    // The library reads no clock: the date of the snapshot is up to the caller.
    let today = Date::try_from(chrono::Utc::now().date_naive())?;
    let now = market::overview(&catalogue.snapshot(today)?)?;

    println!("{:<10} {:<10} {:>8}  unit", "rate", "date", "value");
    println!("{:<10} {:<10} {:>8}  % per year", "Selic", now.selic.date, now.selic.value);
    println!("{:<10} {:<10} {:>8}  % per year", "CDI", now.cdi.date, now.cdi.value);
    println!("{:<10} {:<10} {:>8}  % per month", "IPCA", now.ipca.date, now.ipca.value);
    println!("{:<10} {:<10} {:>8}  R$, buy", now.fx.pair, now.fx.date, now.fx.buy);
    println!("{:<10} {:<10} {:>8}  R$, sell", now.fx.pair, now.fx.date, now.fx.sell);
    Ok(())
}
