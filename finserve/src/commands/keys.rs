//! `finserve keys`, `usage`, `backup` and `check`: the operator's side of the accounts.
use std::path::Path;

use chrono::{DateTime, Utc};
use fincore::{
    Accounts, Catalogue, Checkup, Date, Error, Result,
    keys::{self, KeyRecord, Registration},
    usage::{Report, Usage, UsageQuery},
};
use serde::Serialize;

use crate::{
    cli::{self, Keys},
    open_accounts, print,
};

/// The key alone goes to the output, so that it can be piped where it belongs.
pub(crate) fn keys(command: Keys) -> Result<()> {
    match command {
        Keys::Create { plan, name, email, data } => {
            let who = Registration { name, email };
            let key = keys::issue(&open_accounts(&data.dir)?, &who, plan, Utc::now())?;
            print(&format!("{}\n", key.reveal()))
        }
        Keys::List { json, data } => {
            let records = keys::list(&open_accounts(&data.dir)?)?;
            if json { print_json(&records) } else { print(&keys_table(&records)) }
        }
        Keys::SetPlan { prefix, plan, data } => {
            let record = keys::set_plan(&open_accounts(&data.dir)?, &prefix.parse()?, plan)?;
            let KeyRecord { prefix, name, plan, .. } = record;
            print(&format!("{prefix}… of {name} is on {} now\n", plan.name()))
        }
        Keys::Revoke { prefix, data } => {
            let record = keys::revoke(&open_accounts(&data.dir)?, &prefix.parse()?, Utc::now())?;
            print(&format!("{}… of {} is revoked\n", record.prefix, record.name))
        }
    }
}

fn keys_table(records: &[KeyRecord]) -> String {
    let time = |time: DateTime<Utc>| time.format("%Y-%m-%d %H:%M").to_string();
    let header = ["key", "plan", "created", "revoked"];
    let mut table = format!(
        "{:<13} {:<8} {:<16} {:<16} name and e-mail\n",
        header[0], header[1], header[2], header[3]
    );
    for KeyRecord { prefix, plan, name, email, created, revoked } in records {
        let (created, revoked) = (time(*created), revoked.map_or_else(|| "-".to_owned(), time));
        table += &format!("{prefix}… {plan:<8} {created:<16} {revoked:<16} {name} <{email}>\n");
    }
    table
}

pub(crate) fn usage(args: &cli::Usage) -> Result<()> {
    let accounts = open_accounts(&args.data.dir)?;
    let key = keys::id(&accounts, &args.prefix.parse()?)?;
    let query = UsageQuery { from: args.from, to: args.to };
    let today = Date::try_from(Utc::now().date_naive())?;
    let report = Usage::default().report(&accounts, key, &query, today)?;
    if args.json { print_json(&report) } else { print(&usage_table(&report)) }
}

fn usage_table(report: &Report) -> String {
    let Report { key, plan, from, to, total, .. } = report;
    let mut table = format!("{key} on {}, {from} to {to}\n", plan.name());
    table += &format!("{:<10} {:>10} {:>10} {:>12}\n", "day", "requests", "errors", "rate limited");
    let days = report.data.iter().map(|day| (day.date.to_string(), day.counts));
    for (day, counts) in days.chain([("total".to_owned(), *total)]) {
        let (requests, errors, refused) = (counts.requests, counts.errors, counts.rate_limited);
        table += &format!("{day:<10} {requests:>10} {errors:>10} {refused:>12}\n");
    }
    table
}

pub(crate) fn backup(args: &cli::Backup) -> Result<()> {
    existing(&args.data.dir, "accounts.db")?;
    open_accounts(&args.data.dir)?.backup(&args.file)?;
    print(&format!("{} holds all accounts, and is whole\n", args.file.display()))
}

pub(crate) fn check(args: &cli::Check) -> Result<()> {
    let catalogue = existing(&args.data.dir, "catalogue.db")?;
    let mut checkups = vec![("catalogue.db", Catalogue::open(catalogue)?.check()?)];
    // Before the first key there are no accounts to check.
    if let Ok(accounts) = existing(&args.data.dir, "accounts.db") {
        checkups.push(("accounts.db", Accounts::open(accounts)?.check()?));
    }
    let reports: String = checkups.iter().map(|(file, checkup)| report(file, checkup)).collect();
    print(&reports)?;
    let sound = checkups.iter().all(|(_, checkup)| checkup.problems.is_empty());
    if sound { Ok(()) } else { Err(Error::Invalid("the data is damaged".into())) }
}

fn report(file: &str, checkup: &Checkup) -> String {
    let Checkup { problems, version, tables } = checkup;
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

/// A look at data must not create it.
fn existing(data: &Path, name: &str) -> Result<std::path::PathBuf> {
    let path = data.join(name);
    if path.exists() {
        return Ok(path);
    }
    Err(Error::NotFound(format!("there is no {}", path.display())))
}

fn print_json(value: &impl Serialize) -> Result<()> {
    let json = serde_json::to_string_pretty(value).map_err(|err| Error::Storage {
        context: "the answer cannot be written as JSON".into(),
        source: err.into(),
    })?;
    print(&format!("{json}\n"))
}
