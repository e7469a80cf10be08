//! The figures that compare companies, made from the statements of a period.
use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{
    statements::{Account, Capital, Sign, figures::plan::plan_of},
    values::{Decimal, Error, Result, Wanted, as_text},
};

mod cash_and_shares;
pub(crate) mod plan;

pub(crate) use plan::AccountPlan;

/// The statements of one period of a company in one scope, each in the order of its accounts. `None` where the form
/// lacks it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PeriodStatements<'a> {
    /// Assets, liabilities and equity.
    pub(crate) balance_sheet: Option<&'a [Account]>,
    pub(crate) income: Option<&'a [Account]>,
    pub(crate) comprehensive_income: Option<&'a [Account]>,
    pub(crate) cash_flow: Option<&'a [Account]>,
    pub(crate) value_added: Option<&'a [Account]>,
    /// Of a computed period the cash flows that it was computed from; none of a period that was filed.
    pub(crate) cash_flow_parts: &'a [StatementPart],
    pub(crate) value_added_parts: &'a [StatementPart],
    pub(crate) capital: Option<Capital>,
}

/// A statement that a computed one was made of.
#[derive(Clone, Debug)]
pub(crate) struct StatementPart {
    pub(crate) sign: Sign,
    pub(crate) accounts: Vec<Account>,
}

/// Declares the metrics with their names.
macro_rules! metrics {
    ($($(#[$doc:meta])+ $metric:ident $name:literal),+ $(,)?) => {
        /// A figure that compares companies.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Metric {
            $($(#[$doc])+ $metric,)+
        }

        impl Metric {
            /// Every metric, in the order in which rows have them.
            pub const ALL: [Metric; METRICS] = [$(Metric::$metric),+];

            /// Its name: `net_income`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Metric::$metric => $name,)+
                }
            }
        }
    };
}

const METRICS: usize = 29;

metrics! {
    /// Net revenue; of a bank, the revenue of financial intermediation.
    Revenue "revenue",
    /// Revenue less the cost of what was sold.
    GrossProfit "gross_profit",
    /// The result before the financial result and taxes.
    Ebit "ebit",
    /// Depreciation, amortisation and depletion, positive.
    DepreciationAmortisation "depreciation_amortisation",
    /// EBIT and depreciation together.
    Ebitda "ebitda",
    /// Financial revenue less financial expenses.
    FinancialResult "financial_result",
    /// The profit or loss of the period, of all shareholders.
    NetIncome "net_income",
    /// The profit or loss of the shareholders of the company itself.
    NetIncomeControlling "net_income_controlling",
    /// All assets.
    TotalAssets "total_assets",
    /// Assets that become cash within a year.
    CurrentAssets "current_assets",
    /// Liabilities due within a year.
    CurrentLiabilities "current_liabilities",
    /// Cash, equivalents and current financial investments.
    Cash "cash",
    /// Loans, financing and debentures, current and not.
    GrossDebt "gross_debt",
    /// Gross debt less cash.
    NetDebt "net_debt",
    /// Equity, of all shareholders.
    Equity "equity",
    /// The net cash of operations.
    OperatingCashFlow "operating_cash_flow",
    /// The net cash of investments.
    InvestingCashFlow "investing_cash_flow",
    /// The net cash of financing.
    FinancingCashFlow "financing_cash_flow",
    /// Payments for property and intangibles, positive.
    CapitalExpenditure "capital_expenditure",
    /// Dividends and interest on equity that were paid, positive.
    DividendsPaid "dividends_paid",
    /// Basic earnings of a common share.
    Eps "eps",
    /// Shares outstanding.
    Shares "shares",
    /// Gross profit in percent of revenue.
    GrossMargin "gross_margin",
    /// EBIT in percent of revenue.
    EbitMargin "ebit_margin",
    /// Net income in percent of revenue.
    NetMargin "net_margin",
    /// Net income in percent of the equity at the end of the period.
    Roe "roe",
    /// Net income in percent of total assets at the end of the period.
    Roa "roa",
    /// Gross debt by equity, in times.
    DebtToEquity "debt_to_equity",
    /// Net debt by the EBITDA of the period, in times.
    NetDebtToEbitda "net_debt_to_ebitda",
}

/// How many of the metrics come from accounts; the ratios follow them.
const BASE_METRICS: usize = Metric::Shares as usize + 1;

impl FromStr for Metric {
    type Err = Error;

    fn from_str(text: &str) -> Result<Metric> {
        let metric = Metric::ALL.into_iter().find(|metric| metric.name() == text);
        metric.ok_or_else(|| Error::invalid(text, Wanted::Metrics))
    }
}

as_text!(Metric);

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a figure is null, or what was done to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The plan of accounts has no such figure: a bank has no EBITDA.
    NotInPlan,
    /// The statement that it comes from is missing.
    NoStatement,
    /// The statement has no account of that meaning.
    NoAccount,
    /// Net income is not divided between controlling and other shareholders.
    NotDivided,
    /// Earnings per share were left at 0, although there is net income.
    LeftAtZero,
    /// The form counts no shares, or more in treasury than were issued.
    NoShares,
    /// The form does not say whether it counts shares or thousands of shares, and nothing else decides it.
    ScaleInDoubt,
    /// The form counts thousands of shares, which its other figures show; the value is the number of shares.
    CountedInThousands,
    /// The divisor is zero or negative.
    DivisorNotPositive,
    /// The value has more than 18 digits.
    TooLarge,
}

impl Reason {
    /// Its name: `not_in_plan`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Reason::NotInPlan => "not_in_plan",
            Reason::NoStatement => "no_statement",
            Reason::NoAccount => "no_account",
            Reason::NotDivided => "not_divided",
            Reason::LeftAtZero => "left_at_zero",
            Reason::NoShares => "no_shares",
            Reason::ScaleInDoubt => "scale_in_doubt",
            Reason::CountedInThousands => "counted_in_thousands",
            Reason::DivisorNotPositive => "divisor_not_positive",
            Reason::TooLarge => "too_large",
        }
    }
}

/// A figure, with what it was made of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FigureValue {
    /// In reais, per share, in shares or in percent; `None` if it cannot be made.
    pub value: Option<Decimal>,
    /// The codes of the accounts that it was made of; the names of the metrics, of a ratio; `composicao_capital`, of
    /// shares.
    pub from: Vec<String>,
    /// Why the value is null, or what was done to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
}

impl FigureValue {
    /// A figure that was made of these accounts.
    fn made(value: Option<Decimal>, from: Vec<String>) -> FigureValue {
        FigureValue { value, from, reason: value.is_none().then_some(Reason::TooLarge) }
    }

    /// A figure that cannot be made.
    fn none(reason: Reason) -> FigureValue {
        FigureValue { value: None, from: Vec::new(), reason: Some(reason) }
    }

    /// The figure made of two others, which is null for the reason of one that is missing.
    fn of_two(
        first: &FigureValue,
        second: &FigureValue,
        operation: fn(Decimal, Decimal) -> Option<Decimal>,
    ) -> FigureValue {
        match (first.value, second.value) {
            (Some(a), Some(b)) => {
                FigureValue::made(operation(a, b), [&first.from[..], &second.from].concat())
            }
            (None, _) => FigureValue { reason: first.reason, ..FigureValue::default() },
            (_, None) => FigureValue { reason: second.reason, ..FigureValue::default() },
        }
    }
}

/// Every figure of a period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Figures {
    /// The plan of accounts, if the statements show it.
    pub(crate) plan: Option<AccountPlan>,
    values: [FigureValue; METRICS],
}

impl Figures {
    /// The figure of a metric.
    pub(crate) fn get(&self, metric: Metric) -> &FigureValue {
        &self.values[metric as usize]
    }

    /// The values of the figures that come from accounts, as one text: separated by commas, empty where null.
    pub(crate) fn base_text(&self) -> String {
        let text = |figure: &FigureValue| figure.value.map(|value| value.to_string());
        let texts: Vec<String> = self.values[..BASE_METRICS]
            .iter()
            .map(|figure| text(figure).unwrap_or_default())
            .collect();
        texts.join(",")
    }

    /// The figures whose base text this is, with their ratios, but without accounts. `None` if it is no base text.
    pub(crate) fn from_base_text(plan: Option<AccountPlan>, text: &str) -> Option<Figures> {
        let mut figures = Figures { plan, values: Default::default() };
        let mut texts = text.split(',');
        for figure in &mut figures.values[..BASE_METRICS] {
            let text = texts.next()?;
            figure.value = if text.is_empty() { None } else { Some(text.parse().ok()?) };
        }
        for ratio in &RATIOS {
            figures.values[ratio.metric as usize] = figures.ratio(ratio);
        }
        texts.next().is_none().then_some(figures)
    }

    fn ratio(&self, ratio: &Ratio) -> FigureValue {
        ratio.of(self.get(ratio.numerator), self.get(ratio.divisor))
    }

    fn set(&mut self, metric: Metric, figure: FigureValue) {
        self.values[metric as usize] = figure;
    }
}

/// The figures of a period, made from its statements.
pub(crate) fn figures(statements: &PeriodStatements<'_>) -> Figures {
    let plan = plan_of(statements.income, statements.balance_sheet);
    let mut figures = Figures { plan, values: Default::default() };
    for metric in Metric::ALL {
        let figure = match metric {
            Metric::Ebitda => {
                let depreciation = figures.get(Metric::DepreciationAmortisation);
                FigureValue::of_two(figures.get(Metric::Ebit), depreciation, Decimal::checked_add)
            }
            Metric::NetDebt => {
                let (debt, cash) = (figures.get(Metric::GrossDebt), figures.get(Metric::Cash));
                FigureValue::of_two(debt, cash, Decimal::checked_sub)
            }
            Metric::NetIncomeControlling => plan::controlling_share(statements.income),
            Metric::CapitalExpenditure => {
                let (flow, parts) = (statements.cash_flow, statements.cash_flow_parts);
                cash_and_shares::of_sums(flow, parts, cash_and_shares::capital_expenditure)
            }
            Metric::DividendsPaid => {
                let (flow, parts) = (statements.cash_flow, statements.cash_flow_parts);
                cash_and_shares::of_sums(flow, parts, cash_and_shares::dividends_paid)
            }
            Metric::DepreciationAmortisation => {
                let (added, parts) = (statements.value_added, statements.value_added_parts);
                cash_and_shares::of_parts(added, parts, |accounts| {
                    plan::depreciation(plan, accounts)
                })
            }
            Metric::Eps => cash_and_shares::basic_earnings(
                statements.income,
                figures.get(Metric::NetIncome).value,
            ),
            Metric::Shares => cash_and_shares::outstanding(statements.capital, &figures),
            Metric::GrossMargin
            | Metric::EbitMargin
            | Metric::NetMargin
            | Metric::Roe
            | Metric::Roa
            | Metric::DebtToEquity
            | Metric::NetDebtToEbitda => continue,
            Metric::Revenue
            | Metric::GrossProfit
            | Metric::Ebit
            | Metric::FinancialResult
            | Metric::NetIncome
            | Metric::TotalAssets
            | Metric::CurrentAssets
            | Metric::CurrentLiabilities
            | Metric::Cash
            | Metric::GrossDebt
            | Metric::Equity
            | Metric::OperatingCashFlow
            | Metric::InvestingCashFlow
            | Metric::FinancingCashFlow => plan::from_accounts(plan, metric, statements),
        };
        figures.set(metric, figure);
    }
    for ratio in &RATIOS {
        let mut figure = figures.ratio(ratio);
        if figure.value.is_some() {
            figure.from = vec![ratio.numerator.name().to_owned(), ratio.divisor.name().to_owned()];
        }
        figures.set(ratio.metric, figure);
    }
    figures
}

/// The number without its sign.
fn absolute(value: Decimal) -> Decimal {
    let zero = Decimal::from(0);
    if value < zero { zero.checked_sub(value).unwrap_or(value) } else { value }
}

/// A figure that is one figure divided by another.
pub(crate) struct Ratio {
    pub(crate) metric: Metric,
    pub(crate) numerator: Metric,
    pub(crate) divisor: Metric,
    unit: Unit,
}

#[derive(Clone, Copy)]
enum Unit {
    Percent,
    Times,
}

/// Every ratio.
const RATIOS: [Ratio; 7] = [
    percent(Metric::GrossMargin, Metric::GrossProfit, Metric::Revenue),
    percent(Metric::EbitMargin, Metric::Ebit, Metric::Revenue),
    percent(Metric::NetMargin, Metric::NetIncome, Metric::Revenue),
    percent(Metric::Roe, Metric::NetIncome, Metric::Equity),
    percent(Metric::Roa, Metric::NetIncome, Metric::TotalAssets),
    times(Metric::DebtToEquity, Metric::GrossDebt, Metric::Equity),
    times(Metric::NetDebtToEbitda, Metric::NetDebt, Metric::Ebitda),
];

const fn percent(metric: Metric, numerator: Metric, divisor: Metric) -> Ratio {
    Ratio { metric, numerator, divisor, unit: Unit::Percent }
}

const fn times(metric: Metric, numerator: Metric, divisor: Metric) -> Ratio {
    Ratio { metric, numerator, divisor, unit: Unit::Times }
}

impl Ratio {
    /// The ratio of two figures, with two decimals.
    pub(crate) fn of(&self, numerator: &FigureValue, divisor: &FigureValue) -> FigureValue {
        match divisor.value {
            Some(value) if numerator.value.is_some() && !value.is_positive() => {
                FigureValue::none(Reason::DivisorNotPositive)
            }
            _ => {
                let operation = match self.unit {
                    Unit::Percent => |above, below| quotient(above, below, 10_000),
                    Unit::Times => |above, below| quotient(above, below, 100),
                };
                let figure = FigureValue::of_two(numerator, divisor, operation);
                FigureValue { from: Vec::new(), ..figure }
            }
        }
    }
}

/// The hundredths of a ratio in its unit, rounded half away from zero. The divisor is positive. `None` if the result, or a
/// number on the way, is too large.
fn quotient(numerator: Decimal, divisor: Decimal, hundredths: i128) -> Option<Decimal> {
    let (above, below) = aligned(numerator, divisor)?;
    let scaled = above.checked_mul(hundredths)?;
    let twice = below.checked_mul(2)?;
    let rounded = scaled.abs().checked_mul(2)?.checked_add(below)?.checked_div(twice)?;
    // Never more than 18 digits, because `Decimal` refuses them.
    let digits = i64::try_from(rounded * scaled.signum()).ok()?;
    (digits.unsigned_abs() < 10_u64.pow(18)).then(|| Decimal::from_parts(digits, 2))
}

/// Both numbers without their decimals, multiplied by the same power of ten.
pub(crate) fn aligned(a: Decimal, b: Decimal) -> Option<(i128, i128)> {
    let decimals = a.decimals().max(b.decimals());
    let digits = |number: Decimal| {
        let (digits, own) = number.parts();
        i128::from(digits).checked_mul(10_i128.checked_pow(u32::from(decimals - own))?)
    };
    Some((digits(a)?, digits(b)?))
}

#[cfg(test)]
mod tests;
