//! Issues an API key, authenticates it, and sends requests until the rate limit refuses one.
//!
//! `cargo run -p fincore --example keys_and_limits`
#![allow(clippy::print_stdout)]
use std::{
    error::Error,
    time::{Duration, Instant},
};

use fincore::{
    Accounts, Feature, Key, Plan, keys,
    limits::Limits,
    plans::WINDOW,
    usage::{Outcome, Usage, UsageQuery},
};

fn main() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let accounts = Accounts::open(dir.path().join("accounts.db"))?;

    // The key itself can be shown only now: the file stores its hash.
    let now = chrono::Utc::now();
    let ana = keys::Registration { name: "Ana".parse()?, email: "ana@example.com".parse()? };
    let key = keys::issue(&accounts, &ana, Plan::Bronze, now)?;
    println!("issued {}", key.reveal());

    // A server gets the key as text, with every request.
    let key: Key = key.reveal().parse()?;
    let caller = keys::authenticate(&accounts, &key)?;
    println!("plan {}, {} requests per minute", caller.plan.name(), caller.plan.limit());
    if let Err(upgrade) = caller.plan.need(Feature::Filings) {
        println!("{upgrade}");
    }

    // Time is an argument, so this example need not wait for a minute to pass.
    let start = Instant::now();
    let limits = Limits::new(WINDOW, start);
    let (usage, today) = (Usage::default(), now.date_naive().try_into()?);
    let id = caller.key.ok_or("the caller has a key")?;
    let refused = loop {
        match limits.admit(&caller, start) {
            Ok(_) => usage.count(id, today, "/companies", Outcome::Success),
            Err(standing) => break standing,
        }
    };
    usage.count(id, today, "/companies", Outcome::RateLimited);
    println!("refused after {} requests; retry in {} s", refused.limit, refused.retry_after);
    let later = start + Duration::from_secs(refused.retry_after);
    println!("admitted then: {}", limits.admit(&caller, later).is_ok());

    usage.flush(&accounts)?;
    let report = usage.report(&accounts, id, &UsageQuery::default(), today)?;
    println!("usage of {}: {:?}", report.key, report.total);

    keys::revoke(&accounts, &key.prefix(), now)?;
    println!("revoked: {}", keys::authenticate(&accounts, &key).is_err());
    Ok(())
}
