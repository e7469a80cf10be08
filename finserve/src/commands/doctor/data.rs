//! Whether the files are sound, and the data fresh.
use std::path::Path;

use fincore::{
    Catalogue, Remedy,
    chrono::{DateTime, Utc},
    datasets::{self, Dataset},
};

use super::{
    super::{
        Failure,
        accounts::Place,
        check::advice,
        data::{ACCOUNTS, CATALOGUE, existing_catalogue},
    },
    Finding, size,
};
use crate::now::Now;

const SYNC: &str = "Serve with --sync, or run finserve sync with the same --data.";

/// Looks into both files. Also tells when the data last changed.
pub(super) fn look(place: Place<'_>, now: Now) -> (Vec<Finding>, Option<DateTime<Utc>>) {
    let data = place.data;
    let mut findings = Vec::new();
    let mut newest = None;
    match open(data) {
        Ok(catalogue) => {
            findings.push(sound(data, CATALOGUE, catalogue.quick_check()));
            match fresh(&catalogue, now) {
                Ok((found, changed)) => {
                    findings.extend(found);
                    newest = changed;
                }
                Err(err) => {
                    let says = format!("How fresh the data is cannot be told: {err}.");
                    findings.push(Finding::wrong("data", says, remedy(CATALOGUE)));
                }
            }
        }
        Err(failure) => findings.push(unusable(CATALOGUE, &failure)),
    }
    findings.push(accounts(place));
    (findings, newest)
}

fn open(data: &Path) -> Result<Catalogue, Failure> {
    Ok(Catalogue::open(existing_catalogue(data)?)?)
}

/// The accounts. A look must not create them.
fn accounts(place: Place<'_>) -> Finding {
    let accounts = match place.if_any() {
        Ok(Some(accounts)) => accounts,
        Ok(None) => {
            let says = "There is no accounts.db. If there never was a key, that is normal.";
            return Finding::note("files", says.into());
        }
        Err(failure) if place.are_in_directory() => return unusable(ACCOUNTS, &failure),
        Err(failure) => {
            let remedy = "Look whether PostgreSQL runs, and whether --accounts is right.";
            return Finding::wrong("accounts", capital(&failure.to_string()), remedy);
        }
    };
    if place.are_in_directory() {
        sound(place.data, ACCOUNTS, accounts.quick_check())
    } else {
        Finding::fine("accounts", "The accounts in PostgreSQL can be used.".into())
    }
}

fn unusable(file: &str, failure: &Failure) -> Finding {
    Finding::wrong("files", format!("{file} cannot be used: {failure}."), remedy(file))
}

fn remedy(file: &str) -> String {
    capital(&advice(file, Remedy::Restore))
}

fn sound(data: &Path, file: &str, problems: fincore::Result<Vec<String>>) -> Finding {
    let problems = match problems {
        Ok(problems) => problems,
        Err(err) => return unusable(file, &err.into()),
    };
    let Some(first) = problems.first() else {
        let bytes = data.join(file).metadata().map_or(0, |file| file.len());
        return Finding::fine("files", format!("{file} is sound, {}.", size(bytes)));
    };
    let says = format!("{file} is damaged: {first}; `finserve check` says more.");
    Finding::wrong("files", says, remedy(file))
}

/// What is stale, and when any of it last changed.
fn fresh(
    catalogue: &Catalogue,
    now: Now,
) -> fincore::Result<(Vec<Finding>, Option<DateTime<Utc>>)> {
    let status = datasets::status(&catalogue.snapshot(now.today())?)?;
    let newest = status.data.iter().filter_map(|dataset| dataset.updated_at).max();
    let stale = status.data.iter().filter(|dataset| dataset.stale);
    let (failed, old): (Vec<_>, Vec<_>) = stale.partition(|dataset| dataset.error.is_some());
    let mut findings: Vec<_> = failed.into_iter().map(not_synced).collect();
    if !old.is_empty() {
        let says = old.into_iter().map(age).collect::<Vec<_>>().join(", ");
        findings.push(Finding::wrong("data", format!("Stale: {says}."), SYNC));
    }
    if findings.is_empty() {
        findings.push(Finding::fine("data", "Every dataset is as new as its source.".into()));
    }
    Ok((findings, newest))
}

/// A dataset that its source has had newer for a while, and whose last sync failed.
fn not_synced(dataset: &Dataset) -> Finding {
    let why = dataset.error.as_deref().unwrap_or_default();
    let says = format!("Stale: {}. The last sync failed: {why}.", age(dataset));
    Finding::wrong("data", says, SYNC)
}

fn age(dataset: &Dataset) -> String {
    let day = |day: Option<fincore::Date>| day.map_or("nothing".to_owned(), |day| day.to_string());
    let Dataset { dataset: name, newest, expected, .. } = dataset;
    format!("{name} {} (its source has {})", day(*newest), day(*expected))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}
