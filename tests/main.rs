//! The program as its users meet it: a real binary, real sockets, real files.
//!
//! `harness` starts servers and speaks HTTP. The other modules hold the tests.
//!
//! * What it answers: `market` and `series` the figures, `decisions` those of the Copom, `past` what was known when, `calendar` business days, `freshness` how old the data
//!   is, `companies` companies and filings, `statements` financial statements (in archives of `made_statements`), `search` what people and attackers look for, `search_filters`
//!   filters, `search_meaning` orders, phrases, near matches and suggestions, `quality` whether people find what they mean, `csv` lists as tables, `cells` single values and the next page of a list, `export` whole
//!   datasets, `export_streams` how they are sent, `pages` the pages, `page_addresses` their addresses, `explore_market` those of the market and the calculators, `explore_transformed` transformed and compared series, `explore_registry` those of
//!   companies and filings, `explore_statements` those of financial statements, `explore_refusals` what they say of mistakes, `sitemap` what search engines are told, `base_path` all of it below a path.
//! * Whether that is right: `cvm` and `upstream` against the official files, `contract` against `openapi.yaml`,
//!   `answers` from one answer to the next, `documents` against what the documents promise, `guide` the commands that they show.
//! * Who may ask: `access` plans, keys and limits, `accounts` the operator's commands, registration and usage,
//!   `links` addresses that carry their right, `new_keys` keys that were just issued, `secrets` what is repeated of them nowhere, `sessions` who is signed in, `grammar` what is refused, `fairness` what is not counted, `sites` what pages of others may do.
//! * How data comes in: `import` and `import_command` the command, `import_published`, `import_plausible` and
//!   `import_official` what is imported of what is published, `log` the change log; `sync`, `sync_statements`, `sync_faults`, `sync_troubles` and
//!   `sync_serve` downloads from a server that plays the publishers (`publisher`), with what is `published` on a
//!   day; `sync_year` a simulated year of them (`published_year`), with what goes wrong by chance (`publisher_moods`).
//! * How data goes out: `get` queries on the command line, `get_server` the same of a server, `calc_command` calculations there, `completion` what a shell is
//!   told may come next, `looked_at` files that they leave as they are, `export_command` whole datasets as files, `publication` the catalogue for servers that follow it,
//!   with a `file_server` between them.
//! * Who is told: `webhooks` what is called, `webhook_requests` what may be asked for, `webhook_servers` which server
//!   calls, with a server that plays the `receiver`; `events` the same by polling and listening.
//! * What is wrong with data: `check` values that cannot be read, `rebuild` damage that is found and repaired,
//!   `foreign_files` files that are not ours, `old_data` those of an older program, `backup` backups, and files that are lost while a server runs.
//! * What agents ask: `mcp` over HTTP, `mcp_stdio` over the standard input and output.
//! * How it is run: `operation` the log, metrics, signals and bounds of a server, `doctor` what an operator is told is wrong.
//! * `embedded_server`: the server inside another program; `rust_client` a server and the library
//!   through one client, `rust_client_errors` what it says of mistakes.
//! * `structure`: which module may use which.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod access;
mod accounts;
mod answers;
mod backup;
mod base_path;
mod calc_command;
mod calendar;
mod cells;
mod check;
mod companies;
mod completion;
mod contract;
mod csv;
mod cvm;
mod decisions;
mod doctor;
mod documents;
mod embedded_server;
mod events;
mod explore_hostile;
mod explore_market;
mod explore_refusals;
mod explore_registry;
mod explore_statements;
mod explore_transformed;
mod export;
mod export_command;
mod export_streams;
mod fairness;
mod file_server;
mod foreign_files;
mod freshness;
mod get;
mod get_server;
mod grammar;
mod guide;
mod harness;
mod import;
mod import_command;
mod import_official;
mod import_plausible;
mod import_published;
mod links;
mod log;
mod looked_at;
mod made_statements;
mod market;
mod mcp;
mod mcp_stdio;
mod new_keys;
mod old_data;
mod operation;
mod page_addresses;
mod pages;
mod past;
mod publication;
mod published;
mod published_year;
mod publisher;
mod publisher_moods;
mod quality;
mod rebuild;
mod receiver;
mod rust_client;
mod rust_client_errors;
mod search;
mod search_filters;
mod search_market_words;
mod search_meaning;
mod secrets;
mod series;
mod sessions;
mod sitemap;
mod sites;
mod statements;
mod structure;
mod sync;
mod sync_faults;
mod sync_serve;
mod sync_statements;
mod sync_troubles;
mod sync_year;
mod transformations;
mod upstream;
mod webhook_requests;
mod webhook_servers;
mod webhooks;
