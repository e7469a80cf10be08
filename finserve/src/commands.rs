//! The commands, one file each, and what they share: the data directory, the terminal, failures.
mod accounts;
mod backup;
mod calc;
mod changes;
mod check;
mod completions;
mod data;
mod descriptors;
mod doctor;
mod export;
mod failure;
mod follow;
mod freshness;
mod get;
mod import;
mod keys;
mod man;
mod mcp;
mod publish;
mod rebuild;
mod restore;
mod serve;
mod show;
mod sync;
mod terminal;
mod usage;
mod webhooks;

use crate::cli::{Cli, Command};

use accounts::Place;
use data::Seen;
pub(crate) use failure::Failure;

/// Runs the command of a command line; without one, the server.
pub(crate) fn run(
    Cli { data, data_by_default, accounts, command, serve }: Cli,
) -> Result<(), Failure> {
    let place = Place { data: &data, address: accounts.as_ref() };
    match command.unwrap_or(Command::Serve(serve)) {
        Command::Serve(args) => serve::run(place, &args),
        Command::Import(args) => import::run(&data, &args),
        Command::Sync(args) => sync::run(&data, &args),
        Command::Export(args) => export::run(&data, &args),
        Command::Get(args) => get::run(Seen { data: &data, by_default: data_by_default }, &args),
        Command::Calc(args) => calc::run(Seen { data: &data, by_default: data_by_default }, &args),
        Command::Mcp(args) => mcp::run(Seen { data: &data, by_default: data_by_default }, &args),
        Command::Webhooks(command) => webhooks::run(place, command),
        Command::Keys(command) => keys::run(place, command),
        Command::Accounts(command) => accounts::run(place, &command),
        Command::Usage(args) => usage::run(place, &args),
        Command::Backup(args) => backup::run(place, &args),
        Command::Publish(args) => publish::run(&data, &args),
        Command::Restore(args) => restore::run(&data, &args),
        Command::Log(args) => changes::run(&data, &args),
        Command::Check => check::run(place),
        Command::Rebuild => rebuild::run(&data),
        Command::Doctor(args) => doctor::run(place, &args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    }
}
