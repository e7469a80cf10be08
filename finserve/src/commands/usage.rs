//! `finserve usage`: the requests of a key, by day.
use fincore::{
    Date,
    chrono::Utc,
    keys,
    usage::{Report, Usage, UsageQuery},
};

use super::{
    Failure,
    accounts::AccountsLocation,
    output::terminal::{print, print_json},
};
use crate::cli;

pub(crate) fn run(location: AccountsLocation<'_>, args: &cli::Usage) -> Result<(), Failure> {
    let accounts = location.open_existing()?;
    let key = keys::id(&accounts, &args.prefix.prefix()?)?;
    let query = UsageQuery { from: args.from, to: args.to };
    let today = Date::try_from(Utc::now().date_naive())?;
    let report = Usage::default().report(&accounts, key, &query, today)?;
    if args.json { print_json(&report) } else { print(&table(&report)) }
}

fn table(report: &Report) -> String {
    let Report { key, plan, from, to, total, .. } = report;
    let mut table = format!("{key} on {}, {from} to {to}\n", plan.name());
    let header = ["day", "requests", "by links", "errors", "rate limited"];
    let mut line = |[day, requests, by_links, errors, refused]: [&str; 5]| {
        table += &format!("{day:<10} {requests:>10} {by_links:>10} {errors:>10} {refused:>12}\n");
    };
    line(header);
    let days = report.data.iter().map(|day| (day.date.to_string(), day.counts));
    for (day, counts) in days.chain([("total".to_owned(), *total)]) {
        let numbers = [counts.requests, counts.by_links, counts.errors, counts.rate_limited];
        let [requests, by_links, errors, refused] = numbers.map(|number| number.to_string());
        line([&day, &requests, &by_links, &errors, &refused]);
    }
    table
}
