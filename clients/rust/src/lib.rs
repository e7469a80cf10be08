//! The queries of [`fincore`], answered by a finserve server or by a catalogue in the same program.
//!
//! Every function takes a [`Source`] and a query struct of `fincore`, and returns its answer with the published digits. Answers
//! are types of this crate with the names of those of `fincore`; what a newer server says besides is ignored.
//! A program that was written for the library changes to a server by changing the source:
//!
//! ```no_run
//! use fincore::{Catalogue, market::History};
//! use finserve_client::{Client, Settings, Source, market};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! // From a file …
//! let source: Source = Catalogue::open("catalogue.db")?.into();
//! // … or from a server.
//! let settings = Settings { key: Some("fin_…".parse()?), ..Settings::default() };
//! let source: Source = Client::new("https://data.example.com", settings)?.into();
//!
//! let year = History { from: Some("2026-01-01".parse()?), ..History::default() };
//! for rate in market::selic(&source, year).await?.data {
//!     println!("{} {}", rate.date, rate.value);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! The modules and functions have the names that they have in `fincore`: [`market`], [`calc`], [`calendar`], [`companies`],
//! [`filings`], [`statements`], [`search`], [`plans`]. What a server offers besides, such as exports and webhooks, is not in
//! the library's queries; [`Client::fetch`] asks for any path.
//!
//! # Errors
//!
//! [`Error`] has the kinds of [`fincore::Error`], whichever source was asked, and those that only a server has.
//!
//! ```no_run
//! # async fn run(source: finserve_client::Source) -> Result<(), finserve_client::Error> {
//! use finserve_client::{Error, filings};
//!
//! match filings::find(&source, "1195062".parse()?).await {
//!     Ok(filing) => println!("{}", filing.description),
//!     Err(Error::NotFound { message }) => println!("{message}"),
//!     Err(Error::PlanRequired { upgrade, .. }) => println!("needs {}", upgrade.required_plan),
//!     Err(Error::RateLimited { retry_after, .. }) => println!("in {} s", retry_after.as_secs()),
//!     Err(other) => return Err(other),
//! }
//! # Ok(())
//! # }
//! ```
mod answers;
mod client;
mod error;
mod queries;
mod source;
mod target;

pub use answers::{AppliedTransformation, CorrectedWords, LinkedWords, Meta, Page, Sourced, Span};
pub use client::{Client, Reply, Settings};
pub use error::{Error, Result};
pub use queries::{
    Query, all as all_queries, calc, calendar, companies, filings, market, plans, search,
    statements,
};
pub use source::Source;

/// The TLS library whose configuration [`Settings`] takes.
pub use rustls;

/// Compiles the example of the README; `tests/documents.rs` compiles those of the guide.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
