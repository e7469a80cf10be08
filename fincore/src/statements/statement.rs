//! Statements as they are answered: a row for each period, or for each account.
use std::borrow::Cow;

use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::{
    answers::{Cell, ColumnKind, Meta, Table},
    statements::{Account, Layout, Scope, StatementOrigin},
    values::{Date, FilingId, Form},
};

/// A statement of one period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Statement {
    /// The first day of the period; `None` in balance sheets.
    pub period_start: Option<Date>,
    /// The last day of the period.
    pub period_end: Date,
    /// Whose figures they are.
    pub scope: Scope,
    /// The form; for computed values the newest that they were made from.
    #[serde(serialize_with = "in_capitals")]
    pub form: Form,
    /// Its version.
    pub version: u32,
    /// When CVM received it; `None` if its index of forms was never imported.
    pub received: Option<Date>,
    /// The currency of all values: `BRL`.
    pub currency: &'static str,
    /// Where the values come from.
    pub origin: StatementOrigin,
    /// The filings that have them; several if they are computed.
    pub filing_ids: Vec<FilingId>,
    /// The accounts, in order.
    pub accounts: Vec<Account>,
}

/// The name of a form as CVM writes it: `DFP`.
pub(crate) fn in_capitals<S: Serializer>(
    form: &Form,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(&form.name().to_ascii_uppercase())
}

/// One page of the periods of a statement, newest first.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StatementPage {
    /// The periods of this page.
    pub data: Vec<Statement>,
    /// The number of periods.
    pub total: u64,
    /// The most periods that a page can hold.
    pub limit: u32,
    /// The number of periods before this page.
    pub offset: u64,
    /// The source.
    pub meta: Meta,
    /// How it is written.
    pub layout: Layout,
    /// Whether accounts have columns: those of changes of equity do.
    pub(crate) has_parts: bool,
}

/// An account in all periods of a page.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AccountRow<'p> {
    /// The account, with its value in the newest period that has it.
    pub account: &'p Account,
    /// Its value in each period; `None` where the period has no such account.
    pub values: Vec<Option<crate::values::decimal::Decimal>>,
}

impl Table for StatementPage {
    fn columns(&self) -> Vec<(Cow<'_, str>, ColumnKind)> {
        let part = self.has_parts.then_some(("column", ColumnKind::Text));
        let account =
            [("code", ColumnKind::Text), ("name", ColumnKind::Text)].into_iter().chain(part);
        let columns: Vec<(&str, ColumnKind)> = match self.layout {
            Layout::Long => [
                ("period_start", ColumnKind::Day),
                ("period_end", ColumnKind::Day),
                ("scope", ColumnKind::Text),
                ("form", ColumnKind::Text),
                ("version", ColumnKind::Integer),
                ("received", ColumnKind::Day),
                ("currency", ColumnKind::Text),
                ("origin", ColumnKind::Text),
            ]
            .into_iter()
            .chain(account)
            .chain([("value", ColumnKind::Figure), ("fixed", ColumnKind::Truth)])
            .collect(),
            Layout::Wide => account.collect(),
        };
        let periods = if self.layout == Layout::Wide { &self.data[..] } else { &[] };
        let period = |row: &Statement| (row.period_end.to_string().into(), ColumnKind::Figure);
        let columns = columns.into_iter().map(|(name, kind)| (name.into(), kind));
        columns.chain(periods.iter().map(period)).collect()
    }

    fn cells(&self) -> impl Iterator<Item = Vec<Cell<'_>>> {
        let rows = match self.layout {
            Layout::Long => self.long_cells(),
            Layout::Wide => self
                .account_rows()
                .into_iter()
                .map(|AccountRow { account, values }| {
                    let mut cells = self.account_cells(account);
                    cells.extend(values.into_iter().map(Cell::from));
                    cells
                })
                .collect(),
        };
        rows.into_iter()
    }
}

impl StatementPage {
    fn account_cells<'p>(&self, account: &'p Account) -> Vec<Cell<'p>> {
        let part = self.has_parts.then(|| account.column.as_deref().into());
        [Cell::from(&*account.code), (&*account.name).into()].into_iter().chain(part).collect()
    }

    fn long_cells(&self) -> Vec<Vec<Cell<'_>>> {
        let mut rows = Vec::new();
        for row in &self.data {
            for account in &row.accounts {
                let mut cells = vec![
                    row.period_start.into(),
                    row.period_end.into(),
                    row.scope.name().into(),
                    Cell::display(row.form.name().to_ascii_uppercase()),
                    Cell::Integer(row.version.into()),
                    row.received.into(),
                    row.currency.into(),
                    row.origin.name().into(),
                ];
                cells.extend(self.account_cells(account));
                cells.push(account.value.into());
                cells.push(account.fixed.into());
                rows.push(cells);
            }
        }
        rows
    }

    /// Every account of any period, in order, with its values.
    #[must_use]
    pub fn account_rows(&self) -> Vec<AccountRow<'_>> {
        let mut rows: Vec<AccountRow<'_>> = Vec::new();
        let mut places = std::collections::HashMap::new();
        for (place, period) in self.data.iter().enumerate() {
            for account in &period.accounts {
                let key = (&account.code, &account.name, &account.column);
                let row = *places.entry(key).or_insert_with(|| {
                    rows.push(AccountRow { account, values: vec![None; self.data.len()] });
                    rows.len() - 1
                });
                rows[row].values[place] = Some(account.value);
            }
        }
        rows.sort_by_cached_key(|row| super::code_order(&row.account.code));
        rows
    }
}

impl Serialize for StatementPage {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut page = serializer.serialize_map(None)?;
        match self.layout {
            Layout::Long => page.serialize_entry("data", &self.data)?,
            Layout::Wide => page.serialize_entry("data", &WideRows(self))?,
        }
        page.serialize_entry("total", &self.total)?;
        page.serialize_entry("limit", &self.limit)?;
        page.serialize_entry("offset", &self.offset)?;
        page.serialize_entry("meta", &self.meta)?;
        page.end()
    }
}

struct WideRows<'p>(&'p StatementPage);

impl Serialize for WideRows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let rows = self.0.account_rows();
        serializer.collect_seq(rows.iter().map(|row| WideLine { periods: &self.0.data, row }))
    }
}

struct WideLine<'p> {
    periods: &'p [Statement],
    row: &'p AccountRow<'p>,
}

impl Serialize for WideLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("code", &self.row.account.code)?;
        object.serialize_entry("name", &self.row.account.name)?;
        if let Some(column) = &self.row.account.column {
            object.serialize_entry("column", column)?;
        }
        for (period, value) in self.periods.iter().zip(&self.row.values) {
            object.serialize_entry(&period.period_end.to_string(), value)?;
        }
        object.end()
    }
}
