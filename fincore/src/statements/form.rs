//! Forms with statements, and the tables that they have.
use rusqlite::{Connection, Row};

use crate::{
    statements::{Content, Scope, StatementKind},
    values::{CvmCode, Date, FilingId, Form, Result},
};

/// The name of the dataset.
pub(crate) const DATASET: &str = "statements";

/// The tables of a form. Each is a file in CVM's archives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum StatementTable {
    Assets,
    Liabilities,
    Income,
    ComprehensiveIncome,
    CashFlowDirect,
    CashFlowIndirect,
    ValueAdded,
    EquityChanges,
}

impl StatementTable {
    pub(crate) const ALL: [StatementTable; 8] = [
        StatementTable::Assets,
        StatementTable::Liabilities,
        StatementTable::Income,
        StatementTable::ComprehensiveIncome,
        StatementTable::CashFlowDirect,
        StatementTable::CashFlowIndirect,
        StatementTable::ValueAdded,
        StatementTable::EquityChanges,
    ];

    /// The kind of statement that it is, or is a part of.
    pub(crate) fn kind(self) -> StatementKind {
        match self {
            StatementTable::Assets | StatementTable::Liabilities => StatementKind::BalanceSheet,
            StatementTable::Income => StatementKind::Income,
            StatementTable::ComprehensiveIncome => StatementKind::ComprehensiveIncome,
            StatementTable::CashFlowDirect | StatementTable::CashFlowIndirect => {
                StatementKind::CashFlow
            }
            StatementTable::ValueAdded => StatementKind::ValueAdded,
            StatementTable::EquityChanges => StatementKind::EquityChanges,
        }
    }

    /// Its name in the names of CVM's files: `DRE`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            StatementTable::Assets => "BPA",
            StatementTable::Liabilities => "BPP",
            StatementTable::Income => "DRE",
            StatementTable::ComprehensiveIncome => "DRA",
            StatementTable::CashFlowDirect => "DFC_MD",
            StatementTable::CashFlowIndirect => "DFC_MI",
            StatementTable::ValueAdded => "DVA",
            StatementTable::EquityChanges => "DMPL",
        }
    }

    fn number(self) -> i64 {
        self as i64
    }
}

/// The id of a stored statement.
pub(crate) fn statement_id(form: i64, scope: Scope, table: StatementTable) -> i64 {
    form * 16 + (scope as i64) * 8 + table.number()
}

/// The scope and the table of a stored statement, and the id of its form.
pub(crate) fn parts_of(id: i64) -> (i64, Scope, StatementTable) {
    let scope = if id & 8 == 0 { Scope::Consolidated } else { Scope::Individual };
    let table = usize::try_from(id & 7).map_or(StatementTable::Assets, |n| StatementTable::ALL[n]);
    (id >> 4, scope, table)
}

/// Identifies a form: the filings of a company for a period, once or in several versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FormKey {
    pub(crate) company: CvmCode,
    pub(crate) form: Form,
    pub(crate) period_end: Date,
    pub(crate) version: u32,
}

/// How changes of it are logged: `9512 dfp 2024-12-31 2`.
impl std::fmt::Display for FormKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {} {}", self.company, self.form.name(), self.period_end, self.version)
    }
}

impl FormKey {
    /// The inverse of `Display`.
    pub(crate) fn parse(text: &str) -> Option<FormKey> {
        let mut parts = text.split(' ');
        let (company, form) = (parts.next()?.parse().ok()?, parts.next()?);
        let form = Form::ALL.into_iter().find(|known| known.name() == form)?;
        let (period_end, version) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some(FormKey { company, form, period_end, version })
    }
}

/// A version of a form that is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredForm {
    pub(crate) id: i64,
    pub(crate) key: FormKey,
    pub(crate) received: Option<Date>,
    pub(crate) filing: Option<FilingId>,
    pub(crate) capital: Option<Capital>,
    /// The number of its [`PlanCodes`](crate::statements::figures::plan::PlanCodes), if they are known.
    pub(crate) plan: Option<i64>,
    /// The tables that it has.
    pub(crate) tables: Vec<(Scope, StatementTable)>,
}

impl StoredForm {
    pub(crate) fn has(&self, scope: Scope, kind: StatementKind) -> bool {
        self.tables.iter().any(|(known, table)| *known == scope && table.kind() == kind)
    }

    /// The content of each of the tables of a kind.
    pub(crate) fn contents(
        &self,
        connection: &Connection,
        scope: Scope,
        kind: StatementKind,
    ) -> Result<Vec<Content>> {
        let wanted =
            |(known, table): &&(Scope, StatementTable)| *known == scope && table.kind() == kind;
        let mut contents = Vec::new();
        for (scope, table) in self.tables.iter().filter(wanted) {
            contents.push(self.content(connection, *scope, *table)?);
        }
        Ok(contents)
    }

    /// The content of a table that it has.
    pub(crate) fn content(
        &self,
        connection: &Connection,
        scope: Scope,
        table: StatementTable,
    ) -> Result<Content> {
        const SQL: &str = "SELECT content FROM statement WHERE id = ?1";
        let mut statement = connection.prepare_cached(SQL)?;
        Ok(statement.query_row([statement_id(self.id, scope, table)], read_content)?)
    }
}

/// Every form of a company with statements, newest period first, then the newest version; with a day, those that CVM had
/// received by its end.
pub(crate) fn forms_of(
    connection: &Connection,
    company: CvmCode,
    as_of: Option<Date>,
) -> Result<Vec<StoredForm>> {
    const FORMS: &str = "SELECT id, form, period_end, version, received, filing, plan, shares_common, shares_preferred,
            shares_total, treasury_common, treasury_preferred, treasury_total
        FROM statement_form WHERE company = ?1 AND (?2 IS NULL OR received <= ?2)
        ORDER BY period_end DESC, form, version DESC";
    const TABLES: &str = "SELECT statement.id FROM statement_form AS form
        JOIN statement ON statement.id BETWEEN form.id * 16 AND form.id * 16 + 15 WHERE form.company = ?1";
    let mut statement = connection.prepare_cached(FORMS)?;
    let rows = statement.query_map((company, as_of), |row| read_form(row, company))?;
    let mut forms = rows.collect::<rusqlite::Result<Vec<StoredForm>>>()?;
    let mut statement = connection.prepare_cached(TABLES)?;
    let mut ids = statement.query([company])?;
    while let Some(row) = ids.next()? {
        let (form, scope, table) = parts_of(row.get(0)?);
        if let Some(form) = forms.iter_mut().find(|known| known.id == form) {
            form.tables.push((scope, table));
        }
    }
    Ok(forms)
}

fn read_content(row: &Row<'_>) -> rusqlite::Result<Content> {
    let content = Content::decode(row.get_ref(0)?.as_blob()?);
    content.ok_or_else(|| {
        let reason = "not a statement".into();
        rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Blob, reason)
    })
}

fn read_form(row: &Row<'_>, company: CvmCode) -> rusqlite::Result<StoredForm> {
    let form: i64 = row.get(1)?;
    let form = if form == Form::Itr as i64 { Form::Itr } else { Form::Dfp };
    let (period_end, version) = (row.get(2)?, row.get(3)?);
    let filing: Option<i64> = row.get(5)?;
    let count = |column: usize| {
        Ok::<u64, rusqlite::Error>(row.get::<_, Option<i64>>(column)?.unwrap_or(0).unsigned_abs())
    };
    let capital = match row.get::<_, Option<i64>>(9)? {
        None => None,
        Some(_) => Some(Capital {
            common: count(7)?,
            preferred: count(8)?,
            total: count(9)?,
            treasury_common: count(10)?,
            treasury_preferred: count(11)?,
            treasury_total: count(12)?,
        }),
    };
    Ok(StoredForm {
        id: row.get(0)?,
        key: FormKey { company, form, period_end, version },
        received: row.get(4)?,
        filing: filing.and_then(FilingId::from_bits),
        capital,
        plan: row.get(6)?,
        tables: Vec::new(),
    })
}

/// The number of shares in a form. Forms do not say whether they count in units or in thousands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Capital {
    pub(crate) common: u64,
    pub(crate) preferred: u64,
    pub(crate) total: u64,
    pub(crate) treasury_common: u64,
    pub(crate) treasury_preferred: u64,
    pub(crate) treasury_total: u64,
}

impl Capital {
    /// The counts in the order of their columns.
    pub(crate) fn counts(self) -> [i64; 6] {
        [
            self.common,
            self.preferred,
            self.total,
            self.treasury_common,
            self.treasury_preferred,
            self.treasury_total,
        ]
        .map(|count| i64::try_from(count).unwrap_or(i64::MAX))
    }

    /// The inverse of `counts`.
    pub(crate) fn of_counts(counts: [u64; 6]) -> Capital {
        let [common, preferred, total, treasury_common, treasury_preferred, treasury_total] =
            counts;
        Capital { common, preferred, total, treasury_common, treasury_preferred, treasury_total }
    }
}
