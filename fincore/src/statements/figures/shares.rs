//! Earnings per share, and the number of shares, whose scale no form tells.
use super::{FigureValue, Figures, Metric, Reason, plan::is_below, ratio::aligned};
use crate::{
    statements::{account::Account, capital::Capital},
    types::{Decimal, fold, words},
};

/// The basic earnings of a common share, as filed.
pub(super) fn basic_earnings(
    income: Option<&[Account]>,
    net_income: Option<Decimal>,
) -> FigureValue {
    let Some(accounts) = income else { return FigureValue::none(Reason::NoStatement) };
    let classes = || accounts.iter().filter(|account| is_below(&account.code, "3.99.01"));
    // Companies name these accounts themselves: `ON` nearly always, `Ações ordinárias`. Where only the first is named
    // otherwise, it is the only class, unless it is of preferred shares.
    let common = classes().find(|account| is_common(&fold(&account.name)));
    let account =
        common.or_else(|| classes().next().filter(|account| !is_preferred(&fold(&account.name))));
    let zero = Decimal::from(0);
    // Some forms give the account of all classes alone.
    let of_all = || {
        let is_filed = |account: &&Account| account.value != zero;
        let mut codes = ["3.99.01", "3.99"].into_iter();
        let all = codes
            .find_map(|code| accounts.iter().find(|account| account.code == code).filter(is_filed));
        all.filter(|_| !classes().any(|account| account.value != zero))
    };
    match account.filter(|account| account.value != zero).or_else(of_all).or(account) {
        None => FigureValue::none(Reason::NoAccount),
        Some(account) if account.value == zero && net_income.is_some_and(|net| net != zero) => {
            FigureValue::none(Reason::LeftAtZero)
        }
        Some(account) => FigureValue::made(Some(account.value), vec![account.code.clone()]),
    }
}

fn is_common(name: &str) -> bool {
    name.contains("ordinari") || words(name).any(|word| word == "on")
}

fn is_preferred(name: &str) -> bool {
    name.contains("preferen") || words(name).any(|word| word.starts_with("pn"))
}

/// Whether a form counts shares one by one or in thousands.
#[derive(Clone, Copy)]
enum Scale {
    Units,
    Thousands,
}

/// The number of shares outstanding, if its scale is beyond doubt.
pub(super) fn outstanding(capital: Option<Capital>, figures: &Figures) -> FigureValue {
    let Some(capital) = capital else { return FigureValue::none(Reason::NoStatement) };
    let Some(filed) = filed_count(capital) else { return FigureValue::none(Reason::NoShares) };
    let value = |metric| figures.get(metric).value;
    let net_income = value(Metric::NetIncomeControlling).or(value(Metric::NetIncome));
    let scale = scale_by_earnings(filed, net_income, value(Metric::Eps))
        .or_else(|| scale_by_equity(filed, value(Metric::Equity)))
        .or_else(|| (filed >= CERTAINLY_UNITS).then_some(Scale::Units));
    let from = || vec!["composicao_capital".to_owned()];
    match scale {
        None => FigureValue { from: from(), ..FigureValue::none(Reason::ScaleInDoubt) },
        Some(Scale::Units) => FigureValue::made(whole(filed), from()),
        Some(Scale::Thousands) => match filed.checked_mul(1000).and_then(whole) {
            Some(count) => FigureValue {
                value: Some(count),
                from: from(),
                reason: Some(Reason::CountedInThousands),
            },
            None => FigureValue::none(Reason::TooLarge),
        },
    }
}

/// The largest number of shares of a company is some 20 billion, so no count in thousands reaches this.
const CERTAINLY_UNITS: u64 = 100_000_000;

/// A company whose shares are counted in thousands has more than ten million of them. Fewer shares of a high value, as
/// companies that are not traded have, are no sign of thousands.
const LEAST_THOUSANDS: u64 = 10_000;

/// What was issued, without the shares in treasury. Some forms leave out the totals.
fn filed_count(capital: Capital) -> Option<u64> {
    let total = |total: u64, common: u64, preferred: u64| match total {
        0 => common.checked_add(preferred),
        total => Some(total),
    };
    let issued = total(capital.total, capital.common, capital.preferred)?;
    let treasury =
        total(capital.treasury_total, capital.treasury_common, capital.treasury_preferred)?;
    issued.checked_sub(treasury).filter(|count| *count > 0)
}

/// Net income by earnings per share is the mean number of shares of the period. The number at its end is rarely less
/// than half of that or more than twice as much.
fn scale_by_earnings(
    filed: u64,
    net_income: Option<Decimal>,
    eps: Option<Decimal>,
) -> Option<Scale> {
    let (net_income, eps) = aligned(net_income?, eps?)?;
    if net_income.signum() * eps.signum() <= 0 {
        return None;
    }
    let shared_out = i128::from(filed).checked_mul(eps.abs())?;
    let earned = net_income.abs();
    let is_near = |shared_out: i128| {
        Some(shared_out.checked_mul(2)? >= earned && shared_out <= earned.checked_mul(2)?)
    };
    if is_near(shared_out)? {
        Some(Scale::Units)
    } else {
        is_near(shared_out.checked_mul(1000)?)?.then_some(Scale::Thousands)
    }
}

/// Equity per share lies between some cents and some hundred reais. Between 100 and 2,000 reais it may as well be that
/// of a thousand cheap shares.
fn scale_by_equity(filed: u64, equity: Option<Decimal>) -> Option<Scale> {
    let (equity, one) = aligned(equity?, Decimal::from(1))?;
    let shares = i128::from(filed).checked_mul(one)?;
    let is_at_least = |reais: i128| Some(equity >= shares.checked_mul(reais)?);
    let at_least_a_cent = equity.checked_mul(100)? >= shares;
    if at_least_a_cent && !is_at_least(100)? {
        Some(Scale::Units)
    } else if is_at_least(2_000)? && !is_at_least(1_000_000)? && filed >= LEAST_THOUSANDS {
        Some(Scale::Thousands)
    } else {
        None
    }
}

fn whole(count: u64) -> Option<Decimal> {
    count.to_string().parse().ok()
}
