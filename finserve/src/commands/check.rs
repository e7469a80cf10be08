//! `finserve check`: looks through both databases for damage.
use std::path::Path;

use fincore::{Accounts, Catalogue, Checkup};

use super::{
    Failure,
    data::{ACCOUNTS, CATALOGUE, existing},
    freshness,
    terminal::print,
};
use crate::now::Now;

pub(crate) fn run(data: &Path) -> Result<(), Failure> {
    let catalogue = Catalogue::open(existing(data, CATALOGUE)?)?;
    let mut checkups = vec![(CATALOGUE, catalogue.check()?)];
    // Before the first key there are no accounts to check.
    if let Ok(accounts) = existing(data, ACCOUNTS) {
        checkups.push((ACCOUNTS, Accounts::open(accounts)?.check()?));
    }
    let reports: String = checkups.iter().map(|(file, checkup)| report(file, checkup)).collect();
    print(&(reports + &freshness::report(&catalogue, Now::read().today())))?;
    let sound = checkups.iter().all(|(_, checkup)| checkup.problems.is_empty());
    if sound { Ok(()) } else { Err(Failure::Said("the data is damaged".into())) }
}

fn report(file: &str, checkup: &Checkup) -> String {
    let Checkup { problems, version, tables, .. } = checkup;
    let state = if problems.is_empty() { "sound" } else { "DAMAGED" };
    let mut report = format!("{file}: {state}, version {version}\n");
    for problem in problems {
        report += &format!("  {problem}\n");
    }
    for table in tables {
        let newest = table.newest.as_ref().map(|day| format!(", newest {day}")).unwrap_or_default();
        report += &format!("  {}: {} rows{newest}\n", table.name, table.rows);
    }
    report
}
