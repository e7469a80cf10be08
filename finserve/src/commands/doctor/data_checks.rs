//! Checks of the content of the files: whether they are damaged, and whether the data is fresh.
use std::path::Path;

use fincore::{
    Catalogue, Remedy,
    chrono::{DateTime, Utc},
    datasets::{self, Dataset},
};

use super::{
    super::{
        Failure,
        accounts::AccountsLocation,
        data_directory::{ACCOUNTS, CATALOGUE, advice, find_catalogue},
    },
    Finding, format_size,
};
use crate::coordination::clock::Now;

const SYNC: &str = "Serve with --sync, or run finserve sync with the same --data.";

/// Checks both databases. Also returns when the data last changed.
pub(super) fn check(
    location: AccountsLocation<'_>,
    now: Now,
) -> (Vec<Finding>, Option<DateTime<Utc>>) {
    let data = location.data;
    let mut findings = Vec::new();
    let mut newest = None;
    match open(data) {
        Ok(catalogue) => {
            findings.push(check_integrity(data, CATALOGUE, catalogue.quick_check()));
            match check_freshness(&catalogue, now) {
                Ok((found, changed)) => {
                    findings.extend(found);
                    newest = changed;
                }
                Err(err) => {
                    let says = format!("Cannot tell how fresh the data is: {err}.");
                    findings.push(Finding::wrong("data", says, remedy(CATALOGUE)));
                }
            }
        }
        Err(failure) => findings.push(unusable_file(CATALOGUE, &failure)),
    }
    findings.push(check_accounts(location));
    (findings, newest)
}

fn open(data: &Path) -> Result<Catalogue, Failure> {
    Ok(Catalogue::open(find_catalogue(data)?)?)
}

/// Checks the accounts, without creating them.
fn check_accounts(location: AccountsLocation<'_>) -> Finding {
    let accounts = match location.open_if_any() {
        Ok(Some(accounts)) => accounts,
        Ok(None) => {
            let says = "There is no accounts.db. That is normal if no key was ever created.";
            return Finding::note("files", says.into());
        }
        Err(failure) if location.are_in_directory() => return unusable_file(ACCOUNTS, &failure),
        Err(failure) => {
            let remedy = "Check that PostgreSQL is running and that --accounts is right.";
            return Finding::wrong("accounts", as_sentence(&failure.to_string()), remedy);
        }
    };
    if location.are_in_directory() {
        check_integrity(location.data, ACCOUNTS, accounts.quick_check())
    } else {
        Finding::fine("accounts", "The accounts in PostgreSQL can be used.".into())
    }
}

fn unusable_file(file: &str, failure: &Failure) -> Finding {
    let says = format!("{file} cannot be used: {failure}.");
    match failure {
        Failure::Library(err) if err.is_damage() => Finding::wrong("files", says, remedy(file)),
        // The sentence says what is wrong; nothing says that the file is damaged.
        Failure::Library(_) | Failure::System { .. } | Failure::Message(_) | Failure::Usage(_) => {
            Finding::wrong("files", says, format!("Keep {file}: nothing shows that it is damaged."))
        }
    }
}

fn remedy(file: &str) -> String {
    as_sentence(&advice(file, Remedy::Restore))
}

fn check_integrity(data: &Path, file: &str, problems: fincore::Result<Vec<String>>) -> Finding {
    let problems = match problems {
        Ok(problems) => problems,
        Err(err) => return unusable_file(file, &err.into()),
    };
    let Some(first) = problems.first() else {
        let bytes = data.join(file).metadata().map_or(0, |file| file.len());
        return Finding::fine("files", format!("{file} is sound, {}.", format_size(bytes)));
    };
    let says = format!("{file} is damaged: {first}; `finserve check` says more.");
    Finding::wrong("files", says, remedy(file))
}

/// Which datasets are stale, and when any dataset last changed.
fn check_freshness(
    catalogue: &Catalogue,
    now: Now,
) -> fincore::Result<(Vec<Finding>, Option<DateTime<Utc>>)> {
    let status = datasets::status(&catalogue.snapshot(now.today())?)?;
    let newest = status.data.iter().filter_map(|dataset| dataset.updated_at).max();
    let stale = status.data.iter().filter(|dataset| dataset.stale);
    let (failed, old): (Vec<_>, Vec<_>) = stale.partition(|dataset| dataset.error.is_some());
    // Datasets that failed for the same reason are one finding.
    let mut reasons: Vec<(&str, Vec<&Dataset>)> = Vec::new();
    for dataset in failed {
        let why = dataset.error.as_deref().unwrap_or_default();
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, datasets)) => datasets.push(dataset),
            None => reasons.push((why, vec![dataset])),
        }
    }
    let failed = |(why, datasets): &(&str, Vec<&Dataset>)| failed_sync(why, datasets);
    let mut findings: Vec<_> = reasons.iter().map(failed).collect();
    if !old.is_empty() {
        let says = old.into_iter().map(age).collect::<Vec<_>>().join(", ");
        findings.push(Finding::wrong("data", format!("Stale: {says}."), SYNC));
    }
    if findings.is_empty() {
        findings.push(Finding::fine("data", "Every dataset is up to date.".into()));
    }
    Ok((findings, newest))
}

/// Stale datasets whose last sync failed for one reason.
fn failed_sync(why: &str, datasets: &[&Dataset]) -> Finding {
    let ages = datasets.iter().map(|dataset| age(dataset)).collect::<Vec<_>>().join(", ");
    let says = format!("Stale: {ages}. The last sync failed: {why}.");
    Finding::wrong("data", says, SYNC)
}

fn age(dataset: &Dataset) -> String {
    let day = |day: Option<fincore::Date>| day.map_or("nothing".to_owned(), |day| day.to_string());
    let Dataset { dataset: name, expected, .. } = dataset;
    format!("{name} {} (should have {} by now)", day(dataset.held_until()), day(*expected))
}

fn as_sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}
