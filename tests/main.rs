//! The program as its users meet it: a real binary, real sockets, real files.
//!
//! `harness` starts servers and speaks HTTP; the other modules hold the tests: `market` the figures,
//! `access` plans, keys and limits, `accounts` the operator's commands, registration and usage,
//! `companies` companies and filings, `cvm` all of them against the tables they come from, `search`
//! what people and attackers look for, `pages` the pages, `contract` every operation against
//! `openapi.yaml`, `answers` what holds from one answer to the next, `new_keys` keys that were just issued,
//! `foreign_files` database files that are not ours, `grammar` what is refused, `import` the
//! command line, `import_command` its import, `import_published`, `import_plausible` and `import_official` what is
//! imported of what is published, `documents` what the documents promise, `upstream` the comparison with the official files
//! where those are at hand.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod access;
mod accounts;
mod answers;
mod companies;
mod contract;
mod cvm;
mod documents;
mod foreign_files;
mod grammar;
mod harness;
mod import;
mod import_command;
mod import_official;
mod import_plausible;
mod import_published;
mod market;
mod new_keys;
mod pages;
mod search;
mod structure;
mod upstream;
