//! Financial statements: every line of the annual (DFP) and quarterly (ITR) forms.
//!
//! [`list`] says which forms of a company there are, [`statement`] returns one of their statements for years, quarters or the
//! last four quarters. Values are in reais, exactly as filed, or say that they are computed.

pub(crate) mod account;
pub(crate) mod account_names;
pub(crate) mod batches;
pub(crate) mod capital;
pub(crate) mod content;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) mod derive;
mod figures;
mod financials;
pub(crate) mod form;
mod periods;
mod queries;
mod read;
mod recipes;
mod screen;
mod screen_hints;
mod statement;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) mod store;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) mod stored;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) mod sums;

pub use account::{Account, Period, Scope, StatementKind, StatementOrigin};
pub use figures::{AccountPlan, FigureValue, Metric, Reason};
pub use financials::{CompanyFinancials, financials};
pub use queries::{FigureSources, FinancialsQuery, FormsQuery, Layout, Restated, StatementQuery};
pub(crate) use read::{SOURCE, held_forms};
pub use read::{StatementForm, list, statement};
pub use screen::{MetricOrder, Metrics, ScreenPage, ScreenQuery, ScreenedCompany, Year, screen};
pub use statement::{AccountRow, Statement, StatementPage};

// The names of the datasets.
pub(crate) use form::DATASET as STATEMENTS;
pub(crate) const FINANCIALS: &str = "financials";

/// The numbers of a code, by which accounts are in order.
pub(crate) fn code_order(code: &str) -> Vec<u32> {
    code.split('.').map(|part| part.parse().unwrap_or(u32::MAX)).collect()
}

#[cfg(test)]
#[cfg(feature = "import")]
mod tests;
