//! `finserve keys`, `usage`, `backup` and `check`: the operator's side of the accounts.
#![allow(clippy::print_stdout)]
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
    open_accounts,
};

/// The key alone goes to the output, so that it can be piped where it belongs.
pub(crate) fn keys(command: Keys) -> Result<()> {
    match command {
        Keys::Create { plan, name, email, data } => {
            let who = Registration { name, email };
            let key = keys::issue(&open_accounts(&data.dir)?, &who, plan, Utc::now())?;
            println!("{}", key.reveal());
        }
        Keys::List { json, data } => {
            let records = keys::list(&open_accounts(&data.dir)?)?;
            if json {
                return print_json(&records);
            }
            print_keys(&records);
        }
        Keys::SetPlan { prefix, plan, data } => {
            let record = keys::set_plan(&open_accounts(&data.dir)?, &prefix.parse()?, plan)?;
            println!("{}… of {} is on {} now", record.prefix, record.name, record.plan.name());
        }
        Keys::Revoke { prefix, data } => {
            let record = keys::revoke(&open_accounts(&data.dir)?, &prefix.parse()?, Utc::now())?;
            println!("{}… of {} is revoked", record.prefix, record.name);
        }
    }
    Ok(())
}

fn print_keys(records: &[KeyRecord]) {
    let time = |time: DateTime<Utc>| time.format("%Y-%m-%d %H:%M").to_string();
    println!("{:<13} {:<8} {:<16} {:<16} name and e-mail", "key", "plan", "created", "revoked");
    for KeyRecord { prefix, plan, name, email, created, revoked } in records {
        let (created, revoked) = (time(*created), revoked.map_or_else(|| "-".to_owned(), time));
        println!("{prefix}… {plan:<8} {created:<16} {revoked:<16} {name} <{email}>");
    }
}

pub(crate) fn usage(args: &cli::Usage) -> Result<()> {
    let accounts = open_accounts(&args.data.dir)?;
    let key = keys::id(&accounts, &args.prefix.parse()?)?;
    let query = UsageQuery { from: args.from, to: args.to };
    let today = Date::try_from(Utc::now().date_naive())?;
    let report = Usage::default().report(&accounts, key, &query, today)?;
    if args.json {
        return print_json(&report);
    }
    print_usage(&report);
    Ok(())
}

fn print_usage(report: &Report) {
    let Report { key, plan, from, to, total, .. } = report;
    println!("{key} on {}, {from} to {to}", plan.name());
    println!("{:<10} {:>10} {:>10} {:>12}", "day", "requests", "errors", "rate limited");
    let days = report.data.iter().map(|day| (day.date.to_string(), day.counts));
    for (day, counts) in days.chain([("total".to_owned(), *total)]) {
        let (requests, errors, refused) = (counts.requests, counts.errors, counts.rate_limited);
        println!("{day:<10} {requests:>10} {errors:>10} {refused:>12}");
    }
}

pub(crate) fn backup(args: &cli::Backup) -> Result<()> {
    existing(&args.data.dir, "accounts.db")?;
    open_accounts(&args.data.dir)?.backup(&args.file)?;
    println!("{} holds all accounts, and is whole", args.file.display());
    Ok(())
}

pub(crate) fn check(args: &cli::Check) -> Result<()> {
    let catalogue = existing(&args.data.dir, "catalogue.db")?;
    let mut sound = report("catalogue.db", &Catalogue::open(catalogue)?.check()?);
    // Before the first key there are no accounts to check.
    if let Ok(accounts) = existing(&args.data.dir, "accounts.db") {
        sound &= report("accounts.db", &Accounts::open(accounts)?.check()?);
    }
    if sound { Ok(()) } else { Err(Error::Invalid("the data is damaged".into())) }
}

fn report(file: &str, checkup: &Checkup) -> bool {
    let Checkup { problems, version, tables } = checkup;
    let state = if problems.is_empty() { "sound" } else { "DAMAGED" };
    println!("{file}: {state}, version {version}");
    for problem in problems {
        println!("  {problem}");
    }
    for table in tables {
        let newest = table.newest.as_ref().map(|day| format!(", newest {day}")).unwrap_or_default();
        println!("  {}: {} rows{newest}", table.name, table.rows);
    }
    problems.is_empty()
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
    println!("{json}");
    Ok(())
}
