//! The flags of `get` and `calc` held against the table of routes.
use std::collections::BTreeSet;

use clap::CommandFactory;

use crate::{cli::Cli, http::LocalQueries};

/// Flags of the command line that no endpoint has.
const OWN: [&str; 5] = ["all", "chart", "current", "help", "summary"];

/// Each command and the paths that it asks at.
const COMMANDS: [(&str, &str, &[&str]); 16] = [
    (
        "get",
        "market",
        &[
            "market/overview",
            "market/selic",
            "market/selic/decisions",
            "market/ipca",
            "market/fx",
            "market/fx/pairs",
        ],
    ),
    (
        "get",
        "series",
        &["market/series", "market/series/{series}", "market/series/{series}/summary"],
    ),
    ("get", "companies", &["companies", "companies/search"]),
    ("get", "company", &["companies/{id}"]),
    ("get", "filings", &["filings", "filings/search"]),
    ("get", "filing", &["filings/{id}"]),
    ("get", "statements", &["companies/{id}/statements", "companies/{id}/statements/{kind}"]),
    ("get", "financials", &["companies/{id}/financials", "financials"]),
    ("get", "categories", &["filings/categories"]),
    ("get", "calendar", &["calendar/{date}", "calendar/business-days"]),
    ("get", "search", &["search"]),
    ("calc", "correction", &["calc/correction"]),
    ("calc", "accumulated", &["calc/accumulated"]),
    ("calc", "convert", &["calc/convert"]),
    ("calc", "real-rate", &["calc/real-rate"]),
    ("calc", "rate", &["calc/rate"]),
];

#[test]
fn every_flag_is_a_parameter_and_every_parameter_a_flag() {
    let (root, table) = (Cli::command(), LocalQueries::new());
    for (group, name, paths) in COMMANDS {
        let group = root.find_subcommand(group).unwrap();
        let command = group.find_subcommand(name).unwrap();
        let flags = command.get_arguments();
        let flags = flags.map(|flag| flag.get_id().as_str().to_owned());
        let flags: BTreeSet<String> = flags.filter(|flag| !OWN.contains(&&**flag)).collect();
        let params = paths.iter().filter_map(|path| table.params(&format!("/api/v1/{path}")));
        let params: BTreeSet<String> = params.flatten().map(str::to_owned).collect();
        // Positional arguments have names of their own where they choose the path.
        let positional = |name: &String| ["indicator", "company"].contains(&name.as_str());
        // A calculation shows all pages of its steps.
        let is_paged =
            |name: &str| paths[0].starts_with("calc/") && ["limit", "offset"].contains(&name);
        // Several series are an argument with commas.
        let is_argument = |name: &str| ["id", "ids"].contains(&name);
        let wanted = params.iter().filter(|name| !is_argument(name) && !is_paged(name));
        let wanted: BTreeSet<&String> = wanted.collect();
        let given: BTreeSet<&String> =
            flags.iter().filter(|name| !positional(name) || params.contains(*name)).collect();
        let given: BTreeSet<&String> = given.into_iter().filter(|name| *name != "id").collect();
        assert!(!params.is_empty(), "{name}");
        assert_eq!(given, wanted, "{name}");
    }
}

#[test]
fn every_command_is_held_against_the_table() {
    let root = Cli::command();
    let commands = ["get", "calc"].map(|group| root.find_subcommand(group).unwrap());
    let commands = commands.iter().flat_map(|group| group.get_subcommands());
    let names: BTreeSet<&str> = commands.map(clap::Command::get_name).collect();
    assert_eq!(names, COMMANDS.map(|(_, name, _)| name).into());
}
