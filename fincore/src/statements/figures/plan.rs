//! CVM's plans of accounts, and the table of the accounts that each figure is made of in each of them.
use serde::{Deserialize, Serialize};

use super::{FigureValue, Metric, PeriodStatements, Reason, absolute};
use crate::{
    statements::account::{Account, StatementKind, depth},
    types::{Decimal, fold},
};

/// A plan of accounts of CVM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AccountPlan {
    /// Of all companies but those below.
    General,
    /// Of banks. Its codes differ before and since 2020, and between consolidated and individual statements.
    Bank,
    /// Of insurers and reinsurers.
    Insurer,
}

impl AccountPlan {
    /// Every plan.
    pub const ALL: [AccountPlan; 3] =
        [AccountPlan::General, AccountPlan::Bank, AccountPlan::Insurer];

    /// Its name: `general`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            AccountPlan::General => "general",
            AccountPlan::Bank => "bank",
            AccountPlan::Insurer => "insurer",
        }
    }
}

/// An account by its code and the beginning of its folded name. `*` stands for one part of a code, and for any letters
/// of a name. Codes alone are never enough: `2.03` is the equity of most companies, and the provisions of banks.
type Line = (&'static str, &'static str);

/// How a figure is made in a plan.
enum Recipe {
    /// Of the account that fits the first line that any account fits; the last such account.
    OneOf(StatementKind, &'static [Line]),
    /// The sum of the accounts of these lines, which must not stand for something else.
    SumOf(StatementKind, &'static [Line]),
    /// The plan has no such figure.
    Absent,
}

const NET_INCOME: &[Line] = &[("3.*", "lucro*periodo"), ("3.*", "lucro*exercicio")];

const EQUITY: &[Line] = &[("2.*", "patrimonio liquido")];

/// The table: how the figures that stand in accounts are made in each plan.
fn recipe(plan: AccountPlan, metric: Metric) -> Recipe {
    use AccountPlan::{Bank, General, Insurer};
    use Recipe::{Absent, OneOf, SumOf};
    use StatementKind::{BalanceSheet, CashFlow, Income, ValueAdded};
    match (metric, plan) {
        (Metric::Revenue, General | Insurer) => OneOf(Income, &[("3.01", "receita")]),
        (Metric::Revenue, Bank) => OneOf(Income, &[("3.01", "receita*intermediacao financeira")]),
        (Metric::GrossProfit, _) => OneOf(Income, &[("3.03", "resultado bruto")]),
        (Metric::Ebit, General) => {
            OneOf(Income, &[("3.05", "resultado antes do resultado financeiro")])
        }
        (Metric::Ebit, Insurer) => {
            OneOf(Income, &[("3.07", "resultado antes do resultado financeiro")])
        }
        (Metric::FinancialResult, General) => OneOf(Income, &[("3.06", "resultado financeiro")]),
        (Metric::FinancialResult, Insurer) => OneOf(Income, &[("3.08", "resultado financeiro")]),
        // 3.11 in the general plan and of banks since 2020, 3.09 of banks before, 3.13 in their individual statements
        // and of insurers.
        (Metric::NetIncome, _) => OneOf(Income, NET_INCOME),
        // 7.04.01 in the general plan; banks and insurers have more accounts before it.
        (Metric::DepreciationAmortisation, General) => {
            OneOf(ValueAdded, &[("7.04.01", "deprecia")])
        }
        (Metric::DepreciationAmortisation, Bank | Insurer) => {
            OneOf(ValueAdded, &[("7.*.01", "deprecia")])
        }
        (Metric::TotalAssets, _) => OneOf(BalanceSheet, &[("1", "ativo")]),
        (Metric::CurrentAssets, General | Insurer) => {
            OneOf(BalanceSheet, &[("1.01", "ativo circulante")])
        }
        (Metric::CurrentLiabilities, General | Insurer) => {
            OneOf(BalanceSheet, &[("2.01", "passivo circulante")])
        }
        (Metric::Cash, General) => {
            SumOf(BalanceSheet, &[("1.01.01", "caixa"), ("1.01.02", "aplicacoes")])
        }
        (Metric::Cash, Insurer) => {
            SumOf(BalanceSheet, &[("1.01.01", "caixa|disponi"), ("1.01.02", "aplicacoes")])
        }
        // Individual statements before 2020 have it one level below.
        (Metric::Cash, Bank) => {
            OneOf(BalanceSheet, &[("1.01", "caixa|disponi"), ("1.01.01", "caixa|disponi")])
        }
        (Metric::GrossDebt, General | Insurer) => {
            SumOf(BalanceSheet, &[("2.01.04", "emprestimos"), ("2.02.01", "emprestimos")])
        }
        // 2.03 in the general plan and of insurers; of banks 2.08, 2.07 since 2020, 2.05 in old individual statements.
        (Metric::Equity, _) => OneOf(BalanceSheet, EQUITY),
        (Metric::OperatingCashFlow, _) => OneOf(CashFlow, &[("6.01", "caixa liquido")]),
        (Metric::InvestingCashFlow, _) => OneOf(CashFlow, &[("6.02", "caixa liquido")]),
        (Metric::FinancingCashFlow, _) => OneOf(CashFlow, &[("6.03", "caixa liquido")]),
        // The rest is no figure of banks, or is made of other figures.
        _ => Absent,
    }
}

/// The figure of a metric that stands in accounts. Statements that do not show their plan are read by the general one:
/// names are compared in any case.
pub(super) fn from_accounts(
    plan: Option<AccountPlan>,
    metric: Metric,
    statements: &PeriodStatements<'_>,
) -> FigureValue {
    let figure = match recipe(plan.unwrap_or(AccountPlan::General), metric) {
        Recipe::Absent => FigureValue::none(Reason::NotInPlan),
        Recipe::OneOf(kind, lines) => match statement(statements, kind) {
            Some(accounts) => one_of(accounts, lines),
            None => FigureValue::none(Reason::NoStatement),
        },
        Recipe::SumOf(kind, lines) => match statement(statements, kind) {
            Some(accounts) => sum_of(accounts, lines),
            None => FigureValue::none(Reason::NoStatement),
        },
    };
    match (metric, statements.comprehensive_income) {
        // Comprehensive income begins with net income.
        (Metric::NetIncome, Some(accounts)) if figure.value.is_none() => {
            let figure_there = one_of(accounts, &[("4.01", "lucro"), ("4.01", "prejuizo")]);
            if figure_there.value.is_some() { figure_there } else { figure }
        }
        _ => figure,
    }
}

/// Depreciation, amortisation and depletion. Forms deduct it; some leave out the sign.
pub(super) fn depreciation(
    plan: Option<AccountPlan>,
    value_added: Option<&[Account]>,
) -> FigureValue {
    let statements = PeriodStatements { value_added, ..PeriodStatements::default() };
    let figure = from_accounts(plan, Metric::DepreciationAmortisation, &statements);
    FigureValue { value: figure.value.map(absolute), ..figure }
}

fn statement<'a>(statements: &PeriodStatements<'a>, kind: StatementKind) -> Option<&'a [Account]> {
    match kind {
        StatementKind::BalanceSheet => statements.balance_sheet,
        StatementKind::Income => statements.income,
        StatementKind::ComprehensiveIncome => statements.comprehensive_income,
        StatementKind::CashFlow => statements.cash_flow,
        StatementKind::ValueAdded => statements.value_added,
        StatementKind::EquityChanges => None,
    }
}

fn one_of(accounts: &[Account], lines: &[Line]) -> FigureValue {
    let account =
        lines.iter().find_map(|line| accounts.iter().rev().find(|account| fits(account, *line)));
    match account {
        Some(account) => FigureValue::made(Some(account.value), vec![account.code.clone()]),
        None => FigureValue::none(Reason::NoAccount),
    }
}

/// Accounts that are left out count as zero, unless all are.
fn sum_of(accounts: &[Account], lines: &[Line]) -> FigureValue {
    let mut sum = Some(Decimal::from(0));
    let mut from = Vec::new();
    for &(code, name) in lines {
        match accounts.iter().find(|account| code_fits(&account.code, code)) {
            Some(account) if fits(account, (code, name)) => {
                sum = sum.and_then(|sum| sum.checked_add(account.value));
                from.push(account.code.clone());
            }
            Some(_) => return FigureValue::none(Reason::NoAccount),
            None => (),
        }
    }
    if from.is_empty() {
        return FigureValue::none(Reason::NoAccount);
    }
    FigureValue::made(sum, from)
}

/// The share of net income of the shareholders of the company itself.
pub(super) fn controlling_share(income: Option<&[Account]>) -> FigureValue {
    let Some(accounts) = income else { return FigureValue::none(Reason::NoStatement) };
    let mut lines = NET_INCOME.iter();
    let parent = lines.find_map(|line| accounts.iter().rev().find(|account| fits(account, *line)));
    let Some(parent) = parent else { return FigureValue::none(Reason::NoAccount) };
    let zero = Decimal::from(0);
    let (mut controlling, mut others) = (None, zero);
    for account in accounts.iter().filter(|account| is_child(&account.code, &parent.code)) {
        let name = fold(&account.name);
        if name.contains("nao control") || name.contains("minoritari") {
            others = account.value;
        } else if name.contains("controladora") && controlling.is_none() {
            controlling = Some(account);
        }
    }
    match controlling {
        // Forms that divide nothing leave both shares at 0.
        Some(account) if account.value != zero || others != zero || parent.value == zero => {
            FigureValue::made(Some(account.value), vec![account.code.clone()])
        }
        _ => FigureValue::none(Reason::NotDivided),
    }
}

/// A plan of accounts with the codes that it has. Between statements with other codes nothing is computed.
#[cfg(any(feature = "bundle", feature = "import"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlanCodes {
    General,
    BankBefore2020,
    Insurer,
    BankSince2020,
}

/// The codes that statements follow: the plan, and of banks where net income or equity stands. `None` if they do not show it.
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) fn codes_of(
    income: Option<&[Account]>,
    balance_sheet: Option<&[Account]>,
) -> Option<PlanCodes> {
    let code_of = |accounts: Option<&[Account]>, lines| one_of(accounts?, lines).from.pop();
    Some(match plan_of(income, balance_sheet)? {
        AccountPlan::General => PlanCodes::General,
        AccountPlan::Insurer => PlanCodes::Insurer,
        AccountPlan::Bank => {
            let profit = code_of(income, NET_INCOME);
            let equity = || code_of(balance_sheet, EQUITY);
            match profit.or_else(equity)?.as_str() {
                "3.11" | "2.07" => PlanCodes::BankSince2020,
                _ => PlanCodes::BankBefore2020,
            }
        }
    })
}

/// The plan of accounts that statements follow, by the names of their accounts. `None` if they do not show it.
pub(crate) fn plan_of(
    income: Option<&[Account]>,
    balance_sheet: Option<&[Account]>,
) -> Option<AccountPlan> {
    income.and_then(plan_of_income).or_else(|| balance_sheet.and_then(plan_of_balance_sheet))
}

fn plan_of_income(accounts: &[Account]) -> Option<AccountPlan> {
    let has = |code, name| accounts.iter().any(|account| fits(account, (code, name)));
    let before_financial_result = "resultado antes do resultado financeiro";
    if has("3.01", "receita*intermediacao financeira") || has("3.03", "*intermediacao financeira") {
        Some(AccountPlan::Bank)
    } else if has("3.01", "*segur|*premio|receitas das operacoes")
        || has("3.02", "sinistro|*segurador")
        || has("3.07", before_financial_result)
    {
        Some(AccountPlan::Insurer)
    } else if has("3.01", "receita") || has("3.05", before_financial_result) {
        Some(AccountPlan::General)
    } else {
        None
    }
}

fn plan_of_balance_sheet(accounts: &[Account]) -> Option<AccountPlan> {
    // Companies name accounts of their own as they like.
    let has = |code, name| {
        accounts.iter().filter(|account| account.fixed).any(|account| fits(account, (code, name)))
    };
    if has("1.01", "caixa|disponi")
        || has("2.05", "patrimonio liquido")
        || has("2.07", "patrimonio liquido")
        || has("2.08", "patrimonio liquido")
    {
        Some(AccountPlan::Bank)
    } else if has("1.01.*", "*seguro") || has("2.01.*", "*seguro|provisoes tecnicas") {
        Some(AccountPlan::Insurer)
    } else if has("1.01", "ativo circulante") || has("2.03", "patrimonio liquido") {
        Some(AccountPlan::General)
    } else {
        None
    }
}

fn fits(account: &Account, (code, name): Line) -> bool {
    code_fits(&account.code, code) && name_fits(&fold(&account.name), name)
}

/// Whether a code fits a pattern: `2.08` fits `2.*`.
fn code_fits(code: &str, pattern: &str) -> bool {
    let mut parts = code.split('.').zip(pattern.split('.'));
    depth(code) == depth(pattern) && parts.all(|(part, wanted)| wanted == "*" || part == wanted)
}

/// Whether a folded name fits one of the patterns: `lucro ou prejuizo do periodo` fits `lucro*periodo`.
fn name_fits(folded: &str, patterns: &str) -> bool {
    patterns.split('|').any(|pattern| {
        let mut parts = pattern.split('*');
        let rest = parts.next().and_then(|begin| folded.strip_prefix(begin));
        rest.is_some_and(|rest| {
            parts
                .try_fold(rest, |rest, part| rest.find(part).map(|at| &rest[at + part.len()..]))
                .is_some()
        })
    })
}

/// Whether an account lies directly below another.
fn is_child(code: &str, parent: &str) -> bool {
    depth(code) == depth(parent) + 1 && is_below(code, parent)
}

/// Whether an account lies below another, at any depth.
pub(super) fn is_below(code: &str, parent: &str) -> bool {
    code.strip_prefix(parent).is_some_and(|rest| rest.starts_with('.'))
}
