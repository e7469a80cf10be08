//! Accounts of a statement, and the words by which statements are asked for.
use std::collections::HashMap;

use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use crate::values::{Decimal, Result, Wanted, as_text};

/// An account of a statement with its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Account {
    /// Its code in the plan of accounts: `3.01`.
    pub code: String,
    /// Its name, as filed.
    pub name: String,
    /// Changes of equity only: the part of equity, as filed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// In reais; earnings per share in reais a share.
    pub value: Decimal,
    /// Whether it belongs to CVM's plan of accounts, and is not the company's own.
    pub fixed: bool,
}

impl Account {
    /// How deep it lies: 1 for `3`, 2 for `3.01`.
    #[must_use]
    pub fn depth(&self) -> usize {
        depth(&self.code)
    }

    /// Whether its value is one per share, so that it has no scale and is never computed.
    #[must_use]
    pub fn is_per_share(&self) -> bool {
        is_per_share(&self.code)
    }
}

/// How deep an account lies: 1 for `3`, 2 for `3.01`.
pub(crate) fn depth(code: &str) -> usize {
    code.split('.').count()
}

/// Whether the values of an account are per share.
pub(crate) fn is_per_share(code: &str) -> bool {
    code == "3.99" || code.starts_with("3.99.")
}

/// The statements that companies file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StatementKind {
    /// Assets, liabilities and equity.
    BalanceSheet,
    /// The income statement.
    Income,
    /// Net income, and what changed equity without passing through it.
    ComprehensiveIncome,
    /// The cash flow.
    CashFlow,
    /// The value added, and who received it.
    ValueAdded,
    /// The changes of equity, part by part.
    EquityChanges,
}

impl StatementKind {
    /// Every kind, in the order in which forms have them.
    pub const ALL: [StatementKind; 6] = [
        StatementKind::BalanceSheet,
        StatementKind::Income,
        StatementKind::ComprehensiveIncome,
        StatementKind::CashFlow,
        StatementKind::ValueAdded,
        StatementKind::EquityChanges,
    ];
}

as_text!(StatementKind::name, Wanted::StatementKind,
    "balance-sheet" => BalanceSheet, "income" => Income,
    "comprehensive-income" => ComprehensiveIncome, "cash-flow" => CashFlow,
    "value-added" => ValueAdded, "equity-changes" => EquityChanges);

/// The periods of which statements are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Period {
    /// Fiscal years.
    #[default]
    Annual,
    /// Quarters.
    Quarter,
    /// From the beginning of the fiscal year to the end of each quarter.
    YearToDate,
    /// The last four quarters.
    TrailingTwelveMonths,
}

as_text!(Period::name, Wanted::Period, "annual" => Annual, "quarter" => Quarter,
    "ytd" => YearToDate, "ttm" => TrailingTwelveMonths);

/// Whose figures they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Of the company and all that it controls.
    Consolidated,
    /// Of the company alone.
    Individual,
}

impl Scope {
    /// Both, the usual one first.
    pub const ALL: [Scope; 2] = [Scope::Consolidated, Scope::Individual];
}

as_text!(Scope::name, Wanted::Scope, "consolidated" => Consolidated, "individual" => Individual);

/// Where the values of a statement come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StatementOrigin {
    /// The form of the period.
    Filed,
    /// Computed by subtraction or addition.
    Computed,
    /// The comparative of a later form, which differs from what was filed.
    Restated,
}

impl StatementOrigin {
    /// Its name: `filed`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            StatementOrigin::Filed => "filed",
            StatementOrigin::Computed => "computed",
            StatementOrigin::Restated => "restated",
        }
    }
}

/// The codes and names of some accounts, by their ids.
pub(crate) struct AccountNames(HashMap<i64, (String, String)>);

/// Ids that lie so close together are read at once.
const NEAR: i64 = 8;

impl AccountNames {
    /// Reads the names of accounts with these numbers, which have the id and whether they are in CVM's plan.
    pub(crate) fn read(
        connection: &Connection,
        numbers: impl Iterator<Item = i64>,
    ) -> Result<AccountNames> {
        const SQL: &str = "SELECT id, code, name FROM account WHERE id BETWEEN ?1 AND ?2";
        let mut ids: Vec<i64> = numbers.map(|number| number >> 1).filter(|id| *id > 0).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut statement = connection.prepare_cached(SQL)?;
        let mut names = HashMap::with_capacity(ids.len());
        for near in ids.chunk_by(|one, next| next - one <= NEAR) {
            let mut rows = statement.query([near.first(), near.last()])?;
            while let Some(row) = rows.next()? {
                names.insert(row.get(0)?, (row.get(1)?, row.get(2)?));
            }
        }
        Ok(AccountNames(names))
    }

    /// Id, code and name of every account.
    pub(crate) fn read_all(connection: &Connection) -> Result<Vec<(i64, String, String)>> {
        const SQL: &str = "SELECT id, code, name FROM account ORDER BY id";
        let mut statement = connection.prepare_cached(SQL)?;
        let accounts =
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(accounts.collect::<rusqlite::Result<_>>()?)
    }

    /// Code and name of an account, and whether it is in CVM's plan.
    pub(crate) fn get(&self, number: i64) -> Option<(&String, &String, bool)> {
        self.0.get(&(number >> 1)).map(|(code, name)| (code, name, number & 1 == 1))
    }
}
