//! The commands, one file each, and what they share: the data directory, the terminal, failures.
mod backup;
mod changes;
mod check;
mod completions;
mod data;
mod descriptors;
mod doctor;
mod export;
mod failure;
mod freshness;
mod import;
mod keys;
mod man;
mod rebuild;
mod restore;
mod serve;
mod sync;
mod terminal;
mod usage;
mod webhooks;

use crate::cli::{Cli, Command};

pub(crate) use failure::Failure;

/// Runs the command of a command line; without one, the server.
pub(crate) fn run(Cli { data, command, serve }: Cli) -> Result<(), Failure> {
    match command.unwrap_or(Command::Serve(serve)) {
        Command::Serve(args) => serve::run(&data, &args),
        Command::Import(args) => import::run(&data, &args),
        Command::Sync(args) => sync::run(&data, &args),
        Command::Export(args) => export::run(&data, &args),
        Command::Webhooks(command) => webhooks::run(&data, command),
        Command::Keys(command) => keys::run(&data, command),
        Command::Usage(args) => usage::run(&data, &args),
        Command::Backup(args) => backup::run(&data, &args),
        Command::Restore(args) => restore::run(&data, &args),
        Command::Log(args) => changes::run(&data, &args),
        Command::Check => check::run(&data),
        Command::Rebuild => rebuild::run(&data),
        Command::Doctor(args) => doctor::run(&data, &args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    }
}
