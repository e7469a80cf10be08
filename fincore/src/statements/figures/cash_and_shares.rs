//! Capital expenditure and dividends paid. Companies name the accounts of their cash flow themselves, so these figures
//! are found by the words of the names.
use crate::{
    statements::{
        Account, Capital, FigureValue, Figures, Metric, Reason, Sign, StatementPart,
        figures::{absolute, aligned, plan::is_below},
    },
    values::{Decimal, fold, words::words},
};

/// Payments for property and intangibles.
pub(crate) fn capital_expenditure(cash_flow: Option<&[Account]>) -> FigureValue {
    outflow(cash_flow, "6.02", purchase)
}

/// Dividends and interest on equity that were paid.
pub(crate) fn dividends_paid(cash_flow: Option<&[Account]>) -> FigureValue {
    outflow(cash_flow, "6.03", distribution)
}

/// How the name of an account describes an outflow.
#[derive(PartialEq, Eq)]
enum Naming {
    /// It names the outflow: `Aquisição de imobilizado`.
    Outflow,
    /// It names only what the cash was for: `Imobilizado`. The sign decides.
    Either,
    /// Something else, or an inflow: `Venda de imobilizado`.
    Other,
}

/// The sum of the accounts below `parent` that are named as this outflow, positive.
fn outflow(cash_flow: Option<&[Account]>, parent: &str, naming: fn(&str) -> Naming) -> FigureValue {
    let Some(accounts) = cash_flow else { return FigureValue::none(Reason::NoStatement) };
    let zero = Decimal::from(0);
    let is_outflow = |account: &Account| match naming(&fold(&account.name)) {
        Naming::Outflow => true,
        Naming::Either => account.value <= zero,
        Naming::Other => false,
    };
    let mut found: Vec<&Account> = Vec::new();
    for account in accounts.iter().filter(|account| is_below(&account.code, parent)) {
        // Some files have rows twice.
        if is_outflow(account) && !found.iter().any(|other| other.code == account.code) {
            found.push(account);
        }
    }
    if found.is_empty() {
        return FigureValue::none(Reason::NoAccount);
    }
    // An account contains those below it, unless the company filled in only these.
    let is_part = |account: &Account| {
        found.iter().any(|other| other.value != zero && is_below(&account.code, &other.code))
    };
    let counted: Vec<&Account> =
        found.iter().copied().filter(|account| !is_part(account)).collect();
    let sum = counted.iter().try_fold(zero, |sum, account| sum.checked_add(account.value));
    let from = counted.iter().map(|account| account.code.clone()).collect();
    // Some companies file outflows without the minus sign.
    FigureValue::made(sum.map(absolute), from)
}

fn purchase(name: &str) -> Naming {
    // `imobiza` is a frequent misspelling.
    const PROPERTY: &str = "imobiliza|imobiza|intangive|ativo de contrato|ativos de contrato|\
        ativo contratual|ativos contratuais";
    // Companies that are bought have these words in their names, too.
    const GOODS: &str = "infraestrutura|propriedade|oleo e gas|ativo fixo|software|instalacoes|\
        equipamento|imoveis|terreno|maquina";
    const HOLDINGS: &str = "participac|controlad|coligad|capital|fundo|titulos";
    const INFLOW: &str = "venda|vendid|alienac|alienad|baixa|recebi|receita|ganho|resgate|\
        reembols|devoluc|indeniza|cisao|incorporac|arrendamento";
    const PURCHASE: &str = "aquisic|adquiri|adic|compra|invest|aplicac|pagament|pgto|pago|gasto|\
        desembols|construc|usado|utilizado";
    let is_property =
        has(name, PROPERTY) || is_concession(name) || (has(name, GOODS) && !has(name, HOLDINGS));
    if !is_property || has(name, INFLOW) {
        return Naming::Other;
    }
    // `Propriedades para investimento` says what it was for, not that it was bought.
    if has(&name.replace("para investimento", ""), PURCHASE) {
        Naming::Outflow
    } else {
        Naming::Either
    }
}

/// Whether the name speaks of the assets of a public concession. To grant a loan is `concessão` too.
fn is_concession(name: &str) -> bool {
    name.contains("concess") && has(name, "ativo|bens|direito")
}

fn distribution(name: &str) -> Naming {
    const INFLOW: &str = "recebi|a receber|prescri|nao reclamad";
    const PAYMENT: &str = "pag|pgto|distribu|adiantament|antecipa|remunerac";
    let is_distribution = name.contains("dividendo")
        || (name.contains("juros") && name.contains("capital propri"))
        || (name.contains("remunerac") && name.contains("acionistas"))
        || words(name).any(|word| matches!(word, "jcp" | "jscp" | "jsc"));
    if !is_distribution || has(name, INFLOW) {
        Naming::Other
    } else if has(name, PAYMENT) {
        Naming::Outflow
    } else {
        Naming::Either
    }
}

/// Whether the name has one of the parts, which `|` separates.
fn has(name: &str, parts: &str) -> bool {
    parts.split('|').any(|part| name.contains(part))
}

/// The basic earnings of a common share, as filed.
pub(crate) fn basic_earnings(
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
pub(crate) fn outstanding(capital: Option<Capital>, figures: &Figures) -> FigureValue {
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

/// Issued shares without those in treasury. Some forms leave out the totals.
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

/// A figure of a statement: as filed, or of its parts, added and subtracted.
pub(crate) fn of_parts(
    whole: Option<&[Account]>,
    parts: &[StatementPart],
    figure: impl Fn(Option<&[Account]>) -> FigureValue,
) -> FigureValue {
    if parts.is_empty() {
        return figure(whole);
    }
    let mut sum = Some(Decimal::from(0));
    let mut from: Vec<String> = Vec::new();
    for part in parts {
        let FigureValue { value, from: codes, reason } = figure(Some(&part.accounts));
        let Some(value) = value else { return FigureValue { reason, ..FigureValue::default() } };
        sum = match part.sign {
            Sign::Plus => sum.and_then(|sum| sum.checked_add(value)),
            Sign::Minus => sum.and_then(|sum| sum.checked_sub(value)),
        };
        from.extend(codes);
    }
    from.sort_by_cached_key(|code| crate::statements::code_order(code));
    from.dedup();
    FigureValue::made(sum, from)
}

/// Takes a figure that sums several accounts. If a part lacks one that another part counts, it may have it under
/// another name, so that the figure is in doubt.
pub(crate) fn of_sums(
    whole: Option<&[Account]>,
    parts: &[StatementPart],
    figure: impl Fn(Option<&[Account]>) -> FigureValue,
) -> FigureValue {
    let zero = Decimal::from(0);
    for part in parts {
        let codes = figure(Some(&part.accounts)).from;
        let counts = |account: &&Account| account.value != zero && codes.contains(&account.code);
        for counted in part.accounts.iter().filter(counts) {
            let is_it = |account: &Account| {
                (&account.code, &account.name) == (&counted.code, &counted.name)
            };
            if !parts.iter().all(|other| other.accounts.iter().any(is_it)) {
                return FigureValue::none(Reason::NoAccount);
            }
        }
    }
    of_parts(whole, parts, figure)
}
