//! The commands, one file each, and what they share: the data directory, the terminal, failures.
mod accounts;
mod backup;
mod calc;
mod check;
mod completions;
mod data_directory;
mod descriptor_limits;
mod doctor;
mod export;
mod failure;
mod get;
mod import;
mod keys;
mod log;
mod man;
mod mcp;
mod output;
mod publish;
mod rebuild;
mod restore;
pub(crate) mod serve;
pub(crate) mod sync;
mod usage;
mod webhooks;

use crate::cli::{Cli, Command};

use accounts::AccountsLocation;
use data_directory::ReadOnlyData;
pub(crate) use failure::Failure;

/// Runs the command of a command line; without one, the server.
pub(crate) fn run(
    Cli { data, data_by_default, accounts, command, serve }: Cli,
) -> Result<(), Failure> {
    let location = AccountsLocation { data: &data, address: accounts.as_ref() };
    let read_only = ReadOnlyData { data: &data, by_default: data_by_default };
    match command.unwrap_or(Command::Serve(serve)) {
        Command::Serve(args) => serve::run(location, &args),
        Command::Import(args) => import::run(&data, &args),
        Command::Sync(args) => sync::run(&data, &args),
        Command::Export(args) => export::run(read_only, &args),
        Command::Get(args) => get::run(read_only, &args),
        Command::Calc(args) => calc::run(read_only, &args),
        Command::Mcp(args) => mcp::run(read_only, &args),
        Command::Webhooks(command) => webhooks::run(location, command),
        Command::Keys(command) => keys::run(location, command),
        Command::Links(command) => keys::links::run(location, command),
        Command::Accounts(command) => accounts::run(location, &command),
        Command::Usage(args) => usage::run(location, &args),
        Command::Backup(args) => backup::run(location, &args),
        Command::Publish(args) => publish::run(&data, &args),
        Command::Restore(args) => restore::run(&data, &args),
        Command::Log(args) => log::run(&data, &args),
        Command::Check => check::run(location),
        Command::Rebuild => rebuild::run(&data),
        Command::Doctor(args) => doctor::run(location, &args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    }
}
