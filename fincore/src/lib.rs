//! Brazil's financial data as plain functions over embedded SQLite.
//!
//! [`Catalogue`] is the data file. [`bundle::fill`] puts the figures that come with the library into
//! it, [`Import`] adds what the central bank and the securities regulator CVM publish, and a [`Snapshot`]
//! reads it: every query is a function of a snapshot and a query struct, such as [`market::selic`],
//! [`companies::search`] or [`filings::list`].
//!
//! [`Accounts`] is the other file: [`keys`] are issued and recognised in it, and [`usage`] is noted.
//! [`plans`] says what each plan reaches, and [`limits`] counts how often a caller may ask.
//!
//! The library opens no socket, reads no clock and logs nothing. What day it is comes in with the
//! snapshot; whatever goes wrong comes back as an [`Error`].
//!
//! ```
//! use fincore::{Catalogue, Date, bundle, companies, filings, market};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let dir = dir.path();
//! let catalogue = Catalogue::open(dir.join("catalogue.db"))?;
//! bundle::fill(&catalogue)?;
//!
//! let today: Date = "2026-10-05".parse()?;
//! let snapshot = catalogue.snapshot(today)?;
//! let selic = market::selic_current(&snapshot)?;
//! assert_eq!((selic.date, selic.value.to_string()), (today, "13.75".into()));
//!
//! let query = market::FxHistory { pair: "EUR/BRL".parse()?, ..Default::default() };
//! for day in market::fx(&snapshot, query)?.data {
//!     println!("{} {} {}", day.date, day.buy, day.sell);
//! }
//!
//! let petrobras = companies::find(&snapshot, companies::One { id: "33.000.167/0001-01".into() })?;
//! assert_eq!((petrobras.id.get(), &*petrobras.status), (9512, "ATIVO"));
//! let april = filings::List {
//!     category: Some("fato relevante".into()),
//!     from: Some("2024-04-01".parse()?),
//!     to: Some("2024-04-30".parse()?),
//!     ..Default::default()
//! };
//! assert_eq!(filings::list(&snapshot, april)?.total, 230);
//! # Ok::<(), fincore::Error>(())
//! ```
// What they forbid, and why, is in clippy.toml beside this crate's manifest.
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types)
)]

mod error;
mod excerpt;
pub mod plans;
mod types;

mod answers;
mod catalogue;
mod lock;
mod lookup;
mod sqlite;
pub mod table;

pub mod companies;
pub mod datasets;
pub mod filings;
pub mod market;
pub mod search;

mod accounts;
pub mod keys;
pub mod limits;
pub mod usage;

#[cfg(feature = "bundle")]
pub mod bundle;
#[cfg(feature = "import")]
mod import;

/// The calendar library whose dates convert to and from [`Date`].
pub use chrono;

pub use accounts::Accounts;
pub use answers::{Meta, Page, Sourced};
pub use catalogue::{Catalogue, Snapshot, Tally};
pub use error::{Error, ErrorKind, Noun, Result};
pub use excerpt::excerpt;
#[cfg(feature = "import")]
pub use import::{Import, Imported};
pub use plans::{Feature, Plan};
pub use sqlite::{Checkup, TableCheckup};
pub use types::{
    Caller, CallerId, Cnpj, CompanyId, Currency, CvmCode, Date, DateRange, Decimal, Email,
    FilingId, Key, KeyHash, KeyId, KeyPrefix, Limit, Name, Offset, Pair, Search, Words,
};
