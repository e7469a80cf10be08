//! Financial statements: every line of the annual (DFP) and quarterly (ITR) forms.
//!
//! [`list`] says which forms of a company there are, [`statement`] returns one of their statements for years, quarters or the
//! last four quarters. Values are in reais, exactly as filed, or say that they are computed.
use serde::{Deserialize, Serialize};

use crate::values::{CompanyRef, Date, Limit, Offset, as_text, invalid::Wanted};

pub(crate) mod account;
pub(crate) mod batches;
pub(crate) mod content;
pub(crate) mod derive;
pub(crate) mod figures;
pub(crate) mod financials;
pub(crate) mod form;
mod periods;
pub(crate) mod read;
pub(crate) mod screen;
pub(crate) mod statement;
pub(crate) mod store;
pub(crate) mod sums;

pub(crate) use account::AccountNames;
pub use account::{Account, Period, Scope, StatementKind, StatementOrigin};
pub(crate) use content::{ColumnOrder, Content, StoredColumn};
pub use figures::{FigureValue, Metric, Reason, plan::AccountPlan};
pub(crate) use figures::{Figures, PeriodStatements, StatementPart};
pub use financials::{CompanyFinancials, financials};
pub(crate) use form::{Capital, DATASET as STATEMENTS, FormKey, StatementTable, StoredForm};
pub(crate) use periods::{History, PeriodValues, Sign};
pub(crate) use read::held_forms;
pub use read::{StatementForm, list, statement};
pub use screen::{MetricOrder, Metrics, ScreenPage, ScreenQuery, ScreenedCompany, Year, screen};
pub use statement::{AccountRow, Statement, StatementPage};
pub(crate) use store::{FormIndex, NewAccount, NewTable, Statements};

pub(crate) const FINANCIALS: &str = "financials";

/// The numbers of a code, by which accounts are in order.
pub(crate) fn code_order(code: &str) -> Vec<u32> {
    code.split('.').map(|part| part.parse().unwrap_or(u32::MAX)).collect()
}

/// A query for the forms with statements of a company; by default the newest twenty.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FormsQuery {
    /// The company, by its CVM code, CNPJ or ticker.
    pub id: CompanyRef,
    /// The first end of a period.
    pub from: Option<Date>,
    /// The last end of a period.
    pub to: Option<Date>,
    /// The most rows to return.
    #[serde(default)]
    pub limit: Limit<1000>,
    /// The number of rows to skip.
    #[serde(default)]
    pub offset: Offset,
}

impl FormsQuery {
    /// The newest twenty.
    #[must_use]
    pub fn new(id: CompanyRef) -> FormsQuery {
        FormsQuery { id, from: None, to: None, limit: Limit::default(), offset: Offset::default() }
    }
}

/// The periods that are returned by default.
fn five() -> Limit<200> {
    Limit::new(5).unwrap_or(Limit::MAX)
}

/// A query for a statement of a company; by default the newest five fiscal years.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct StatementQuery {
    /// The company, by its CVM code, CNPJ or ticker.
    pub id: CompanyRef,
    /// The kind of statement.
    pub kind: StatementKind,
    /// Years, quarters or the last four quarters.
    #[serde(default)]
    pub period: Period,
    /// Whose figures; by default consolidated ones, or individual ones of a company that has no others.
    pub scope: Option<Scope>,
    /// The first end of a period.
    pub from: Option<Date>,
    /// The last end of a period.
    pub to: Option<Date>,
    /// Only what CVM had received by the end of this day.
    pub as_of: Option<Date>,
    /// Whether a later form's comparative replaces what was filed, where it differs.
    #[serde(default)]
    pub restated: Restated,
    /// The deepest accounts to return: 1 for `3`, 2 for `3.01`.
    pub depth: Option<Limit<9>>,
    /// A row for each period, or for each account.
    #[serde(default)]
    pub layout: Layout,
    /// The most periods to return.
    #[serde(default = "five")]
    pub limit: Limit<200>,
    /// The number of periods to skip.
    #[serde(default)]
    pub offset: Offset,
}

impl StatementQuery {
    /// The newest five fiscal years.
    #[must_use]
    pub fn new(id: CompanyRef, kind: StatementKind) -> StatementQuery {
        StatementQuery {
            id,
            kind,
            period: Period::default(),
            scope: None,
            from: None,
            to: None,
            as_of: None,
            restated: Restated::default(),
            depth: None,
            layout: Layout::default(),
            limit: five(),
            offset: Offset::default(),
        }
    }
}

/// The values of a period that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Restated {
    /// Those of the period's own form.
    #[default]
    No,
    /// Those of the following form, where they differ.
    Yes,
}

as_text!(Restated::as_str, Wanted::TrueOrFalse, "true" => Yes, "false" => No);

/// How a statement is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// A row for each period, with its accounts.
    #[default]
    Long,
    /// A row for each account, with a column for each period.
    Wide,
}

as_text!(Layout::as_str, Wanted::Layout, "long" => Long, "wide" => Wide);

/// A query for the figures of a company that compare companies; by default of the newest five fiscal years.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FinancialsQuery {
    /// The company, by its CVM code, CNPJ or ticker.
    pub id: CompanyRef,
    /// Years, quarters, or the last four quarters.
    #[serde(default)]
    pub period: Period,
    /// Whose figures; by default consolidated ones, or individual ones of a company that has no others.
    pub scope: Option<Scope>,
    /// The first end of a period.
    pub from: Option<Date>,
    /// The last end of a period.
    pub to: Option<Date>,
    /// Whether each figure comes with the accounts it was made of.
    #[serde(default)]
    pub sources: FigureSources,
    /// The most periods to return.
    #[serde(default = "five")]
    pub limit: Limit<200>,
    /// The number of periods to skip.
    #[serde(default)]
    pub offset: Offset,
}

impl FinancialsQuery {
    /// The newest five fiscal years.
    #[must_use]
    pub fn new(id: CompanyRef) -> FinancialsQuery {
        FinancialsQuery {
            id,
            period: Period::default(),
            scope: None,
            from: None,
            to: None,
            sources: FigureSources::default(),
            limit: five(),
            offset: Offset::default(),
        }
    }
}

/// Whether figures come with what they were made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FigureSources {
    /// Figures alone.
    #[default]
    Omitted,
    /// Each with its accounts, or with the reason why there is none.
    Listed,
}

as_text!(FigureSources::as_str, Wanted::TrueOrFalse, "true" => Listed, "false" => Omitted);

#[cfg(test)]
mod tests;
