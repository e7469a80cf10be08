//! CVM's plans of accounts, and the accounts that each figure is made of in each of them.
use std::{str::FromStr, sync::LazyLock};

use foldhash::HashMap;
use serde::{Deserialize, Serialize};

use crate::{
    statements::{
        Account, FigureValue, Metric, PeriodStatements, Reason, StatementKind, account::depth,
        figures::absolute,
    },
    values::{Decimal, Error, Result, fold, tsv},
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

impl FromStr for AccountPlan {
    type Err = Error;

    fn from_str(text: &str) -> Result<AccountPlan> {
        tsv::named(text, AccountPlan::ALL, AccountPlan::name, "a plan of accounts")
    }
}

/// An account by its code and the beginning of its folded name, as `plan.tsv` explains them.
#[derive(Clone, Copy)]
struct Line {
    code: &'static str,
    name: &'static str,
}

/// How a figure is made in a plan.
struct Recipe {
    made_of: MadeOf,
    statement: StatementKind,
    lines: Vec<Line>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MadeOf {
    /// The account that fits the first line that any account fits; the last such account.
    One,
    /// The accounts of all lines, which must not stand for something else.
    Sum,
}

impl FromStr for MadeOf {
    type Err = Error;

    fn from_str(text: &str) -> Result<MadeOf> {
        match text {
            "one of" => Ok(MadeOf::One),
            "sum of" => Ok(MadeOf::Sum),
            _ => Err(Error::in_file(text, "\"one of\" or \"sum of\"")),
        }
    }
}

/// How a figure that stands in accounts is made in a plan; `None` if the plan has no such figure.
fn recipe(plan: AccountPlan, metric: Metric) -> Option<&'static Recipe> {
    static RECIPES: LazyLock<HashMap<(AccountPlan, Metric), Recipe>> = LazyLock::new(recipes);
    RECIPES.get(&(plan, metric))
}

fn recipes() -> HashMap<(AccountPlan, Metric), Recipe> {
    let mut all: HashMap<_, Recipe> = HashMap::default();
    for PlanRow { figure, plans, made_of, statement, line } in rows() {
        for plan in plans {
            let new = Recipe { made_of, statement, lines: Vec::new() };
            let recipe = all.entry((plan, figure)).or_insert(new);
            recipe.lines.push(line);
        }
    }
    all
}

struct PlanRow {
    figure: Metric,
    plans: Vec<AccountPlan>,
    made_of: MadeOf,
    statement: StatementKind,
    line: Line,
}

fn rows() -> Vec<PlanRow> {
    let table = include_str!("plan.tsv");
    let header = "figure\tplans\tmade_of\tstatement\tcode\tname";
    tsv::embedded("plan.tsv", table, header, read_row)
}

fn read_row([figure, plans, made_of, statement, code, name]: [&'static str; 6]) -> Result<PlanRow> {
    Ok(PlanRow {
        figure: figure.parse()?,
        plans: tsv::list(plans).map(str::parse).collect::<Result<_>>()?,
        made_of: made_of.parse()?,
        statement: statement.parse()?,
        line: Line { code, name },
    })
}

/// The lines of a figure that every plan has.
fn lines_in_every_plan(metric: Metric) -> &'static [Line] {
    recipe(AccountPlan::General, metric).map_or(&[], |recipe| &recipe.lines)
}

/// The figure of a metric that stands in accounts. Statements that do not show their plan are read by the general one:
/// names are compared in any case.
pub(crate) fn from_accounts(
    plan: Option<AccountPlan>,
    metric: Metric,
    statements: &PeriodStatements<'_>,
) -> FigureValue {
    let Some(recipe) = recipe(plan.unwrap_or(AccountPlan::General), metric) else {
        return FigureValue::none(Reason::NotInPlan);
    };
    let figure = match (statement(statements, recipe.statement), recipe.made_of) {
        (None, _) => FigureValue::none(Reason::NoStatement),
        (Some(accounts), MadeOf::One) => one_of(accounts, &recipe.lines),
        (Some(accounts), MadeOf::Sum) => sum_of(accounts, &recipe.lines),
    };
    match (metric, statements.comprehensive_income) {
        // Comprehensive income begins with net income.
        (Metric::NetIncome, Some(accounts)) if figure.value.is_none() => {
            let lines = ["lucro", "prejuizo"].map(|name| Line { code: "4.01", name });
            let figure_there = one_of(accounts, &lines);
            if figure_there.value.is_some() { figure_there } else { figure }
        }
        _ => figure,
    }
}

/// Depreciation, amortisation and depletion. Forms deduct it; some leave out the sign.
pub(crate) fn depreciation(
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
    for line in lines {
        match accounts.iter().find(|account| code_fits(&account.code, line.code)) {
            Some(account) if fits(account, *line) => {
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
pub(crate) fn controlling_share(income: Option<&[Account]>) -> FigureValue {
    let Some(accounts) = income else { return FigureValue::none(Reason::NoStatement) };
    let mut lines = lines_in_every_plan(Metric::NetIncome).iter();
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlanCodes {
    General,
    BankBefore2020,
    Insurer,
    BankSince2020,
}

/// The codes that statements follow: the plan, and of banks where net income or equity stands. `None` if they do not show it.
pub(crate) fn codes_of(
    income: Option<&[Account]>,
    balance_sheet: Option<&[Account]>,
) -> Option<PlanCodes> {
    let code_of = |accounts: Option<&[Account]>, metric| {
        one_of(accounts?, lines_in_every_plan(metric)).from.pop()
    };
    Some(match plan_of(income, balance_sheet)? {
        AccountPlan::General => PlanCodes::General,
        AccountPlan::Insurer => PlanCodes::Insurer,
        AccountPlan::Bank => {
            let profit = code_of(income, Metric::NetIncome);
            let equity = || code_of(balance_sheet, Metric::Equity);
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
    let of_income = || shown_plan(StatementKind::Income, income?.iter());
    // Companies name accounts of their own as they like.
    let fixed = |accounts: &&Account| accounts.fixed;
    let of_balance_sheet =
        || shown_plan(StatementKind::BalanceSheet, balance_sheet?.iter().filter(fixed));
    of_income().or_else(of_balance_sheet)
}

/// An account by which a statement shows its plan.
struct PlanSign {
    statement: StatementKind,
    plan: AccountPlan,
    line: Line,
}

fn shown_plan<'a>(
    statement: StatementKind,
    accounts: impl Iterator<Item = &'a Account> + Clone,
) -> Option<AccountPlan> {
    static SIGNS: LazyLock<Vec<PlanSign>> = LazyLock::new(|| {
        let table = include_str!("plan_signs.tsv");
        let header = "statement\tplan\tcode\tname";
        tsv::embedded("plan_signs.tsv", table, header, |[statement, plan, code, name]| {
            let (statement, plan) = (statement.parse()?, plan.parse()?);
            Ok(PlanSign { statement, plan, line: Line { code, name } })
        })
    });
    let is_shown = |sign: &&PlanSign| {
        sign.statement == statement && accounts.clone().any(|account| fits(account, sign.line))
    };
    SIGNS.iter().find(is_shown).map(|sign| sign.plan)
}

fn fits(account: &Account, line: Line) -> bool {
    code_fits(&account.code, line.code) && name_fits(&fold(&account.name), line.name)
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
pub(crate) fn is_below(code: &str, parent: &str) -> bool {
    code.strip_prefix(parent).is_some_and(|rest| rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_figure_are_of_one_statement_and_make_it_in_one_way() {
        for PlanRow { figure, plans, made_of, statement, .. } in rows() {
            for plan in plans {
                let recipe = recipe(plan, figure).unwrap();
                assert_eq!((recipe.made_of, recipe.statement), (made_of, statement), "{figure:?}");
            }
        }
    }
}
