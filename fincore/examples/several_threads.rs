//! Four threads read one catalogue, each through its own snapshot, while a fifth imports.
//!
//! `cargo run -p fincore --example several_threads`
#![allow(clippy::print_stdout)]
use std::{error::Error, thread};

use fincore::{Catalogue, Date, Import, bundle, companies, market};

fn main() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let catalogue = Catalogue::open(dir.path().join("catalogue.db"))?;
    bundle::fill(&catalogue)?;
    println!("before: Selic {}", selic(&catalogue)?);

    // A catalogue is `Sync`: the threads share it. A snapshot is not: each thread takes its own.
    thread::scope(|scope| {
        let writer = scope.spawn(|| import(&catalogue));
        let readers: Vec<_> = ["petrobras", "vale", "banco do brasil", "energia"]
            .into_iter()
            .map(|text| {
                let catalogue = &catalogue;
                scope.spawn(move || read(catalogue, text))
            })
            .collect();
        for reader in readers {
            println!("{}", reader.join().expect("readers do not panic")?);
        }
        writer.join().expect("the writer does not panic")
    })?;
    println!("after: Selic {}", selic(&catalogue)?);
    Ok(())
}

/// Reads the same data again and again: a snapshot does not change, whatever the import does.
fn read(catalogue: &Catalogue, text: &str) -> fincore::Result<String> {
    const TIMES: usize = 100;
    let snapshot = catalogue.snapshot(Date::MAX)?;
    let search = companies::Search::new(text)?;
    let found = companies::search(&snapshot, search.clone())?;
    let selic = market::selic_current(&snapshot)?;
    for _ in 0..TIMES {
        assert_eq!(companies::search(&snapshot, search.clone())?, found);
        assert_eq!(market::selic_current(&snapshot)?, selic);
    }
    Ok(format!("{text:?}: {} companies, {TIMES} times; Selic {}", found.total, selic.value))
}

fn import(catalogue: &Catalogue) -> fincore::Result<()> {
    let mut import = Import::begin(catalogue, fincore::chrono::Utc::now())?;
    import.file("bcdata.sgs.432.json", br#"[{"data":"05/11/2026","valor":"13.50"}]"#)?;
    import.commit()
}

fn selic(catalogue: &Catalogue) -> fincore::Result<String> {
    let selic = market::selic_current(&catalogue.snapshot(Date::MAX)?)?;
    Ok(format!("{} on {}", selic.value, selic.date))
}
