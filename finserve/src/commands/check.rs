//! `finserve check`: looks through both databases for damage.
use fincore::{Catalogue, CheckStep, Checkup};
use indicatif::ProgressBar;

use super::{
    Failure,
    accounts::AccountsLocation,
    data_directory::{CATALOGUE, advice, find_catalogue},
    output::{
        freshness_text,
        terminal::{print, progress},
    },
};
use crate::coordination::clock::Now;

pub(crate) fn run(location: AccountsLocation<'_>) -> Result<(), Failure> {
    let catalogue = Catalogue::open(find_catalogue(location.data)?)?;
    let mut checkups = vec![(CATALOGUE, examine(&catalogue)?)];
    // Before the first key there are no accounts to check.
    if let Some(accounts) = location.open_if_any()? {
        checkups.push((location.name(), accounts.check()?));
    }
    let reports: String = checkups.iter().map(|(file, checkup)| report(file, checkup)).collect();
    print(&(reports + &freshness_text::report(&catalogue, Now::read().today())))?;
    let advice = checkups.iter().filter_map(|(file, checkup)| Some(advice(file, checkup.remedy?)));
    let advice = advice.collect::<Vec<_>>().join("; ");
    if advice.is_empty() {
        Ok(())
    } else {
        Err(Failure::Message(format!("the data is damaged: {advice}")))
    }
}

/// Checks the catalogue, with a progress bar on a terminal.
pub(super) fn examine(catalogue: &Catalogue) -> Result<Checkup, Failure> {
    let mut bar = None;
    let checkup = catalogue.check_with(|step| show_progress(&mut bar, step));
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    Ok(checkup?)
}

/// Shows the progress of a check.
pub(super) fn show_progress(bar: &mut Option<ProgressBar>, step: CheckStep) {
    let bar = bar.get_or_insert_with(|| progress(step.steps as u64, "steps"));
    bar.set_position(step.done as u64);
    bar.set_message(match step.rows {
        0 => step.doing.to_owned(),
        rows => format!("{}: {rows} rows", step.doing),
    });
}

fn report(file: &str, checkup: &Checkup) -> String {
    let Checkup { problems, notes, version, tables, .. } = checkup;
    let state = if problems.is_empty() { "sound" } else { "DAMAGED" };
    let mut report = format!("{file}: {state}, schema version {version}\n");
    for problem in problems {
        report += &format!("  {problem}\n");
    }
    for note in notes {
        report += &format!("  note: {note}\n");
    }
    for table in tables {
        let newest = table.newest.as_ref().map(|day| format!(", newest {day}")).unwrap_or_default();
        report += &format!("  {}: {} rows{newest}\n", table.name, table.rows);
    }
    report
}
