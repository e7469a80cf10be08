//! `finserve rebuild`: repairs the catalogue, also while a server uses it.
use std::path::Path;

use fincore::{Catalogue, Rebuilt, Remedy};

use super::{
    Failure,
    check::{examine, show_progress},
    data_directory::{CATALOGUE, advice, find_file, refuse_followed, refuse_newer},
    output::terminal::print,
};
use crate::coordination::{clock::Now, wait_for_import};

/// The most removed rows that are listed one by one.
const MOST_LISTED: usize = 20;

pub(crate) fn run(data: &Path) -> Result<(), Failure> {
    refuse_followed(data)?;
    refuse_newer(data)?;
    let catalogue = Catalogue::open(find_file(data, CATALOGUE)?)?;
    let rebuilt = rebuild(&catalogue)?;
    if rebuilt.repaired.is_empty() {
        return print("nothing to rebuild: everything is sound\n");
    }
    print(&report(&rebuilt))?;
    let checkup = examine(&catalogue)?;
    if checkup.problems.is_empty() {
        return print("everything is sound now\n");
    }
    let (left, advice) = (checkup.problems.join("; "), advice(CATALOGUE, Remedy::Restore));
    Err(Failure::Message(format!("some damage remains: {left}; {advice}")))
}

/// Rebuilds the catalogue, after an import that is running has ended.
fn rebuild(catalogue: &Catalogue) -> Result<Rebuilt, Failure> {
    let rebuilt = wait_for_import::wait(|| {
        let mut bar = None;
        let rebuilt = catalogue.rebuild_with(Now::read().utc, |step| show_progress(&mut bar, step));
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        rebuilt
    });
    Ok(rebuilt?)
}

fn report(rebuilt: &Rebuilt) -> String {
    let Rebuilt { repaired, removed, restored, .. } = rebuilt;
    let mut report = format!("{CATALOGUE}: rebuilt\n");
    for damage in repaired {
        report += &format!("  repaired: {damage}\n");
    }
    for row in removed.iter().take(MOST_LISTED) {
        report += &format!("  removed: {}\n", row.escape_debug());
    }
    if removed.len() > MOST_LISTED {
        report += &format!("  removed: {} more\n", removed.len() - MOST_LISTED);
    }
    report
        + &format!(
            "  {} row(s) removed, {restored} filled in from the bundled data\n",
            removed.len()
        )
}
