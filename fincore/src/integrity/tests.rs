//! Damage of every kind is found, and repaired to what a fresh catalogue has.
use rusqlite::Connection;

use crate::{
    bundle,
    catalogue::{Catalogue, noon, temporary},
    types::Date,
};

#[test]
fn the_bundled_data_is_sound() {
    let (_dir, catalogue) = temporary();
    assert_eq!(catalogue.check().unwrap().problems, [""; 0]);
    bundle::fill(&catalogue).unwrap();
    let start = std::time::Instant::now();
    let mut steps = Vec::new();
    let checkup = catalogue.check_with(|step| {
        if step.rows == 0 { steps.push((step.doing, start.elapsed())); }
    }).unwrap();
    eprintln!("{steps:?} {:?}", start.elapsed());
    assert_eq!((checkup.problems, checkup.remedy), (vec![], None));
}

#[test]
fn temp_try() {
    let (_dir, catalogue) = temporary();
    bundle::fill(&catalogue).unwrap();
    let db = Connection::open(catalogue.path()).unwrap();
    let before = catalogue.snapshot(Date::MAX).unwrap().version();
    for damage in [
        "DELETE FROM filing_word", "UPDATE filing_total SET filings = 0", "DELETE FROM filing WHERE id % 100 = 3",
        "UPDATE company SET tickers = '', status_folded = ''", "UPDATE rate SET value = 'abc' WHERE series = 432 AND date = '2026-10-01'",
        "DELETE FROM filing_search_data WHERE id > 10000", "DELETE FROM filing_search_data", "INSERT INTO filing_search(filing_search) VALUES('delete-all')",
        "DELETE FROM rate WHERE series = 12 AND date > '2026-08-01'","UPDATE company SET cnpj = 'x' WHERE id = 9512",
        "DELETE FROM filing_search_idx", "DELETE FROM company_search_docsize",
        "UPDATE meta SET value = 'x' WHERE name = 'data_version'",
    ] {
        db.execute_batch(damage).unwrap();
        let checkup = catalogue.check();
        eprintln!("== {damage}\n{:?}", checkup.map(|c| (c.problems, c.remedy)));
        let start = std::time::Instant::now();
        eprintln!("{:?} {:?}", catalogue.rebuild(noon()), start.elapsed());
        eprintln!("{:?}", catalogue.check().map(|c| (c.problems, c.remedy)));
        eprintln!("{:?}", catalogue.snapshot(Date::MAX).unwrap().version());
    }
    eprintln!("{before:?}");
}
