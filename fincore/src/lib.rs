//! Brazilian financial data as plain functions over embedded SQLite.
//!
//! The central bank publishes interest rates, inflation and exchange rates; the securities regulator
//! CVM publishes the registry of public companies and the documents they file. This library keeps
//! both in one SQLite file, ships with a copy of the data, and reads the official files to update it.
//!
//! - A [`Catalogue`] is the data file.
//! - [`crate::import::bundle::fill`] copies the data that comes with the library into it; an [`Import`] adds newer
//!   official files.
//! - A [`Snapshot`] is a consistent view of it. Every query is a function of a snapshot, and usually of
//!   a query struct: [`crate::market::selic`], [`crate::companies::search`], [`crate::filings::list`].
//! - [`Accounts`] is a second file, for programs that serve the data: API [`keys`] and their [`usage`].
//!
//! The library opens no sockets, reads no clock and writes no logs. Dates and times are arguments;
//! whatever goes wrong is returned as an [`Error`].
//!
//! # Example
//!
//! A complete program. It leaves `catalogue.db` in the current directory, and starts faster the
//! second time.
//!
//! ```
//! use fincore::{Catalogue, Date, bundle, companies, filings, market};
//!
//! fn main() -> fincore::Result<()> {
//! # let dir = tempfile::tempdir().unwrap();
//! # std::env::set_current_dir(&dir).unwrap();
//!     // Creates the file on first use, and fills it with the bundled data.
//!     let catalogue = Catalogue::open("catalogue.db")?;
//!     bundle::fill(&catalogue)?;
//!
//!     // Queries read from a snapshot, taken as of a date.
//!     let today: Date = "2026-10-05".parse()?;
//!     let snapshot = catalogue.snapshot(today)?;
//!
//!     let selic = market::selic_current(&snapshot)?;
//!     println!("Selic on {}: {} % per year ({})", selic.date, selic.value, selic.meta.source);
//!
//!     let september = market::FxHistory {
//!         pair: "USD/BRL".parse()?,
//!         from: Some("2026-09-01".parse()?),
//!         ..Default::default()
//!     };
//!     for quote in market::fx(&snapshot, september)?.data {
//!         println!("{} {}: buy {}, sell {}", quote.date, quote.pair, quote.buy, quote.sell);
//!     }
//!
//!     let found = companies::search(&snapshot, companies::Search::new("petrobras")?)?;
//!     for company in &found.data {
//!         let filed = filings::of_company(&snapshot, filings::OfCompany::new(company.id.into()))?;
//!         println!("{} {}: {} filings", company.id, company.name, filed.total);
//!     }
//!     Ok(())
//! }
//! ```
//!
//! More programs are in the `examples` directory.
//!
//! # Modules
//!
//! | module | contents |
//! | --- | --- |
//! | [`market`] | Selic, CDI, IPCA, exchange rates and any other series: history and current values |
//! | [`companies`] | the companies in CVM's registry: list, search, look-up |
//! | [`filings`] | the documents that companies filed: list, search, look-up |
//! | [`search`] | one search over companies and filings |
//! | [`calc`] | calculators: correction by an index, accumulated rates, currencies, real rates |
//! | [`calendar`] | business days of the Brazilian financial market |
//! | [`datasets`] | how recent each dataset is |
//! | [`changes`] | what every import changed |
//! | [`events`] | what was published: the changes as events |
//! | [`downloads`] | HTTP validators of imported files, and how synchronising went |
//! | [`table`] | the columns of each row type, and tables as CSV |
//! | [`export`] | whole datasets as NDJSON, CSV or Parquet, and what changed since a version |
//! | [`backup`] | both files in one, and back |
//! | [`bundle`] | the data that comes with the library |
//! | [`keys`] | API keys: issue, authenticate, revoke |
//! | [`links`] | addresses that carry their right: link tokens of a key |
//! | [`plans`] | plans, their features and rate limits |
//! | [`deadline`] | queries that may take only so long |
//! | [`limits`] | exact rate limits, in memory |
//! | [`usage`] | requests per key, day and endpoint |
//! | [`webhooks`] | signed calls when something is published: subscriptions, outbox, signatures |
//!
//! Values such as [`Date`], [`Decimal`], [`Cnpj`] and [`Pair`] are at the top level. Each is made by
//! `parse`, and a value that exists is valid.
//!
//! # Features
//!
//! All but `parquet` are on by default. Without them the library reads catalogues that another build has written.
//!
//! | feature | adds | dependencies |
//! | --- | --- | --- |
//! | `backup` | backups of both files: [`backup`] | `zip` |
//! | `bundle` | the bundled data: [`bundle`]; needs `import` | `zstd` |
//! | `import` | the official files of the central bank and CVM: [`Import`] | `encoding_rs`, `zip` |
//! | `parquet` | datasets as Parquet files: `crate::export::Format::Parquet` | `parquet` |
//! | `webhooks` | signed calls when something is published: [`webhooks`] | `hmac`, `url` |
//!
//! # Threads
//!
//! [`Catalogue`], [`Accounts`], [`crate::limits::Limits`] and [`crate::usage::Usage`] are `Send` and `Sync`: share one
//! of each. A [`Snapshot`] is `Send` but not `Sync`: take one per thread or task. Up to 512 can be live
//! at once, and none of them blocks an import or is blocked by one.
//!
//! # Errors
//!
//! Every fallible function returns [`Result`]. The message of an [`Error`] says what was given and what is
//! expected: `"2026-02-30" is not a date (YYYY-MM-DD)`. To react to an error, match on [`Error::kind`]:
//! [`ErrorKind`] is exhaustive, so the compiler finds every `match` that does not handle a new kind. What is
//! wrong with an input is a value too, [`Invalid`], for programs with words of their own.
//!
//! ```
//! use fincore::{Date, ErrorKind};
//!
//! let err = "2026-02-30".parse::<Date>().unwrap_err();
//! let status = match err.kind() {
//!     ErrorKind::Invalid(_) | ErrorKind::Refused => 400,
//!     ErrorKind::InvalidKey => 401,
//!     ErrorKind::PlanRequired(_) => 403,
//!     ErrorKind::NotFound(..) => 404,
//!     ErrorKind::Storage => 500,
//!     ErrorKind::Busy | ErrorKind::Unavailable => 503,
//!     ErrorKind::Outdated | ErrorKind::Newer | ErrorKind::NotPermitted => 503,
//! };
//! assert_eq!(status, 400);
//! ```
// Without some features the code that writes data has no caller; it is compiled all the same, so that one `cfg` here
// stands for a hundred elsewhere.
#![cfg_attr(
    not(all(feature = "backup", feature = "bundle", feature = "webhooks")),
    allow(dead_code, unused_imports)
)]
// clippy.toml beside this crate's manifest lists the disallowed items and the reasons.
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types)
)]

pub mod accounts;
mod answers;
pub mod calc;
pub mod calendar;
pub mod companies;
pub mod filings;
#[cfg(feature = "import")]
mod import;
mod index;
mod lexicon;
mod maintenance;
pub mod market;
mod publish;
pub mod search;
pub mod statements;
mod store;
mod values;

/// The calendar library whose dates convert to and from [`Date`].
pub use chrono;

pub use accounts::{Accounts, keys, limits, links, sessions, usage};
pub use answers::{
    AppliedTransformation, CorrectedWords, Hint, LinkedWords, Meta, Page, Rows, Sourced, Span,
    table,
};
#[cfg(feature = "bundle")]
pub use import::bundle;
#[cfg(feature = "import")]
pub use import::{CommitStep, Import, report::Imported};
#[cfg(feature = "backup")]
pub use maintenance::backup;
pub use maintenance::{findings::CheckStep, rebuild::Rebuilt};
#[cfg(feature = "webhooks")]
pub use publish::webhooks;
pub use publish::{events, export};
pub use search::datasets;
pub use store::{
    Checkup, Remedy, TableCheckup,
    catalogue::{Catalogue, Edition},
    changes, deadline, downloads,
    snapshot::Snapshot,
    sqlite_version,
    writer::{Change, Tally},
};
pub use values::{
    Caller, CallerId, Cnpj, CompanyId, CompanyRef, Currency, CvmCode, Date, DateRange, Decimal,
    Email, FilingId, Form, Key, KeyHash, KeyId, KeyPrefix, Limit, LinkHash, LinkId, LinkPath,
    LinkToken, Name, Offset, PageQuery, Pair, Search, SeriesId, SessionToken, Words,
    error::{Error, ErrorKind, Resource, Result},
    faults::{
        CalculationFault, ExportFault, LinkFault, SeriesFault, TransformationFault, Uncompoundable,
        WebhookFault,
    },
    figure::Figure,
    fold,
    invalid::{Invalid, SecretKind, Wanted},
    plans::{self, Feature, Plan},
    printable, truncate,
};

/// Compiles the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
