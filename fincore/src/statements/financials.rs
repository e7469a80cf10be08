//! The figures that compare companies, period by period. They are made from the statements when these are imported.
use std::collections::BTreeSet;

use rusqlite::{Connection, Row};
use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::{
    answers::{Cell, Column, ColumnKind, Page, table},
    statements::{
        Account, AccountNames, Capital, FigureSources, Figures, FinancialsQuery, History, Metric,
        Period, PeriodStatements, PeriodValues, Scope, Sign, Statement, StatementKind,
        StatementPart, StoredForm,
        figures::{
            self,
            plan::{self, AccountPlan, PlanCodes},
        },
        form,
        periods::PeriodRecipe,
        read::{find_company, meta, rows},
    },
    store::Snapshot,
    values::{CvmCode, Date, DateRange, Form, Invalid, Result},
};

/// The statements that figures are made from.
const KINDS: [StatementKind; 5] = [
    StatementKind::BalanceSheet,
    StatementKind::Income,
    StatementKind::ComprehensiveIncome,
    StatementKind::CashFlow,
    StatementKind::ValueAdded,
];

/// The periods of which figures are stored.
pub(crate) const PERIODS: [Period; 3] =
    [Period::Annual, Period::Quarter, Period::TrailingTwelveMonths];

/// The figures of a company in one period.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompanyFinancials {
    /// The first day of the period, as far as a statement says it.
    pub period_start: Option<Date>,
    /// The last day of the period.
    pub period_end: Date,
    /// Whose figures they are.
    pub scope: Scope,
    /// The plan of accounts, if it is known.
    pub plan: Option<AccountPlan>,
    figures: Figures,
    with_sources: bool,
}

impl CompanyFinancials {
    /// A figure, with what it was made of if the query asked for that.
    #[must_use]
    pub fn figure(&self, metric: Metric) -> &figures::FigureValue {
        self.figures.get(metric)
    }

    /// The values to store.
    pub(crate) fn base_text(&self) -> String {
        self.figures.base_text()
    }

    fn cell(&self, metric: Metric) -> Cell<'_> {
        self.figure(metric).value.into()
    }
}

/// The columns of figures, one for each metric.
macro_rules! columns {
    ($($metric:ident),+ $(,)?) => {
        impl table::Row for CompanyFinancials {
            const COLUMNS: &'static [Column<CompanyFinancials>] = &[
                Column::new("period_start", ColumnKind::Day, |row| row.period_start.into()),
                Column::new("period_end", ColumnKind::Day, |row| row.period_end.into()),
                Column::new("scope", ColumnKind::Text, |row| row.scope.name().into()),
                Column::new("plan", ColumnKind::Text, |row| row.plan.map(AccountPlan::name).into()),
                $(Column::new(Metric::$metric.name(), ColumnKind::Figure, |row| row.cell(Metric::$metric)),)+
            ];
        }
    };
}

columns!(
    Revenue,
    GrossProfit,
    Ebit,
    DepreciationAmortisation,
    Ebitda,
    FinancialResult,
    NetIncome,
    NetIncomeControlling,
    TotalAssets,
    CurrentAssets,
    CurrentLiabilities,
    Cash,
    GrossDebt,
    NetDebt,
    Equity,
    OperatingCashFlow,
    InvestingCashFlow,
    FinancingCashFlow,
    CapitalExpenditure,
    DividendsPaid,
    Eps,
    Shares,
    GrossMargin,
    EbitMargin,
    NetMargin,
    Roe,
    Roa,
    DebtToEquity,
    NetDebtToEbitda,
);

impl Serialize for CompanyFinancials {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("period_start", &self.period_start)?;
        object.serialize_entry("period_end", &self.period_end)?;
        object.serialize_entry("scope", &self.scope)?;
        object.serialize_entry("plan", &self.plan)?;
        for metric in Metric::ALL {
            let figure = self.figure(metric);
            if self.with_sources {
                object.serialize_entry(metric.name(), figure)?;
            } else {
                object.serialize_entry(metric.name(), &figure.value)?;
            }
        }
        object.end()
    }
}

/// The figures of a company, newest period first.
///
/// Fails with [`Error::NotFound`](crate::Error::NotFound) if there is no such company, if `from` is after `to`, and for years
/// to date, of which there are statements only.
pub fn financials(snapshot: &Snapshot, query: FinancialsQuery) -> Result<Page<CompanyFinancials>> {
    let company = find_company(snapshot, &query.id)?;
    let ends = DateRange::new(query.from, query.to)?;
    check_period(query.period)?;
    let mut all =
        snapshot.read(|connection| stored(connection, company, query.period, query.scope))?;
    all.retain(|row| ends.contains(row.period_end));
    let mut page = Page::cut(all, query.limit.get(), query.offset.get(), meta(snapshot)?);
    if query.sources == FigureSources::Listed {
        let forms = snapshot.read(|connection| form::forms_of(connection, company, None))?;
        let mut shown = page.data.to_vec();
        for scope in Scope::ALL {
            let mut of_scope = shown.iter_mut().filter(|row| row.scope == scope).peekable();
            if of_scope.peek().is_none() {
                continue;
            }
            let maker = snapshot.read(|connection| Maker::read(connection, &forms, scope))?;
            for row in of_scope {
                if let Some(made) = maker.figures(query.period, row.period_end) {
                    *row = CompanyFinancials { with_sources: true, ..made };
                }
            }
        }
        page.data = shown.into();
    }
    Ok(page)
}

/// Figures are of years, quarters and the last four quarters.
pub(crate) fn check_period(period: Period) -> Result<()> {
    if PERIODS.contains(&period) {
        return Ok(());
    }
    Err(Invalid::StatementPeriod { period: period.name(), fitting: "annual, quarter or ttm" }
        .into())
}

/// The stored figures of a company, newest first. Without a scope those of a period are consolidated, or else individual.
fn stored(
    connection: &Connection,
    company: CvmCode,
    period: Period,
    scope: Option<Scope>,
) -> Result<Vec<CompanyFinancials>> {
    const SQL: &str = "SELECT period_start, period_end, scope, plan, figures FROM financial
        WHERE company = ?1 AND period = ?2 AND (?3 IS NULL OR scope = ?3) ORDER BY period_end DESC, scope";
    let mut statement = connection.prepare_cached(SQL)?;
    let scope = scope.map(|scope| scope as i64);
    let rows = statement.query_map((company, period as i64, scope), |row| read(row, 0))?;
    let mut rows = rows.collect::<rusqlite::Result<Vec<CompanyFinancials>>>()?;
    rows.dedup_by_key(|row| row.period_end);
    Ok(rows)
}

/// Reads figures from the columns that begin with this one.
pub(crate) fn read(row: &Row<'_>, first: usize) -> rusqlite::Result<CompanyFinancials> {
    let scope: i64 = row.get(first + 2)?;
    let plan: Option<usize> = row.get::<_, Option<u32>>(first + 3)?.map(|plan| plan as usize);
    let plan = plan.and_then(|plan| AccountPlan::ALL.get(plan).copied());
    let figures = Figures::from_base_text(plan, row.get_ref(first + 4)?.as_str()?);
    let figures = figures.ok_or_else(|| {
        let reason = "not the figures of a company".into();
        rusqlite::Error::FromSqlConversionFailure(first + 4, rusqlite::types::Type::Text, reason)
    })?;
    Ok(CompanyFinancials {
        period_start: row.get(first)?,
        period_end: row.get(first + 1)?,
        scope: if scope == 0 { Scope::Consolidated } else { Scope::Individual },
        plan,
        figures,
        with_sources: false,
    })
}

/// Makes the figures of a company in one scope.
pub(crate) struct Maker<'c> {
    histories: [History<'c>; 5],
    names: AccountNames,
}

impl<'c> Maker<'c> {
    pub(crate) fn read(
        connection: &Connection,
        forms: &'c [StoredForm],
        scope: Scope,
    ) -> Result<Maker<'c>> {
        let read = |kind| History::read(connection, forms, scope, kind);
        let [a, b, c, d, e] = KINDS;
        let histories = [read(a)?, read(b)?, read(c)?, read(d)?, read(e)?];
        let ids = histories.iter().flat_map(History::account_ids);
        let names = AccountNames::read(connection, ids)?;
        Ok(Maker { histories, names })
    }

    /// The ends of all periods that have figures. A balance sheet alone makes no last four quarters.
    pub(crate) fn ends(&self, period: Period) -> BTreeSet<Date> {
        let counts = |kind: StatementKind| {
            kind != StatementKind::BalanceSheet || period != Period::TrailingTwelveMonths
        };
        let histories = KINDS.into_iter().zip(&self.histories).filter(|(kind, _)| counts(*kind));
        histories
            .flat_map(|(_, history)| history.periods(period))
            .map(|period| period.end())
            .collect()
    }

    /// The figures of the period that ends on a day.
    pub(crate) fn figures(&self, period: Period, end: Date) -> Option<CompanyFinancials> {
        let mut statements: [Option<Vec<Account>>; 5] = Default::default();
        let (mut start, mut capital, mut scope) = (None, None, Scope::Consolidated);
        let (mut cash_flow_parts, mut value_added_parts) = (Vec::new(), Vec::new());
        for ((kind, history), accounts) in
            KINDS.into_iter().zip(&self.histories).zip(&mut statements)
        {
            scope = history.scope();
            let Some(recipe) = history.ending(of_kind(period, kind), end) else { continue };
            let values = history.values(&recipe);
            start = start.or(values.start);
            capital = capital.or(capital_at(history, end));
            let row = rows(history, &[values], &self.names, usize::MAX).pop();
            *accounts = row.map(|row| row.accounts);
            match kind {
                StatementKind::CashFlow => cash_flow_parts = self.parts(history, &recipe),
                StatementKind::ValueAdded => value_added_parts = self.parts(history, &recipe),
                _ => (),
            }
        }
        if statements.iter().all(Option::is_none) {
            return None;
        }
        let [balance_sheet, income, comprehensive_income, cash_flow, value_added] = &statements;
        let figures = figures::figures(&PeriodStatements {
            balance_sheet: balance_sheet.as_deref(),
            income: income.as_deref(),
            comprehensive_income: comprehensive_income.as_deref(),
            cash_flow: cash_flow.as_deref(),
            value_added: value_added.as_deref(),
            cash_flow_parts: &cash_flow_parts,
            value_added_parts: &value_added_parts,
            capital,
        });
        let plan = figures.plan;
        let with_sources = false;
        Some(CompanyFinancials {
            period_start: start,
            period_end: end,
            scope,
            plan,
            figures,
            with_sources,
        })
    }

    /// The statements that a computed period is made of.
    fn parts(&self, history: &History<'_>, recipe: &PeriodRecipe) -> Vec<StatementPart> {
        let (signs, values): (Vec<Sign>, Vec<PeriodValues>) =
            history.parts(recipe).into_iter().unzip();
        let statements = rows(history, &values, &self.names, usize::MAX).into_iter();
        let part = |(sign, row): (Sign, Statement)| StatementPart { sign, accounts: row.accounts };
        signs.into_iter().zip(statements).map(part).collect()
    }
}

/// The balance sheet at the end of the last four quarters is that of the last of them.
fn of_kind(period: Period, kind: StatementKind) -> Period {
    match (period, kind) {
        (Period::TrailingTwelveMonths, StatementKind::BalanceSheet) => Period::Quarter,
        _ => period,
    }
}

/// The shares in the newest form of the period.
fn capital_at(history: &History<'_>, end: Date) -> Option<Capital> {
    let forms = history.forms.iter().filter(|form| form.key.period_end == end);
    let mut forms: Vec<&StoredForm> = forms.filter(|form| form.capital.is_some()).collect();
    forms.sort_by_key(|form| (form.key.form != Form::Dfp, std::cmp::Reverse(form.key.version)));
    forms.first().and_then(|form| form.capital)
}

/// The codes that a form follows, from its own statements.
pub(crate) fn plan_of_form(
    connection: &Connection,
    form: &StoredForm,
) -> Result<Option<PlanCodes>> {
    let forms = std::slice::from_ref(form);
    for scope in Scope::ALL {
        let accounts = |kind| -> Result<Option<Vec<Account>>> {
            let history = History::read(connection, forms, scope, kind)?;
            let Some(recipe) = history.periods(Period::YearToDate).into_iter().next() else {
                return Ok(None);
            };
            let names = AccountNames::read(connection, history.account_ids())?;
            let row = rows(&history, &[history.values(&recipe)], &names, 2).pop();
            Ok(row.map(|row| row.accounts))
        };
        let (income, balance) =
            (accounts(StatementKind::Income)?, accounts(StatementKind::BalanceSheet)?);
        let plan = plan::codes_of(income.as_deref(), balance.as_deref());
        if plan.is_some() {
            return Ok(plan);
        }
    }
    Ok(None)
}
