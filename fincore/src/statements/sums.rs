//! Checks sums of a company's statements, as filed: the sides of balance sheets, subtotals, and the quarters of a year.
use rusqlite::Connection;

use crate::{
    statements::{
        Account, AccountNames, History, Period, Scope, Statement, StatementKind, StatementOrigin,
        form, periods::QUARTER, read::rows,
    },
    values::{CvmCode, Decimal, Result},
};

/// Something that should add up.
pub(crate) struct Sum {
    pub(crate) kind: SumKind,
    /// Where it stands: `9512 2024-12-31 consolidated 1.01`.
    pub(crate) name: String,
    pub(crate) is_right: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SumKind {
    /// Assets are liabilities and equity.
    Balance,
    /// An account is the sum of those directly below it.
    Subtotal,
    /// Three quarters are nine months, so that four are the year.
    Quarters,
}

impl SumKind {
    pub(crate) const ALL: [SumKind; 3] = [SumKind::Balance, SumKind::Subtotal, SumKind::Quarters];
}

/// How deep the subtotals lie that are checked.
const DEEPEST: usize = 3;

/// The rounding unit of forms in thousands.
const THOUSAND: u32 = 1000;

/// Everything that should add up in the statements of a company.
pub(crate) fn sums(connection: &Connection, company: CvmCode) -> Result<Vec<Sum>> {
    let forms = form::forms_of(connection, company, None)?;
    let mut sums = Vec::new();
    for scope in Scope::ALL {
        for kind in StatementKind::ALL {
            // Its accounts stand below each other in many columns.
            if kind == StatementKind::EquityChanges {
                continue;
            }
            let history = History::read(connection, &forms, scope, kind)?;
            let names = AccountNames::read(connection, history.account_ids())?;
            let filed = |period| {
                let periods = history.periods(period);
                let values: Vec<_> = periods.iter().map(|period| history.values(period)).collect();
                rows(&history, &values, &names, DEEPEST)
            };
            let to_date = filed(Period::YearToDate);
            for row in &to_date {
                let name = format!("{company} {} {}", row.period_end, scope.name());
                if kind == StatementKind::BalanceSheet {
                    sums.extend(sides(row, &name));
                }
                sums.extend(subtotals(row, &name));
            }
            if kind == StatementKind::Income {
                sums.extend(quarters(&to_date, &filed(Period::Quarter), company));
            }
        }
    }
    Ok(sums)
}

fn sides(row: &Statement, name: &str) -> Option<Sum> {
    let total = |code: &str| row.accounts.iter().find(|account| account.code == code);
    let (assets, liabilities) = (total("1")?, total("2")?);
    let is_right = assets.value == liabilities.value;
    Some(Sum { kind: SumKind::Balance, name: name.to_owned(), is_right })
}

/// The accounts with all of those below them. A form that leaves those at zero divides nothing.
fn subtotals(row: &Statement, name: &str) -> Vec<Sum> {
    let mut sums = Vec::new();
    for parent in row.accounts.iter().filter(|account| !account.is_per_share()) {
        // Cash at the end is not added to cash at the beginning.
        if parent.code == "6.05" || parent.depth() >= DEEPEST {
            continue;
        }
        let below = |account: &&Account| {
            account.depth() == parent.depth() + 1
                && account.code.strip_prefix(&parent.code).is_some_and(|rest| rest.starts_with('.'))
        };
        let parts: Vec<&Account> = row.accounts.iter().filter(below).collect();
        let is_divided = parts.iter().any(|part| part.value != Decimal::from(0));
        if parts.len() < 2 || !is_divided || parent.depth() == 1 && !has_sides(parent) {
            continue;
        }
        // Of some companies only chosen accounts are held.
        let is_whole = (1..=parts.len()).all(|at| {
            let code = format!("{}.{at:02}", parent.code);
            parts.iter().any(|part| part.code == code)
        });
        let total =
            parts.iter().try_fold(Decimal::from(0), |total, part| total.checked_add(part.value));
        if let (true, Some(total)) = (is_whole, total) {
            sums.push(Sum {
                kind: SumKind::Subtotal,
                name: format!("{name} {}", parent.code),
                is_right: is_near(total, parent.value, parts.len()),
            });
        }
    }
    sums
}

/// Whether the accounts below a whole statement add up: those of balance sheets. Others go from line to line.
fn has_sides(whole: &Account) -> bool {
    matches!(whole.code.as_str(), "1" | "2")
}

/// The nine months of which all three quarters are filed.
fn quarters(to_date: &[Statement], quarters: &[Statement], company: CvmCode) -> Vec<Sum> {
    let filed: Vec<&Statement> =
        quarters.iter().filter(|row| row.origin == StatementOrigin::Filed).collect();
    let mut sums = Vec::new();
    for nine in to_date {
        let Some(start) = nine.period_start else { continue };
        let within = |row: &&&Statement| {
            row.period_end <= nine.period_end && row.period_start.is_some_and(|day| day >= start)
        };
        let three: Vec<&&Statement> = filed.iter().filter(within).collect();
        let days = nine.period_end.day_number() - start.day_number() + 1;
        let months: i32 = days / QUARTER.start();
        if three.len() != 3 || months != 3 {
            continue;
        }
        let is_right = nine.accounts.iter().all(|account| {
            let same = |row: &&&Statement| {
                let same =
                    |other: &&Account| (&other.code, &other.name) == (&account.code, &account.name);
                row.accounts.iter().find(same).map(|other| other.value)
            };
            let parts: Option<Vec<Decimal>> = three.iter().map(same).collect();
            let total = parts.and_then(|parts| {
                parts.into_iter().try_fold(Decimal::from(0), Decimal::checked_add)
            });
            account.is_per_share() || total.is_none_or(|total| is_near(total, account.value, 3))
        });
        let name = format!("{company} {} {}", nine.period_end, nine.scope.name());
        sums.push(Sum { kind: SumKind::Quarters, name, is_right });
    }
    sums
}

/// Whether two values differ by no more than so many rounded ones explain.
fn is_near(one: Decimal, other: Decimal, parts: usize) -> bool {
    let slack = Decimal::from(THOUSAND * u32::try_from(parts).unwrap_or(1));
    let Some(difference) = one.checked_sub(other) else { return false };
    difference <= slack
        && Decimal::from(0).checked_sub(difference).is_some_and(|less| less <= slack)
}
